//===- Layers.h - Layers with the params' naming convention -----*- C++ -*-===//
//
// Private to lib/Models. Layers are built from plain ops; fusing them is the
// compiler's work.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_MODELS_LAYERS_H
#define RLX_LIB_MODELS_LAYERS_H

#include "rlx/Graph/Graph.h"

#include <cstdint>
#include <optional>
#include <string>

namespace rlx::models {

/// Adds layers of one element type to a graph.
class Layers {
public:
  Layers(Graph &graph, DType dtype) : graph(graph), dtype(dtype) {}

  Value add(Value lhs, Value rhs) { return graph.binary(BinaryKind::Add, lhs, rhs); }

  /// `act(x @ P.w + P.b)`, with P.w [in, out].
  Value linear(Value x, const std::string &prefix, int64_t in, int64_t out,
               std::optional<ActivationKind> act = std::nullopt);

  /// A layer norm over the last dim, of size `dim`, with the params P.g and P.b.
  Value layerNorm(Value x, const std::string &prefix, int64_t dim, double epsilon);

  /// A square convolution that keeps the image's size, with P.w
  /// [out, in/groups, kernel, kernel] and P.b.
  Value conv(Value x, const std::string &prefix, int64_t in, int64_t out, int64_t kernel = 1,
             int64_t groups = 1);

private:
  Graph &graph;
  DType dtype;
};

} // namespace rlx::models

#endif // RLX_LIB_MODELS_LAYERS_H
