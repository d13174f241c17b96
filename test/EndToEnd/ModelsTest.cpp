//===- ModelsTest.cpp - both models, compiled and interpreted -------------===//

#include "Run.h"

#include "Support/Generator.h"
#include "Support/Golden.h"
#include "Support/Numerics.h"
#include "rlx/Compiler/Compiler.h"
#include "rlx/Models/Builtin.h"
#include "rlx/Models/TwoWayTransformer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace rlx::test {
namespace {

/// A model and what its one module is run on.
struct ModelRuns {
  const char *name, *builtin;
  std::vector<DimSizes> runs = {{}};
  bool unfused = false;  ///< compile it without fusions, too
  unsigned optLevel = 0; ///< of LLVM; many modules of odd sizes would take minutes to optimize
};

std::ostream &operator<<(std::ostream &stream, const ModelRuns &model) {
  return stream << model.name;
}

class CompiledModelTest : public testing::TestWithParam<ModelRuns> {};

TEST_P(CompiledModelTest, MatchesTheInterpreter) {
  const ModelRuns &model = GetParam();
  Result<Graph> graph = models::buildBuiltin(model.builtin);
  ASSERT_TRUE(graph) << graph.message();
  const std::vector<Tensor> params = makeModelTensors(graph->params());
  std::vector<Module> modules;
  for (const char *preset : {"default", "unfused"}) {
    if (preset == std::string_view("unfused") && !model.unfused)
      continue;
    Result<CompileOptions> options = CompileOptions::preset(preset);
    ASSERT_TRUE(options) << options.message();
    options->optLevel = model.optLevel;
    Result<Module> module = compileInProcess(*graph, *options);
    ASSERT_TRUE(module) << preset << ": " << module.message();
    modules.push_back(*module);
  }

  for (const DimSizes &sizes : model.runs) {
    const std::vector<Tensor> inputs = makeModelTensors(graph->inputs(), sizes);
    Result<std::vector<Tensor>> expected = interpretGraph(*graph, inputs, params);
    ASSERT_TRUE(expected) << expected.message();
    for (const Module &module : modules) {
      SCOPED_TRACE(&module == &modules.front() ? "fused" : "unfused");
      Result<std::vector<Tensor>> found = runModule(module, inputs, params);
      ASSERT_TRUE(found) << found.message();
      ASSERT_EQ(found->size(), expected->size());
      for (size_t i = 0; i < found->size(); ++i) {
        const Difference difference = compare(toDoubles((*found)[i]), toDoubles((*expected)[i]));
        EXPECT_LE(difference.error, kModelTolerance)
            << (*found)[i].getName() << " of " << testing::PrintToString(sizes) << ": "
            << difference;
      }
    }
  }
}

/// All numbers of tokens that the spec names, on one module.
const std::vector<DimSizes> allTokens = {
    {{"q_n", 1}}, {{"q_n", 39}}, {{"q_n", 5}}, {{"q_n", 7}}, {{"q_n", 9}}};
const std::vector<DimSizes> allBatches = {{{"batch", 1}}, {{"batch", 5}}, {{"batch", 3}}};

// Over the list: every number of image rows with every number of heads; every depth with
// every number of heads; inner sizes of the self and the cross attentions that are equal,
// smaller and larger, by blocks of both orders.
INSTANTIATE_TEST_SUITE_P(
    TwoWay, CompiledModelTest,
    testing::Values(
        ModelRuns{"k1_h1_d1",
                  "builtin:two-way-transformer?q_n=dynamic&k_n=1&embed_dim=24&num_heads=1"
                  "&internal_dim=12&mlp_dim=40&depth=1",
                  allTokens},
        ModelRuns{"k1_h3_d2",
                  "builtin:two-way-transformer?q_n=dynamic&k_n=1&embed_dim=24&num_heads=3"
                  "&internal_dim=24&self_internal_dim=12&mlp_dim=40&depth=2",
                  allTokens, /*unfused=*/true},
        ModelRuns{"k1_h8_d3",
                  "builtin:two-way-transformer?q_n=dynamic&k_n=1&embed_dim=32&num_heads=8"
                  "&internal_dim=64&self_internal_dim=16&mlp_dim=64&depth=3",
                  allTokens},
        ModelRuns{"k59_h1_d2",
                  "builtin:two-way-transformer?q_n=dynamic&k_n=59&embed_dim=20&num_heads=1"
                  "&internal_dim=10&self_internal_dim=33&mlp_dim=30&depth=2"
                  "&skip_first_layer_pe=false",
                  allTokens, /*unfused=*/true},
        ModelRuns{"k59_h3_d3",
                  "builtin:two-way-transformer?q_n=dynamic&k_n=59&embed_dim=24&num_heads=3"
                  "&internal_dim=48&self_internal_dim=24&mlp_dim=40&depth=3",
                  allTokens},
        ModelRuns{"k59_h8_d1",
                  "builtin:two-way-transformer?q_n=dynamic&k_n=59&embed_dim=64&num_heads=8"
                  "&internal_dim=32&mlp_dim=128&depth=1&skip_first_layer_pe=false",
                  allTokens},
        ModelRuns{"k97_h1_d3",
                  "builtin:two-way-transformer?q_n=dynamic&k_n=97&embed_dim=24&num_heads=1"
                  "&internal_dim=7&self_internal_dim=24&mlp_dim=40&depth=3",
                  allTokens},
        ModelRuns{"k97_h3_d1",
                  "builtin:two-way-transformer?q_n=dynamic&k_n=97&embed_dim=30&num_heads=3"
                  "&internal_dim=15&self_internal_dim=60&mlp_dim=50&depth=1",
                  allTokens, /*unfused=*/true},
        ModelRuns{"k97_h8_d2",
                  "builtin:two-way-transformer?q_n=dynamic&k_n=97&embed_dim=64&num_heads=8"
                  "&internal_dim=128&self_internal_dim=64&mlp_dim=96&depth=2"
                  "&skip_first_layer_pe=false",
                  allTokens},
        ModelRuns{"k397_h1_d1",
                  "builtin:two-way-transformer?q_n=dynamic&k_n=397&embed_dim=24&num_heads=1"
                  "&internal_dim=24&mlp_dim=40&depth=1&skip_first_layer_pe=false",
                  allTokens, /*unfused=*/true},
        ModelRuns{"k397_h3_d2",
                  "builtin:two-way-transformer?q_n=dynamic&k_n=397&embed_dim=24&num_heads=3"
                  "&internal_dim=12&self_internal_dim=36&mlp_dim=40&depth=2",
                  allTokens},
        ModelRuns{"k397_h8_d3",
                  "builtin:two-way-transformer?q_n=dynamic&k_n=397&embed_dim=32&num_heads=8"
                  "&internal_dim=16&mlp_dim=64&depth=3",
                  allTokens},
        ModelRuns{"k4096_h1_d2",
                  "builtin:two-way-transformer?q_n=dynamic&k_n=4096&embed_dim=16&num_heads=1"
                  "&internal_dim=8&mlp_dim=32&depth=2",
                  allTokens},
        ModelRuns{"k4096_h3_d1",
                  "builtin:two-way-transformer?q_n=dynamic&k_n=4096&embed_dim=24&num_heads=3"
                  "&internal_dim=12&self_internal_dim=24&mlp_dim=40&depth=1"
                  "&skip_first_layer_pe=false",
                  allTokens},
        ModelRuns{"k4096_h8_d1",
                  "builtin:two-way-transformer?q_n=dynamic&k_n=4096&embed_dim=32&num_heads=8"
                  "&internal_dim=16&mlp_dim=32&depth=1",
                  allTokens, /*unfused=*/true},
        ModelRuns{"static_q1_k59",
                  "builtin:two-way-transformer?q_n=1&k_n=59&embed_dim=24"
                  "&num_heads=3&internal_dim=12&mlp_dim=40",
                  {{}},
                  /*unfused=*/false,
                  /*optLevel=*/3},
        ModelRuns{"static_q5_k97",
                  "builtin:two-way-transformer?q_n=5&k_n=97&embed_dim=64"
                  "&num_heads=8&internal_dim=32&mlp_dim=128",
                  {{}},
                  /*unfused=*/false,
                  /*optLevel=*/3},
        ModelRuns{"static_q9_k397",
                  "builtin:two-way-transformer?q_n=9&k_n=397&embed_dim=32"
                  "&num_heads=1&internal_dim=16&mlp_dim=40",
                  {{}},
                  /*unfused=*/false,
                  /*optLevel=*/3},
        ModelRuns{"static_q39_k1",
                  "builtin:two-way-transformer?q_n=39&k_n=1&embed_dim=64"
                  "&num_heads=8&internal_dim=32&mlp_dim=128",
                  {{}},
                  /*unfused=*/false,
                  /*optLevel=*/3},
        ModelRuns{"random_masks",
                  "builtin:two-way-transformer?q_n=7&k_n=397&embed_dim=48"
                  "&num_heads=3&internal_dim=24&mlp_dim=24&masked=true",
                  {{}},
                  /*unfused=*/true,
                  /*optLevel=*/3},
        ModelRuns{
            "sam", "builtin:two-way-transformer?q_n=7", {{}}, /*unfused=*/true, /*optLevel=*/3}),
    [](const auto &info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Psa, CompiledModelTest,
    testing::Values(
        ModelRuns{"h1_12x20", "builtin:psa-block?c=32&heads=1&h=12&w=20&batch=dynamic", allBatches,
                  /*unfused=*/true},
        ModelRuns{"h3_12x20", "builtin:psa-block?c=48&heads=3&h=12&w=20&batch=dynamic", allBatches},
        ModelRuns{"h1_7x9", "builtin:psa-block?c=20&heads=1&h=7&w=9&batch=dynamic", allBatches},
        ModelRuns{"h3_7x9", "builtin:psa-block?c=96&heads=3&h=7&w=9&batch=dynamic", allBatches,
                  /*unfused=*/true},
        ModelRuns{"static_h3_7x9", "builtin:psa-block?c=48&heads=3&h=7&w=9&batch=3"},
        ModelRuns{"yolo", "builtin:psa-block?batch=dynamic", allBatches, false, /*optLevel=*/3}),
    [](const auto &info) { return std::string(info.param.name); });

//===----------------------------------------------------------------------===//
// Sparse slots
//===----------------------------------------------------------------------===//

using models::TwoWayOutputs;
using models::TwoWayTransformer;

/// Small sizes, but as many heads and layers as SAM has.
models::TwoWaySpec sparseSpec() {
  models::TwoWaySpec spec;
  spec.embedDim = 32;
  spec.internalDim = 16;
  spec.mlpDim = 64;
  return spec;
}

/// Binds params that depend on their names alone.
TwoWayTransformer bound(Result<TwoWayTransformer> model) {
  EXPECT_TRUE(model) << model.message();
  std::vector<TensorSpec> specs;
  for (const rlx_tensor_info &info : model->module().params())
    specs.push_back({info.name, {DType::F32, {info.dims, info.dims + info.rank}}});
  const std::vector<Tensor> params = makeModelTensors(specs);
  const Status status = model->bindParams(std::vector<TensorView>(params.begin(), params.end()));
  EXPECT_TRUE(status) << status.message();
  return std::move(*model);
}

double maxRelativeError(std::span<const float> found, std::span<const float> expected) {
  return test::maxRelativeError(std::vector<double>(found.begin(), found.end()),
                                std::vector<double>(expected.begin(), expected.end()));
}

TEST(SparseSlots, EqualAGraphForAsManyTokens) {
  constexpr int64_t keys = 150;
  const models::TwoWaySpec spec = sparseSpec();
  const std::vector<Tensor> made =
      makeModelTensors({{"tokens", {DType::F32, {39, spec.embedDim}}},
                        {"image_seq", {DType::F32, {keys, spec.embedDim}}},
                        {"image_pe", {DType::F32, {keys, spec.embedDim}}}});
  const std::span<const float> tokens = made[0].values<float>();
  TwoWayTransformer masked = bound(TwoWayTransformer::compileWithSparseSlots(spec, 7, keys));
  ASSERT_EQ(masked.maxQueries(), 39);
  for (int64_t active : {39, 1, 7}) {
    const std::span<const float> own = tokens.first(active * spec.embedDim);
    Result<TwoWayOutputs> found =
        masked.runMasked(own, active, made[1].values<float>(), made[2].values<float>());
    ASSERT_TRUE(found) << found.message();
    TwoWayTransformer exact = bound(TwoWayTransformer::compile(spec, active, keys));
    Result<TwoWayOutputs> expected =
        exact.run(own, made[1].values<float>(), made[2].values<float>());
    ASSERT_TRUE(expected) << expected.message();
    EXPECT_LE(maxRelativeError(found->queries, expected->queries), 1e-5) << active;
    EXPECT_LE(maxRelativeError(found->keys, expected->keys), 1e-5) << active;
  }
}

/// Whatever the slots behind the active tokens hold, nothing of it gets out.
TEST(SparseSlots, PaddingDoesNotMatter) {
  constexpr int64_t active = 7, queries = 39;
  Result<Graph> graph = models::buildBuiltin(
      "builtin:two-way-transformer?q_n=39&k_n=150&embed_dim=32&internal_dim=16&mlp_dim=64"
      "&masked=true");
  ASSERT_TRUE(graph) << graph.message();
  Result<Module> module = compileInProcess(*graph);
  ASSERT_TRUE(module) << module.message();
  const std::vector<Tensor> params = makeModelTensors(graph->params());
  std::vector<Tensor> inputs;
  for (const TensorSpec &spec : graph->inputs()) {
    std::vector<Tensor> made = makeModelTensors({spec});
    const std::span<const int64_t> shape = made[0].shape();
    if (spec.name.starts_with("mask"))
      inputs.push_back(prefixMask(spec.name, {shape.begin(), shape.end()},
                                  shape[2] == queries ? active : shape[2],
                                  shape[3] == queries ? active : shape[3]));
    else
      inputs.push_back(std::move(made[0]));
  }
  auto tokens = std::ranges::find(inputs, "tokens", &Tensor::getName);
  ASSERT_NE(tokens, inputs.end());
  const int64_t channels = tokens->shape()[2];

  Result<std::vector<Tensor>> clean = runModule(*module, inputs, params);
  ASSERT_TRUE(clean) << clean.message();
  for (float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::ranges::fill(tokens->values<float>().subspan(active * channels), value);
    Result<std::vector<Tensor>> found = runModule(*module, inputs, params);
    ASSERT_TRUE(found) << found.message();
    for (size_t i = 0; i < found->size(); ++i) {
      const bool isQueries = (*found)[i].getName() == "queries_out";
      const size_t count = isQueries ? active * channels : (*found)[i].values<float>().size();
      EXPECT_TRUE(std::ranges::equal((*found)[i].values<float>().first(count),
                                     (*clean)[i].values<float>().first(count)))
          << (*found)[i].getName() << " behind slots of " << value;
    }
  }
}

} // namespace
} // namespace rlx::test
