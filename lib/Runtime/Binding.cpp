//===- Binding.cpp - matches tensors to what a module declares ------------===//

#include "rlx/Runtime/Binding.h"

#include "rlx/Runtime/DType.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

using namespace rlx;

std::string rlx::formatTensorType(uint32_t dtype, std::span<const int64_t> dims) {
  std::string text = "tensor<";
  for (int64_t dim : dims)
    text += dim >= 0 ? fmt::format("{}x", dim) : "?x";
  text += isValidDType(dtype) ? nameOf(static_cast<DType>(dtype)) : "invalid";
  return text += '>';
}

static std::string typeOf(const rlx_tensor_info &info) {
  return formatTensorType(info.dtype, {info.dims, info.rank});
}

static std::string typeOf(const rlx_tensor &tensor) {
  constexpr uint32_t printedDims = 32; // the rank may be anything
  if (tensor.rank > printedDims || (tensor.rank > 0 && !tensor.dims))
    return fmt::format("a tensor of rank {}", tensor.rank);
  return formatTensorType(tensor.dtype, {tensor.dims, tensor.rank});
}

void MismatchList::add(std::string_view kind, std::string_view name, std::string_view line) {
  text += fmt::format("{}{} '{}': {}", text.empty() ? "" : "\n", kind, name, line);
}

Status MismatchList::status() const {
  return text.empty() ? Status() : Status(ErrorCode::Mismatch, text);
}

static bool hasType(const rlx_tensor_info &expected, const rlx_tensor &found) {
  if (found.dtype != expected.dtype || found.rank != expected.rank)
    return false;
  if (found.rank > 0 && !found.dims)
    return false;
  for (uint32_t i = 0; i < found.rank; ++i)
    if (found.dims[i] < 0 || (expected.dims[i] >= 0 && found.dims[i] != expected.dims[i]))
      return false;
  return true;
}

/// Whether the tensor's bytes can be counted; large dynamic dims may be too many.
static bool isAddressable(const rlx_tensor &tensor) {
  uint64_t bytes = sizeOf(static_cast<DType>(tensor.dtype));
  for (uint32_t i = 0; i < tensor.rank; ++i)
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(std::max<int64_t>(tensor.dims[i], 1)),
                               &bytes))
      return false;
  return bytes <= uint64_t(1) << 46;
}

bool rlx::checkTensor(std::string_view kind, const rlx_tensor_info &expected,
                      const rlx_tensor &found, MismatchList &mismatches) {
  if (!hasType(expected, found)) {
    mismatches.add(kind, expected.name,
                   fmt::format("expected {}, found {}", typeOf(expected), typeOf(found)));
    return false;
  }
  if (!isAddressable(found)) {
    mismatches.add(kind, expected.name, fmt::format("{} is too large", typeOf(found)));
    return false;
  }
  size_t alignment = sizeOf(static_cast<DType>(found.dtype));
  if (reinterpret_cast<uintptr_t>(found.data) % alignment != 0) {
    mismatches.add(kind, expected.name,
                   fmt::format("expected data aligned to {} bytes, found {}", alignment,
                               fmt::ptr(found.data)));
    return false;
  }
  return true;
}

/// The position of a name, or the number of names. Callers mostly keep the order
/// of the module, so `hint` is tried first.
static size_t findName(std::span<const rlx_tensor_info> infos, const char *name, size_t hint) {
  if (hint < infos.size() && std::strcmp(infos[hint].name, name) == 0)
    return hint;
  for (size_t i = 0; i < infos.size(); ++i)
    if (std::strcmp(infos[i].name, name) == 0)
      return i;
  return infos.size();
}

void rlx::matchTensors(std::string_view kind, std::span<const rlx_tensor_info> expected,
                       std::span<const rlx_tensor> found, std::span<const rlx_tensor *> matched,
                       MismatchList &mismatches, bool required) {
  std::fill(matched.begin(), matched.end(), nullptr);
  for (size_t i = 0; i < found.size(); ++i) {
    const rlx_tensor &tensor = found[i];
    if (!tensor.name) {
      mismatches.add(kind, "", fmt::format("tensor {} has no name", i));
      continue;
    }
    size_t position = findName(expected, tensor.name, i);
    if (position == expected.size())
      mismatches.add(kind, tensor.name, fmt::format("no such {}, found {}", kind, typeOf(tensor)));
    else if (matched[position])
      mismatches.add(kind, tensor.name, "given twice");
    else
      matched[position] = &tensor;
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (matched[i])
      checkTensor(kind, expected[i], *matched[i], mismatches);
    else if (required)
      mismatches.add(kind, expected[i].name,
                     fmt::format("missing, expected {}", typeOf(expected[i])));
  }
}

/// The first input, and its dim, that has a symbol; there is one.
static std::pair<size_t, uint32_t> firstUse(std::span<const rlx_tensor_info> inputs,
                                            int64_t codedSymbol) {
  for (size_t i = 0; i < inputs.size(); ++i)
    for (uint32_t dim = 0; dim < inputs[i].rank; ++dim)
      if (inputs[i].dims[dim] == codedSymbol)
        return {i, dim};
  return {inputs.size(), 0};
}

void rlx::resolveSymbols(std::span<const rlx_tensor_info> inputs,
                         std::span<const int64_t *const> shapes, std::span<const char *const> names,
                         std::span<int64_t> sizes, MismatchList &mismatches) {
  constexpr int64_t unknown = -1;
  std::fill(sizes.begin(), sizes.end(), unknown);
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (uint32_t dim = 0; dim < inputs[i].rank; ++dim) {
      int64_t coded = inputs[i].dims[dim];
      if (coded >= 0)
        continue;
      auto symbol = static_cast<size_t>(-1 - coded);
      int64_t size = shapes[i][dim];
      if (sizes[symbol] == unknown)
        sizes[symbol] = size;
      if (sizes[symbol] == size)
        continue;
      auto [other, otherDim] = firstUse(inputs, coded);
      mismatches.add("input", inputs[i].name,
                     fmt::format("dim {} gives '{}' the size {}, dim {} of input '{}' gives it {}",
                                 dim, names[symbol], size, otherDim, inputs[other].name,
                                 sizes[symbol]));
    }
  }
}
