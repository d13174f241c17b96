//===- InterpreterTest.cpp - precision, leaves, custom ops, errors ----------===//

#include "Evaluate.h"
#include "Support/Generator.h"

#include <gtest/gtest.h>

namespace rlx::test {
namespace {

using Values = std::vector<double>;

TEST(InterpreterTest, IntermediatesAreNotRounded) {
  // In f32, 1 + 2^-30 is 1.
  Result<std::vector<Array>> out = evaluate(R"(
    rlx.graph @g(%x: tensor<1xf32> {rlx.name = "x"}) -> (tensor<1xf32> {rlx.name = "y"}) {
      %one = rlx.constant dense<1.0> : tensor<1xf32>
      %sum = rlx.binary add %x, %one : tensor<1xf32>
      %y = rlx.binary sub %sum, %one : tensor<1xf32>
      rlx.output %y : tensor<1xf32>
    })",
                                            {floats("x", {1}, {0x1p-30f})});
  ASSERT_TRUE(out) << out.message();
  EXPECT_EQ(elementsOf(out->front()), Values{0x1p-30});
}

TEST(InterpreterTest, OutputsHaveTheirDeclaredType) {
  Result<Graph> graph = Graph::parse(R"(
    rlx.graph @g() -> (tensor<1xf16> {rlx.name = "y"}, tensor<1xf32>) {
      %y = rlx.constant dense<1.5> : tensor<1xf16>
      %z = rlx.constant dense<2.5> : tensor<1xf32>
      rlx.output %y, %z : tensor<1xf16>, tensor<1xf32>
    })");
  ASSERT_TRUE(graph) << graph.message();
  Result<std::vector<Tensor>> out = interpret(*GraphModule::find(*GraphModule::get(*graph)), {});
  ASSERT_TRUE(out) << out.message();
  EXPECT_EQ((*out)[0].getName(), "y");
  EXPECT_EQ((*out)[0].type(), DType::F16);
  EXPECT_EQ(*static_cast<const uint16_t *>((*out)[0].data()), 0x3E00);
  EXPECT_EQ((*out)[1].getName(), "out1");
  EXPECT_EQ((*out)[1].values<float>()[0], 2.5f);
}

constexpr std::string_view linear = R"(
  rlx.graph @g(%x: tensor<1x2xf32> {rlx.name = "x"}) -> (tensor<1x1xf32> {rlx.name = "y"}) {
    %w = rlx.param "w" : tensor<2x1xf32>
    %b = rlx.param "b" : tensor<1xf32>
    %y = rlx.fused_matmul_bias_act %x, %w, %b
        : (tensor<1x2xf32>, tensor<2x1xf32>, tensor<1xf32>) -> tensor<1x1xf32>
    rlx.output %y : tensor<1x1xf32>
  })";

TEST(InterpreterTest, BindsByName) {
  Result<std::vector<Array>> out =
      evaluate(linear, {floats("x", {1, 2}, {2, 3})},
               {floats("b", {1}, {0.5f}), floats("w", {2, 1}, {10, 100})});
  ASSERT_TRUE(out) << out.message();
  EXPECT_EQ(elementsOf(out->front()), Values{320.5});
}

TEST(InterpreterTest, ReportsAllMismatchesTogether) {
  Result<std::vector<Array>> out =
      evaluate(linear, {}, {floats("w", {1, 2}, {10, 100}), floats("c", {1}, {1})});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.status().code(), ErrorCode::Mismatch);
  for (const char *line : {"param 'w': expected tensor<2x1xf32>, found tensor<1x2xf32>",
                           "param 'c': no such param", "param 'b': missing, expected tensor<1xf32>",
                           "input 'x': missing, expected tensor<1x2xf32>"})
    EXPECT_NE(out.message().find(line), std::string::npos) << out.message();
}

TEST(InterpreterTest, ThreadsDoNotChangeResults) {
  Result<Graph> graph = Graph::parse(R"(
    rlx.graph @g(%x: tensor<1x301x48xf32> {rlx.name = "x"}, %w: tensor<48x48xf32> {rlx.name = "w"})
        -> (tensor<1x301x48xf32>) {
      %k = rlx.matmul %x, %w
          : (tensor<1x301x48xf32>, tensor<48x48xf32>) -> tensor<1x301x48xf32>
      %y = rlx.attention none %x, %k, %x num_heads = 3 head_dim = 16
          : (tensor<1x301x48xf32>, tensor<1x301x48xf32>, tensor<1x301x48xf32>)
          -> tensor<1x301x48xf32>
      %z = rlx.softmax %y axis = 1 : tensor<1x301x48xf32>
      rlx.output %z : tensor<1x301x48xf32>
    })");
  ASSERT_TRUE(graph) << graph.message();
  const Tensor x = uniform(1, "x", {1, 301, 48}, 0, 1), w = uniform(1, "w", {48, 48}, 0, 1);
  const std::vector<TensorView> inputs = {x, w};
  Result<std::vector<Array>> one = evaluate(*graph, inputs, {}, Interpreter(1));
  Result<std::vector<Array>> five = evaluate(*graph, inputs, {}, Interpreter(5));
  ASSERT_TRUE(one) << one.message();
  ASSERT_TRUE(five) << five.message();
  EXPECT_EQ(elementsOf(one->front()), elementsOf(five->front()));
}

