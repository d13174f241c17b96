//===- Params.cpp - the weights of a module -------------------------------===//

#include "Objects.h"

#include <cstring>

using namespace rlx;
using namespace rlx::runtime;

rlx_params::rlx_params(rlx_module *module, rlx_storage storage)
    : module(module), pointers(module->params().size()), storage(storage),
      matched(module->params().size()) {}

Result<rlx_params *> rlx_params::bind(rlx_module *module, std::span<const rlx_tensor> tensors,
                                      rlx_storage storage) {
  std::unique_ptr<rlx_params> params(new rlx_params(module, storage));
  uint64_t end = 0;
  for (const rlx_tensor_info &info : module->params()) {
    params->offsets.push_back(end);
    constexpr uint64_t unit = RLX_BUFFER_ALIGNMENT;
    end += (bytesOf(info.dtype, {info.dims, info.rank}) + unit - 1) / unit * unit;
  }

  if (module->isOnGpu()) {
    Result<std::shared_ptr<CudaKernels>> kernels = module->kernels();
    if (!kernels)
      return kernels.status();
    Result<std::unique_ptr<CudaParams>> cuda =
        CudaParams::create(std::move(*kernels), *module->info);
    if (!cuda)
      return cuda.status();
    params->cuda = std::move(*cuda);
  }
  params->users.store(-1, std::memory_order_relaxed);
  if (Status status = params->update(tensors, /*required=*/true); !status)
    return status;
  params->users.store(0, std::memory_order_release);
  return params.release();
}

Status rlx_params::rebind(std::span<const rlx_tensor> tensors) {
  int32_t idle = 0;
  if (!users.compare_exchange_strong(idle, -1, std::memory_order_acquire))
    return {ErrorCode::Busy,
            idle < 0 ? "params are being bound on another thread" : "params are in use by a run"};
  OnExit release([this] { users.store(0, std::memory_order_release); });
  return update(tensors, /*required=*/false);
}

/// Takes over the tensors and lets the module compute what depends on them. The
/// caller keeps runs away. Nothing has changed if the tensors do not fit.
Status rlx_params::update(std::span<const rlx_tensor> tensors, bool required) {
  MismatchList mismatches;
  matchTensors("param", module->params(), tensors, matched, mismatches, required);
  std::span<const rlx_tensor_info> infos = module->params();
  for (size_t i = 0; i < infos.size(); ++i)
    if (matched[i] && !matched[i]->data && bytesOf(infos[i].dtype, {infos[i].dims, infos[i].rank}))
      mismatches.add("param", infos[i].name, "has no data");
  if (!mismatches.empty())
    return mismatches.status();

  Status status = cuda ? updateDevice() : updateHost();
  isBound = status.ok();
  return status;
}

/// Copies what was matched to the device. Borrowed tensors may all have new values.
Status rlx_params::updateDevice() {
  std::span<const rlx_tensor_info> infos = module->params();
  std::vector<const void *> sources(infos.size());
  std::vector<uint64_t> bytes(infos.size());
  for (size_t i = 0; i < infos.size(); ++i) {
    bytes[i] = bytesOf(infos[i].dtype, {infos[i].dims, infos[i].rank});
    if (matched[i])
      sources[i] = bytes[i] ? matched[i]->data : emptyTensorData();
    else if (storage == RLX_BORROW)
      sources[i] = pointers[i];
    if (storage == RLX_BORROW)
      pointers[i] = sources[i];
  }
  return cuda->update(*module->info, sources, bytes);
}

Status rlx_params::updateHost() {
  std::span<const rlx_tensor_info> infos = module->params();
  if (storage == RLX_COPY && !infos.empty()) {
    uint64_t size =
        offsets.back() + bytesOf(infos.back().dtype, {infos.back().dims, infos.back().rank});
    if (Status status = copies.reserve(size, "params"); !status)
      return status;
  }
  if (Status status = packed.reserve(module->info->packed_size, "packed params"); !status)
    return status;

  for (size_t i = 0; i < infos.size(); ++i) {
    if (!matched[i])
      continue;
    uint64_t size = bytesOf(infos[i].dtype, {infos[i].dims, infos[i].rank});
    if (size == 0) {
      pointers[i] = emptyTensorData();
    } else if (storage == RLX_COPY) {
      char *copy = static_cast<char *>(copies.data()) + offsets[i];
      std::memmove(copy, matched[i]->data, size);
      pointers[i] = copy;
    } else {
      pointers[i] = matched[i]->data;
    }
  }

  return host.call("binding params", [&](const rlx_host *table) {
    return module->info->bind(table, pointers.data(), packed.data());
  });
}

Status rlx_params::beginRun() {
  int32_t count = users.load(std::memory_order_relaxed);
  do {
    if (count < 0)
      return {ErrorCode::Busy, "params are being bound on another thread"};
  } while (!users.compare_exchange_weak(count, count + 1, std::memory_order_acquire,
                                        std::memory_order_relaxed));
  if (isBound)
    return {};
  endRun();
  return {ErrorCode::Failed, "params are unusable since their last rebind failed"};
}
