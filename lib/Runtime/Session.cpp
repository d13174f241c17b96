//===- Session.cpp - runs of a module -------------------------------------===//
//
// A run goes: inputs' shapes -> symbols -> outputs' shapes and workspace -> tables
// of pointers -> compiled code. Whatever has not changed since the last run is
// kept, and nothing is allocated for it. Error paths may allocate.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

using namespace rlx;
using namespace rlx::runtime;

void rlx_session::Slot::set(const rlx_tensor &tensor) {
  isSet = true;
  data = tensor.data;
  std::copy_n(tensor.dims, dims.size(), dims.begin());
}

rlx_session::rlx_session(rlx_module *module, rlx_params *params)
    : module(module), params(params), inputs(module->inputs().size()),
      outputs(module->outputs().size()), ownOutputs(module->outputs().size()),
      symbols(module->info->num_symbols), shapedSymbols(module->info->num_symbols),
      inputTable(inputs.size()), outputTable(outputs.size()), matchedInputs(inputs.size()),
      matchedOutputs(outputs.size()) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].dims.resize(module->inputs()[i].rank);
    inputDims.push_back(inputs[i].dims.data());
  }
  size_t start = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].dims.resize(module->outputs()[i].rank);
    outputDimsStart.push_back(start);
    start += module->outputs()[i].rank;
  }
  outputDims.resize(start);
  newOutputDims.resize(start);
}

Result<rlx_session *> rlx_session::create(rlx_module *module, rlx_params *params) {
  if (params && params->module.object != module)
    return Status(ErrorCode::InvalidArgument, "the params belong to another module");
  if (!params && !module->params().empty())
    return Status(ErrorCode::InvalidArgument,
                  fmt::format("module '{}' has {} params, expected them to be bound",
                              module->info->name, module->params().size()));
  std::unique_ptr<rlx_session> session(new rlx_session(module, params));
  if (module->isOnGpu()) {
    Result<std::shared_ptr<CudaKernels>> kernels = module->kernels();
    if (!kernels)
      return kernels.status();
    Result<std::unique_ptr<CudaRun>> cuda = CudaRun::create(std::move(*kernels));
    if (!cuda)
      return cuda.status();
    session->cuda = std::move(*cuda);
  }
  return session.release();
}

/// Calls `function` unless another thread is in the session.
template <typename Function> Status rlx_session::exclusively(Function function) {
  if (isBusy.test_and_set(std::memory_order_acquire))
    return {ErrorCode::Busy, "the session is in use on another thread; give each thread its own"};
  OnExit release([this] { isBusy.clear(std::memory_order_release); });
  return function();
}

Status rlx_session::setThreads(uint32_t threads) {
  return exclusively([&]() -> Status {
    host.setThreads(threads);
    return {};
  });
}

Status rlx_session::setParallelFor(rlx_parallel_for_fn parallelFor, void *context) {
  return exclusively([&]() -> Status {
    host.setParallelFor(parallelFor, context);
    return {};
  });
}

Status rlx_session::setTrace(rlx_trace_fn trace, void *context) {
  return exclusively([&]() -> Status {
    host.setTrace(trace, context);
    return {};
  });
}

/// The position of a name among inputs or outputs.
static Result<size_t> findTensor(const char *kind, std::span<const rlx_tensor_info> infos,
                                 const char *name) {
  for (size_t i = 0; i < infos.size(); ++i)
    if (std::strcmp(infos[i].name, name) == 0)
      return i;
  return Status(ErrorCode::InvalidArgument, fmt::format("{} '{}': no such {}", kind, name, kind));
}

Status rlx_session::setInput(const rlx_tensor &tensor) {
  return exclusively([&]() -> Status {
    Result<size_t> i = findTensor("input", module->inputs(), tensor.name);
    if (!i)
      return i.status();
    MismatchList mismatches;
    if (!checkTensor("input", module->inputs()[*i], tensor, mismatches))
      return mismatches.status();
    inputs[*i].set(tensor);
    isChecked = false;
    return {};
  });
}

Status rlx_session::setOutput(const rlx_tensor &tensor) {
  return exclusively([&]() -> Status {
    Result<size_t> i = findTensor("output", module->outputs(), tensor.name);
    if (!i)
      return i.status();
    isChecked = false;
    if (!tensor.data) {
      outputs[*i].isSet = false;
      return {};
    }
    MismatchList mismatches;
    if (!checkTensor("output", module->outputs()[*i], tensor, mismatches))
      return mismatches.status();
    outputs[*i].set(tensor);
    return {};
  });
}

