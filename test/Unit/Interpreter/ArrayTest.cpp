//===- ArrayTest.cpp - conversions to and from declared types ---------------===//

#include "rlx/Interpreter/Array.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rlx {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int64_t least64 = std::numeric_limits<int64_t>::min();
constexpr int64_t greatest64 = std::numeric_limits<int64_t>::max();

TEST(ArrayTest, RoundsToNearestEven) {
  EXPECT_EQ(roundToFloat(1 + 0x1p-24, DType::F32), 1);
  EXPECT_EQ(roundToFloat(1 + 0x1.8p-23, DType::F32), 1 + 0x1p-22);
  EXPECT_EQ(roundToFloat(1 + 0x1p-11, DType::F16), 1);
  EXPECT_EQ(roundToFloat(1 + 0x1p-11 + 0x1p-40, DType::F16), 1 + 0x1p-10);
  EXPECT_EQ(roundToFloat(1 + 0x1p-8, DType::BF16), 1);
  EXPECT_EQ(roundToFloat(1 + 0x1.8p-7, DType::BF16), 1 + 0x1p-6);
  EXPECT_EQ(roundToFloat(0.1, DType::F64), 0.1);
}

TEST(ArrayTest, RoundsAtTheEndsOfTheRange) {
  EXPECT_EQ(roundToFloat(65519, DType::F16), 65504);
  EXPECT_EQ(roundToFloat(65520, DType::F16), infinity);
  EXPECT_EQ(roundToFloat(-1e39, DType::F32), -infinity);
  EXPECT_EQ(roundToFloat(0x1p-25, DType::F16), 0);
  EXPECT_EQ(roundToFloat(0x1.8p-25, DType::F16), 0x1p-24);
  EXPECT_TRUE(std::isnan(roundToFloat(std::nan(""), DType::BF16)));
}

TEST(ArrayTest, IntegersRoundOnce) {
  // By way of a double this would become a tie, which goes to even.
  const int64_t value = (int64_t(1) << 60) + (int64_t(1) << 36) + 1;
  EXPECT_EQ(integerToFloat(value, DType::F32), 0x1p60 + 0x1p37);
  const int64_t large = (int64_t(1) << 60) + (int64_t(1) << 52) + 1;
  EXPECT_EQ(integerToFloat(large, DType::BF16), 0x1p60 + 0x1p53);
  EXPECT_EQ(integerToFloat(-3, DType::F16), -3);
}

TEST(ArrayTest, TruncatesAndSaturates) {
  EXPECT_EQ(truncateToInteger(-1.9, DType::I8), -1);
  EXPECT_EQ(truncateToInteger(127.9, DType::I8), 127);
  EXPECT_EQ(truncateToInteger(128, DType::I8), 127);
  EXPECT_EQ(truncateToInteger(-infinity, DType::I32), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(truncateToInteger(0x1p63, DType::I64), greatest64);
  EXPECT_EQ(truncateToInteger(-0x1p63, DType::I64), least64);
  EXPECT_EQ(truncateToInteger(std::nan(""), DType::I64), 0);
  EXPECT_EQ(truncateToInteger(std::nan(""), DType::Bool), 1);
  EXPECT_EQ(truncateToInteger(0.25, DType::Bool), 1);
  EXPECT_EQ(truncateToInteger(-0.0, DType::Bool), 0);
}

TEST(ArrayTest, Wraps) {
  EXPECT_EQ(wrapToInteger(128, DType::I8), -128);
  EXPECT_EQ(wrapToInteger(int64_t(1) << 32, DType::I32), 0);
  EXPECT_EQ(wrapToInteger(least64, DType::I64), least64);
  EXPECT_EQ(wrapToInteger(256, DType::Bool), 1);
}

template <typename T> void expectRoundTrip(DType type, std::vector<T> elements) {
  SCOPED_TRACE(std::string(nameOf(type)));
  const int64_t shape[] = {static_cast<int64_t>(elements.size())};
  Tensor tensor = Array(TensorView("x", type, shape, elements.data())).toTensor("y");
  EXPECT_EQ(tensor.getName(), "y");
  EXPECT_EQ(tensor.type(), type);
  EXPECT_EQ(std::memcmp(tensor.data(), elements.data(), tensor.numBytes()), 0);
}

TEST(ArrayTest, TensorsOfEveryTypeRoundTrip) {
  expectRoundTrip<float>(DType::F32, {0.1f, -0.0f, 1e-45f, 3.4e38f, INFINITY});
  expectRoundTrip<double>(DType::F64, {0.1, -0.0, 5e-324, -infinity});
  expectRoundTrip<uint16_t>(DType::F16, {0x0000, 0x8000, 0x0001, 0x03FF, 0x3C01, 0x7BFF, 0xFC00});
  expectRoundTrip<uint16_t>(DType::BF16, {0x0000, 0x8000, 0x0001, 0x007F, 0x3F81, 0x7F7F, 0xFF80});
  expectRoundTrip<int8_t>(DType::I8, {-128, -1, 0, 127});
  expectRoundTrip<int32_t>(DType::I32, {std::numeric_limits<int32_t>::min(), -1, 7});
  expectRoundTrip<int64_t>(DType::I64, {least64, -1, greatest64});
  expectRoundTrip<uint8_t>(DType::Bool, {0, 1, 1});
}

TEST(ArrayTest, OutputsAreRounded) {
  Tensor tensor = Array(DType::F32, {1}, std::vector<double>{1.0 / 3}).toTensor("x");
  EXPECT_EQ(tensor.values<float>()[0], 1.0f / 3);
}

} // namespace
} // namespace rlx
