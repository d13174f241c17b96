//===- Generator.h - tensors from a seed ------------------------*- C++ -*-===//
//
// The generator that test/Golden/README.md defines, bit for bit the same as the
// Python one: a tensor is a function of seed, name and rule.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_TEST_UNIT_SUPPORT_GENERATOR_H
#define RLX_TEST_UNIT_SUPPORT_GENERATOR_H

#include "rlx/Runtime/Tensor.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rlx::test {

/// The 64-bit FNV-1a hash of a text.
uint64_t fnv1a64(std::string_view text);

/// 24-bit integers r[0..count).
std::vector<int64_t> randomBits(uint64_t seed, std::string_view name, int64_t count);

/// f32 values of [center - scale, center + scale).
Tensor uniform(uint64_t seed, const std::string &name, std::vector<int64_t> shape, double center,
               double scale);

/// i64 values of [low, high).
Tensor integers(uint64_t seed, const std::string &name, std::vector<int64_t> shape, int64_t low,
                int64_t high);

/// Fair coins.
Tensor booleans(uint64_t seed, const std::string &name, std::vector<int64_t> shape);

/// f32: 1 where the index in the last but one axis is < rows and the one in the last
/// axis < columns, else 0.
Tensor prefixMask(const std::string &name, std::vector<int64_t> shape, int64_t rows,
                  int64_t columns);

} // namespace rlx::test

#endif // RLX_TEST_UNIT_SUPPORT_GENERATOR_H
