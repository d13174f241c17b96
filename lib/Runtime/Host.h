//===- Host.h - what compiled code sees of its host -------------*- C++ -*-===//
#ifndef RLX_LIB_RUNTIME_HOST_H
#define RLX_LIB_RUNTIME_HOST_H

#include "ThreadPool.h"
#include "rlx/Runtime/Status.h"
#include "rlx/Runtime/runtime.h"

#include <array>
#include <atomic>
#include <cstring>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace rlx::runtime {

/// Gives compiled code the default floating-point environment (round to nearest,
/// denormals on) whatever the caller's is, so that a result depends on neither
/// the caller nor the thread that computes it.
class FloatEnvironment {
public:
#if defined(__x86_64__)
  FloatEnvironment() : saved(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~FloatEnvironment() { _mm_setcsr(saved); }

private:
  unsigned saved;
#elif defined(__aarch64__)
  FloatEnvironment() {
    asm volatile("mrs %0, fpcr" : "=r"(saved));
    asm volatile("msr fpcr, %0" : : "r"(uint64_t(0)));
  }
  ~FloatEnvironment() { asm volatile("msr fpcr, %0" : : "r"(saved)); }

private:
  uint64_t saved;
#else
  FloatEnvironment() {}
#endif
  FloatEnvironment(const FloatEnvironment &) = delete;
  FloatEnvironment &operator=(const FloatEnvironment &) = delete;
};

/// A device's queue, on which compiled code launches kernels. Results are RLX_OK or
/// RLX_FAILED; the queue keeps the reason.
class DeviceQueue {
public:
  virtual ~DeviceQueue() = default;
  virtual int32_t launch(uint32_t kernel, const uint32_t grid[3], const uint32_t block[3],
                         uint32_t sharedBytes, void **arguments) = 0;
  virtual int32_t check(const void *flag, const char *message) = 0;
};

/// The table of functions for compiled code, and what stands behind it.
class Host {
public:
  Host()
      : table{sizeof(rlx_host), RLX_ABI_VERSION, this,       parallelForThunk,
              failThunk,        launchThunk,     checkThunk, /*begin_region=*/nullptr} {}
  Host(const Host &) = delete;
  Host &operator=(const Host &) = delete;

  void setThreads(uint32_t threads) { maxThreads = threads; }
  /// Where kernels go; without a queue, launching one fails.
  void setQueue(DeviceQueue *target) { queue = target; }
  void setParallelFor(rlx_parallel_for_fn function, void *context) {
    userParallelFor = function;
    userContext = context;
  }

  /// Follows the regions of runs. Compiled code does not ask where nobody follows.
  void setTrace(rlx_trace_fn function, void *context) {
    trace = function;
    traceContext = context;
    table.begin_region = function ? beginRegionThunk : nullptr;
  }

  /// Calls `function(table)`, a function of a module; `what` names it in an error
  /// for which the module has given no message.
  template <typename Function> Status call(const char *what, Function function) {
    hasFailed.store(false, std::memory_order_relaxed);
    message[0] = '\0';
    int32_t result;
    {
      FloatEnvironment environment;
      result = function(&table);
      endRegion();
      if (!userParallelFor && maxThreads != 1)
        parkPool();
    }
    if (result == RLX_OK)
      return {};
    std::string text = message[0] ? message.data() : std::string(what) + " failed";
    return {ErrorCode::Failed, std::move(text)};
  }

private:
  static void parallelForThunk(void *self, rlx_task_fn task, void *taskContext, size_t count) {
    auto *host = static_cast<Host *>(self);
    if (host->userParallelFor)
      host->userParallelFor(host->userContext, task, taskContext, count);
    else
      parallelFor(task, taskContext, count, host->maxThreads);
  }

  static int32_t launchThunk(void *self, uint32_t kernel, const uint32_t grid[3],
                             const uint32_t block[3], uint32_t sharedBytes, void **arguments) {
    DeviceQueue *queue = static_cast<Host *>(self)->queue;
    return queue ? queue->launch(kernel, grid, block, sharedBytes, arguments) : RLX_FAILED;
  }

  static int32_t checkThunk(void *self, const void *flag, const char *message) {
    DeviceQueue *queue = static_cast<Host *>(self)->queue;
    return queue ? queue->check(flag, message) : RLX_FAILED;
  }

  /// The first failure counts; tasks may fail on several threads at once.
  static void failThunk(void *self, const char *text) {
    auto *host = static_cast<Host *>(self);
    if (text && !host->hasFailed.exchange(true))
      std::strncpy(host->message.data(), text, host->message.size() - 1);
  }

  static void beginRegionThunk(void *self, uint32_t region) {
    auto *host = static_cast<Host *>(self);
    host->isInRegion = true;
    host->trace(host->traceContext, region);
  }

  void endRegion() {
    if (isInRegion)
      trace(traceContext, RLX_NO_REGION);
    isInRegion = false;
  }

  rlx_host table;
  DeviceQueue *queue = nullptr;
  uint32_t maxThreads = 0;
  rlx_parallel_for_fn userParallelFor = nullptr;
  void *userContext = nullptr;
  rlx_trace_fn trace = nullptr;
  void *traceContext = nullptr;
  bool isInRegion = false;
  std::atomic<bool> hasFailed{false};
  std::array<char, 512> message = {};
};

} // namespace rlx::runtime

#endif // RLX_LIB_RUNTIME_HOST_H
