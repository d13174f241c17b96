//===- OpGraphs.cpp - a graph for each op of the golden data ----------------===//

#include "Support/Golden.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>

using namespace rlx;
using namespace rlx::test;
using nlohmann::ordered_json;

namespace {

using Operands = std::vector<Value>;

/// The kind of that name; `names` are in the order of the enum's values.
template <typename Kind, size_t N>
Kind parseKind(const ordered_json &name, const std::array<std::string_view, N> &names) {
  auto it = std::find(names.begin(), names.end(), name.get<std::string>());
  return static_cast<Kind>(it - names.begin());
}

ActivationKind activationKind(const ordered_json &name) {
  return parseKind<ActivationKind, 15>(name, {"relu", "gelu", "gelu_tanh", "silu", "sigmoid",
                                              "tanh", "exp", "log", "sqrt", "rsqrt", "neg", "abs",
                                              "sin", "cos", "round"});
}

Value buildAttention(Graph &graph, const ordered_json &attrs, const Operands &x) {
  const std::string kind = attrs["kind"];
  const int64_t heads = attrs["num_heads"], headDim = attrs["head_dim"];
  if (kind == "custom")
    return graph.attention(x[0], x[1], x[2], x[3], heads, headDim);
  auto other = [&] {
    if (kind == "causal")
      return AttentionKind::causal();
    if (kind == "sliding_window")
      return AttentionKind::slidingWindow(attrs["window"]);
    if (kind == "bias")
      return AttentionKind::bias(x[3]);
    return AttentionKind::none();
  };
  return graph.attentionKind(x[0], x[1], x[2], heads, headDim, other());
}

/// The golden data normalize one axis, the builder all from an axis on: the axis is
/// moved to the end and back.
Value buildLayerNorm(Graph &graph, const ordered_json &attrs, const Operands &x) {
  const size_t rank = x[0].type().dims.size();
  const int64_t axis = attrs["axis"], last = static_cast<int64_t>(rank) - 1;
  std::vector<int64_t> swap(rank);
  std::iota(swap.begin(), swap.end(), 0);
  std::swap(swap[axis < 0 ? axis + rank : axis], swap[last]);
  const Value moved = graph.transpose(x[0], swap);
  return graph.transpose(graph.layerNorm(moved, x[1], x[2], -1, attrs["eps"]), swap);
}

Value buildConv2d(Graph &graph, const ordered_json &attrs, const Operands &x) {
  std::optional<Value> bias;
  if (x.size() > 2)
    bias = x[2];
  return graph.conv2d(x[0], x[1], bias,
                      {attrs["stride"], attrs["padding"], attrs["dilation"], attrs["groups"]});
}

std::vector<Dim> dimsOf(const ordered_json &shape) {
  std::vector<Dim> dims;
  for (int64_t dim : shape)
    dims.push_back(dim);
  return dims;
}

using Builder = std::function<Value(Graph &, const ordered_json &, const Operands &)>;

const std::map<std::string, Builder> &builders() {
  static const std::map<std::string, Builder> table = {
      {"matmul", [](Graph &graph, auto &, auto &x) { return graph.matmul(x[0], x[1]); }},
      {"fused_matmul_bias_act",
       [](Graph &graph, auto &attrs, auto &x) {
         std::optional<ActivationKind> act;
         if (attrs.contains("act"))
           act = activationKind(attrs["act"]);
         return graph.fusedMatmulBiasAct(x[0], x[1], x[2], act);
       }},
      {"attention", buildAttention},
      {"layer_norm", buildLayerNorm},
      {"softmax",
       [](Graph &graph, auto &attrs, auto &x) { return graph.softmax(x[0], attrs["axis"]); }},
      {"activation", [](Graph &graph, auto &attrs,
                        auto &x) { return graph.activation(activationKind(attrs["kind"]), x[0]); }},
      {"binary",
       [](Graph &graph, auto &attrs, auto &x) {
         auto kind = parseKind<BinaryKind, 7>(attrs["kind"],
                                              {"add", "sub", "mul", "div", "max", "min", "pow"});
         return graph.binary(kind, x[0], x[1]);
       }},
      {"compare",
       [](Graph &graph, auto &attrs, auto &x) {
         auto kind = parseKind<CompareKind, 6>(attrs["kind"], {"eq", "ne", "lt", "le", "gt", "ge"});
         return graph.compare(kind, x[0], x[1]);
       }},
      {"where", [](Graph &graph, auto &, auto &x) { return graph.where(x[0], x[1], x[2]); }},
      {"reduce",
       [](Graph &graph, auto &attrs, auto &x) {
         auto kind = parseKind<ReduceKind, 5>(attrs["kind"], {"sum", "mean", "max", "min", "prod"});
         return graph.reduce(kind, x[0], attrs["axes"], attrs["keep_dims"]);
       }},
      {"conv2d", buildConv2d},
      {"transpose", [](Graph &graph, auto &attrs,
                       auto &x) { return graph.transpose(x[0], attrs["permutation"]); }},
      {"narrow",
       [](Graph &graph, auto &attrs, auto &x) {
         return graph.narrow(x[0], attrs["axis"], attrs["start"], attrs["length"]);
       }},
      {"concat", [](Graph &graph, auto &attrs, auto &x) { return graph.concat(x, attrs["axis"]); }},
      {"expand", [](Graph &graph, auto &attrs,
                    auto &x) { return graph.expand(x[0], dimsOf(attrs["shape"])); }},
      {"reshape", [](Graph &graph, auto &attrs,
                     auto &x) { return graph.reshape(x[0], dimsOf(attrs["shape"])); }},
      {"gather",
       [](Graph &graph, auto &attrs, auto &x) { return graph.gather(x[0], x[1], attrs["axis"]); }},
  };
  return table;
}

} // namespace

Result<Graph> OpCase::graph() const {
  auto builder = builders().find(op);
  if (builder == builders().end())
    return Status(ErrorCode::Unsupported, "golden op '" + op + "': no builder for it");
  Graph graph(testName(name));
  Operands operands;
  for (const Tensor &input : inputs()) {
    std::vector<Dim> dims(input.shape().begin(), input.shape().end());
    operands.push_back(graph.input(input.getName(), {input.type(), std::move(dims)}));
  }
  Value out = builder->second(graph, attrs, operands);
  if (Status status = graph.setOutputs({{"out", out}}); !status)
    return status;
  return graph;
}
