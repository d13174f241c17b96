//===- TwoWayTransformerGraph.cpp - The mask decoder's graph --------------===//

#include "rlx/Models/TwoWayTransformerGraph.h"

#include "Layers.h"

#include <utility>

namespace rlx::models {

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Calls `visit(prefix)` for each attention block, in the order of execution.
template <typename Visitor> static void forEachAttention(int64_t depth, Visitor visit) {
  for (int64_t layer = 0; layer < depth; ++layer)
    for (const char *kind : {".self", ".t2i", ".i2t"})
      visit("L" + std::to_string(layer) + kind);
  visit(std::string("final"));
}

AttentionSpec TwoWaySpec::attention(std::string_view prefix) const {
  if (auto found = overrides.find(prefix); found != overrides.end())
    return found->second;
  if (prefix.ends_with(".self"))
    return {numHeads, selfInternalDim.value_or(embedDim)};
  return {numHeads, internalDim};
}

Status TwoWaySpec::check() const {
  auto error = [](const std::string &text) {
    return Status(ErrorCode::InvalidArgument, "two-way transformer: " + text);
  };
  for (auto [name, value] : {std::pair("embed_dim", embedDim), std::pair("num_heads", numHeads),
                             std::pair("internal_dim", internalDim), std::pair("mlp_dim", mlpDim),
                             std::pair("depth", depth)})
    if (value < 1)
      return error(std::string(name) + ": expected 1 or more, found " + std::to_string(value));
  if (!(epsilon >= 0))
    return error("epsilon: expected 0 or more, found " + std::to_string(epsilon));

  Status status;
  std::map<std::string, AttentionSpec, std::less<>> unknown = overrides;
  forEachAttention(depth, [&](const std::string &prefix) {
    unknown.erase(prefix);
    AttentionSpec block = attention(prefix);
    if (!status)
      return;
    if (block.numHeads < 1 || block.internalDim < 1)
      status = error(prefix + ": expected 1 or more heads and channels, found " +
                     std::to_string(block.numHeads) + " and " + std::to_string(block.internalDim));
    else if (block.internalDim % block.numHeads != 0)
      status = error(prefix + ": expected an internal dim that the number of heads, " +
                     std::to_string(block.numHeads) + ", divides, found " +
                     std::to_string(block.internalDim));
  });
  if (status && !unknown.empty())
    return error("overrides: expected the prefix of an attention block, found '" +
                 unknown.begin()->first + "'");
  return status;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

namespace {

/// Builds the blocks of one transformer.
class TwoWayBuilder {
public:
  TwoWayBuilder(Graph &graph, const TwoWaySpec &spec, const TwoWayShape &shape)
      : graph(graph), spec(spec), shape(shape), layers(graph, spec.dtype) {}

  Status build();

private:
  /// The mask input of the block with this prefix and the given sides, or none.
  void addMask(const std::string &prefix);
  Value attention(const std::string &prefix, Value q, Value k, Value v);
  Value norm(Value x, const std::string &prefix) {
    return layers.layerNorm(x, prefix, spec.embedDim, spec.epsilon);
  }
  void layer(int64_t index);

  Graph &graph;
  const TwoWaySpec &spec;
  const TwoWayShape &shape;
  Layers layers;
  std::map<std::string, Value> masks;
  Value queries, keys, queryPe, keyPe;
};

} // namespace

void TwoWayBuilder::addMask(const std::string &prefix) {
  bool fromKeys = prefix.ends_with(".i2t"), toQueries = fromKeys || prefix.ends_with(".self");
  // L0.self is masked by mask_L0_self, and final, which goes from token to image,
  // by mask_final_t2i.
  std::string name = prefix == "final" ? "mask_final_t2i" : "mask_" + prefix;
  if (size_t dot = name.find('.'); dot != std::string::npos)
    name[dot] = '_';
  masks[prefix] =
      graph.input(name, {spec.dtype,
                         {1, spec.attention(prefix).numHeads, fromKeys ? shape.keys : shape.queries,
                          toQueries ? shape.queries : shape.keys}});
}

Value TwoWayBuilder::attention(const std::string &prefix, Value q, Value k, Value v) {
  AttentionSpec block = spec.attention(prefix);
  int64_t headDim = block.internalDim / block.numHeads;
  q = layers.linear(q, prefix + ".q", spec.embedDim, block.internalDim);
  k = layers.linear(k, prefix + ".k", spec.embedDim, block.internalDim);
  v = layers.linear(v, prefix + ".v", spec.embedDim, block.internalDim);
  Value mixed =
      shape.masked
          ? graph.attention(q, k, v, masks[prefix], block.numHeads, headDim, prefix)
          : graph.attentionKind(q, k, v, block.numHeads, headDim, AttentionKind::none(), prefix);
  return layers.linear(mixed, prefix + ".o", block.internalDim, spec.embedDim);
}

void TwoWayBuilder::layer(int64_t index) {
  std::string prefix = "L" + std::to_string(index);
  if (index == 0 && spec.skipFirstLayerPe) {
    queries = attention(prefix + ".self", queries, queries, queries);
  } else {
    Value q = layers.add(queries, queryPe);
    queries = layers.add(queries, attention(prefix + ".self", q, q, queries));
  }
  queries = norm(queries, prefix + ".n1");

  Value q = layers.add(queries, queryPe);
  Value k = layers.add(keys, keyPe);
  queries = norm(layers.add(queries, attention(prefix + ".t2i", q, k, keys)), prefix + ".n2");

  Value hidden =
      layers.linear(queries, prefix + ".mlp1", spec.embedDim, spec.mlpDim, ActivationKind::Relu);
  Value mlp = layers.linear(hidden, prefix + ".mlp2", spec.mlpDim, spec.embedDim);
  queries = norm(layers.add(queries, mlp), prefix + ".n3");

  q = layers.add(queries, queryPe);
  keys = norm(layers.add(keys, attention(prefix + ".i2t", k, q, queries)), prefix + ".n4");
}

Status TwoWayBuilder::build() {
  queryPe = queries = graph.input("tokens", {spec.dtype, {1, shape.queries, spec.embedDim}});
  keys = graph.input("image_seq", {spec.dtype, {1, shape.keys, spec.embedDim}});
  keyPe = graph.input("image_pe", {spec.dtype, {1, shape.keys, spec.embedDim}});
  if (shape.masked)
    forEachAttention(spec.depth, [&](const std::string &prefix) { addMask(prefix); });

  for (int64_t index = 0; index < spec.depth; ++index)
    layer(index);

  Value q = layers.add(queries, queryPe);
  Value k = layers.add(keys, keyPe);
  queries = norm(layers.add(queries, attention("final", q, k, keys)), "final_ln");
  return graph.setOutputs({{"queries_out", queries}, {"keys_out", keys}});
}

Result<Graph> buildTwoWayTransformer(const TwoWaySpec &spec, const TwoWayShape &shape) {
  if (Status status = spec.check(); !status)
    return status;
  for (auto [name, dim] : {std::pair("q_n", &shape.queries), std::pair("k_n", &shape.keys)})
    if (!dim->isDynamic() && dim->size() < 1)
      return Status(ErrorCode::InvalidArgument, "two-way transformer: " + std::string(name) +
                                                    ": expected 1 or more, found " +
                                                    std::to_string(dim->size()));
  Graph graph("two_way_transformer");
  if (Status status = TwoWayBuilder(graph, spec, shape).build(); !status)
    return status;
  return graph;
}

} // namespace rlx::models
