//===- TwoWayTransformerGraphTest.cpp - The mask decoder's graph ----------===//

#include "rlx/Models/TwoWayTransformerGraph.h"

#include "GraphRunner.h"
#include "Reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rlx::models {
namespace {

using test::evaluate;
using test::makeTensors;
using test::maxDifference;
using test::NamedData;
using test::toNamedData;

/// Sizes that are small, odd, and pairwise different.
TwoWaySpec tinySpec() {
  TwoWaySpec spec;
  spec.embedDim = 12;
  spec.numHeads = 3;
  spec.internalDim = 6;
  spec.selfInternalDim = 9;
  spec.mlpDim = 10;
  spec.dtype = DType::F64;
  return spec;
}

Graph build(const TwoWaySpec &spec, const TwoWayShape &shape) {
  Result<Graph> graph = buildTwoWayTransformer(spec, shape);
  EXPECT_TRUE(graph) << graph.message();
  return graph ? std::move(*graph) : Graph("failed");
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

TEST(TwoWayTransformerGraph, SegmentAnythingSignature) {
  Graph graph = build({}, {7, 4096});
  DType f32 = DType::F32;
  std::vector<TensorSpec> inputs = {{"tokens", {f32, {1, 7, 256}}},
                                    {"image_seq", {f32, {1, 4096, 256}}},
                                    {"image_pe", {f32, {1, 4096, 256}}}};
  std::vector<TensorSpec> outputs = {{"queries_out", {f32, {1, 7, 256}}},
                                     {"keys_out", {f32, {1, 4096, 256}}}};
  EXPECT_EQ(graph.inputs(), inputs);
  EXPECT_EQ(graph.outputs(), outputs);
}

TEST(TwoWayTransformerGraph, ParamsHaveTheSpecsNamesAndShapes) {
  std::map<std::string, TensorType> expected;
  auto add = [&](const std::string &name, std::vector<Dim> dims) {
    expected[name] = {DType::F32, std::move(dims)};
  };
  auto addAttention = [&](const std::string &prefix, int64_t inner) {
    for (const char *part : {".q", ".k", ".v"}) {
      add(prefix + part + ".w", {256, inner});
      add(prefix + part + ".b", {inner});
    }
    add(prefix + ".o.w", {inner, 256});
    add(prefix + ".o.b", {256});
  };
  for (const std::string layer : {"L0", "L1"}) {
    addAttention(layer + ".self", 256);
    addAttention(layer + ".t2i", 128);
    addAttention(layer + ".i2t", 128);
    add(layer + ".mlp1.w", {256, 2048});
    add(layer + ".mlp1.b", {2048});
    add(layer + ".mlp2.w", {2048, 256});
    add(layer + ".mlp2.b", {256});
    for (const char *norm : {".n1", ".n2", ".n3", ".n4"}) {
      add(layer + norm + ".g", {256});
      add(layer + norm + ".b", {256});
    }
  }
  addAttention("final", 128);
  add("final_ln.g", {256});
  add("final_ln.b", {256});

  std::map<std::string, TensorType> found;
  for (const TensorSpec &param : build({}, {7, 4096}).params())
    found[param.name] = param.type;
  EXPECT_EQ(found.size(), expected.size());
  for (const auto &[name, type] : expected)
    EXPECT_EQ(found[name].str(), type.str()) << name;
}

TEST(TwoWayTransformerGraph, MasksFollowTheInputsInOrder) {
  TwoWaySpec spec;
  spec.overrides["L1.i2t"] = {4, 64};
  std::vector<TensorSpec> inputs = build(spec, {39, 4096, /*masked=*/true}).inputs();
  DType f32 = DType::F32;
  std::vector<TensorSpec> expected = {
      {"mask_L0_self", {f32, {1, 8, 39, 39}}},    {"mask_L0_t2i", {f32, {1, 8, 39, 4096}}},
      {"mask_L0_i2t", {f32, {1, 8, 4096, 39}}},   {"mask_L1_self", {f32, {1, 8, 39, 39}}},
      {"mask_L1_t2i", {f32, {1, 8, 39, 4096}}},   {"mask_L1_i2t", {f32, {1, 4, 4096, 39}}},
      {"mask_final_t2i", {f32, {1, 8, 39, 4096}}}};
  ASSERT_EQ(inputs.size(), 10u);
  EXPECT_EQ(std::vector<TensorSpec>(inputs.begin() + 3, inputs.end()), expected);
}

TEST(TwoWayTransformerGraph, DynamicTokenCount) {
  Graph graph = build({}, {"q_n", 4096});
  EXPECT_EQ(graph.inputs()[0], (TensorSpec{"tokens", {DType::F32, {1, "q_n", 256}}}));
  EXPECT_EQ(graph.outputs()[0].type.str(), "tensor<1x?x256xf32>");
  EXPECT_EQ(graph.outputs()[1].type.str(), "tensor<1x4096x256xf32>");
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Compares the interpreted graph with the loops.
void expectMatchesReference(const TwoWaySpec &spec, int64_t queries, int64_t keys,
                            bool dynamic = false) {
  Graph graph = build(spec, {dynamic ? Dim("q_n") : Dim(queries), keys});
  std::vector<Tensor> params = makeTensors(graph.params());
  std::vector<Tensor> inputs = makeTensors(graph.inputs(), {{"q_n", queries}});
  NamedData expected =
      test::runTwoWayTransformer(spec, queries, keys, toNamedData(params), toNamedData(inputs));
  NamedData found = evaluate(graph, params, inputs);
  for (const char *output : {"queries_out", "keys_out"})
    EXPECT_LT(maxDifference(found[output], expected[output]), 1e-11) << output;
}

TEST(TwoWayTransformerGraph, MatchesReference) { expectMatchesReference(tinySpec(), 5, 7); }

TEST(TwoWayTransformerGraph, MatchesReferenceAtOneTokenAndOneRow) {
  expectMatchesReference(tinySpec(), 1, 1);
}

TEST(TwoWayTransformerGraph, MatchesReferenceWithDynamicTokenCount) {
  expectMatchesReference(tinySpec(), 4, 9, /*dynamic=*/true);
}

TEST(TwoWayTransformerGraph, MatchesReferenceAtOtherDepths) {
  for (int64_t depth : {1, 3}) {
    TwoWaySpec spec = tinySpec();
    spec.depth = depth;
    expectMatchesReference(spec, 3, 5);
  }
}

TEST(TwoWayTransformerGraph, MatchesReferenceWithoutSkip) {
  TwoWaySpec spec = tinySpec();
  spec.skipFirstLayerPe = false;
  expectMatchesReference(spec, 3, 5);
}

TEST(TwoWayTransformerGraph, MatchesReferenceWithOverrides) {
  TwoWaySpec spec = tinySpec();
  spec.overrides["L0.self"] = {2, 4};
  spec.overrides["L1.t2i"] = {1, 7};
  spec.overrides["final"] = {5, 10};
  expectMatchesReference(spec, 3, 5);
}

TEST(TwoWayTransformerGraph, MatchesReferenceWithALargeEpsilon) {
  TwoWaySpec spec = tinySpec();
  spec.epsilon = 0.25;
  expectMatchesReference(spec, 3, 5);
}

/// Evaluates a masked graph of six slots of which `active` hold tokens, and the graph
/// for exactly that many tokens. The other slots are full of NaN.
void expectSparseSlotsAreExact(int64_t active) {
  constexpr int64_t slots = 6, keys = 7;
  TwoWaySpec spec = tinySpec();
  Graph masked = build(spec, {slots, keys, /*masked=*/true});
  Graph exact = build(spec, {active, keys});
  std::vector<Tensor> params = makeTensors(masked.params());
  std::vector<Tensor> inputs = makeTensors(masked.inputs());
  std::vector<Tensor> exactInputs = makeTensors(exact.inputs());

  std::span<double> tokens = inputs[0].values<double>();
  std::ranges::fill(tokens, std::numeric_limits<double>::quiet_NaN());
  std::ranges::copy(exactInputs[0].values<double>(), tokens.begin());
  for (size_t index = 3; index < inputs.size(); ++index) {
    std::span<double> mask = inputs[index].values<double>();
    bool fromKeys = inputs[index].shape()[2] == keys, toKeys = inputs[index].shape()[3] == keys;
    int64_t columns = inputs[index].shape()[3], rows = inputs[index].shape()[2];
    for (size_t i = 0; i < mask.size(); ++i) {
      int64_t row = static_cast<int64_t>(i) / columns % rows, column = i % columns;
      mask[i] = (fromKeys || row < active) && (toKeys || column < active) ? 1 : 0;
    }
  }

  NamedData found = evaluate(masked, params, inputs);
  NamedData expected = evaluate(exact, params, exactInputs);
  ASSERT_EQ(found["queries_out"].size(), static_cast<size_t>(slots * spec.embedDim));
  found["queries_out"].resize(active * spec.embedDim);
  for (const char *output : {"queries_out", "keys_out"})
    EXPECT_LT(maxDifference(found[output], expected[output]), 1e-12) << output;
}

TEST(TwoWayTransformerGraph, SparseSlotsAreExact) {
  for (int64_t active : {1, 4, 6})
    expectSparseSlotsAreExact(active);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

std::string errorOf(const TwoWaySpec &spec, const TwoWayShape &shape = {7, 64}) {
  return buildTwoWayTransformer(spec, shape).message();
}

TEST(TwoWayTransformerGraph, SizesMustBePositive) {
  TwoWaySpec spec;
  spec.mlpDim = 0;
  EXPECT_EQ(errorOf(spec), "two-way transformer: mlp_dim: expected 1 or more, found 0");
  EXPECT_EQ(errorOf({}, {0, 64}), "two-way transformer: q_n: expected 1 or more, found 0");
  EXPECT_EQ(errorOf({}, {7, -1}), "two-way transformer: k_n: expected 1 or more, found -1");
}

TEST(TwoWayTransformerGraph, HeadsMustDivideTheInternalDim) {
  TwoWaySpec spec;
  spec.internalDim = 100;
  EXPECT_EQ(errorOf(spec), "two-way transformer: L0.t2i: expected an internal dim that the number "
                           "of heads, 8, divides, found 100");
}

TEST(TwoWayTransformerGraph, OverridesMustNameABlock) {
  TwoWaySpec spec;
  spec.overrides["L2.self"] = {8, 256};
  EXPECT_EQ(errorOf(spec), "two-way transformer: overrides: expected the prefix of an attention "
                           "block, found 'L2.self'");
}

TEST(TwoWayTransformerGraph, EpsilonMustBeANumber) {
  TwoWaySpec spec;
  spec.epsilon = std::nan("");
  EXPECT_EQ(errorOf(spec), "two-way transformer: epsilon: expected 0 or more, found nan");
}

} // namespace
} // namespace rlx::models