Status rlx_session::prepare() {
  return exclusively([&] { return prepareLocked(); });
}

Status rlx_session::run() {
  return exclusively([&] { return runLocked(); });
}

Status rlx_session::call(std::span<const rlx_tensor> givenInputs,
                         std::span<const rlx_tensor> givenOutputs) {
  return exclusively([&]() -> Status {
    forgetTensors();
    MismatchList mismatches;
    matchTensors("input", module->inputs(), givenInputs, matchedInputs, mismatches);
    matchTensors("output", module->outputs(), givenOutputs, matchedOutputs, mismatches,
                 /*required=*/false);
    if (!mismatches.empty())
      return mismatches.status();
    for (size_t i = 0; i < inputs.size(); ++i)
      inputs[i].set(*matchedInputs[i]);
    for (size_t i = 0; i < outputs.size(); ++i)
      if (matchedOutputs[i])
        outputs[i].set(*matchedOutputs[i]);
    Status status = runLocked();
    forgetTensors();
    return status;
  });
}

void rlx_session::forgetTensors() {
  for (Slot &input : inputs)
    input.isSet = false;
  for (Slot &output : outputs)
    output.isSet = false;
  isChecked = false;
}

Status rlx_session::getOutput(const char *name, rlx_tensor &output) {
  return exclusively([&]() -> Status {
    Result<size_t> i = findTensor("output", module->outputs(), name);
    if (!i)
      return i.status();
    if (!isShaped)
      return {ErrorCode::InvalidArgument,
              fmt::format("output '{}': has no shape before a prepare or a run", name)};
    const rlx_tensor_info &info = module->outputs()[*i];
    output = {info.name, info.dtype, info.rank, outputDims.data() + outputDimsStart[*i],
              outputTable[*i]};
    return {};
  });
}

Status rlx_session::getCosts(rlx_region_cost *costs) {
  return exclusively([&]() -> Status {
    if (!isShaped)
      return {ErrorCode::InvalidArgument, "regions have no costs before a prepare or a run"};
    if (module->info->num_regions == 0)
      return {};
    return host.call("computing costs", [&](const rlx_host *table) {
      return module->info->costs(table, shapedSymbols.data(), costs);
    });
  });
}

Status rlx_session::prepareLocked() {
  MismatchList mismatches;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const rlx_tensor_info &info = module->inputs()[i];
    if (!inputs[i].isSet)
      mismatches.add("input", info.name,
                     fmt::format("missing, expected {}",
                                 formatTensorType(info.dtype, {info.dims, info.rank})));
  }
  if (!mismatches.empty())
    return mismatches.status();

  resolveSymbols(module->inputs(), inputDims, {module->info->symbols, symbols.size()}, symbols,
                 mismatches);
  if (!mismatches.empty())
    return mismatches.status();
  if (!isShaped || symbols != shapedSymbols)
    if (Status status = computeShapes(); !status)
      return status;
  return reserveOutputs();
}

/// Asks the module for the outputs' shapes, and makes room for its workspace.
Status rlx_session::computeShapes() {
  isShaped = false;
  Status status = host.call("computing shapes", [&](const rlx_host *table) {
    return module->info->shapes(table, symbols.data(), newOutputDims.data(), &workspaceSize);
  });
  if (!status)
    return status;

  for (size_t i = 0; i < outputs.size(); ++i) {
    const rlx_tensor_info &info = module->outputs()[i];
    std::span<const int64_t> dims(newOutputDims.data() + outputDimsStart[i], info.rank);
    for (uint32_t dim = 0; dim < info.rank; ++dim) {
      int64_t expected = info.dims[dim];
      if (expected < 0 && expected != RLX_DIM_COMPUTED)
        expected = symbols[static_cast<size_t>(-1 - expected)];
      if (dims[dim] < 0 || (expected >= 0 && dims[dim] != expected))
        return {ErrorCode::Internal,
                fmt::format("module '{}' computes shape {} for output '{}', declared {}",
                            module->info->name, formatTensorType(info.dtype, dims), info.name,
                            formatTensorType(info.dtype, {info.dims, info.rank}))};
    }
  }
  if (!cuda)
    if (status = workspace.reserve(workspaceSize, "workspace"); !status)
      return status;

  outputDims.swap(newOutputDims);
  shapedSymbols = symbols;
  isShaped = true;
  isChecked = false;
  return {};
}

