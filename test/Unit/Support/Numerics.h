//===- Numerics.h - compares results with a reference -----------*- C++ -*-===//
#ifndef RLX_TEST_UNIT_SUPPORT_NUMERICS_H
#define RLX_TEST_UNIT_SUPPORT_NUMERICS_H

#include "rlx/Runtime/Tensor.h"

#include <cstdint>
#include <ostream>
#include <span>
#include <vector>

namespace rlx::test {

/// How far results are from a reference.
struct Difference {
  /// The largest absolute difference over the largest finite magnitude of the
  /// reference; infinity if sizes differ, or where one side is not finite and the
  /// other isn't the same (a NaN is the same as any NaN).
  double error = 0;
  /// The element that is farthest off, its value and what the reference says.
  size_t index = 0;
  double found = 0, expected = 0;
};

/// Compares results with a reference. `scale`, if positive, replaces the largest
/// magnitude of the reference, for a part of a larger tensor.
Difference compare(std::span<const double> found, std::span<const double> expected,
                   double scale = 0);

/// The error of `compare`.
double maxRelativeError(std::span<const double> found, std::span<const double> expected);

/// The elements of a tensor of any type as doubles.
std::vector<double> toDoubles(const TensorView &tensor);

/// For messages of failed tests.
std::ostream &operator<<(std::ostream &stream, const Difference &difference);

} // namespace rlx::test

#endif // RLX_TEST_UNIT_SUPPORT_NUMERICS_H
