//===- ThreadPool.cpp - the threads that all sessions share ---------------===//

#include "ThreadPool.h"

#include "CpuQuota.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <pthread.h>
#include <pthreadpool.h>

#if defined(__SANITIZE_THREAD__)
#define RLX_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RLX_TSAN 1
#endif
#endif

#ifdef RLX_TSAN
extern "C" void __tsan_acquire(void *address);
extern "C" void __tsan_release(void *address);
#endif

using namespace rlx::runtime;

/// The thread sanitizer does not see how pthreadpool, a library of the system,
/// orders its threads; these two say it again.
static void noteAcquire([[maybe_unused]] void *address) {
#ifdef RLX_TSAN
  __tsan_acquire(address);
#endif
}
static void noteRelease([[maybe_unused]] void *address) {
#ifdef RLX_TSAN
  __tsan_release(address);
#endif
}

namespace {

/// The pool is created by its first loop and lives as long as the process.
struct Pool {
  std::atomic<pthreadpool_t> handle{nullptr};
  std::atomic_flag isBusy;
  std::atomic<bool> isAwake{false};
};
Pool pool;

/// Whether this thread is inside a task of the pool.
thread_local bool isInTask = false;

/// One parallel loop.
struct Loop {
  rlx_task_fn task;
  void *context;
  size_t count;
  std::atomic<size_t> next{0}; ///< for loops that may use a part of the threads

  void call(size_t index) {
    noteAcquire(this);
    isInTask = true;
    task(context, index);
    isInTask = false;
    noteRelease(this);
  }
};

void callOne(void *loop, size_t index) { static_cast<Loop *>(loop)->call(index); }

/// One of as many tasks as there may be threads: takes indexes until none is left.
void callMany(void *pointer, size_t) {
  auto *loop = static_cast<Loop *>(pointer);
  for (size_t i; (i = loop->next.fetch_add(1, std::memory_order_relaxed)) < loop->count;)
    loop->call(i);
}

/// The pool, or null where it has one thread or cannot be created. The caller
/// holds `isBusy`.
pthreadpool_t getPool() {
  pthreadpool_t handle = pool.handle.load(std::memory_order_relaxed);
  if (handle || poolThreads() == 1)
    return handle;
  // Threads do not survive a fork: the child starts over, with a pool of its own.
  static const int registered = pthread_atfork(nullptr, nullptr, [] {
    pool.handle.store(nullptr, std::memory_order_relaxed);
    pool.isAwake.store(false, std::memory_order_relaxed);
    pool.isBusy.clear(std::memory_order_relaxed);
  });
  if (registered != 0)
    return nullptr;
  handle = pthreadpool_create(poolThreads());
  pool.handle.store(handle, std::memory_order_relaxed);
  return handle;
}

/// Holds the pool for one loop, if it is free.
class PoolLease {
public:
  PoolLease() : isHeld(!pool.isBusy.test_and_set(std::memory_order_acquire)) {}
  PoolLease(const PoolLease &) = delete;
  PoolLease &operator=(const PoolLease &) = delete;
  ~PoolLease() {
    if (isHeld)
      pool.isBusy.clear(std::memory_order_release);
  }
  explicit operator bool() const { return isHeld; }

private:
  bool isHeld;
};

void callAll(rlx_task_fn task, void *context, size_t count) {
  for (size_t i = 0; i < count; ++i)
    task(context, i);
}

} // namespace

uint32_t rlx::runtime::poolThreads() {
  static const uint32_t threads = [] {
    const char *text = std::getenv("RLX_NUM_THREADS");
    long wanted = text ? std::strtol(text, nullptr, 10) : 0;
    return wanted > 0 ? static_cast<uint32_t>(std::min(wanted, 1024L)) : availableCpus();
  }();
  return threads;
}

void rlx::runtime::parallelFor(rlx_task_fn task, void *context, size_t count, uint32_t maxThreads) {
  if (count <= 1 || maxThreads == 1 || isInTask)
    return callAll(task, context, count);
  PoolLease lease;
  pthreadpool_t handle = lease ? getPool() : nullptr;
  if (!handle)
    return callAll(task, context, count);

  Loop loop{task, context, count};
  noteRelease(&loop);
  pool.isAwake.store(true, std::memory_order_relaxed);
  if (maxThreads == 0 || maxThreads >= poolThreads())
    pthreadpool_parallelize_1d(handle, callOne, &loop, count, 0);
  else
    pthreadpool_parallelize_1d(handle, callMany, &loop, std::min<size_t>(count, maxThreads), 0);
  noteAcquire(&loop);
}

void rlx::runtime::parkPool() {
  if (!pool.isAwake.load(std::memory_order_relaxed))
    return;
  PoolLease lease;
  if (!lease || !pool.isAwake.exchange(false, std::memory_order_relaxed))
    return; // the session that holds the pool will park it
  pthreadpool_parallelize_1d(
      pool.handle.load(std::memory_order_relaxed), [](void *, size_t) {}, nullptr, poolThreads(),
      PTHREADPOOL_FLAG_YIELD_WORKERS);
}
