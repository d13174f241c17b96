//===- PrecisionTest.cpp - products in bf16 and f16 -----------------------===//

#include "Run.h"

#include "Support/Numerics.h"
#include "rlx/Compiler/Compiler.h"
#include "rlx/Models/Builtin.h"

#include <gtest/gtest.h>

namespace rlx::test {
namespace {

Result<Module> compileFor(const Graph &graph, Precision precision,
                          std::string_view preset = "default") {
  Result<CompileOptions> options = CompileOptions::preset(preset);
  if (!options)
    return options.status();
  options->precision = precision;
  return compileInProcess(graph, *options);
}

class PrecisionTest : public testing::TestWithParam<Precision> {
protected:
  DType type() const { return GetParam() == Precision::BF16 ? DType::BF16 : DType::F16; }

  /// The outputs of a graph whose operands are all inputs.
  std::vector<double> run(const char *text, const std::vector<Array> &values) const {
    Result<Graph> graph = Graph::parse(text, "graph");
    EXPECT_TRUE(graph) << graph.message();
    Result<Module> module = compileFor(*graph, GetParam());
    if (!module) {
      ADD_FAILURE() << module.message();
      std::abort(); // nothing to go on with
    }
    std::vector<Tensor> inputs;
    const std::vector<TensorSpec> specs = graph->inputs();
    for (size_t i = 0; i < values.size(); ++i)
      inputs.push_back(values[i].toTensor(specs[i].name));
    Result<std::vector<Tensor>> outputs = runModule(*module, inputs, {});
    EXPECT_TRUE(outputs) << outputs.message();
    EXPECT_EQ(outputs->front().type(), DType::F32);
    return toDoubles(outputs->front());
  }
};

/// More than the significand of f16 holds, less than that of f32.
constexpr double kFine = 1 + 0x1p-14;

TEST_P(PrecisionTest, RoundsTheFactorsOfMatmuls) {
  const std::vector<double> y = run(R"(
rlx.graph @matmul(%x: tensor<2x1xf32>, %w: tensor<1x1xf32>) -> tensor<2x1xf32> {
  %y = rlx.matmul %x, %w : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
  rlx.output %y : tensor<2x1xf32>
})",
                                    {f32({2, 1}, {kFine, 3.0}), f32({1, 1}, {kFine})});
  EXPECT_EQ(y, (std::vector<double>{1, 3}));
}

TEST_P(PrecisionTest, RoundsTheFactorsOfConvolutions) {
  const std::vector<double> y = run(R"(
rlx.graph @conv(%x: tensor<1x1x1x2xf32>, %w: tensor<1x1x1x1xf32>) -> tensor<1x1x1x2xf32> {
  %y = rlx.conv2d %x, %w : (tensor<1x1x1x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x1x2xf32>
  rlx.output %y : tensor<1x1x1x2xf32>
})",
                                    {f32({1, 1, 1, 2}, {kFine, 3.0}), f32({1, 1, 1, 1}, {kFine})});
  EXPECT_EQ(y, (std::vector<double>{1, 3}));
}

TEST_P(PrecisionTest, AddsInF32) {
  // Ones added up in bf16 would stay at 256, and in f16 at 2048.
  constexpr int64_t depth = 4096;
  const std::vector<double> y = run(R"(
rlx.graph @matmul(%x: tensor<1x4096xf32>, %w: tensor<4096x3xf32>) -> tensor<1x3xf32> {
  %y = rlx.matmul %x, %w : (tensor<1x4096xf32>, tensor<4096x3xf32>) -> tensor<1x3xf32>
  rlx.output %y : tensor<1x3xf32>
})",
                                    {f32({1, depth}, std::vector<double>(depth, 1)),
                                     f32({depth, 3}, std::vector<double>(depth * 3, 1))});
  EXPECT_EQ(y, std::vector<double>(3, depth));
}

TEST_P(PrecisionTest, KeepsMasksOfAttention) {
  // 0.49999 would be 0.5 in either type, and the second key would be seen.
  const std::vector<double> y =
      run(R"(
rlx.graph @attention(%q: tensor<1x1x2xf32>, %k: tensor<1x2x2xf32>, %v: tensor<1x2x2xf32>,
                     %mask: tensor<1x2xf32>) -> tensor<1x1x2xf32> {
  %y = rlx.attention custom %q, %k, %v, %mask num_heads = 1 head_dim = 2
      : (tensor<1x1x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2xf32>)
      -> tensor<1x1x2xf32>
  rlx.output %y : tensor<1x1x2xf32>
})",
          {f32({1, 1, 2}, {1.0, 2.0}), f32({1, 2, 2}, {1.0, 2.0, 3.0, 4.0}),
           f32({1, 2, 2}, {kFine, 2.0, 30.0, 40.0}), f32({1, 2}, {0.5, 0.49999})});
  EXPECT_EQ(y, (std::vector<double>{1, 2}));
}

/// The largest error of any output, relative to that output.
double modelError(const char *builtin, Precision precision, std::string_view preset) {
  Result<Graph> graph = models::buildBuiltin(builtin);
  EXPECT_TRUE(graph) << graph.message();
  Result<Module> module = compileFor(*graph, precision, preset);
  if (!module) {
    ADD_FAILURE() << module.message();
    std::abort(); // nothing to go on with
  }
  const std::vector<Tensor> inputs = makeModelTensors(graph->inputs());
  const std::vector<Tensor> params = makeModelTensors(graph->params());
  Result<std::vector<Tensor>> found = runModule(*module, inputs, params);
  EXPECT_TRUE(found) << found.message();
  Result<std::vector<Tensor>> expected = interpretGraph(*graph, inputs, params);
  EXPECT_TRUE(expected) << expected.message();
  double error = 0;
  for (size_t i = 0; i < found->size(); ++i)
    error = std::max(error, maxRelativeError(toDoubles((*found)[i]), toDoubles((*expected)[i])));
  return error;
}

TEST_P(PrecisionTest, FusionCostsAtMostTwiceTheError) {
  for (const char *builtin : {"builtin:two-way-transformer?q_n=7&k_n=97&embed_dim=48&num_heads=3"
                              "&internal_dim=24&mlp_dim=40&masked=true",
                              "builtin:two-way-transformer?q_n=5&k_n=520&embed_dim=32&num_heads=8"
                              "&internal_dim=16&mlp_dim=40&depth=1",
                              "builtin:psa-block?c=48&heads=3&h=5&w=7&batch=3"}) {
    const double fused = modelError(builtin, GetParam(), "default");
    const double unfused = modelError(builtin, GetParam(), "unfused");
    EXPECT_LE(fused, 2 * unfused) << builtin;
    EXPECT_LE(unfused, 4 * tolerance(type())) << builtin;
    EXPECT_GT(unfused, kModelTolerance) << builtin << ": products are not narrow at all";
  }
}

INSTANTIATE_TEST_SUITE_P(Types, PrecisionTest, testing::Values(Precision::BF16, Precision::F16),
                         [](const auto &info) { return std::string(toString(info.param)); });

} // namespace
} // namespace rlx::test
