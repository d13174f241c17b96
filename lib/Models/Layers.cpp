//===- Layers.cpp - Layers with the params' naming convention -------------===//

#include "Layers.h"

namespace rlx::models {

Value Layers::linear(Value x, const std::string &prefix, int64_t in, int64_t out,
                     std::optional<ActivationKind> act) {
  Value w = graph.param(prefix + ".w", {dtype, {in, out}});
  Value b = graph.param(prefix + ".b", {dtype, {out}});
  Value y = graph.binary(BinaryKind::Add, graph.matmul(x, w, prefix), b, prefix + ".bias");
  return act ? graph.activation(*act, y, prefix + ".act") : y;
}

Value Layers::layerNorm(Value x, const std::string &prefix, int64_t dim, double epsilon) {
  Value gamma = graph.param(prefix + ".g", {dtype, {dim}});
  Value beta = graph.param(prefix + ".b", {dtype, {dim}});
  return graph.layerNorm(x, gamma, beta, /*axis=*/-1, epsilon, prefix);
}

Value Layers::conv(Value x, const std::string &prefix, int64_t in, int64_t out, int64_t kernel,
                   int64_t groups) {
  Value w = graph.param(prefix + ".w", {dtype, {out, in / groups, kernel, kernel}});
  Value b = graph.param(prefix + ".b", {dtype, {out}});
  Conv2dOptions options;
  options.padding = {kernel / 2, kernel / 2};
  options.groups = groups;
  return graph.conv2d(x, w, b, options, prefix);
}

} // namespace rlx::models
