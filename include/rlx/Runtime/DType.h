//===- DType.h - element types of tensors -----------------------*- C++ -*-===//
//
// The element types that graphs, modules and tensor files have in common.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_RUNTIME_DTYPE_H
#define RLX_RUNTIME_DTYPE_H

#include "rlx/Runtime/abi.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rlx {

/// An element type. The values are those of `rlx_dtype`.
enum class DType : uint32_t {
  F32 = RLX_DTYPE_F32,
  F16 = RLX_DTYPE_F16,
  BF16 = RLX_DTYPE_BF16,
  F64 = RLX_DTYPE_F64,
  I8 = RLX_DTYPE_I8,
  I32 = RLX_DTYPE_I32,
  I64 = RLX_DTYPE_I64,
  Bool = RLX_DTYPE_BOOL ///< one byte, 0 or 1
};

/// Every element type, in the order of its values.
inline constexpr std::array<DType, 8> allDTypes = {DType::F32, DType::F16, DType::BF16,
                                                   DType::F64, DType::I8,  DType::I32,
                                                   DType::I64, DType::Bool};

/// Whether a number from outside is an element type.
constexpr bool isValidDType(uint32_t value) { return value < allDTypes.size(); }

/// Bytes of one element.
constexpr size_t sizeOf(DType type) {
  constexpr std::array<uint8_t, allDTypes.size()> sizes = {4, 2, 2, 8, 1, 4, 8, 1};
  return sizes[static_cast<uint32_t>(type)];
}

/// The spelling of an element type: f32, f16, bf16, f64, i8, i32, i64, bool.
constexpr std::string_view nameOf(DType type) {
  constexpr std::array<std::string_view, allDTypes.size()> names = {"f32", "f16", "bf16", "f64",
                                                                    "i8",  "i32", "i64",  "bool"};
  return names[static_cast<uint32_t>(type)];
}

/// The element type of a spelling, if it is one.
constexpr std::optional<DType> parseDType(std::string_view name) {
  for (DType type : allDTypes)
    if (nameOf(type) == name)
      return type;
  return std::nullopt;
}

/// The element type that holds a C++ type; f16 and bf16 have none.
template <typename T> struct DTypeOf;
template <> struct DTypeOf<float> : std::integral_constant<DType, DType::F32> {};
template <> struct DTypeOf<double> : std::integral_constant<DType, DType::F64> {};
template <> struct DTypeOf<int8_t> : std::integral_constant<DType, DType::I8> {};
template <> struct DTypeOf<int32_t> : std::integral_constant<DType, DType::I32> {};
template <> struct DTypeOf<int64_t> : std::integral_constant<DType, DType::I64> {};
template <> struct DTypeOf<bool> : std::integral_constant<DType, DType::Bool> {};

} // namespace rlx

#endif // RLX_RUNTIME_DTYPE_H
