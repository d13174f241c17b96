//===- Descriptor.cpp - checks a module's descriptor ----------------------===//
//
// After these checks the rest of the runtime may follow every pointer, index
// and size of a descriptor.
//
//===----------------------------------------------------------------------===//

#include "ElfFile.h"
#include "rlx/Runtime/DType.h"
#include "rlx/Runtime/ModuleFile.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <vector>

using namespace rlx;
using namespace rlx::runtime;

/// More than any graph has, and small enough that no table overflows.
static constexpr uint32_t maxTensors = 1u << 20;
static constexpr uint32_t maxRank = 32;
static constexpr uint64_t maxBytes = uint64_t(1) << 46;

static Status malformed(std::string message) {
  return {ErrorCode::Format, "module descriptor: " + std::move(message)};
}

/// Checks one dim, and notes in `isUsed` the symbol that it names.
static Status checkDim(std::string_view kind, const rlx_tensor_info &tensor, uint32_t position,
                       std::vector<bool> &isUsed) {
  int64_t dim = tensor.dims[position];
  if (dim >= 0)
    return {};
  auto bad = [&](std::string_view what) {
    return malformed(fmt::format("{} '{}': dim {} {}", kind, tensor.name, position, what));
  };
  if (kind == "param")
    return bad("is dynamic, expected a size");
  if (dim == RLX_DIM_COMPUTED)
    return kind == "output" ? Status() : bad("is computed, expected a size or a symbol");
  uint64_t symbol = static_cast<uint64_t>(-1 - dim);
  if (symbol >= isUsed.size())
    return bad(fmt::format("is symbol {}, of {} symbols", symbol, isUsed.size()));
  if (kind == "input")
    isUsed[symbol] = true;
  return {};
}

static Status checkTensorInfo(std::string_view kind, const rlx_tensor_info &tensor,
                              std::vector<bool> &isUsed) {
  if (!tensor.name || !*tensor.name)
    return malformed(fmt::format("{} without a name", kind));
  if (!isValidDType(tensor.dtype))
    return malformed(
        fmt::format("{} '{}': unknown element type {}", kind, tensor.name, tensor.dtype));
  if (tensor.rank > maxRank || (tensor.rank > 0 && !tensor.dims))
    return malformed(fmt::format("{} '{}': rank {}, expected at most {}", kind, tensor.name,
                                 tensor.rank, maxRank));
  uint64_t bytes = sizeOf(static_cast<DType>(tensor.dtype));
  for (uint32_t i = 0; i < tensor.rank; ++i) {
    if (Status status = checkDim(kind, tensor, i, isUsed); !status)
      return status;
    uint64_t dim = static_cast<uint64_t>(std::max<int64_t>(tensor.dims[i], 1));
    if (dim > maxBytes / bytes)
      return malformed(fmt::format("{} '{}': too large", kind, tensor.name));
    bytes *= dim;
  }
  return {};
}

static Status checkUniqueNames(std::string_view kind, std::vector<std::string_view> names) {
  std::sort(names.begin(), names.end());
  auto repeated = std::adjacent_find(names.begin(), names.end());
  if (repeated == names.end())
    return {};
  return malformed(fmt::format("two {}s are called '{}'", kind, *repeated));
}

static Status checkTensorInfos(std::string_view kind, const rlx_tensor_info *tensors,
                               uint32_t count, std::vector<bool> &isUsed) {
  if (count > maxTensors || (count > 0 && !tensors))
    return malformed(fmt::format("{} {}s, expected at most {}", count, kind, maxTensors));
  std::vector<std::string_view> names;
  for (uint32_t i = 0; i < count; ++i) {
    if (Status status = checkTensorInfo(kind, tensors[i], isUsed); !status)
      return status;
    names.push_back(tensors[i].name);
  }
  return checkUniqueNames(kind, std::move(names));
}

static Status checkSymbols(const rlx_module_info &info) {
  if (info.num_symbols > maxTensors || (info.num_symbols > 0 && !info.symbols))
    return malformed(fmt::format("{} symbols, expected at most {}", info.num_symbols, maxTensors));
  std::vector<std::string_view> names;
  for (uint32_t i = 0; i < info.num_symbols; ++i) {
    if (!info.symbols[i] || !*info.symbols[i])
      return malformed(fmt::format("symbol {} without a name", i));
    names.push_back(info.symbols[i]);
  }
  return checkUniqueNames("symbol", std::move(names));
}

