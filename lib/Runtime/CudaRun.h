//===- CudaRun.h - params and runs on a GPU ---------------------*- C++ -*-===//
//
// The device's side of rlx_params and rlx_session: what they keep in device memory, and
// how a call of theirs gets there and back.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_RUNTIME_CUDARUN_H
#define RLX_LIB_RUNTIME_CUDARUN_H

#include "CudaQueue.h"

namespace rlx::runtime {

/// Params on a device, and what `bind` made of them.
class CudaParams {
public:
  static Result<std::unique_ptr<CudaParams>> create(std::shared_ptr<CudaKernels> kernels,
                                                    const rlx_module_info &info);

  /// Takes over the params that are not null in `sources` (of the sizes `bytes`), and
  /// computes what depends on them.
  Status update(const rlx_module_info &info, std::span<const void *const> sources,
                std::span<const uint64_t> bytes);

  std::vector<const void *> pointers; ///< in the module's order
  CudaBuffer packed;

private:
  explicit CudaParams(std::unique_ptr<CudaQueue> queue) : queue(std::move(queue)) {}

  std::unique_ptr<CudaQueue> queue;
  std::vector<CudaBuffer> buffers;
  Host host;
};

/// A tensor of a run, in the memory of the host or of a device.
struct CudaTensor {
  void *data;
  uint64_t bytes;
};

/// The runs of one session on a device.
class CudaRun {
public:
  static Result<std::unique_ptr<CudaRun>> create(std::shared_ptr<CudaKernels> kernels);

  /// Runs the module. Tensors in host memory are copied; those in device memory are read
  /// and written in place. Launches are recorded once for each set of sizes and
  /// addresses, and replayed after that.
  Status run(const rlx_module_info &info, std::span<const int64_t> symbols,
             const CudaParams *params, std::span<const CudaTensor> inputs,
             std::span<const CudaTensor> outputs, uint64_t workspaceSize);

private:
  explicit CudaRun(std::unique_ptr<CudaQueue> queue) : queue(std::move(queue)) {}
  Status place(std::span<const CudaTensor> tensors, std::vector<CudaBuffer> &staging,
               std::vector<void *> &table, const char *what);
  bool noteKey(std::span<const int64_t> symbols, const CudaParams *params);

  std::unique_ptr<CudaQueue> queue;
  Host host;
  CudaBuffer workspace, empty;
  std::vector<CudaBuffer> inputStaging, outputStaging;
  std::vector<void *> inputTable, outputTable;
  std::vector<uint64_t> key, recordedKey; ///< all that a recording depends on
};

} // namespace rlx::runtime

#endif // RLX_LIB_RUNTIME_CUDARUN_H
