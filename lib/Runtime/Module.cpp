//===- Module.cpp - compiled code, checked and loaded ---------------------===//

#include "Objects.h"
#include "rlx/Runtime/DType.h"
#include "rlx/Runtime/ModuleFile.h"

#include <algorithm>
#include <cstring>

using namespace rlx;
using namespace rlx::runtime;

uint64_t runtime::bytesOf(uint32_t dtype, std::span<const int64_t> dims) {
  uint64_t bytes = sizeOf(static_cast<DType>(dtype));
  for (int64_t dim : dims)
    bytes *= static_cast<uint64_t>(dim);
  return bytes;
}

void *runtime::emptyTensorData() {
  alignas(RLX_BUFFER_ALIGNMENT) static char data[RLX_BUFFER_ALIGNMENT];
  return data;
}

Status rlx_module::setDevice(uint32_t ordinal) {
  if (!isOnGpu())
    return {ErrorCode::Incompatible, "module for device cpu has no GPU to choose"};
  std::lock_guard lock(deviceLock);
  if (loadedKernels && ordinal != deviceOrdinal)
    return {ErrorCode::Busy, "the module is in use on another GPU; load it once for each"};
  deviceOrdinal = ordinal;
  return {};
}

Result<std::shared_ptr<CudaKernels>> rlx_module::kernels() {
  std::lock_guard lock(deviceLock);
  if (loadedKernels)
    return loadedKernels;
  Result<std::shared_ptr<CudaDevice>> device = CudaDevice::open(deviceOrdinal, info->device_arch);
  if (!device)
    return device.status();
  Result<std::shared_ptr<CudaKernels>> loaded = CudaKernels::load(std::move(*device), *info);
  if (loaded)
    loadedKernels = *loaded;
  return loaded;
}

Status rlx_module::describe(const rlx_module_info *given) {
  if (Status status = checkDescriptor(given); !status)
    return status;
  std::memcpy(&description, given, std::min<size_t>(given->struct_size, sizeof(description)));
  description.struct_size = sizeof(description);
  return {};
}

Result<rlx_module *> rlx_module::load(std::span<const uint8_t> file) {
  Result<LoadedLibrary> library = LoadedLibrary::load(file);
  if (!library)
    return library.status();
  auto module = std::make_unique<rlx_module>();
  module->library.emplace(std::move(*library));
  if (Status status = module->describe(module->library->getQuery()(RLX_ABI_VERSION)); !status)
    return status;
  return module.release();
}

Result<rlx_module *> rlx_module::fromQuery(rlx_module_query_fn query,
                                           void (*release)(void *context), void *context) {
  auto module = std::make_unique<rlx_module>();
  module->release = release;
  module->releaseContext = context;
  if (Status status = module->describe(query(RLX_ABI_VERSION)); !status)
    return status;
  return module.release();
}
