//===- Objects.h - what the C interface's handles point to ------*- C++ -*-===//
//
// Each object checks its arguments, and reports by Status; CApi.cpp turns that
// into the C interface.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_RUNTIME_OBJECTS_H
#define RLX_LIB_RUNTIME_OBJECTS_H

#include "Buffer.h"
#include "CudaRun.h"
#include "Host.h"
#include "Loader.h"
#include "rlx/Runtime/Binding.h"
#include "rlx/Runtime/Status.h"
#include "rlx/Runtime/runtime.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace rlx::runtime {

/// Counts the users of an object, from one.
class RefCount {
public:
  void retain() { count.fetch_add(1, std::memory_order_relaxed); }
  /// Whether that was the last user.
  bool release() { return count.fetch_sub(1, std::memory_order_acq_rel) == 1; }

private:
  std::atomic<uint32_t> count{1};
};

/// Does something at the end of a scope, also when an allocation has failed.
template <typename Function> class OnExit {
public:
  explicit OnExit(Function function) : function(std::move(function)) {}
  OnExit(const OnExit &) = delete;
  OnExit &operator=(const OnExit &) = delete;
  ~OnExit() { function(); }

private:
  Function function;
};

/// Keeps a module or params alive.
template <typename T, T *(*Retain)(T *), void (*Release)(T *)> struct Keep {
  explicit Keep(T *object) : object(object ? Retain(object) : nullptr) {}
  Keep(const Keep &) = delete;
  Keep &operator=(const Keep &) = delete;
  ~Keep() { Release(object); }
  T *operator->() const { return object; }
  explicit operator bool() const { return object; }
  T *object;
};

/// Bytes of a tensor whose shape has been checked.
uint64_t bytesOf(uint32_t dtype, std::span<const int64_t> dims);

/// An address for tensors without elements, where the caller's may be null.
void *emptyTensorData();

} // namespace rlx::runtime

struct rlx_module {
  /// Loads a shared module.
  static rlx::Result<rlx_module *> load(std::span<const uint8_t> file);

  /// Takes the module of a query function; `release(context)` is called even if
  /// this fails.
  static rlx::Result<rlx_module *> fromQuery(rlx_module_query_fn query,
                                             void (*release)(void *context), void *context);
  ~rlx_module() {
    if (release)
      release(releaseContext);
  }

  bool isOnGpu() const { return info->device == RLX_DEVICE_CUDA; }

  /// Chooses the GPU of a module for one, before anything is loaded there.
  rlx::Status setDevice(uint32_t ordinal);

  /// The kernels on the module's GPU, loaded by the first call.
  rlx::Result<std::shared_ptr<rlx::runtime::CudaKernels>> kernels();

  std::span<const rlx_tensor_info> inputs() const { return {info->inputs, info->num_inputs}; }
  std::span<const rlx_tensor_info> params() const { return {info->params, info->num_params}; }
  std::span<const rlx_tensor_info> outputs() const { return {info->outputs, info->num_outputs}; }

  rlx::runtime::RefCount refs;
  const rlx_module_info *info = &description;

private:
  /// Checks what a module says of itself, and takes over as much of it as there is.
  rlx::Status describe(const rlx_module_info *given);

  rlx_module_info description = {}; ///< zeros in fields that the module is too old for
  std::optional<rlx::runtime::LoadedLibrary> library;
  void (*release)(void *context) = nullptr;
  void *releaseContext = nullptr;

  std::mutex deviceLock; ///< of what follows
  uint32_t deviceOrdinal = 0;
  std::shared_ptr<rlx::runtime::CudaKernels> loadedKernels;
};

struct rlx_params {
  static rlx::Result<rlx_params *> bind(rlx_module *module, std::span<const rlx_tensor> tensors,
                                        rlx_storage storage);
  rlx::Status rebind(std::span<const rlx_tensor> tensors);