/// A statically linked module has been through no loader.
static Status checkTarget(const rlx_module_info &info) {
  std::string_view triple = info.triple;
  std::string_view arch = triple.substr(0, triple.find('-'));
  if (arch == "amd64")
    arch = "x86_64";
  else if (arch == "arm64")
    arch = "aarch64";
  if (arch != machineName(hostMachine()))
    return {ErrorCode::Incompatible,
            fmt::format("module for {}, expected {}", triple, machineName(hostMachine()))};
  if (info.device != RLX_DEVICE_CPU && info.device != RLX_DEVICE_CUDA)
    return {ErrorCode::Incompatible, fmt::format("module for unknown device {}", info.device)};
  return checkCpuFeatures(info.features);
}

/// The kernels of a module for a GPU.
static Status checkKernels(const rlx_module_info &info) {
  if (info.device != RLX_DEVICE_CUDA)
    return {};
  if (info.struct_size < sizeof(rlx_module_info))
    return malformed(fmt::format("{} bytes, expected {} for device cuda", info.struct_size,
                                 sizeof(rlx_module_info)));
  if (!info.device_arch || !info.device_code || info.device_code_size > maxBytes ||
      info.device_code[info.device_code_size] != '\0')
    return malformed("device code missing or without an end");
  if (info.num_kernels > maxTensors || (info.num_kernels > 0 && !info.kernels))
    return malformed(fmt::format("{} kernels, expected at most {}", info.num_kernels, maxTensors));
  for (uint32_t i = 0; i < info.num_kernels; ++i)
    if (!info.kernels[i].name || !*info.kernels[i].name)
      return malformed(fmt::format("kernel {} without a name", i));
  return {};
}

/// The regions, which are of version 1.1.
static Status checkRegions(const rlx_module_info &info) {
  if (info.struct_size < sizeof(rlx_module_info) || info.num_regions == 0)
    return {};
  if (info.num_regions > maxTensors || !info.regions || !info.costs)
    return malformed(fmt::format("{} regions, expected at most {} with their names and costs",
                                 info.num_regions, maxTensors));
  for (uint32_t i = 0; i < info.num_regions; ++i)
    if (!info.regions[i].name || info.regions[i].kind > RLX_REGION_PARALLEL)
      return malformed(fmt::format("region {} without a name or of an unknown kind", i));
  return {};
}

Status rlx::checkDescriptor(const rlx_module_info *info) {
  if (!info)
    return {ErrorCode::Incompatible,
            fmt::format("module does not speak ABI version {}.{}", RLX_ABI_MAJOR, RLX_ABI_MINOR)};
  if (info->abi_version >> 16 != RLX_ABI_MAJOR)
    return {ErrorCode::Incompatible,
            fmt::format("module of ABI version {}.{}, expected major version {}",
                        info->abi_version >> 16, info->abi_version & 0xffff, RLX_ABI_MAJOR)};
  if (info->struct_size < RLX_MODULE_INFO_SIZE_1_0 ||
      (info->struct_size < sizeof(rlx_module_info) && (info->abi_version & 0xffff) > 0))
    return malformed(
        fmt::format("{} bytes, expected {}", info->struct_size, RLX_MODULE_INFO_SIZE_1_0));
  if (!info->name || !info->triple || !info->features || !info->options)
    return malformed("name, triple, features or options missing");
  if (!info->shapes || !info->bind || !info->run)
    return malformed("shapes, bind or run missing");
  if (info->packed_size > maxBytes)
    return malformed(fmt::format("{} bytes of packed params", info->packed_size));
  if (Status status = checkTarget(*info); !status)
    return status;
  if (Status status = checkKernels(*info); !status)
    return status;

  if (Status status = checkSymbols(*info); !status)
    return status;
  std::vector<bool> isUsed(info->num_symbols);
  if (Status status = checkTensorInfos("input", info->inputs, info->num_inputs, isUsed); !status)
    return status;
  if (Status status = checkTensorInfos("param", info->params, info->num_params, isUsed); !status)
    return status;
  if (Status status = checkTensorInfos("output", info->outputs, info->num_outputs, isUsed); !status)
    return status;
  if (Status status = checkRegions(*info); !status)
    return status;
  auto unused = std::find(isUsed.begin(), isUsed.end(), false);
  if (unused != isUsed.end())
    return malformed(
        fmt::format("no input's shape has symbol '{}'", info->symbols[unused - isUsed.begin()]));
  return {};
}
