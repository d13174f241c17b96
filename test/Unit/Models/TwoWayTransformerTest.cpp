//===- TwoWayTransformerTest.cpp - The compiled mask decoder --------------===//

#include "rlx/Models/TwoWayTransformer.h"

#include "GraphRunner.h"
#include "Reference.h"
#include "rlx/Runtime/TensorFile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <unistd.h>

namespace rlx::models {
namespace {

using Floats = std::vector<float>;

constexpr int64_t numKeys = 9; // a square, so that images have a grid

TwoWaySpec tinySpec() {
  TwoWaySpec spec;
  spec.depth = 1;
  spec.embedDim = 12;
  spec.numHeads = 3;
  spec.internalDim = 6;
  spec.mlpDim = 10;
  return spec;
}

/// A compiled transformer and tensors for it.
class TwoWayTransformerTest : public testing::Test {
protected:
  void SetUp() override {
    Result<Graph> graph = buildTwoWayTransformer(spec, {1, numKeys});
    ASSERT_TRUE(graph) << graph.message();
    params = test::makeTensors(graph->params());
    for (const Tensor &input : test::makeTensors(graph->inputs()))
      if (input.getName() != "tokens")
        images.emplace_back(input.values<float>().begin(), input.values<float>().end());
  }

  /// `count` rows of tokens; fewer are a prefix of more.
  Floats tokens(int64_t count) const {
    std::vector<Tensor> made =
        test::makeTensors({{"tokens", {DType::F32, {1, count, spec.embedDim}}}});
    return {made[0].values<float>().begin(), made[0].values<float>().end()};
  }

  std::vector<TensorView> views() const { return {params.begin(), params.end()}; }

  /// What plain loops give for so many tokens.
  test::NamedData expected(int64_t count) const {
    Floats rows = tokens(count);
    test::NamedData inputs = {{"tokens", {rows.begin(), rows.end()}},
                              {"image_seq", {images[0].begin(), images[0].end()}},
                              {"image_pe", {images[1].begin(), images[1].end()}}};
    return test::runTwoWayTransformer(spec, count, numKeys, test::toNamedData(params), inputs);
  }

  /// Compares a run's outputs with the loops.
  void expectOutputs(const Result<TwoWayOutputs> &outputs, int64_t count) const {
    ASSERT_TRUE(outputs) << outputs.message();
    test::NamedData reference = expected(count);
    test::Data queries(outputs->queries.begin(), outputs->queries.end());
    test::Data keys(outputs->keys.begin(), outputs->keys.end());
    EXPECT_LT(test::maxDifference(queries, reference["queries_out"]), 2e-5) << count;
    EXPECT_LT(test::maxDifference(keys, reference["keys_out"]), 2e-5) << count;
  }

  /// Options that compile fast.
  static CompileOptions fastOptions() {
    Result<CompileOptions> options = CompileOptions::preset("two-way-transformer");
    EXPECT_TRUE(options) << options.message();
    options->optLevel = 1;
    return *options;
  }

  TwoWayTransformer bound(Result<TwoWayTransformer> model) const {
    if (!model) {
      ADD_FAILURE() << model.message();
      std::abort();
    }
    Status status = model->bindParams(views());
    EXPECT_TRUE(status) << status.message();
    return std::move(*model);
  }

  /// The image [E, keys] of rows [keys, E].
  Floats toImage(const Floats &seq) const {
    Floats image(seq.size());
    for (int64_t position = 0; position < numKeys; ++position)
      for (int64_t channel = 0; channel < spec.embedDim; ++channel)
        image[channel * numKeys + position] = seq[position * spec.embedDim + channel];
    return image;
  }

