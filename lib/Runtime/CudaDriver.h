//===- CudaDriver.h - the CUDA driver, found at run time --------*- C++ -*-===//
//
// Declares the few functions of the driver that the runtime calls, so that neither a
// build nor a machine without a GPU needs CUDA. The names and numbers are those of the
// driver's binary interface.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_RUNTIME_CUDADRIVER_H
#define RLX_LIB_RUNTIME_CUDADRIVER_H

#include "rlx/Runtime/Status.h"

#include <cstddef>
#include <cstdint>

namespace rlx::runtime {

/// Handles and numbers of the driver.
namespace cuda {
using Result = int;
using Device = int;
using Context = struct Context_ *;
using Module = struct Module_ *;
using Function = struct Function_ *;
using Stream = struct Stream_ *;
using Graph = struct Graph_ *;
using GraphExec = struct GraphExec_ *;
using Pointer = unsigned long long; ///< to device memory

enum : Result {
  kSuccess = 0,
  kOutOfMemory = 2,
  kNoDevice = 100,
  kNoBinary = 209,
  kInvalidPtx = 218,
  kUnsupportedPtx = 222
};
enum { kStreamNonBlocking = 1 };
enum { kCaptureThreadLocal = 1 };
enum { kComputeCapabilityMajor = 75, kComputeCapabilityMinor = 76 };
enum { kPointerMemoryType = 2 };
enum { kMemoryTypeDevice = 2 };
enum { kJitErrorLogBuffer = 5, kJitErrorLogBufferSize = 6 };
} // namespace cuda

/// Functions of the driver: RLX_CUDA_FUNCTION(member, exported name, parameters).
#define RLX_CUDA_FUNCTIONS(F)                                                                      \
  F(init, "cuInit", (unsigned))                                                                    \
  F(getDeviceCount, "cuDeviceGetCount", (int *))                                                   \
  F(getDevice, "cuDeviceGet", (cuda::Device *, int))                                               \
  F(getDeviceName, "cuDeviceGetName", (char *, int, cuda::Device))                                 \
  F(getDeviceAttribute, "cuDeviceGetAttribute", (int *, int, cuda::Device))                        \
  F(retainContext, "cuDevicePrimaryCtxRetain", (cuda::Context *, cuda::Device))                    \
  F(releaseContext, "cuDevicePrimaryCtxRelease_v2", (cuda::Device))                                \
  F(pushContext, "cuCtxPushCurrent_v2", (cuda::Context))                                           \
  F(popContext, "cuCtxPopCurrent_v2", (cuda::Context *))                                           \
  F(loadModule, "cuModuleLoadDataEx", (cuda::Module *, const void *, unsigned, int *, void **))    \
  F(unloadModule, "cuModuleUnload", (cuda::Module))                                                \
  F(getFunction, "cuModuleGetFunction", (cuda::Function *, cuda::Module, const char *))            \
  F(allocate, "cuMemAlloc_v2", (cuda::Pointer *, size_t))                                          \
  F(free, "cuMemFree_v2", (cuda::Pointer))                                                         \
  F(copyToDevice, "cuMemcpyHtoDAsync_v2", (cuda::Pointer, const void *, size_t, cuda::Stream))     \
  F(copyToHost, "cuMemcpyDtoHAsync_v2", (void *, cuda::Pointer, size_t, cuda::Stream))             \
  F(copyOnDevice, "cuMemcpyDtoDAsync_v2", (cuda::Pointer, cuda::Pointer, size_t, cuda::Stream))    \
  F(allocateHost, "cuMemHostAlloc", (void **, size_t, unsigned))                                   \
  F(freeHost, "cuMemFreeHost", (void *))                                                           \
  F(getPointerAttribute, "cuPointerGetAttribute", (void *, int, cuda::Pointer))                    \
  F(createStream, "cuStreamCreate", (cuda::Stream *, unsigned))                                    \
  F(destroyStream, "cuStreamDestroy_v2", (cuda::Stream))                                           \
  F(synchronize, "cuStreamSynchronize", (cuda::Stream))                                            \
  F(beginCapture, "cuStreamBeginCapture_v2", (cuda::Stream, int))                                  \
  F(endCapture, "cuStreamEndCapture", (cuda::Stream, cuda::Graph *))                               \
  F(instantiate, "cuGraphInstantiateWithFlags",                                                    \
    (cuda::GraphExec *, cuda::Graph, unsigned long long))                                          \
  F(launchGraph, "cuGraphLaunch", (cuda::GraphExec, cuda::Stream))                                 \
  F(destroyGraph, "cuGraphDestroy", (cuda::Graph))                                                 \
  F(destroyGraphExec, "cuGraphExecDestroy", (cuda::GraphExec))                                     \
  F(launchKernel, "cuLaunchKernel",                                                                \
    (cuda::Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,         \
     cuda::Stream, void **, void **))                                                              \
  F(getErrorString, "cuGetErrorString", (cuda::Result, const char **))

/// The driver of this process.
struct CudaDriver {
#define RLX_CUDA_MEMBER(member, name, parameters) cuda::Result(*member) parameters = nullptr;
  RLX_CUDA_FUNCTIONS(RLX_CUDA_MEMBER)
#undef RLX_CUDA_MEMBER

  /// Loads and initializes the driver, once; later calls give the same result. The
  /// environment variable RLX_CUDA_DRIVER names another library than libcuda.so.1.
  static Result<const CudaDriver *> get();

  /// What a result other than success says; `what` is what was being done.
  Status status(cuda::Result result, const char *what) const;
};

} // namespace rlx::runtime

#endif // RLX_LIB_RUNTIME_CUDADRIVER_H
