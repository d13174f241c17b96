//===- DynamicDimsTest.cpp - sizes and indices that only a run knows --------===//

#include "Evaluate.h"

#include <gtest/gtest.h>

namespace rlx::test {
namespace {

using Values = std::vector<double>;

/// Runs a graph whose body is one op on the inputs %a and %b, and expects an error.
struct Failure {
  const char *typeA, *typeB, *op;
  std::vector<int64_t> shapeA, shapeB;
  const char *error;
};

class DynamicErrorTest : public testing::TestWithParam<Failure> {};

TEST_P(DynamicErrorTest, NamesTheOpAndTheSizes) {
  const Failure &failure = GetParam();
  const std::string text =
      std::string("rlx.graph @g(%a: ") + failure.typeA + R"( {rlx.name = "a"}, %b: )" +
      failure.typeB + R"( {rlx.name = "b"}) {)" + "\n  %y = " + failure.op + "\n  rlx.output\n}";
  Result<std::vector<Array>> out = evaluate(
      text, {Tensor("a", DType::F32, failure.shapeA), Tensor("b", DType::F32, failure.shapeB)});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.message(), std::string("test.mlir:2:8: ") + failure.error);
}

INSTANTIATE_TEST_SUITE_P(
    Ops, DynamicErrorTest,
    testing::Values(
        Failure{"tensor<?xf32>",
                "tensor<?xf32>",
                "rlx.binary add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>",
                {5},
                {7},
                "rlx.binary %0: broadcast dim 0: expected 5, found 7"},
        // Only a static 1 broadcasts.
        Failure{"tensor<?xf32>",
                "tensor<7xf32>",
                "rlx.binary add %a, %b : (tensor<?xf32>, tensor<7xf32>) -> tensor<7xf32>",
                {1},
                {7},
                "rlx.binary %0: broadcast dim 0: expected 1, found 7"},
        Failure{
            "tensor<?x3xf32>",
            "tensor<?x2xf32>",
            "rlx.concat %a, %b axis = 1 : (tensor<?x3xf32>, tensor<?x2xf32>) -> tensor<?x5xf32>",
            {2, 3},
            {4, 2},
            "rlx.concat %0: dim 0 of input 1: expected 2, found 4"},
        Failure{"tensor<2x?xf32>",
                "tensor<?x2xf32>",
                "rlx.matmul %a, %b : (tensor<2x?xf32>, tensor<?x2xf32>) -> tensor<2x2xf32>",
                {2, 3},
                {4, 2},
                "rlx.matmul %0: rows of w: expected 3, found 4"},
        Failure{"tensor<?x2x3xf32>",
                "tensor<?x3x2xf32>",
                "rlx.matmul %a, %b : (tensor<?x2x3xf32>, tensor<?x3x2xf32>) -> tensor<?x2x2xf32>",
                {5, 2, 3},
                {4, 3, 2},
                "rlx.matmul %0: broadcast dim 0: expected 5, found 4"},
        Failure{"tensor<?xf32>",
                "tensor<1xf32>",
                "rlx.narrow %a axis = 0 start = 2 length = 3 : (tensor<?xf32>) -> tensor<3xf32>",
                {4},
                {1},
                "rlx.narrow %0: dim 0 of x: expected at least 5, found 4"},
        Failure{"tensor<?xf32>",
                "tensor<1xf32>",
                "rlx.reshape %a : (tensor<?xf32>) -> tensor<?x3xf32>",
                {4},
                {1},
                "rlx.reshape %0: number of elements: expected a multiple of 3, found 4"},
        Failure{"tensor<?x4xf32>",
                "tensor<1xf32>",
                "rlx.reshape %a : (tensor<?x4xf32>) -> tensor<2x2xf32>",
                {2, 4},
                {1},
                "rlx.reshape %0: number of elements: expected 4, found 8"},
        Failure{"tensor<?xf32>",
                "tensor<1xf32>",
                "rlx.expand %a : (tensor<?xf32>) -> tensor<2x3xf32>",
                {1},
                {1},
                "rlx.expand %0: dim 0 of x: expected 3, found 1"},
        Failure{"tensor<1x1x?x?xf32>",
                "tensor<1x1x3x3xf32>",
                "rlx.conv2d %a, %b : (tensor<1x1x?x?xf32>, tensor<1x1x3x3xf32>) -> "
                "tensor<1x1x?x?xf32>",
                {1, 1, 3, 2},
                {1, 1, 3, 3},
                "rlx.conv2d %0: padded size of x: expected at least 3, found 2"},
        Failure{"tensor<1x?x4xf32>",
                "tensor<1x?x4xf32>",
                "rlx.attention none %a, %a, %b num_heads = 1 head_dim = 4 : (tensor<1x?x4xf32>, "
                "tensor<1x?x4xf32>, tensor<1x?x4xf32>) -> tensor<1x?x4xf32>",
                {1, 2, 4},
                {1, 3, 4},
                "rlx.attention %result: rows of v: expected 2, found 3"},
        Failure{"tensor<?x2x4xf32>",
                "tensor<?x2xf32>",
                "rlx.attention custom %a, %a, %a, %b num_heads = 1 head_dim = 4 : "
                "(tensor<?x2x4xf32>, tensor<?x2x4xf32>, tensor<?x2x4xf32>, tensor<?x2xf32>) -> "
                "tensor<?x2x4xf32>",
                {3, 2, 4},
                {1, 2},
                "rlx.attention %result: dim 0 of mask: expected 3, found 1"}));

TEST(DynamicDimsTest, IndexOutOfRange) {
  constexpr std::string_view text = R"(
    rlx.graph @g(%i: tensor<2xi32> {rlx.name = "i"}) -> (tensor<2xf32>) {
      %x = rlx.constant dense<1.0> : tensor<5xf32>
      %y = rlx.gather %x, %i axis = 0 : (tensor<5xf32>, tensor<2xi32>) -> tensor<2xf32>
      rlx.output %y : tensor<2xf32>
    })";
  for (int32_t index : {5, -1}) {
    const int32_t indices[] = {4, index};
    Result<std::vector<Array>> out =
        evaluate(text, {Tensor("i", std::vector<int64_t>{2}, std::span<const int32_t>(indices))});
    ASSERT_FALSE(out);
    EXPECT_EQ(out.message(), "test.mlir:4:12: rlx.gather %0: element 1 of indices: "
                             "expected an index in [0, 5), found " +
                                 std::to_string(index));
  }
}