  TwoWaySpec spec = tinySpec();
  std::vector<Tensor> params;
  std::vector<Floats> images; ///< image_seq, image_pe
};

/// The same with two layers, which pass everything on.
class TwoLayersTest : public TwoWayTransformerTest {
protected:
  TwoLayersTest() { spec.depth = 2; }
};

TEST_F(TwoLayersTest, Runs) {
  TwoWayTransformer model = bound(TwoWayTransformer::compile(spec, 5, numKeys));
  EXPECT_FALSE(model.isMasked());
  EXPECT_EQ(model.maxQueries(), 5);
  expectOutputs(model.run(tokens(5), images[0], images[1]), 5);
  expectOutputs(model.runNchw(tokens(5), toImage(images[0]), toImage(images[1]), 3), 5);
}

TEST_F(TwoWayTransformerTest, RunsOnAnyNumberOfTokens) {
  TwoWayTransformer model = bound(TwoWayTransformer::compile(spec, "q_n", numKeys, fastOptions()));
  EXPECT_EQ(model.maxQueries(), std::nullopt);
  for (int64_t count : {3, 1, 7})
    expectOutputs(model.run(tokens(count), images[0], images[1]), count);
  Floats rows = tokens(2);
  EXPECT_EQ(model.run(std::span(rows).first(23), images[0], images[1]).message(),
            "tokens: expected 12 values, found 23");
  EXPECT_EQ(model.run({}, images[0], images[1]).message(), "tokens: expected 12 values, found 0");
}

TEST_F(TwoLayersTest, SparseSlots) {
  TwoWayTransformer model =
      bound(TwoWayTransformer::compileWithSparseSlots(spec, 5, numKeys, fastOptions()));
  EXPECT_TRUE(model.isMasked());
  EXPECT_EQ(model.maxQueries(), 37);
  // Growing and shrinking: neither masks nor padding may keep anything of the last run.
  for (int64_t active : {7, 37, 1, 5}) {
    Result<TwoWayOutputs> outputs = model.runMasked(tokens(active), active, images[0], images[1]);
    ASSERT_TRUE(outputs) << outputs.message();
    EXPECT_EQ(outputs->queries.size(), static_cast<size_t>(active * spec.embedDim));
    expectOutputs(outputs, active);
  }
}

TEST_F(TwoWayTransformerTest, MaskedBuildWithItsOwnLimit) {
  TwoWayTransformer model =
      bound(TwoWayTransformer::compile(spec, 4, numKeys, fastOptions(), /*masked=*/true));
  EXPECT_EQ(model.maxQueries(), 4);
  expectOutputs(model.runMaskedNchw(tokens(3), 3, toImage(images[0]), toImage(images[1]), 3), 3);
}

TEST_F(TwoWayTransformerTest, BindsAFile) {
  std::string path = std::filesystem::temp_directory_path() /
                     ("rlx-two-way-" + std::to_string(::getpid()) + ".safetensors");
  ASSERT_TRUE(writeSafetensors(path, views()));
  Result<TwoWayTransformer> model = TwoWayTransformer::compile(spec, 2, numKeys, fastOptions());
  ASSERT_TRUE(model) << model.message();
  Status status = model->bindParams(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(status) << status.message();
  expectOutputs(model->run(tokens(2), images[0], images[1]), 2);
}

TEST_F(TwoWayTransformerTest, SharedParamsCanBeRebound) {
  Result<TwoWayTransformer> model = TwoWayTransformer::compile(spec, 2, numKeys, fastOptions());
  ASSERT_TRUE(model) << model.message();
  std::vector<Tensor> zeros;
  for (const Tensor &param : params)
    zeros.emplace_back(param.getName(), DType::F32,
                       std::vector<int64_t>(param.shape().begin(), param.shape().end()));
  std::vector<TensorView> zeroViews(zeros.begin(), zeros.end());
  Result<Params> shared = Params::bind(model->module(), zeroViews);
  ASSERT_TRUE(shared) << shared.message();
  ASSERT_TRUE(model->bindParams(*shared));
  ASSERT_TRUE(shared->rebind(views()));
  expectOutputs(model->run(tokens(2), images[0], images[1]), 2);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(TwoWayTransformerTest, NeedsParamsAndRightLengths) {
  Result<TwoWayTransformer> unbound = TwoWayTransformer::compile(spec, 2, numKeys, fastOptions());
  ASSERT_TRUE(unbound) << unbound.message();
  EXPECT_EQ(unbound->run(tokens(2), images[0], images[1]).message(),
            "run: expected params to be bound, found none");
  TwoWayTransformer model = bound(std::move(unbound));
  Floats two = tokens(2);
  EXPECT_EQ(model.run(tokens(3), images[0], images[1]).message(),
            "tokens: expected 24 values, found 36");
  EXPECT_EQ(model.run(two, two, images[1]).message(), "image_seq: expected 108 values, found 24");
  EXPECT_EQ(model.run(two, images[0], {}).message(), "image_pe: expected 108 values, found 0");
  EXPECT_EQ(model.runNchw(two, images[0], images[1], 4).message(),
            "grid: expected a square of 9 image rows, found 4 x 4");
  EXPECT_EQ(model.runNchw(two, two, images[1], 3).message(),
            "image: expected 108 values, found 24");
  EXPECT_EQ(model.runNchw(two, images[0], two, 3).message(), "pe: expected 108 values, found 24");
  EXPECT_EQ(model.runMasked(two, 1, images[0], images[1]).message(),
            "runMasked: built without masks for 2 tokens, called with masks for 1; expected run");
}

TEST_F(TwoWayTransformerTest, MaskedRunsAreChecked) {
  TwoWayTransformer model =
      bound(TwoWayTransformer::compileWithSparseSlots(spec, 7, numKeys, fastOptions()));
  for (int64_t active : {0, 40})
    EXPECT_EQ(model.runMasked(tokens(40), active, images[0], images[1]).message(),
              "active_q_n: expected 1 to max_q_n = 39, found " + std::to_string(active));
  EXPECT_EQ(model.runMasked(tokens(3), 4, images[0], images[1]).message(),
            "tokens: expected 48 values, found 36");
  EXPECT_EQ(model.run(tokens(5), images[0], images[1]).message(),
            "run: built with masks for up to 39 tokens, called without masks for 5; expected "
            "runMasked");
}

TEST_F(TwoWayTransformerTest, WhatCannotBeCompiled) {
  EXPECT_EQ(TwoWayTransformer::compileWithSparseSlots(spec, 0, numKeys).message(),
            "two-way transformer: base_q_n: expected 1 or more, found 0");
  EXPECT_EQ(TwoWayTransformer::compile(spec, "q_n", numKeys, CompileOptions(), true).message(),
            "two-way transformer: q_n: expected a number for a masked build, found 'q_n'");
  EXPECT_FALSE(TwoWayTransformer::compile(spec, 7, numKeys, "abacus"));
  spec.dtype = DType::F64;
  EXPECT_EQ(TwoWayTransformer::compile(spec, 7, numKeys).message(),
            "two-way transformer: dtype: expected f32, found f64");
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

TEST(NchwToSeq, Transposes) {
  // More than one block on both sides, and a rest.
  constexpr int64_t channels = 35, positions = 67;
  Floats image(channels * positions), seq(image.size());
  for (size_t i = 0; i < image.size(); ++i)
    image[i] = static_cast<float>(i);
  ASSERT_TRUE(TwoWayTransformer::nchwToSeq(image, channels, positions, seq));
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t c = 0; c < channels; ++c)
      ASSERT_EQ(seq[p * channels + c], image[c * positions + p]);
  EXPECT_EQ(TwoWayTransformer::nchwToSeq(image, channels, 3, seq).message(),
            "image: expected 105 values, found 2345");
  EXPECT_EQ(
      TwoWayTransformer::nchwToSeq(image, channels, positions, std::span(seq).first(4)).message(),
      "seq: expected 2345 values, found 4");
}

TEST(FillAttnMask, MarksTheActivePart) {
  Floats mask(2 * 3 * 4, std::numeric_limits<float>::quiet_NaN());
  ASSERT_TRUE(TwoWayTransformer::fillAttnMask(mask, 2, 3, 4, 2, 3));
  Floats head = {1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0};
  Floats expected = head;
  expected.insert(expected.end(), head.begin(), head.end());
  EXPECT_EQ(mask, expected);
}

TEST(FillAttnMask, RefusesWhatDoesNotFit) {
  Floats mask(24);
  EXPECT_EQ(TwoWayTransformer::fillAttnMask(mask, 2, 3, 5, 1, 1).message(),
            "mask: expected 30 values, found 24");
  EXPECT_EQ(TwoWayTransformer::fillAttnMask(mask, 2, 3, 4, 4, 1).message(),
            "active rows: expected 0 to 3, found 4");
  EXPECT_EQ(TwoWayTransformer::fillAttnMask(mask, 2, 3, 4, 1, -1).message(),
            "active columns: expected 0 to 4, found -1");
}

} // namespace
} // namespace rlx::models
