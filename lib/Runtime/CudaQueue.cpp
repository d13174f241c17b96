//===- CudaQueue.cpp - what a run queues on a GPU -------------------------===//

#include "CudaQueue.h"

#include <fmt/format.h>

using namespace rlx;
using namespace rlx::runtime;

Result<std::unique_ptr<CudaQueue>> CudaQueue::create(std::shared_ptr<CudaKernels> kernels) {
  std::unique_ptr<CudaQueue> queue(new CudaQueue(std::move(kernels)));
  const CudaDriver &driver = queue->driver();
  CudaDevice::Scope scope(*queue->kernels->device);
  void *flags = nullptr;
  Status status = driver.status(driver.createStream(&queue->stream, cuda::kStreamNonBlocking),
                                "creating a stream");
  if (status.ok())
    status = driver.status(driver.allocateHost(&flags, maxChecks, 0), "allocating host memory");
  if (!status)
    return status;
  queue->flags = static_cast<char *>(flags);
  return queue;
}

CudaQueue::~CudaQueue() {
  CudaDevice::Scope scope(*kernels->device);
  if (recording)
    driver().destroyGraphExec(recording);
  if (flags)
    driver().freeHost(flags);
  if (stream)
    driver().destroyStream(stream);
}

/// Keeps the first failure for the call that has queued it.
int32_t CudaQueue::note(cuda::Result result, const char *what) {
  if (result == cuda::kSuccess)
    return RLX_OK;
  if (failure.ok())
    failure = driver().status(result, what);
  return RLX_FAILED;
}

int32_t CudaQueue::launch(uint32_t kernel, const uint32_t grid[3], const uint32_t block[3],
                          uint32_t sharedBytes, void **arguments) {
  if (kernel >= kernels->size()) {
    failure = {ErrorCode::Format, fmt::format("compiled code launches kernel {}, of {} kernels",
                                              kernel, kernels->size())};
    return RLX_FAILED;
  }
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return RLX_OK;
  return note(driver().launchKernel(kernels->function(kernel), grid[0], grid[1], grid[2], block[0],
                                    block[1], block[2], sharedBytes, stream, arguments, nullptr),
              "launching a kernel");
}

int32_t CudaQueue::check(const void *flag, const char *message) {
  if (messages.size() == maxChecks) {
    failure = {ErrorCode::Unsupported, fmt::format("more than {} checks in one run", maxChecks)};
    return RLX_FAILED;
  }
  messages.push_back(message);
  char *target = flags + messages.size() - 1;
  return note(driver().copyToHost(target, reinterpret_cast<cuda::Pointer>(flag), 1, stream),
              "reading a check");
}

Status CudaQueue::copyIn(void *target, const void *source, uint64_t size) {
  auto to = reinterpret_cast<cuda::Pointer>(target);
  cuda::Result result =
      kernels->device->isDeviceMemory(source)
          ? driver().copyOnDevice(to, reinterpret_cast<cuda::Pointer>(source), size, stream)
          : driver().copyToDevice(to, source, size, stream);
  return driver().status(result, "copying to the GPU");
}

Status CudaQueue::copyOut(void *target, const void *source, uint64_t size) {
  return driver().status(
      driver().copyToHost(target, reinterpret_cast<cuda::Pointer>(source), size, stream),
      "copying from the GPU");
}

Status CudaQueue::record(const std::function<Status()> &enqueue) {
  if (recording)
    driver().destroyGraphExec(std::exchange(recording, nullptr));
  Status status =
      driver().status(driver().beginCapture(stream, cuda::kCaptureThreadLocal), "recording a run");
  if (!status)
    return status;
  status = enqueue();
  cuda::Graph graph = nullptr;
  cuda::Result ended = driver().endCapture(stream, &graph);
  if (status.ok())
    status = driver().status(ended, "recording a run");
  if (status.ok())
    status =
        driver().status(driver().instantiate(&recording, graph, 0), "preparing a recorded run");
  if (!status)
    recording = nullptr;
  if (graph)
    driver().destroyGraph(graph);
  return status;
}

Status CudaQueue::replay() {
  return driver().status(driver().launchGraph(recording, stream), "starting a run");
}

Status CudaQueue::finish() {
  Status status = driver().status(driver().synchronize(stream), "running kernels");
  if (!failure.ok())
    return std::exchange(failure, Status());
  if (!status)
    return status;
  for (size_t i = 0; i < messages.size(); ++i)
    if (!flags[i])
      return {ErrorCode::Failed, messages[i]};
  return {};
}
