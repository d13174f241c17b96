//===- CudaRun.cpp - params and runs on a GPU -----------------------------===//

#include "CudaRun.h"

#include "Objects.h"

using namespace rlx;
using namespace rlx::runtime;

//===----------------------------------------------------------------------===//
// Params
//===----------------------------------------------------------------------===//

Result<std::unique_ptr<CudaParams>> CudaParams::create(std::shared_ptr<CudaKernels> kernels,
                                                       const rlx_module_info &info) {
  Result<std::unique_ptr<CudaQueue>> queue = CudaQueue::create(std::move(kernels));
  if (!queue)
    return queue.status();
  std::unique_ptr<CudaParams> params(new CudaParams(std::move(*queue)));
  params->buffers.resize(info.num_params);
  params->pointers.resize(info.num_params);
  params->host.setQueue(params->queue.get());
  const std::shared_ptr<CudaDevice> &device = params->queue->kernels->device;
  if (Status status = params->packed.reserve(device, info.packed_size, "packed params"); !status)
    return status;
  return params;
}

Status CudaParams::update(const rlx_module_info &info, std::span<const void *const> sources,
                          std::span<const uint64_t> bytes) {
  const std::shared_ptr<CudaDevice> &device = queue->kernels->device;
  CudaDevice::Scope scope(*device);
  queue->forgetChecks();
  Status status;
  for (size_t i = 0; i < sources.size() && status.ok(); ++i) {
    if (!sources[i])
      continue;
    status = buffers[i].reserve(device, bytes[i], "params");
    pointers[i] = buffers[i].data();
    if (status.ok() && bytes[i] > 0)
      status = queue->copyIn(buffers[i].data(), sources[i], bytes[i]);
  }
  if (status.ok())
    status = host.call("binding params", [&](const rlx_host *table) {
      return info.bind(table, pointers.data(), packed.data());
    });
  // Also after a failure: the sources are the caller's again.
  Status finished = queue->finish();
  return status.ok() || !finished.ok() ? finished : status;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

Result<std::unique_ptr<CudaRun>> CudaRun::create(std::shared_ptr<CudaKernels> kernels) {
  Result<std::unique_ptr<CudaQueue>> queue = CudaQueue::create(std::move(kernels));
  if (!queue)
    return queue.status();
  std::unique_ptr<CudaRun> run(new CudaRun(std::move(*queue)));
  run->host.setQueue(run->queue.get());
  const std::shared_ptr<CudaDevice> &device = run->queue->kernels->device;
  if (Status status = run->empty.reserve(device, 0, "empty tensors"); !status)
    return status;
  return run;
}

/// Finds the device memory of each tensor: its own, or a buffer that stands for it.
Status CudaRun::place(std::span<const CudaTensor> tensors, std::vector<CudaBuffer> &staging,
                      std::vector<void *> &table, const char *what) {
  const std::shared_ptr<CudaDevice> &device = queue->kernels->device;
  if (staging.size() < tensors.size())
    staging.resize(tensors.size());
  table.resize(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].bytes == 0) {
      table[i] = empty.data();
    } else if (device->isDeviceMemory(tensors[i].data)) {
      table[i] = tensors[i].data;
    } else {
      if (Status status = staging[i].reserve(device, tensors[i].bytes, what); !status)
        return status;
      table[i] = staging[i].data();
    }
  }
  return {};
}

/// Whether sizes and addresses are those of the recording; notes them for the next one.
bool CudaRun::noteKey(std::span<const int64_t> symbols, const CudaParams *params) {
  key.clear();
  key.insert(key.end(), symbols.begin(), symbols.end());
  auto add = [&](const void *pointer) { key.push_back(reinterpret_cast<uintptr_t>(pointer)); };
  for (void *pointer : inputTable)
    add(pointer);
  for (void *pointer : outputTable)
    add(pointer);
  add(workspace.data());
  if (params) {
    add(params->packed.data());
    for (const void *pointer : params->pointers)
      add(pointer);
  }
  if (queue->hasRecording() && key == recordedKey)
    return true;
  recordedKey = key;
  return false;
}

Status CudaRun::run(const rlx_module_info &info, std::span<const int64_t> symbols,
                    const CudaParams *params, std::span<const CudaTensor> inputs,
                    std::span<const CudaTensor> outputs, uint64_t workspaceSize) {
  const std::shared_ptr<CudaDevice> &device = queue->kernels->device;
  CudaDevice::Scope scope(*device);
  Status status = workspace.reserve(device, workspaceSize, "workspace");
  if (status.ok())
    status = place(inputs, inputStaging, inputTable, "inputs");
  if (status.ok())
    status = place(outputs, outputStaging, outputTable, "outputs");
  if (!status)
    return status;

  if (!noteKey(symbols, params)) {
    queue->forgetChecks();
    status = queue->record([&] {
      return host.call("the run", [&](const rlx_host *table) {
        return info.run(table, symbols.data(), params ? params->pointers.data() : nullptr,
                        params ? params->packed.data() : empty.data(),
                        const_cast<const void *const *>(inputTable.data()), outputTable.data(),
                        workspace.data());
      });
    });
  }
  for (size_t i = 0; i < inputs.size() && status.ok(); ++i)
    if (inputTable[i] != inputs[i].data && inputs[i].bytes > 0)
      status = queue->copyIn(inputTable[i], inputs[i].data, inputs[i].bytes);
  if (status.ok())
    status = queue->replay();
  for (size_t i = 0; i < outputs.size() && status.ok(); ++i)
    if (outputTable[i] != outputs[i].data && outputs[i].bytes > 0)
      status = queue->copyOut(outputs[i].data, outputTable[i], outputs[i].bytes);
  Status finished = queue->finish();
  return status.ok() || !finished.ok() ? finished : status;
}
