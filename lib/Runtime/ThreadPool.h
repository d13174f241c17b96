//===- ThreadPool.h - the threads that all sessions share -------*- C++ -*-===//
//
// One pthreadpool for the process. It does one parallel loop at a time; a session
// that finds it busy does its loop alone instead of waiting, since both together
// already keep the CPUs busy.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_RUNTIME_THREADPOOL_H
#define RLX_LIB_RUNTIME_THREADPOOL_H

#include "rlx/Runtime/abi.h"

#include <cstddef>
#include <cstdint>

namespace rlx::runtime {

/// The pool's threads, the calling one included.
uint32_t poolThreads();

/// Calls task(context, i) for every i < count on at most `maxThreads` threads,
/// the calling one included; 0 stands for the whole pool. A call from inside a
/// task runs on the calling thread.
void parallelFor(rlx_task_fn task, void *context, size_t count, uint32_t maxThreads);

/// Sends threads that wait actively for the next loop to sleep. Called at the end
/// of a run: between the loops of one run waiting actively pays, after it doesn't.
void parkPool();

} // namespace rlx::runtime

#endif // RLX_LIB_RUNTIME_THREADPOOL_H
