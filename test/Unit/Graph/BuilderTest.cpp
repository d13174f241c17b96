//===- BuilderTest.cpp - What each builder call builds --------------------===//

#include "rlx/Graph/Graph.h"
#include "rlx/Graph/GraphModule.h"

#include <gtest/gtest.h>

#include <regex>

namespace rlx {
namespace {

/// A graph with an input for each operand that a test asks for.
class BuilderTest : public testing::Test {
protected:
  Value tensor(std::vector<Dim> dims, DType dtype = DType::F32) {
    return graph.input("in" + std::to_string(numInputs++), {dtype, std::move(dims)});
  }

  /// Completes the graph with one output and expects its type.
  void expectType(Value value, DType dtype, std::vector<Dim> dims) {
    ASSERT_TRUE(graph.status()) << graph.status().message();
    EXPECT_EQ(value.type(), (TensorType{dtype, std::move(dims)})) << value.type().str();
    Status status = graph.setOutputs({{"out", value}});
    EXPECT_TRUE(status) << status.message();
  }

  /// The assembly of the complete graph, with single spaces.
  std::string text() const {
    Result<std::string> printed = graph.print();
    EXPECT_TRUE(printed) << printed.message();
    if (!printed)
      return {};
    return std::regex_replace(*printed, std::regex(" +"), " ");
  }

  bool prints(const std::string &part) const { return text().find(part) != std::string::npos; }

