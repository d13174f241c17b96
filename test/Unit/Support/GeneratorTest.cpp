//===- GeneratorTest.cpp - the check values of test/Golden/README.md --------===//

#include "Support/Generator.h"

#include <gtest/gtest.h>

#include <bit>

namespace rlx::test {
namespace {

TEST(GeneratorTest, Hash) { EXPECT_EQ(fnv1a64("a"), 0xAF63DC4C8601EC8Cu); }

TEST(GeneratorTest, RandomBits) {
  EXPECT_EQ(randomBits(1, "x", 4), (std::vector<int64_t>{5470842, 3238352, 9361807, 2147444}));
}

TEST(GeneratorTest, Uniform) {
  Tensor tensor = uniform(1, "x", {2, 2}, 1, 0.25);
  const uint32_t expected[] = {0x3F69BD3D, 0x3F58B4E8, 0x3F83B664, 0x3F50623A};
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(std::bit_cast<uint32_t>(tensor.values<float>()[i]), expected[i]) << i;
}

TEST(GeneratorTest, IntegersStayInRange) {
  Tensor tensor = integers(1, "x", {1000}, -3, 4);
  std::span<int64_t> values = tensor.values<int64_t>();
  EXPECT_EQ(*std::min_element(values.begin(), values.end()), -3);
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 3);
}

TEST(GeneratorTest, BooleansFollowTheBits) {
  Tensor tensor = booleans(1, "x", {4});
  std::span<bool> values = tensor.values<bool>();
  EXPECT_EQ(std::vector<bool>(values.begin(), values.end()),
            (std::vector<bool>{false, false, true, false}));
}

TEST(GeneratorTest, PrefixMask) {
  Tensor tensor = prefixMask("m", {2, 2, 3}, 1, 2);
  std::span<float> values = tensor.values<float>();
  EXPECT_EQ(std::vector<float>(values.begin(), values.end()),
            (std::vector<float>{1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0}));
}

} // namespace
} // namespace rlx::test
