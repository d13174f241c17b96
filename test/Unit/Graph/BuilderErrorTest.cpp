//===- BuilderErrorTest.cpp - Graphs that are refused ---------------------===//

#include "rlx/Graph/Graph.h"

#include <gtest/gtest.h>

namespace rlx {
namespace {

class BuilderErrorTest : public testing::Test {
protected:
  Value tensor(std::vector<Dim> dims, DType dtype = DType::F32) {
    return graph.input("in" + std::to_string(numInputs++), {dtype, std::move(dims)});
  }

  /// Expects that the graph is refused with a message that has all the parts.
  void expectError(std::initializer_list<std::string> parts) {
    Status status = graph.status();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.code(), ErrorCode::InvalidArgument);
    for (const std::string &part : parts)
      EXPECT_NE(status.message().find(part), std::string::npos)
          << "no \"" << part << "\" in: " << status.message();
    EXPECT_EQ(status.message().find("'rlx."), std::string::npos) << status.message();
    EXPECT_EQ(status.message().find('\n'), std::string::npos) << status.message();
  }

  /// The same for the value of a node that is refused.
  void expectRefused(Value value, std::initializer_list<std::string> parts) {
    EXPECT_FALSE(value);
    expectError(parts);
  }

  Graph graph{"test"};

private:
  int numInputs = 0;
};

TEST_F(BuilderErrorTest, NamesNodeOperandFoundAndExpected) {
  expectRefused(graph.matmul(tensor({1, 7, 16}), tensor({8, 4}), "scores"),
                {"matmul 'scores': ", "operand 'w'", "expected", "16", "found", "tensor<8x4xf32>",
                 "x: tensor<1x7x16xf32>"});
}

TEST_F(BuilderErrorTest, NodesWithoutANameAreNumbered) {
  Value x = graph.activation(ActivationKind::Relu, tensor({2, 3}));
  expectRefused(graph.matmul(x, tensor({2, 3})), {"matmul 'matmul_1': "});
}

TEST_F(BuilderErrorTest, TheFirstErrorSticks) {
  Value bad = graph.matmul(tensor({2, 3}), tensor({2, 3}), "first");
  Value next = graph.activation(ActivationKind::Relu, bad, "second");
  expectRefused(graph.matmul(next, tensor({1}), "third"), {"matmul 'first': "});
  EXPECT_FALSE(graph.param("w", {DType::F32, {1}}));
  Status status = graph.setOutputs({{"y", next}});
  EXPECT_EQ(status.message(), graph.status().message());
  EXPECT_FALSE(graph.isComplete());
  EXPECT_EQ(graph.print().message(), status.message());
}

TEST_F(BuilderErrorTest, AnInvalidValueIsAnError) {
  expectRefused(graph.activation(ActivationKind::Relu, Value(), "act"),
                {"activation 'act': x: expected a value of this graph, found none"});
}

TEST_F(BuilderErrorTest, AValueOfAnotherGraphIsAnError) {
  Graph other("other");
  Value x = other.input("x", {DType::F32, {2}});
  expectRefused(graph.binary(BinaryKind::Add, tensor({2}), x, "sum"),
                {"binary 'sum': rhs: expected a value of this graph, found one of another graph"});
}

TEST_F(BuilderErrorTest, ElementTypeThatTheOpDoesNotTake) {
  expectRefused(graph.softmax(tensor({2, 3}, DType::I32), -1, "probabilities"),
                {"softmax 'probabilities': x: expected ", "float", "found tensor<2x3xi32>"});
}

TEST_F(BuilderErrorTest, InputNames) {
  tensor({2});
  expectRefused(graph.input("in0", {DType::F32, {2}}),
                {"input 'in0': expected a name that is not empty and not taken"});
}

TEST_F(BuilderErrorTest, NegativeSize) {
  expectRefused(graph.input("x", {DType::F32, {2, -3}}),
                {"input 'x': expected dim 1 to be 0 or more, found -3"});
}

TEST_F(BuilderErrorTest, GraphWithoutAName) {
  Graph unnamed("");
  EXPECT_EQ(unnamed.status().message(), "graph: expected a name");
}

TEST_F(BuilderErrorTest, ParamOfAnotherType) {
  graph.param("w", {DType::F32, {4, 2}});
  expectRefused(graph.param("w", {DType::F32, {4, 3}}),
                {"param 'w': expected tensor<4x2xf32> as before, found tensor<4x3xf32>"});
}

TEST_F(BuilderErrorTest, ParamWithADynamicDim) {
  expectRefused(graph.param("w", {DType::F32, {"n", 2}}),
                {"param 'w': expected a static type, found tensor<?x2xf32>"});
}

TEST_F(BuilderErrorTest, ConstantOfTheWrongLength) {
  expectRefused(graph.constant(std::vector<float>{1, 2, 3}, {2, 2}, "c"),
                {"constant 'c': expected 16 bytes for tensor<2x2xf32>, found 12"});
}

TEST_F(BuilderErrorTest, ConstantWithADynamicDim) {
  expectRefused(graph.constant(std::vector<float>{1}, {"n"}, "c"),
                {"constant 'c': expected a static type, found tensor<?xf32>"});
}

TEST_F(BuilderErrorTest, ScalarOutOfRange) {
  expectRefused(graph.scalar(128, DType::I8, "c"),
                {"constant 'c': expected a value of type i8, found 128"});
}

TEST_F(BuilderErrorTest, FusedMatmulBiasAct) {
  expectRefused(graph.fusedMatmulBiasAct(tensor({2, 4}), tensor({4, 8}), tensor({7}), {}, "fc"),
                {"fused_matmul_bias_act 'fc': ", "'bias'", "8", "tensor<7xf32>"});
}

TEST_F(BuilderErrorTest, AttentionChannels) {
  expectRefused(graph.attentionKind(tensor({1, 7, 32}), tensor({1, 9, 24}), tensor({1, 9, 32}), 4,
                                    8, AttentionKind::none(), "attn"),
                {"attention 'attn': ", "'k'", "32", "tensor<1x9x24xf32>"});
}

TEST_F(BuilderErrorTest, AttentionMask) {
  expectRefused(graph.attention(tensor({1, 7, 32}), tensor({1, 9, 32}), tensor({1, 9, 32}),
                                tensor({1, 1, 7, 8}), 4, 8, "attn"),
                {"attention 'attn': ", "'mask'", "9", "tensor<1x1x7x8xf32>"});
}

TEST_F(BuilderErrorTest, AttentionWindow) {
  Value x = tensor({1, 7, 32});
  expectRefused(graph.attentionKind(x, x, x, 4, 8, AttentionKind::slidingWindow(-1), "attn"),
                {"attention 'attn': ", "window", "-1"});
}

TEST_F(BuilderErrorTest, Conv2d) {
  expectRefused(graph.conv2d(tensor({1, 3, 8, 8}), tensor({6, 4, 3, 3}), {}, {}, "conv"),
                {"conv2d 'conv': ", "'x'", "4", "tensor<1x3x8x8xf32>"});
}

TEST_F(BuilderErrorTest, LayerNorm) {
  expectRefused(graph.layerNorm(tensor({1, 7, 16}), tensor({15}), tensor({16}), -1, 1e-5, "ln"),
                {"layer_norm 'ln': ", "'gamma'", "16", "tensor<15xf32>"});
}

TEST_F(BuilderErrorTest, FusedResidualLayerNorm) {
  expectRefused(graph.fusedResidualLayerNorm(tensor({1, 7, 16}), tensor({1, 6, 16}), tensor({16}),
                                             tensor({16}), -1, 1e-5, "ln"),
                {"fused_residual_layer_norm 'ln': ", "'residual'", "7", "tensor<1x6x16xf32>"});
}

TEST_F(BuilderErrorTest, BinaryBroadcast) {
  expectRefused(graph.binary(BinaryKind::Add, tensor({2, 3}), tensor({2, 4}), "sum"),
                {"binary 'sum': ", "'rhs'", "3", "tensor<2x4xf32>"});
}

TEST_F(BuilderErrorTest, BinaryElementTypes) {
  expectRefused(graph.binary(BinaryKind::Add, tensor({2}), tensor({2}, DType::F64), "sum"),
                {"binary 'sum': ", "'rhs'", "f32", "tensor<2xf64>"});
}

TEST_F(BuilderErrorTest, Compare) {
  expectRefused(graph.compare(CompareKind::Lt, tensor({3}), tensor({4}), "less"),
                {"compare 'less': ", "'rhs'", "3", "tensor<4xf32>"});
}

TEST_F(BuilderErrorTest, Where) {
  expectRefused(graph.where(tensor({3}), tensor({3}), tensor({3}), "choice"),
                {"where 'choice': condition: expected ", "found tensor<3xf32>"});
}

TEST_F(BuilderErrorTest, ReduceAxis) {
  expectRefused(graph.reduce(ReduceKind::Sum, tensor({2, 3}), {2}, false, "total"),
                {"reduce 'total': ", "axis", "2", "x: tensor<2x3xf32>"});
}

TEST_F(BuilderErrorTest, SoftmaxAxis) {
  expectRefused(graph.softmax(tensor({2, 3}), -3, "p"), {"softmax 'p': ", "axis", "-3"});
}

TEST_F(BuilderErrorTest, Reshape) {
  expectRefused(graph.reshape(tensor({2, 3}), {7}, "flat"), {"reshape 'flat': ", "6", "7"});
}

TEST_F(BuilderErrorTest, ReshapeThatDoesNotComeOut) {
  expectRefused(graph.reshape(tensor({2, 3}), {4, Dim::dynamic()}, "flat"),
                {"reshape 'flat': ", "tensor<2x3xf32>"});
}

TEST_F(BuilderErrorTest, ReshapeToANegativeSize) {
  expectRefused(graph.reshape(tensor({2, 3}), {-1, 3}, "flat"),
                {"reshape 'flat': expected dim 0 to be 0 or more, found -1"});
}

TEST_F(BuilderErrorTest, Transpose) {
  expectRefused(graph.transpose(tensor({2, 3}), {0, 0}, "t"),
                {"transpose 't': ", "permutation", "x: tensor<2x3xf32>"});
}

TEST_F(BuilderErrorTest, Narrow) {
  expectRefused(graph.narrow(tensor({2, 9}), 1, 5, 5, "part"),
                {"narrow 'part': ", "9", "x: tensor<2x9xf32>"});
}

TEST_F(BuilderErrorTest, Concat) {
  expectRefused(graph.concat({tensor({2, 3}), tensor({3, 3})}, 1, "joined"),
                {"concat 'joined': ", "2", "tensor<3x3xf32>"});
}

TEST_F(BuilderErrorTest, ConcatOfNothing) {
  expectRefused(graph.concat({}, 0, "joined"), {"concat 'joined': ", "expected"});
}

TEST_F(BuilderErrorTest, Expand) {
  expectRefused(graph.expand(tensor({2, 3}), {4, 3}, "wide"),
                {"expand 'wide': ", "tensor<2x3xf32>"});
}

TEST_F(BuilderErrorTest, GatherOfFloatIndices) {
  expectRefused(graph.gather(tensor({5, 2}), tensor({3}), 0, "rows"),
                {"gather 'rows': indices: expected ", "found tensor<3xf32>"});
}

TEST_F(BuilderErrorTest, PsaPackQkv) {
  expectRefused(graph.psaPackQkv(tensor({1, 12, 3, 5}), 2, 2, "pack"),
                {"psa_pack_qkv 'pack': ", "16", "tensor<1x12x3x5xf32>"});
}

TEST_F(BuilderErrorTest, PsaFlashAttention) {
  PsaFlashAttention result =
      graph.psaFlashAttention(tensor({1, 3, 2, 15, 2}), PsaSection::Lo, "lo");
  EXPECT_FALSE(result.lse);
  expectRefused(result.out, {"psa_flash_attention 'lo': ", "4", "tensor<1x3x2x15x2xf32>"});
}

TEST_F(BuilderErrorTest, PsaMergeAttn) {
  expectRefused(graph.psaMergeAttn(tensor({1, 2, 15, 2}), tensor({1, 2, 15, 2}), 4, 4, "merge"),
                {"psa_merge_attn 'merge': ", "16", "tensor<1x2x15x2xf32>"});
}

TEST_F(BuilderErrorTest, CustomWithoutAName) {
  std::vector<Value> results = graph.custom("", {tensor({2})}, {{DType::F32, {2}}});
  ASSERT_EQ(results.size(), 1u);
  expectRefused(results[0], {"custom 'custom_0': callee: expected a name"});
}

TEST_F(BuilderErrorTest, CustomConfigGivenTwice) {
  std::vector<Value> results =
      graph.custom("f", {}, {{DType::F32, {2}}}, {{"a", true}, {"a", false}});
  expectRefused(results[0],
                {"custom 'f': expected config names that are not empty and unique, found 'a'"});
}

TEST_F(BuilderErrorTest, OutputNames) {
  Value x = tensor({2});
  EXPECT_FALSE(graph.setOutputs({{"y", x}, {"y", x}}));
  expectError({"output 'y': expected a name that is not empty and not taken"});
}

TEST_F(BuilderErrorTest, NoOutputs) {
  EXPECT_FALSE(graph.setOutputs({}));
  expectError({"graph 'test': expected one output or more, found none"});
}

TEST_F(BuilderErrorTest, OutputWithoutAValue) {
  EXPECT_FALSE(graph.setOutputs({{"y", Value()}}));
  expectError({"output 'y': value: expected a value of this graph, found none"});
}

TEST_F(BuilderErrorTest, ACompleteGraphTakesNoMoreNodes) {
  Value x = tensor({2});
  EXPECT_TRUE(graph.setOutputs({{"y", x}}));
  EXPECT_FALSE(graph.activation(ActivationKind::Relu, x));
  expectError({"graph 'test': the outputs are set, it takes no more nodes"});
}

} // namespace
} // namespace rlx
