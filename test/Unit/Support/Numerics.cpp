#include "Support/Numerics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace rlx;
using namespace rlx::test;

static constexpr double infinity = std::numeric_limits<double>::infinity();

Difference test::compare(std::span<const double> found, std::span<const double> expected,
                         double scale) {
  if (found.size() != expected.size())
    return {infinity, std::min(found.size(), expected.size())};
  if (scale <= 0)
    for (double value : expected)
      if (std::isfinite(value))
        scale = std::max(scale, std::abs(value));

  Difference worst;
  for (size_t i = 0; i < found.size(); ++i) {
    const double a = found[i], b = expected[i];
    double error = 0;
    if (std::isfinite(a) && std::isfinite(b))
      error = a == b ? 0 : std::abs(a - b) / scale; // infinite if the reference is all zeros
    else
      error = a == b || (std::isnan(a) && std::isnan(b)) ? 0 : infinity;
    if (i == 0 || error > worst.error)
      worst = {error, i, a, b};
  }
  return worst;
}

double test::maxRelativeError(std::span<const double> found, std::span<const double> expected) {
  return compare(found, expected).error;
}

/// The value of an f16 from its bits.
static double decodeHalf(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const double fraction = bits & 0x3ff;
  double magnitude = 0;
  if (exponent == 0x1f)
    magnitude = fraction == 0 ? infinity : std::nan("");
  else if (exponent == 0)
    magnitude = std::ldexp(fraction, -24);
  else
    magnitude = std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

/// The value of a bf16, which is the upper half of an f32.
static double decodeBFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

std::vector<double> test::toDoubles(const TensorView &tensor) {
  std::vector<double> result;
  result.reserve(tensor.numElements());
  auto append = [&]<typename T>(T, auto convert) {
    const T *elements = static_cast<const T *>(tensor.data);
    for (int64_t i = 0; i < tensor.numElements(); ++i)
      result.push_back(convert(elements[i]));
  };
  auto widen = [](auto element) { return static_cast<double>(element); };
  switch (tensor.type()) {
  case DType::F32:
    append(float(), widen);
    break;
  case DType::F64:
    append(double(), widen);
    break;
  case DType::F16:
    append(uint16_t(), decodeHalf);
    break;
  case DType::BF16:
    append(uint16_t(), decodeBFloat);
    break;
  case DType::I8:
    append(int8_t(), widen);
    break;
  case DType::I32:
    append(int32_t(), widen);
    break;
  case DType::I64:
    append(int64_t(), widen);
    break;
  case DType::Bool:
    append(uint8_t(), widen);
    break;
  }
  return result;
}

std::ostream &test::operator<<(std::ostream &stream, const Difference &difference) {
  return stream << "relative error " << difference.error << " at element " << difference.index
                << ": expected " << difference.expected << ", found " << difference.found;
}
