#include "Support/Numerics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rlx::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");
using Values = std::vector<double>;

TEST(NumericsTest, ErrorIsRelativeToTheLargestMagnitude) {
  Difference difference = compare(Values{1, -8, 0.5}, Values{1, -8, 0.1});
  EXPECT_DOUBLE_EQ(difference.error, 0.4 / 8);
  EXPECT_EQ(difference.index, 2u);
  EXPECT_EQ(difference.expected, 0.1);
}

TEST(NumericsTest, EqualValuesHaveNoError) {
  EXPECT_EQ(maxRelativeError(Values{0, 0}, Values{0, 0}), 0);
  EXPECT_EQ(maxRelativeError(Values{}, Values{}), 0);
  EXPECT_EQ(maxRelativeError(Values{nan, infinity, 1}, Values{-nan, infinity, 1}), 0);
}

TEST(NumericsTest, NonFiniteValuesMustBeTheSame) {
  EXPECT_EQ(maxRelativeError(Values{nan, 1}, Values{0, 1}), infinity);
  EXPECT_EQ(maxRelativeError(Values{0, 1}, Values{nan, 1}), infinity);
  EXPECT_EQ(maxRelativeError(Values{infinity}, Values{-infinity}), infinity);
  EXPECT_EQ(maxRelativeError(Values{nan}, Values{infinity}), infinity);
}

TEST(NumericsTest, SizesMustBeEqual) {
  EXPECT_EQ(maxRelativeError(Values{1, 2}, Values{1}), infinity);
}

TEST(NumericsTest, NoErrorIsSmallAgainstZeros) {
  EXPECT_EQ(maxRelativeError(Values{1e-30}, Values{0}), infinity);
}

TEST(NumericsTest, ReadsSixteenBitFloats) {
  const uint16_t halves[] = {0x3C00, 0xC000, 0x0001, 0x7C00, 0x7BFF};
  const int64_t shape[] = {5};
  EXPECT_EQ(toDoubles(TensorView("x", DType::F16, shape, halves)),
            (Values{1, -2, 0x1p-24, infinity, 65504}));
  const uint16_t bfloats[] = {0x3F80, 0xC000, 0x0001, 0xFF80, 0x7F7F};
  EXPECT_EQ(toDoubles(TensorView("x", DType::BF16, shape, bfloats)),
            (Values{1, -2, 0x1p-133, -infinity, 0x1.fep127}));
}

} // namespace
} // namespace rlx::test