TEST(DynamicDimsTest, NamedDimsAgree) {
  constexpr std::string_view text = R"(
    rlx.graph @g(%a: tensor<?x2xf32> {rlx.name = "a", rlx.dims = ["batch", ""]},
                 %b: tensor<?xf32> {rlx.name = "b", rlx.dims = ["batch"]}) -> (tensor<?xf32>) {
      %s = rlx.reduce sum %a axes = [1] : (tensor<?x2xf32>) -> tensor<?xf32>
      %y = rlx.binary add %s, %b : tensor<?xf32>
      rlx.output %y : tensor<?xf32>
    })";
  Result<std::vector<Array>> out =
      evaluate(text, {floats("a", {2, 2}, {1, 2, 3, 4}), floats("b", {2}, {10, 20})});
  ASSERT_TRUE(out) << out.message();
  EXPECT_EQ(elementsOf(out->front()), (Values{13, 27}));

  out = evaluate(text, {Tensor("a", DType::F32, {2, 2}), Tensor("b", DType::F32, {3})});
  ASSERT_FALSE(out);
  EXPECT_NE(out.message().find("'batch'"), std::string::npos) << out.message();
}

TEST(DynamicDimsTest, ReshapeKeepsDynamicDimsInOrder) {
  Result<std::vector<Array>> out = evaluate(R"(
    rlx.graph @g(%a: tensor<?x?x4xf32> {rlx.name = "a"}) -> (tensor<?x2x?x2xf32>, tensor<?x4xf32>) {
      %y = rlx.reshape %a : (tensor<?x?x4xf32>) -> tensor<?x2x?x2xf32>
      %z = rlx.reshape %a : (tensor<?x?x4xf32>) -> tensor<?x4xf32>
      rlx.output %y, %z : tensor<?x2x?x2xf32>, tensor<?x4xf32>
    })",
                                            {Tensor("a", DType::F32, {3, 5, 4})});
  ASSERT_TRUE(out) << out.message();
  EXPECT_EQ((*out)[0].shape(), (Array::Shape{3, 2, 5, 2}));
  EXPECT_EQ((*out)[1].shape(), (Array::Shape{15, 4}));
}

TEST(DynamicDimsTest, PsaAttentionOfDynamicImage) {
  // No plain form: the op itself is evaluated.
  constexpr std::string_view text = R"(
    rlx.graph @g(%x: tensor<?x8x?x?xf32> {rlx.name = "x"}) -> (tensor<?x4x?x?xf32>) {
      %y = rlx.psa_attention %x num_heads = 2 key_dim = 1
          : (tensor<?x8x?x?xf32>) -> tensor<?x4x?x?xf32>
      rlx.output %y : tensor<?x4x?x?xf32>
    })";
  std::vector<float> image = {0, 0, 1, 2, 3, 5, 4, 6, 0, 0, 1, 2, 7, 9, 8, 10};
  Result<std::vector<Array>> out = evaluate(text, {floats("x", {1, 8, 1, 2}, image)});
  ASSERT_TRUE(out) << out.message();
  EXPECT_EQ(out->front().shape(), (Array::Shape{1, 4, 1, 2}));
  EXPECT_EQ(elementsOf(out->front()), (Values{4, 4, 5, 5, 8, 8, 9, 9}));
}

} // namespace
} // namespace rlx::test
