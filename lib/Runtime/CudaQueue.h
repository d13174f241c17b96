//===- CudaQueue.h - what a run queues on a GPU -----------------*- C++ -*-===//
#ifndef RLX_LIB_RUNTIME_CUDAQUEUE_H
#define RLX_LIB_RUNTIME_CUDAQUEUE_H

#include "CudaDevice.h"
#include "Host.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace rlx::runtime {

/// A stream with the kernels of a module. Compiled code queues launches and checks on it
/// through the host table; what it has queued once can be replayed as a CUDA graph. The
/// caller holds a CudaDevice::Scope.
class CudaQueue : public DeviceQueue {
public:
  static Result<std::unique_ptr<CudaQueue>> create(std::shared_ptr<CudaKernels> kernels);
  ~CudaQueue() override;

  const std::shared_ptr<CudaKernels> kernels;

  int32_t launch(uint32_t kernel, const uint32_t grid[3], const uint32_t block[3],
                 uint32_t sharedBytes, void **arguments) override;
  int32_t check(const void *flag, const char *message) override;

  /// Copies to device memory from the host's, or from the device's.
  Status copyIn(void *target, const void *source, uint64_t size);
  Status copyOut(void *target, const void *source, uint64_t size);

  /// Calls `enqueue`, keeping what it queues for `replay` rather than running it.
  Status record(const std::function<Status()> &enqueue);
  /// Queues what was recorded.
  Status replay();
  /// Whether something is recorded.
  bool hasRecording() const { return recording; }

  /// Waits for all that was queued; fails if a launch or a check has.
  Status finish();
  /// Forgets checks that are queued, before they are queued again by a new call.
  void forgetChecks() { messages.clear(); }

private:
  explicit CudaQueue(std::shared_ptr<CudaKernels> kernels) : kernels(std::move(kernels)) {}
  const CudaDriver &driver() const { return kernels->device->driver; }
  int32_t note(cuda::Result result, const char *what);

  static constexpr size_t maxChecks = 4096;

  cuda::Stream stream = nullptr;
  cuda::GraphExec recording = nullptr;
  char *flags = nullptr;              ///< what checks have read, in memory that GPUs write
  std::vector<const char *> messages; ///< of the checks queued, in the order of `flags`
  Status failure;                     ///< of the first launch that failed
};

} // namespace rlx::runtime

#endif // RLX_LIB_RUNTIME_CUDAQUEUE_H
