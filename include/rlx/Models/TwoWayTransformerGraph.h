//===- TwoWayTransformerGraph.h - The mask decoder's graph ------*- C++ -*-===//
//
// The two-way transformer of Segment Anything as a graph; docs/spec.md, section 3.
// Depends on Graph/ alone; TwoWayTransformer.h compiles and runs it.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_MODELS_TWOWAYTRANSFORMERGRAPH_H
#define RLX_MODELS_TWOWAYTRANSFORMERGRAPH_H

#include "rlx/Graph/Graph.h"
#include "rlx/Runtime/Status.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace rlx::models {

/// Heads and inner width of one attention block.
struct AttentionSpec {
  int64_t numHeads;
  int64_t internalDim; ///< of q, k and v together, a multiple of `numHeads`
  bool operator==(const AttentionSpec &other) const = default;
};

/// The sizes of a two-way transformer. The defaults are Segment Anything's.
struct TwoWaySpec {
  int64_t embedDim = 256;
  int64_t numHeads = 8;
  int64_t internalDim = 128;              ///< of the cross attentions
  std::optional<int64_t> selfInternalDim; ///< of the self attentions; `embedDim` by default
  int64_t mlpDim = 2048;
  int64_t depth = 2;
  bool skipFirstLayerPe = true; ///< layer 0 skips the position encoding
  double epsilon = 1e-5;        ///< of the layer norms
  DType dtype = DType::F32;

  /// Attention blocks that differ, by prefix: "L0.self", "L1.t2i", "L0.i2t", "final".
  std::map<std::string, AttentionSpec, std::less<>> overrides;

  /// Heads and inner width of the block with this prefix.
  AttentionSpec attention(std::string_view prefix) const;

  /// Whether the sizes fit together.
  Status check() const;
};

/// The lengths that a transformer's graph is built for.
struct TwoWayShape {
  Dim queries;         ///< rows of tokens; the largest number of them if `masked`
  Dim keys;            ///< rows of the image sequence
  bool masked = false; ///< takes the masks of docs/spec.md as extra inputs
};

/// Builds the graph: inputs `tokens`, `image_seq`, `image_pe` and, if masked,
/// `mask_L0_self`, `mask_L0_t2i`, `mask_L0_i2t`, ..., `mask_final_t2i`; outputs
/// `queries_out`, `keys_out`.
Result<Graph> buildTwoWayTransformer(const TwoWaySpec &spec, const TwoWayShape &shape);

} // namespace rlx::models

#endif // RLX_MODELS_TWOWAYTRANSFORMERGRAPH_H
