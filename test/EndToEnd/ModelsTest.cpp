//===- ModelsTest.cpp - the models at many sizes, fused and not -----------===//

#include "Cases.h"
#include "Run.h"

#include "Support/Generator.h"
#include "Support/Golden.h"
#include "Support/Numerics.h"
#include "rlx/Compiler/Compiler.h"
#include "rlx/Models/Builtin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace rlx::test {
namespace {

constexpr double kModelTolerance = 2e-5;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// A model, and what to run one module of it on.
struct Model {
  const char *name, *builtin;
  std::vector<DimSizes> runs = {{}};
};

/// Tensors of a model: weights keep the magnitude of what they multiply, and masks are
/// coins.
std::vector<Tensor> makeModelTensors(const std::vector<TensorSpec> &specs, const DimSizes &sizes) {
  std::vector<Tensor> tensors;
  for (const TensorSpec &spec : specs) {
    std::vector<int64_t> shape;
    for (const Dim &dim : spec.type.dims)
      shape.push_back(dim.isDynamic() ? sizes.at(dim.name()) : dim.size());
    bool isNorm = spec.name.ends_with(".g"), isMask = spec.name.starts_with("mask");
    double scale = 1;
    if (spec.name.ends_with(".w"))
      scale = std::sqrt(
          3.0 / static_cast<double>(shape.size() == 4 ? shape[1] * shape[2] * shape[3] : shape[0]));
    tensors.push_back(uniform(/*seed=*/7, spec.name, shape,
                              isMask   ? 0.5
                              : isNorm ? 1
                                       : 0,
                              isNorm ? 0.2 : scale));
  }
  return tensors;
}

CompileOptions presetOptions(const char *preset) {
  Result<CompileOptions> options = CompileOptions::preset(preset);
  EXPECT_TRUE(options) << options.message();
  return *options;
}

class CompiledModelTest : public testing::TestWithParam<Model> {};

TEST_P(CompiledModelTest, MatchesTheInterpreterFusedAndUnfused) {
  Result<Graph> graph = models::buildBuiltin(GetParam().builtin);
  ASSERT_TRUE(graph) << graph.message();
  for (const char *preset : {"default", "unfused"}) {
    SCOPED_TRACE(preset);
    Result<Module> module = compileInProcess(*graph, presetOptions(preset));
    ASSERT_TRUE(module) << module.message();
    for (const DimSizes &sizes : GetParam().runs) {
      const std::vector<Tensor> inputs = makeModelTensors(graph->inputs(), sizes);
      const std::vector<Tensor> params = makeModelTensors(graph->params(), sizes);
      Result<std::vector<Tensor>> found = runModule(*module, inputs, params);
      ASSERT_TRUE(found) << found.message();
      Result<std::vector<Tensor>> expected = interpretGraph(*graph, inputs, params);
      ASSERT_TRUE(expected) << expected.message();
      for (size_t i = 0; i < found->size(); ++i) {
        const Difference difference = compare(toDoubles((*found)[i]), toDoubles((*expected)[i]));
        EXPECT_LT(difference.error, kModelTolerance) << (*found)[i].getName() << ": " << difference;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, CompiledModelTest,
    testing::Values(
        Model{"DynamicTokens",
              "builtin:two-way-transformer?q_n=dynamic&k_n=97&embed_dim=48&num_heads=3&internal_"
              "dim=24&"
              "mlp_dim=40",
              {{{"q_n", 1}}, {{"q_n", 5}}, {{"q_n", 7}}, {{"q_n", 9}}, {{"q_n", 39}}}},
        Model{"DynamicTokensOfALongImage",
              "builtin:two-way-transformer?q_n=dynamic&k_n=4096&embed_dim=32&num_heads=8&internal_"
              "dim=16&"
              "mlp_dim=40&depth=1",
              {{{"q_n", 1}}, {{"q_n", 7}}, {{"q_n", 39}}}},
        Model{"OneToken",
              "builtin:two-way-transformer?q_n=1&k_n=59&embed_dim=32&num_heads=1&internal_dim="
              "8&self_internal_dim=16&mlp_dim=24&depth=3"},
        Model{"NoSkip",
              "builtin:two-way-transformer?q_n=9&k_n=397&embed_dim=48&num_heads=3&internal_dim="
              "24&self_internal_dim=12&mlp_dim=24&skip_first_layer_pe=false"},
        Model{"LongImage", "builtin:two-way-transformer?q_n=7&k_n=4096&embed_dim=64&num_heads=8&"
                           "internal_dim=32&mlp_dim=64"},
        Model{"OneImageRow", "builtin:two-way-transformer?q_n=39&k_n=1&embed_dim=32&num_heads=8&"
                             "internal_dim=16&mlp_dim=24&depth=1"},
        Model{"RandomMasks", "builtin:two-way-transformer?q_n=7&k_n=397&embed_dim=48&num_heads=3&"
                             "internal_dim=24&mlp_dim=24&masked=true"},
        Model{"DynamicBatch",
              "builtin:psa-block?c=48&heads=3&h=7&w=9&batch=dynamic",
              {{{"batch", 1}}, {{"batch", 3}}, {{"batch", 5}}}},
        Model{"DynamicBatchOfWideImages",
              "builtin:psa-block?c=32&heads=1&h=12&w=20&batch=dynamic",
              {{{"batch", 5}}, {{"batch", 1}}}}),
    [](const auto &info) { return std::string(info.param.name); });

//===----------------------------------------------------------------------===//
// Narrow products
//===----------------------------------------------------------------------===//

/// The largest error of any output, against exact results.
double errorOf(const Graph &graph, const CompileOptions &options) {
  Result<Module> module = compileInProcess(graph, options);
  EXPECT_TRUE(module) << module.message();
  const std::vector<Tensor> inputs = makeModelTensors(graph.inputs(), {});
  const std::vector<Tensor> params = makeModelTensors(graph.params(), {});
  Result<std::vector<Tensor>> found = runModule(*module, inputs, params);
  EXPECT_TRUE(found) << found.message();
  Result<std::vector<Tensor>> expected = interpretGraph(graph, inputs, params);
  EXPECT_TRUE(expected) << expected.message();
  double error = 0;
  for (size_t i = 0; i < found->size(); ++i)
    error = std::max(error, compare(toDoubles((*found)[i]), toDoubles((*expected)[i])).error);
  return error;
}

class PrecisionTest : public testing::TestWithParam<const char *> {};

TEST_P(PrecisionTest, FusionCostsAtMostTwiceTheError) {
  Result<Graph> graph = models::buildBuiltin(GetParam());
  ASSERT_TRUE(graph) << graph.message();
  for (auto [precision, bound] :
       {std::pair(Precision::BF16, 3e-2), std::pair(Precision::F16, 4e-3)}) {
    SCOPED_TRACE(toString(precision));
    CompileOptions fused = presetOptions("default"), unfused = presetOptions("unfused");
    fused.precision = unfused.precision = precision;
    const double error = errorOf(*graph, fused), plain = errorOf(*graph, unfused);
    EXPECT_LE(error, 2 * plain);
    EXPECT_LE(plain, bound);
    EXPECT_GT(plain, kModelTolerance) << "products are not narrow at all";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, PrecisionTest,
    testing::Values("builtin:two-way-transformer?q_n=7&k_n=97&embed_dim=48&num_heads=3&"
                    "internal_dim=24&mlp_dim=40&masked=true",
                    "builtin:two-way-transformer?q_n=5&k_n=520&embed_dim=32&num_heads=8&"
                    "internal_dim=16&mlp_dim=40&depth=1",
                    "builtin:psa-block?c=48&heads=3&h=5&w=7&batch=3"),
    [](const auto &info) { return "Case" + std::to_string(info.index); });

//===----------------------------------------------------------------------===//
// The same bits, however a module gets into the process
//===----------------------------------------------------------------------===//

TEST(ModuleBits, InProcessAndLoadedGiveTheSameBits) {
  Result<Graph> graph = models::buildBuiltin("builtin:two-way-transformer?q_n=7&k_n=397&embed_dim="
                                             "48&num_heads=3&internal_dim=24&mlp_dim=40");
  ASSERT_TRUE(graph) << graph.message();
  Result<Module> inProcess = compileInProcess(*graph);
  ASSERT_TRUE(inProcess) << inProcess.message();
  Result<std::vector<uint8_t>> bytes = compile(*graph);
  ASSERT_TRUE(bytes) << bytes.message();
  Result<Module> loaded = Module::loadMemory(*bytes);
  ASSERT_TRUE(loaded) << loaded.message();

  const std::vector<Tensor> inputs = makeModelTensors(graph->inputs(), {});
  const std::vector<Tensor> params = makeModelTensors(graph->params(), {});
  Result<std::vector<Tensor>> first = runModule(*inProcess, inputs, params);
  Result<std::vector<Tensor>> second = runModule(*loaded, inputs, params);
  ASSERT_TRUE(first) << first.message();
  ASSERT_TRUE(second) << second.message();
  for (size_t i = 0; i < first->size(); ++i)
    EXPECT_EQ(toDoubles((*first)[i]), toDoubles((*second)[i]));
}

//===----------------------------------------------------------------------===//
// Values that break attention
//===----------------------------------------------------------------------===//

/// Attention of 3 queries to 520 keys, few enough to be split and shared, with
/// `kind` and its operands put in.
std::string attentionGraph(const std::string &kind, const std::string &mask,
                           const std::string &maskType) {
  std::string argument = maskType.empty() ? "" : ", %mask: " + maskType;
  std::string operand = maskType.empty() ? "" : ", %mask",
              type = maskType.empty() ? "" : ", " + maskType;
  return "rlx.graph @attention(%q: tensor<1x3x16xf32>, %k: tensor<1x520x16xf32>, "
         "%v: tensor<1x520x16xf32>" +
         argument + ") -> tensor<1x3x16xf32> {\n%0 = rlx.attention " + kind + " %q, %k, %v" +
         operand + " num_heads = 2 head_dim = 8 " + mask +
         " : (tensor<1x3x16xf32>, tensor<1x520x16xf32>, tensor<1x520x16xf32>" + type +
         ") -> tensor<1x3x16xf32>\nrlx.output %0 : tensor<1x3x16xf32>\n}\n";
}

class AttentionValuesTest : public testing::Test {
protected:
  /// Compiles the graph and runs it on its inputs, of which some floats are replaced.
  std::vector<double> run(const std::string &text,
                          const std::vector<std::tuple<size_t, size_t, float>> &replacements) {
    Result<Graph> graph = Graph::parse(text, "attention");
    EXPECT_TRUE(graph) << graph.message();
    Result<Module> module = compileInProcess(*graph);
    EXPECT_TRUE(module) << module.message();
    std::vector<Tensor> inputs = makeTensors(graph->inputs(), {}, Values{});
    for (auto [input, element, value] : replacements)
      std::memcpy(static_cast<std::byte *>(inputs[input].data()) + element * sizeof(float), &value,
                  sizeof(float));
    Result<std::vector<Tensor>> outputs = runModule(*module, inputs, {});
    EXPECT_TRUE(outputs) << outputs.message();
    return toDoubles(outputs->front());
  }
};

/// Key 300 is hidden from all queries by a float mask of each kind, and by position.
TEST_F(AttentionValuesTest, HiddenKeysDoNotMatter) {
  const size_t hidden = 300;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  struct Kind {
    const char *name, *mask, *type;
    float hide;
  };
  for (Kind kind : {Kind{"custom", "", "tensor<1x1x1x520xf32>", 0.0f},
                    Kind{"bias", "", "tensor<1x1x1x520xf32>", -infinity},
                    Kind{"sliding_window", "window = 2", "", 0.0f}}) {
    SCOPED_TRACE(kind.name);
    const std::string text = attentionGraph(kind.name, kind.mask, kind.type);
    std::vector<std::tuple<size_t, size_t, float>> base;
    if (*kind.type)
      base.emplace_back(3, hidden, kind.hide);
    const std::vector<double> expected = run(text, base);
    for (float value : {kNaN, infinity, -infinity}) {
      auto broken = base;
      for (size_t channel : {0, 9}) {
        broken.emplace_back(1, hidden * 16 + channel, value);
        broken.emplace_back(2, hidden * 16 + channel, value);
      }
      EXPECT_EQ(run(text, broken), expected) << value;
    }
  }
}

TEST_F(AttentionValuesTest, RowsWithoutKeysAreZeros) {
  std::vector<std::tuple<size_t, size_t, float>> none;
  for (size_t key = 0; key < 520; ++key)
    none.emplace_back(3, key, 0.0f);
  for (double value : run(attentionGraph("custom", "", "tensor<1x1x1x520xf32>"), none))
    EXPECT_EQ(value, 0);
}

TEST_F(AttentionValuesTest, HugeScoresGiveNoNaN) {
  std::vector<std::tuple<size_t, size_t, float>> huge;
  for (size_t channel = 0; channel < 48; ++channel)
    huge.emplace_back(0, channel, channel % 2 ? 1e4f : -1e4f);
  for (double value : run(attentionGraph("none", "", ""), huge))
    EXPECT_TRUE(std::isfinite(value));
}

TEST_F(AttentionValuesTest, NaNStaysInItsRow) {
  const std::string text = attentionGraph("none", "", "");
  const std::vector<double> expected = run(text, {});
  const std::vector<double> found = run(text, {{0, 16 + 3, kNaN}});
  for (size_t i = 0; i < found.size(); ++i) {
    bool ofQuery = i >= 16 && i < 24; // row 1, the first head
    if (ofQuery)
      EXPECT_TRUE(std::isnan(found[i])) << i;
    else
      EXPECT_EQ(found[i], expected[i]) << i;
  }
}

} // namespace
} // namespace rlx::test