/// Checks the caller's outputs against the computed shapes, and makes room for
/// the others.
Status rlx_session::reserveOutputs() {
  MismatchList mismatches;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const rlx_tensor_info &info = module->outputs()[i];
    rlx_tensor_info computed = info;
    computed.dims = outputDims.data() + outputDimsStart[i];
    if (outputs[i].isSet) {
      rlx_tensor given = {info.name, info.dtype, info.rank, outputs[i].dims.data(),
                          outputs[i].data};
      checkTensor("output", computed, given, mismatches);
      outputTable[i] = outputs[i].data;
      continue;
    }
    rlx_tensor own = {info.name, info.dtype, info.rank, computed.dims, nullptr};
    if (!checkTensor("output", computed, own, mismatches))
      continue;
    uint64_t size = bytesOf(info.dtype, {computed.dims, info.rank});
    if (Status status = ownOutputs[i].reserve(size, "output"); !status)
      return status;
    outputTable[i] = ownOutputs[i].data();
  }
  return mismatches.status();
}

Status rlx_session::runLocked() {
  if (Status status = prepareLocked(); !status)
    return status;
  if (!isChecked)
    if (Status status = fillTables(); !status)
      return status;

  if (params)
    if (Status status = params->beginRun(); !status)
      return status;
  OnExit endRun([this] {
    if (params)
      params->endRun();
  });
  if (cuda)
    return runOnGpu();
  return host.call("the run", [&](const rlx_host *table) {
    return module->info->run(table, symbols.data(), params ? params->pointers.data() : nullptr,
                             params ? params->packed.data() : emptyTensorData(), inputTable.data(),
                             outputTable.data(), workspace.data());
  });
}

/// The run of a module for a GPU: tensors may be in either memory.
Status rlx_session::runOnGpu() {
  cudaInputs.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    cudaInputs[i] = {const_cast<void *>(inputTable[i]),
                     bytesOf(module->inputs()[i].dtype, inputs[i].dims)};
  cudaOutputs.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const rlx_tensor_info &info = module->outputs()[i];
    cudaOutputs[i] = {outputTable[i],
                      bytesOf(info.dtype, {outputDims.data() + outputDimsStart[i], info.rank})};
  }
  return cuda->run(*module->info, symbols, params ? params->cuda.get() : nullptr, cudaInputs,
                   cudaOutputs, workspaceSize);
}

/// Fills the tables of pointers from the slots, where something has changed.
Status rlx_session::fillTables() {
  MismatchList mismatches;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const rlx_tensor_info &info = module->inputs()[i];
    inputTable[i] = inputs[i].data ? inputs[i].data : emptyTensorData();
    if (!inputs[i].data && bytesOf(info.dtype, inputs[i].dims))
      mismatches.add("input", info.name, "has no data");
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const rlx_tensor_info &info = module->outputs()[i];
    if (!outputTable[i] && bytesOf(info.dtype, {outputDims.data() + outputDimsStart[i], info.rank}))
      mismatches.add("output", info.name, "has no data");
    else if (!outputTable[i])
      outputTable[i] = emptyTensorData();
  }
  if (!mismatches.empty())
    return mismatches.status();
  if (Status status = checkOverlap(); !status)
    return status;
  isChecked = true;
  return {};
}

/// Compiled code relies on outputs that share memory with nothing else.
Status rlx_session::checkOverlap() const {
  auto outputBytes = [&](size_t i) {
    const rlx_tensor_info &info = module->outputs()[i];
    return bytesOf(info.dtype, {outputDims.data() + outputDimsStart[i], info.rank});
  };
  auto overlap = [](const void *a, uint64_t aSize, const void *b, uint64_t bSize) {
    auto aStart = reinterpret_cast<uintptr_t>(a), bStart = reinterpret_cast<uintptr_t>(b);
    return aStart < bStart + bSize && bStart < aStart + aSize;
  };
  for (size_t i = 0; i < outputs.size(); ++i) {
    const char *name = module->outputs()[i].name;
    for (size_t j = 0; j < inputs.size(); ++j)
      if (overlap(outputTable[i], outputBytes(i), inputTable[j],
                  bytesOf(module->inputs()[j].dtype, inputs[j].dims)))
        return {ErrorCode::InvalidArgument,
                fmt::format("output '{}': overlaps input '{}'", name, module->inputs()[j].name)};
    for (size_t j = 0; j < i; ++j)
      if (overlap(outputTable[i], outputBytes(i), outputTable[j], outputBytes(j)))
        return {ErrorCode::InvalidArgument,
                fmt::format("output '{}': overlaps output '{}'", name, module->outputs()[j].name)};
  }
  return {};
}
