//===- PsaBlockTest.cpp - YOLO's attention block, compiled ----------------===//

#include "rlx/Models/PsaBlock.h"

#include "GraphRunner.h"
#include "Reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rlx::models {
namespace {

/// Compiles a block for `batch`, and compares runs on so many images with plain loops.
void expectMatchesReference(const PsaSpec &spec, const Dim &batch,
                            std::initializer_list<int64_t> counts) {
  Result<Graph> graph = buildPsaBlock(spec, "batch");
  ASSERT_TRUE(graph) << graph.message();
  std::vector<Tensor> params = test::makeTensors(graph->params());
  std::vector<TensorView> views(params.begin(), params.end());
  Result<PsaBlock> block = PsaBlock::compile(spec, batch);
  ASSERT_TRUE(block) << block.message();
  Status status = block->bindParams(views);
  ASSERT_TRUE(status) << status.message();

  for (int64_t count : counts) {
    std::vector<Tensor> inputs = test::makeTensors(graph->inputs(), {{"batch", count}});
    Result<std::span<const float>> y = block->run(inputs[0].values<float>());
    ASSERT_TRUE(y) << y.message();
    test::NamedData expected =
        test::runPsaBlock(spec, count, test::toNamedData(params), test::toNamedData(inputs));
    double scale = 0;
    for (double value : expected["y"])
      scale = std::max(scale, std::abs(value));
    EXPECT_LT(test::maxDifference({y->begin(), y->end()}, expected["y"]), 2e-5 * scale) << count;
  }
}

TEST(PsaBlock, OneImage) { expectMatchesReference({12, 3, 4, 3}, 1, {1}); }

TEST(PsaBlock, StaticBatch) { expectMatchesReference({16, 2, 3, 5}, 3, {3, 3}); }

TEST(PsaBlock, AnyNumberOfImages) { expectMatchesReference({16, 2, 3, 5}, "batch", {2, 1, 5}); }

/// Options that compile fast.
CompileOptions fastOptions() {
  Result<CompileOptions> options = CompileOptions::preset("psa-block");
  EXPECT_TRUE(options) << options.message();
  options->optLevel = 1;
  return *options;
}

TEST(PsaBlock, WrongLengths) {
  std::vector<float> x(2 * 8 * 6);
  Result<PsaBlock> fixed = PsaBlock::compile({8, 1, 2, 3}, 3, fastOptions());
  ASSERT_TRUE(fixed) << fixed.message();
  EXPECT_EQ(fixed->run(x).message(), "x: expected 144 values, found 96");
  Result<PsaBlock> dynamic = PsaBlock::compile({8, 1, 2, 3}, "batch", fastOptions());
  ASSERT_TRUE(dynamic) << dynamic.message();
  EXPECT_EQ(dynamic->run(std::span(x).first(95)).message(),
            "x: expected a multiple of 48 values, found 95");
  EXPECT_EQ(dynamic->run({}).message(), "x: expected a multiple of 48 values, found 0");
  EXPECT_EQ(dynamic->run(x).message(), "run: expected params to be bound, found none");
}

TEST(PsaBlock, MissingParamsAreListed) {
  Result<PsaBlock> block = PsaBlock::compile({8, 1, 2, 3}, 1, fastOptions());
  ASSERT_TRUE(block) << block.message();
  Status status = block->bindParams(std::span<const TensorView>());
  ASSERT_FALSE(status);
  for (const char *name : {"param 'qkv.w'", "param 'pe.b'", "param 'ffn2.b'"})
    EXPECT_NE(status.message().find(name), std::string::npos) << status.message();
}

TEST(PsaBlock, WhatCannotBeCompiled) {
  PsaSpec spec;
  spec.dtype = DType::F64;
  EXPECT_EQ(PsaBlock::compile(spec, 1).message(), "psa block: dtype: expected f32, found f64");
  EXPECT_FALSE(PsaBlock::compile({}, 1, "abacus"));
}

} // namespace
} // namespace rlx::models