  /// Keeps a rebind away for the time of a run. Fails during a rebind.
  rlx::Status beginRun();
  void endRun() { users.fetch_sub(1, std::memory_order_release); }

  rlx::runtime::RefCount refs;
  rlx::runtime::Keep<rlx_module, rlx_module_retain, rlx_module_release> module;
  std::vector<const void *> pointers; ///< in the module's order; the host's
  rlx::runtime::Buffer packed;
  std::unique_ptr<rlx::runtime::CudaParams> cuda; ///< of a module for a GPU, else null

private:
  rlx_params(rlx_module *module, rlx_storage storage);
  rlx::Status update(std::span<const rlx_tensor> tensors, bool required);
  rlx::Status updateHost();
  rlx::Status updateDevice();

  rlx_storage storage;
  std::vector<uint64_t> offsets; ///< into `copies`
  rlx::runtime::Buffer copies;
  std::vector<const rlx_tensor *> matched;
  rlx::runtime::Host host;
  bool isBound = false;
  /// How many runs use the params; -1 while they are being bound.
  std::atomic<int32_t> users{0};
};

struct rlx_session {
  static rlx::Result<rlx_session *> create(rlx_module *module, rlx_params *params);

  rlx::Status setThreads(uint32_t threads);
  rlx::Status setParallelFor(rlx_parallel_for_fn parallelFor, void *context);
  rlx::Status setTrace(rlx_trace_fn trace, void *context);
  rlx::Status setInput(const rlx_tensor &tensor);
  rlx::Status setOutput(const rlx_tensor &tensor);
  rlx::Status prepare();
  rlx::Status run();
  rlx::Status call(std::span<const rlx_tensor> inputs, std::span<const rlx_tensor> outputs);
  rlx::Status getOutput(const char *name, rlx_tensor &output);
  rlx::Status getCosts(rlx_region_cost *costs);

private:
  /// What the caller has set of an input or output; `dims` has the declared rank.
  struct Slot {
    bool isSet = false;
    void *data = nullptr;
    std::vector<int64_t> dims;

    void set(const rlx_tensor &tensor);
  };

  rlx_session(rlx_module *module, rlx_params *params);
  template <typename Function> rlx::Status exclusively(Function function);
  rlx::Status prepareLocked();
  rlx::Status computeShapes();
  rlx::Status reserveOutputs();
  rlx::Status runLocked();
  rlx::Status runOnGpu();
  rlx::Status fillTables();
  rlx::Status checkOverlap() const;
  void forgetTensors();

  rlx::runtime::Keep<rlx_module, rlx_module_retain, rlx_module_release> module;
  rlx::runtime::Keep<rlx_params, rlx_params_retain, rlx_params_release> params;
  rlx::runtime::Host host;
  std::atomic_flag isBusy;

  std::vector<Slot> inputs;
  std::vector<Slot> outputs;
  std::vector<const int64_t *> inputDims; ///< `dims` of each input's slot
  std::vector<rlx::runtime::Buffer> ownOutputs;
  rlx::runtime::Buffer workspace;
  std::unique_ptr<rlx::runtime::CudaRun> cuda; ///< of a module for a GPU, else null
  uint64_t workspaceSize = 0;
  std::vector<rlx::runtime::CudaTensor> cudaInputs, cudaOutputs;

  std::vector<int64_t> symbols;
  std::vector<int64_t> shapedSymbols; ///< those that `outputDims` belong to
  bool isShaped = false;
  std::vector<int64_t> outputDims; ///< of all outputs, one after another
  std::vector<size_t> outputDimsStart;
  std::vector<int64_t> newOutputDims;

  bool isChecked = false; ///< whether `checkOverlap` has seen the current buffers
  std::vector<const void *> inputTable;
  std::vector<void *> outputTable;
  std::vector<const rlx_tensor *> matchedInputs;
  std::vector<const rlx_tensor *> matchedOutputs;
};

#endif // RLX_LIB_RUNTIME_OBJECTS_H