constexpr std::string_view custom = R"(
  rlx.graph @g() -> (tensor<2xf32>, tensor<2xf32>) {
    %x = rlx.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %y, %z = rlx.custom "my.split"(%x) config = {by = 3.0 : f64}
        : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    rlx.output %y, %z : tensor<2xf32>, tensor<2xf32>
  })";

TEST(InterpreterTest, CallsCustomOps) {
  Interpreter interpreter;
  interpreter.registerCustomOp(
      "my.split", [](ir::CustomOp op, std::span<const Array> inputs) -> Result<std::vector<Array>> {
        double by = op.getConfig().getAs<mlir::FloatAttr>("by").getValueAsDouble();
        Values scaled;
        for (double x : inputs[0].floats())
          scaled.push_back(x * by);
        return std::vector{Array(DType::F32, {2}, std::move(scaled)), inputs[0]};
      });
  Result<std::vector<Array>> out = evaluate(custom, {}, {}, interpreter);
  ASSERT_TRUE(out) << out.message();
  EXPECT_EQ(elementsOf((*out)[0]), (Values{3, 6}));
  EXPECT_EQ(elementsOf((*out)[1]), (Values{1, 2}));
}

TEST(InterpreterTest, RefusesUnknownCustomOps) {
  Result<std::vector<Array>> out = evaluate(custom);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.status().code(), ErrorCode::Unsupported);
  EXPECT_EQ(out.message(),
            "test.mlir:4:14: rlx.custom %0#0: custom op 'my.split' is not registered");
}

TEST(InterpreterTest, ChecksResultsOfCustomOps) {
  Interpreter interpreter;
  auto giveOne = [](ir::CustomOp, std::span<const Array> inputs) -> Result<std::vector<Array>> {
    return std::vector{inputs[0]};
  };
  interpreter.registerCustomOp("my.split", giveOne);
  Result<std::vector<Array>> out = evaluate(custom, {}, {}, interpreter);
  ASSERT_FALSE(out);
  EXPECT_NE(out.message().find("number of results: expected 2, found 1"), std::string::npos)
      << out.message();

  auto giveOther = [](ir::CustomOp, std::span<const Array>) -> Result<std::vector<Array>> {
    return std::vector{Array(DType::F32, {2}), Array(DType::F32, {3})};
  };
  interpreter.registerCustomOp("my.split", giveOther);
  out = evaluate(custom, {}, {}, interpreter);
  ASSERT_FALSE(out);
  EXPECT_NE(out.message().find("result 1: expected tensor<2xf32>, found tensor<3xf32>"),
            std::string::npos)
      << out.message();
}

TEST(InterpreterTest, ReadsResources) {
  Result<std::vector<Array>> out = evaluate(R"(
    rlx.graph @g() -> (tensor<2xf32>) {
      %x = rlx.constant dense_resource<blob> : tensor<2xf32>
      rlx.output %x : tensor<2xf32>
    }
    {-# dialect_resources: { builtin: { blob: "0x040000000000803F00000040" } } #-})");
  ASSERT_TRUE(out) << out.message();
  EXPECT_EQ(elementsOf(out->front()), (Values{1, 2}));
}

TEST(InterpreterTest, RefusesResourcesOfAnotherSize) {
  Result<std::vector<Array>> out = evaluate(R"(
    rlx.graph @g() -> (tensor<2xf32>) {
      %x = rlx.constant dense_resource<blob> : tensor<2xf32>
      rlx.output %x : tensor<2xf32>
    }
    {-# dialect_resources: { builtin: { blob: "0x040000000000803F" } } #-})");
  ASSERT_FALSE(out);
  EXPECT_NE(out.message().find("resource 'blob': expected 8 bytes, found 4"), std::string::npos)
      << out.message();
}

} // namespace
} // namespace rlx::test
