//===- CudaDriver.cpp - the CUDA driver, found at run time ----------------===//

#include "CudaDriver.h"

#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>

using namespace rlx;
using namespace rlx::runtime;

static Status incompatible(std::string message) {
  return {ErrorCode::Incompatible, std::move(message)};
}

static Result<CudaDriver> load() {
  const char *name = std::getenv("RLX_CUDA_DRIVER");
  if (!name || !*name)
    name = "libcuda.so.1";
  void *library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return incompatible(fmt::format("device cuda: no NVIDIA driver: {}", ::dlerror()));
  CudaDriver driver;
  const char *missing = nullptr;
#define RLX_CUDA_LOOK_UP(member, symbol, parameters)                                               \
  driver.member = reinterpret_cast<decltype(driver.member)>(::dlsym(library, symbol));             \
  missing = driver.member ? missing : symbol;
  RLX_CUDA_FUNCTIONS(RLX_CUDA_LOOK_UP)
#undef RLX_CUDA_LOOK_UP
  if (missing)
    return incompatible(fmt::format("device cuda: the NVIDIA driver '{}' is too old: it has no "
                                    "'{}', expected a driver for CUDA 12.0 or later",
                                    name, missing));
  cuda::Result result = driver.init(0);
  if (result == cuda::kNoDevice)
    return incompatible("device cuda: this machine has no NVIDIA GPU that its driver can use");
  if (result != cuda::kSuccess)
    return driver.status(result, "initializing the driver");
  return driver;
}

Result<const CudaDriver *> CudaDriver::get() {
  static const Result<CudaDriver> driver = load();
  if (!driver)
    return driver.status();
  return &*driver;
}

Status CudaDriver::status(cuda::Result result, const char *what) const {
  if (result == cuda::kSuccess)
    return {};
  const char *text = nullptr;
  if (getErrorString(result, &text) != cuda::kSuccess || !text)
    text = "unknown error";
  ErrorCode code = result == cuda::kOutOfMemory ? ErrorCode::OutOfMemory : ErrorCode::Failed;
  return {code, fmt::format("device cuda: {}: {} (error {})", what, text, result)};
}
