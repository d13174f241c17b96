//===- CudaDevice.cpp - GPUs, their memory and kernels --------------------===//

#include "CudaDevice.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

using namespace rlx;
using namespace rlx::runtime;

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// The number in "sm_90"; 0 if there is none.
static int numberOf(const char *arch) {
  const char *digits = arch ? std::strpbrk(arch, "0123456789") : nullptr;
  return digits ? std::atoi(digits) : 0;
}

Result<std::shared_ptr<CudaDevice>> CudaDevice::open(uint32_t ordinal, const char *arch) {
  Result<const CudaDriver *> found = CudaDriver::get();
  if (!found)
    return found.status();
  const CudaDriver &driver = **found;
  int count = 0;
  if (Status status = driver.status(driver.getDeviceCount(&count), "counting GPUs"); !status)
    return status;
  auto incompatible = [](std::string message) {
    return Status(ErrorCode::Incompatible, std::move(message));
  };
  if (count == 0)
    return incompatible("device cuda: this machine has no NVIDIA GPU that its driver can use");
  if (ordinal >= static_cast<uint32_t>(count))
    return incompatible(
        fmt::format("device cuda:{}: expected a number below {}, the GPUs here", ordinal, count));

  cuda::Device device = 0;
  if (Status status =
          driver.status(driver.getDevice(&device, static_cast<int>(ordinal)), "finding the GPU");
      !status)
    return status;
  int major = 0, minor = 0;
  driver.getDeviceAttribute(&major, cuda::kComputeCapabilityMajor, device);
  driver.getDeviceAttribute(&minor, cuda::kComputeCapabilityMinor, device);
  if (major * 10 + minor < numberOf(arch)) {
    std::array<char, 128> name = {};
    driver.getDeviceName(name.data(), name.size(), device);
    return incompatible(fmt::format("device cuda:{}: '{}' is sm_{}{}, the module needs {} or later",
                                    ordinal, name.data(), major, minor, arch));
  }
  cuda::Context context = nullptr;
  if (Status status = driver.status(driver.retainContext(&context, device), "using the GPU");
      !status)
    return status;
  return std::shared_ptr<CudaDevice>(new CudaDevice(driver, device, context));
}

CudaDevice::~CudaDevice() { driver.releaseContext(device); }

bool CudaDevice::isDeviceMemory(const void *pointer) const {
  int type = 0;
  cuda::Result result = driver.getPointerAttribute(&type, cuda::kPointerMemoryType,
                                                   reinterpret_cast<cuda::Pointer>(pointer));
  return result == cuda::kSuccess && type == cuda::kMemoryTypeDevice;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Status CudaBuffer::reserve(const std::shared_ptr<CudaDevice> &owner, uint64_t size,
                           const char *what) {
  if (memory && size <= capacity)
    return {};
  CudaDevice::Scope scope(*owner);
  if (memory)
    owner->driver.free(std::exchange(memory, 0));
  device = owner;
  capacity = std::max<uint64_t>(size, 1);
  cuda::Result result = owner->driver.allocate(&memory, capacity);
  if (result == cuda::kSuccess)
    return {};
  memory = 0;
  if (result == cuda::kOutOfMemory)
    return {ErrorCode::OutOfMemory,
            fmt::format("device cuda: no memory for the {} of {} bytes", what, size)};
  return owner->driver.status(result, "allocating memory");
}

CudaBuffer::~CudaBuffer() {
  if (!memory)
    return;
  CudaDevice::Scope scope(*device);
  device->driver.free(memory);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Result<std::shared_ptr<CudaKernels>> CudaKernels::load(std::shared_ptr<CudaDevice> device,
                                                       const rlx_module_info &info) {
  std::shared_ptr<CudaKernels> kernels(new CudaKernels(std::move(device)));
  if (info.num_kernels == 0)
    return kernels;
  const CudaDriver &driver = kernels->device->driver;
  CudaDevice::Scope scope(*kernels->device);
  std::array<char, 1024> log = {};
  int options[] = {cuda::kJitErrorLogBuffer, cuda::kJitErrorLogBufferSize};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  cuda::Result result = driver.loadModule(&kernels->module, info.device_code, 2, options, values);
  if (result != cuda::kSuccess) {
    kernels->module = nullptr;
    std::string detail(log.data());
    std::replace(detail.begin(), detail.end(), '\n', ' ');
    Status status = driver.status(result, "compiling the module's kernels");
    bool isTooNew = result == cuda::kUnsupportedPtx || result == cuda::kNoBinary;
    return Status(isTooNew ? ErrorCode::Incompatible : status.code(),
                  detail.empty() ? std::string(status.message())
                                 : fmt::format("{}: {}", status.message(), detail));
  }
  for (uint32_t i = 0; i < info.num_kernels; ++i) {
    cuda::Function function = nullptr;
    result = driver.getFunction(&function, kernels->module, info.kernels[i].name);
    if (result != cuda::kSuccess)
      return Status(ErrorCode::Format,
                    fmt::format("module descriptor: no kernel '{}' in its device code",
                                info.kernels[i].name));
    kernels->functions.push_back(function);
  }
  return kernels;
}

CudaKernels::~CudaKernels() {
  if (!module)
    return;
  CudaDevice::Scope scope(*device);
  device->driver.unloadModule(module);
}