  const Dim any = Dim::dynamic();
  Graph graph{"test"};

private:
  int numInputs = 0;
};

TEST_F(BuilderTest, InputKeepsNamesOfDims) {
  Value x = graph.input("x", {DType::F32, {"batch", 4, "rows"}});
  expectType(x, DType::F32, {any, 4, any});
  ASSERT_EQ(graph.inputs().size(), 1u);
  EXPECT_EQ(graph.inputs()[0], (TensorSpec{"x", {DType::F32, {"batch", 4, "rows"}}}));
  EXPECT_EQ(graph.outputs()[0], (TensorSpec{"out", {DType::F32, {any, 4, any}}}));
  EXPECT_TRUE(prints(R"(rlx.dims = ["batch", "", "rows"])")) << text();
}

TEST_F(BuilderTest, EveryElementType) {
  std::vector<std::pair<std::string, Value>> outputs;
  for (DType dtype : allDTypes) {
    Value value = tensor({2}, dtype);
    EXPECT_EQ(value.type().dtype, dtype);
    outputs.emplace_back(nameOf(dtype), value);
  }
  EXPECT_TRUE(graph.setOutputs(outputs));
  EXPECT_EQ(graph.outputs()[7].type.str(), "tensor<2xi1>");
}

TEST_F(BuilderTest, ParamOfOneNameIsOneTensor) {
  Value w = graph.param("L0.w", {DType::F32, {4, 2}});
  Value again = graph.param("L0.w", {DType::F32, {4, 2}});
  graph.param("b", {DType::F32, {2}});
  expectType(graph.binary(BinaryKind::Add, w, again), DType::F32, {4, 2});
  std::vector<TensorSpec> expected = {{"L0.w", {DType::F32, {4, 2}}}, {"b", {DType::F32, {2}}}};
  EXPECT_EQ(graph.params(), expected);
}

TEST_F(BuilderTest, ConstantHoldsItsElements) {
  Value c = graph.constant(std::vector<float>{1, 2, 3, 4}, {2, 2});
  expectType(c, DType::F32, {2, 2});
  EXPECT_TRUE(prints("dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]>"));
}

TEST_F(BuilderTest, ConstantOfOneElementFillsTheTensor) {
  expectType(graph.constant(std::vector<int32_t>{7}, {2, 3}), DType::I32, {2, 3});
  EXPECT_TRUE(prints("dense<7> : tensor<2x3xi32>"));
}

TEST_F(BuilderTest, ConstantOfBooleans) {
  expectType(graph.constant(std::vector<bool>{true, false, true}, {3}), DType::Bool, {3});
  EXPECT_TRUE(prints("dense<[true, false, true]> : tensor<3xi1>"));
}

TEST_F(BuilderTest, ScalarIsRoundedToItsType) {
  expectType(graph.scalar(0.5, DType::BF16), DType::BF16, {});
  EXPECT_TRUE(prints("dense<5.000000e-01> : tensor<bf16>"));
}

TEST_F(BuilderTest, ScalarOfIntegersAndBooleans) {
  Value three = graph.scalar(3, DType::I64);
  expectType(graph.where(graph.scalar(1, DType::Bool), three, three), DType::I64, {});
  EXPECT_TRUE(prints("dense<3> : tensor<i64>"));
  EXPECT_TRUE(prints("dense<true> : tensor<i1>"));
}

TEST_F(BuilderTest, MatmulBroadcastsLeadingDims) {
  expectType(graph.matmul(tensor({"b", 7, 16}), tensor({16, 8})), DType::F32, {any, 7, 8});
}

TEST_F(BuilderTest, FusedMatmulBiasAct) {
  expectType(graph.fusedMatmulBiasAct(tensor({2, 7, 16}), tensor({16, 8}), tensor({8}),
                                      ActivationKind::Gelu),
             DType::F32, {2, 7, 8});
  EXPECT_TRUE(prints("act = gelu")) << text();
}

TEST_F(BuilderTest, AttentionTakesACustomMask) {
  Value y = graph.attention(tensor({1, 7, 32}), tensor({1, 9, 32}), tensor({1, 9, 64}),
                            tensor({1, 1, 7, 9}, DType::Bool), 4, 8);
  expectType(y, DType::F32, {1, 7, 64});
  EXPECT_TRUE(prints("rlx.attention custom"));
}

TEST_F(BuilderTest, AttentionKinds) {
  Value q = tensor({1, 7, 32}), k = tensor({1, 9, 32}), bias = tensor({1, 1, 7, 9});
  std::vector<std::pair<std::string, Value>> outputs;
  std::vector<AttentionKind> kinds{AttentionKind::none(), AttentionKind::causal(),
                                   AttentionKind::slidingWindow(3), AttentionKind::bias(bias)};
  for (const AttentionKind &kind : kinds)
    outputs.emplace_back("out" + std::to_string(outputs.size()),
                         graph.attentionKind(q, k, k, 4, 8, kind));
  Status status = graph.setOutputs(outputs);
  ASSERT_TRUE(status) << status.message();
  for (const char *part : {"rlx.attention none", "rlx.attention causal",
                           "rlx.attention sliding_window", "window = 3", "rlx.attention bias"})
    EXPECT_TRUE(prints(part)) << part;
}

TEST_F(BuilderTest, Conv2dMovesItsFilter) {
  Conv2dOptions options;
  options.stride = {2, 1};
  options.padding = {1, 0};
  options.dilation = {1, 2};
  options.groups = 2;
  Value y = graph.conv2d(tensor({"b", 4, 9, 8}), tensor({6, 2, 3, 3}), tensor({6}), options);
  expectType(y, DType::F32, {any, 6, 5, 4});
}

TEST_F(BuilderTest, Conv2dNeedsNoBias) {
  expectType(graph.conv2d(tensor({1, 4, 5, 5}), tensor({6, 4, 1, 1})), DType::F32, {1, 6, 5, 5});
}

TEST_F(BuilderTest, LayerNorms) {
  Value x = tensor({1, 7, 16}), g = tensor({16}), b = tensor({16});
  Value y = graph.layerNorm(x, g, b, -1, 1e-6);
  expectType(graph.fusedResidualLayerNorm(x, y, g, b, 2, 1e-5), DType::F32, {1, 7, 16});
  EXPECT_TRUE(prints("epsilon = 9.9999999999999995E-7")) << text();
}

TEST_F(BuilderTest, EveryActivation) {
  const char *names[] = {"relu", "gelu",  "gelu_tanh", "silu", "sigmoid", "tanh", "exp",  "log",
                         "sqrt", "rsqrt", "neg",       "abs",  "sin",     "cos",  "round"};
  Value x = tensor({2, 3});
  for (int kind = 0; kind < 15; ++kind)
    x = graph.activation(static_cast<ActivationKind>(kind), x);
  expectType(x, DType::F32, {2, 3});
  for (const char *name : names)
    EXPECT_TRUE(prints("rlx.activation " + std::string(name) + " %")) << name;
}

TEST_F(BuilderTest, EveryBinary) {
  const char *names[] = {"add", "sub", "mul", "div", "max", "min", "pow"};
  Value x = tensor({"b", 1, 3}), y = tensor({4, 3});
  for (int kind = 0; kind < 7; ++kind)
    x = graph.binary(static_cast<BinaryKind>(kind), x, y);
  expectType(x, DType::F32, {any, 4, 3});
  for (const char *name : names)
    EXPECT_TRUE(prints("rlx.binary " + std::string(name) + " %")) << name;
}

TEST_F(BuilderTest, EveryCompareAndWhere) {
  const char *names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  Value x = tensor({2, 3}), y = tensor({3});
  for (int kind = 0; kind < 6; ++kind)
    x = graph.where(graph.compare(static_cast<CompareKind>(kind), x, y), x, y);
  expectType(x, DType::F32, {2, 3});
  for (const char *name : names)
    EXPECT_TRUE(prints("rlx.compare " + std::string(name) + " %")) << name;
}

TEST_F(BuilderTest, EveryReduce) {
  const char *names[] = {"sum", "mean", "max", "min", "prod"};
  Value x = tensor({2, 3, 4});
  for (int kind = 0; kind < 5; ++kind)
    x = graph.reduce(static_cast<ReduceKind>(kind), x, {1}, /*keepDims=*/true);
  expectType(graph.reduce(ReduceKind::Sum, x, {0, -1}), DType::F32, {1});
  for (const char *name : names)
    EXPECT_TRUE(prints("rlx.reduce " + std::string(name) + " %")) << name;
}

TEST_F(BuilderTest, Softmax) {
  expectType(graph.softmax(tensor({2, "n"}), -1), DType::F32, {2, any});
}

TEST_F(BuilderTest, ReshapeComputesTheOpenDim) {
  expectType(graph.reshape(tensor({2, 3, 4}), {Dim::dynamic(), 8}), DType::F32, {3, 8});
}

TEST_F(BuilderTest, ReshapeCarriesDynamicDims) {
  expectType(graph.reshape(tensor({"b", "n", 16}), {"b", "n", 4, 4}), DType::F32, {any, any, 4, 4});
}

TEST_F(BuilderTest, Transpose) {
  expectType(graph.transpose(tensor({2, "n", 4}), {2, 0, 1}), DType::F32, {4, 2, any});
}

TEST_F(BuilderTest, Narrow) {
  expectType(graph.narrow(tensor({2, 9, 4}), 1, 3, 5), DType::F32, {2, 5, 4});
}

TEST_F(BuilderTest, Concat) {
  expectType(graph.concat({tensor({2, 3}), tensor({2, 4}), tensor({2, 1})}, -1), DType::F32,
             {2, 8});
}

TEST_F(BuilderTest, Expand) {
  expectType(graph.expand(tensor({1, 3}), {5, 2, 3}), DType::F32, {5, 2, 3});
}

TEST_F(BuilderTest, Gather) {
  expectType(graph.gather(tensor({10, 4}), tensor({2, 3}, DType::I32), 0), DType::F32, {2, 3, 4});
}

TEST_F(BuilderTest, Cast) {
  expectType(graph.cast(tensor({"b", 4}), DType::BF16), DType::BF16, {any, 4});
}

TEST_F(BuilderTest, PsaOps) {
  Value qkv = tensor({"b", 16, 3, 5});
  Value packed = graph.psaPackQkv(qkv, 2, 2);
  EXPECT_EQ(packed.type(), (TensorType{DType::F32, {any, 4, 2, 15, 2}}));
  PsaFlashAttention lo = graph.psaFlashAttention(packed, PsaSection::Lo);
  PsaFlashAttention hi = graph.psaFlashAttention(packed, PsaSection::Hi);
  EXPECT_EQ(lo.out.type(), (TensorType{DType::F32, {any, 2, 15, 2}}));
  EXPECT_EQ(hi.lse.type(), (TensorType{DType::F32, {any, 2, 15}}));
  Value merged = graph.psaMergeAttn(lo.out, hi.out, 3, 5);
  Value whole = graph.binary(BinaryKind::Add, merged, graph.psaExtractV(qkv, 2, 2));
  expectType(graph.binary(BinaryKind::Sub, whole, graph.psaAttention(qkv, 2, 2)), DType::F32,
             {any, 8, 3, 5});
}

TEST_F(BuilderTest, CustomPassesItsConfigOn) {
  std::vector<Value> results =
      graph.custom("my.op", {tensor({2}), tensor({3})}, {{DType::F32, {2}}, {DType::I64, {"n"}}},
                   {{"flag", true},
                    {"count", int64_t{3}},
                    {"scale", 0.5},
                    {"mode", std::string("fast")},
                    {"axes", std::vector<int64_t>{0, 1}},
                    {"weights", std::vector<double>{0.25}}});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[1].type(), (TensorType{DType::I64, {any}}));
  expectType(results[0], DType::F32, {2});
  for (const char *part :
       {"rlx.custom \"my.op\"", "flag = true", "count = 3 : i64", "scale = 5.000000e-01 : f64",
        "mode = \"fast\"", "axes = array<i64: 0, 1>", "weights = array<f64: 2.500000e-01>"})
    EXPECT_TRUE(prints(part)) << part << " in " << text();
}

TEST_F(BuilderTest, OutputsKeepNamesAndOrder) {
  Value x = tensor({2}), y = tensor({3});
  EXPECT_FALSE(graph.isComplete());
  EXPECT_TRUE(graph.setOutputs({{"second", y}, {"first", x}, {"again", x}}));
  EXPECT_TRUE(graph.isComplete());
  ASSERT_EQ(graph.outputs().size(), 3u);
  EXPECT_EQ(graph.outputs()[0], (TensorSpec{"second", {DType::F32, {3}}}));
  EXPECT_EQ(graph.outputs()[2], (TensorSpec{"again", {DType::F32, {2}}}));
}

TEST_F(BuilderTest, ValuesOutliveAMoveOfTheGraph) {
  Value x = tensor({2});
  Graph moved = std::move(graph);
  Value y = moved.activation(ActivationKind::Relu, x);
  EXPECT_TRUE(moved.setOutputs({{"y", y}}));
  graph = Graph("other");
}

TEST_F(BuilderTest, NodesAreKnownByName) {
  Value y = graph.activation(ActivationKind::Relu, tensor({2}), "the relu");
  EXPECT_TRUE(graph.setOutputs({{"y", y}}));
  Result<mlir::ModuleOp> module = GraphModule::get(graph);
  ASSERT_TRUE(module);
  bool found = false;
  module->walk([&](ir::ActivationOp op) {
    auto loc = llvm::dyn_cast<mlir::NameLoc>(op.getLoc());
    found = loc && loc.getName() == "the relu";
  });
  EXPECT_TRUE(found);
}

} // namespace
} // namespace rlx
