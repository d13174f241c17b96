//===- PsaBlockGraphTest.cpp - YOLO's attention block as a graph ----------===//

#include "rlx/Models/PsaBlockGraph.h"

#include "GraphRunner.h"
#include "Reference.h"

#include <gtest/gtest.h>

namespace rlx::models {
namespace {

Graph build(const PsaSpec &spec, const Dim &batch) {
  Result<Graph> graph = buildPsaBlock(spec, batch);
  EXPECT_TRUE(graph) << graph.message();
  return graph ? std::move(*graph) : Graph("failed");
}

TEST(PsaBlockGraph, YoloSignature) {
  Graph graph = build({}, "batch");
  DType f32 = DType::F32;
  std::vector<TensorSpec> inputs = {{"x", {f32, {"batch", 128, 20, 20}}}};
  std::vector<TensorSpec> outputs = {{"y", {f32, {Dim::dynamic(), 128, 20, 20}}}};
  std::vector<TensorSpec> params = {{"qkv.w", {f32, {256, 128, 1, 1}}},  {"qkv.b", {f32, {256}}},
                                    {"pe.w", {f32, {128, 1, 3, 3}}},     {"pe.b", {f32, {128}}},
                                    {"proj.w", {f32, {128, 128, 1, 1}}}, {"proj.b", {f32, {128}}},
                                    {"ffn1.w", {f32, {256, 128, 1, 1}}}, {"ffn1.b", {f32, {256}}},
                                    {"ffn2.w", {f32, {128, 256, 1, 1}}}, {"ffn2.b", {f32, {128}}}};
  EXPECT_EQ(graph.inputs(), inputs);
  EXPECT_EQ(graph.outputs(), outputs);
  EXPECT_EQ(graph.params(), params);
}

/// Compares the interpreted graph with the loops.
void expectMatchesReference(PsaSpec spec, int64_t batch, bool dynamic = false) {
  spec.dtype = DType::F64;
  Graph graph = build(spec, dynamic ? Dim("batch") : Dim(batch));
  std::vector<Tensor> params = test::makeTensors(graph.params());
  std::vector<Tensor> inputs = test::makeTensors(graph.inputs(), {{"batch", batch}});
  test::NamedData expected =
      test::runPsaBlock(spec, batch, test::toNamedData(params), test::toNamedData(inputs));
  test::NamedData found = test::evaluate(graph, params, inputs);
  EXPECT_LT(test::maxDifference(found["y"], expected["y"]), 1e-11);
}

TEST(PsaBlockGraph, MatchesReference) { expectMatchesReference({12, 2, 3, 5}, 1); }

TEST(PsaBlockGraph, MatchesReferenceForBatches) { expectMatchesReference({12, 3, 4, 3}, 3); }

TEST(PsaBlockGraph, MatchesReferenceForDynamicBatches) {
  expectMatchesReference({8, 1, 2, 3}, 5, /*dynamic=*/true);
}

TEST(PsaBlockGraph, MatchesReferenceForOnePixel) { expectMatchesReference({4, 2, 1, 1}, 2); }

TEST(PsaBlockGraph, SizesMustFit) {
  EXPECT_EQ(buildPsaBlock({128, 3}, 1).message(),
            "psa block: c: expected a multiple of 2 * heads = 6, found 128");
  EXPECT_EQ(buildPsaBlock({128, 0}, 1).message(), "psa block: heads: expected 1 or more, found 0");
  EXPECT_EQ(buildPsaBlock({}, 0).message(), "psa block: batch: expected 1 or more, found 0");
}

} // namespace
} // namespace rlx::models
