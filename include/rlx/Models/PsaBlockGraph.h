//===- PsaBlockGraph.h - YOLO's attention block as a graph ------*- C++ -*-===//
//
// The position-sensitive attention block of C2PSA with folded batch norms;
// docs/spec.md, section 4. Depends on Graph/ alone; PsaBlock.h compiles and runs it.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_MODELS_PSABLOCKGRAPH_H
#define RLX_MODELS_PSABLOCKGRAPH_H

#include "rlx/Graph/Graph.h"
#include "rlx/Runtime/Status.h"

#include <cstdint>

namespace rlx::models {

/// The sizes of a PSA block. The defaults are those of YOLO26n at 640.
struct PsaSpec {
  int64_t channels = 128; ///< a multiple of `2 * numHeads`
  int64_t numHeads = 2;
  int64_t height = 20;
  int64_t width = 20;
  DType dtype = DType::F32;

  int64_t keyDim() const { return channels / (2 * numHeads); }

  /// Whether the sizes fit together.
  Status check() const;
};

/// Builds the graph: input `x`, output `y`, both [batch, channels, height, width].
Result<Graph> buildPsaBlock(const PsaSpec &spec, const Dim &batch);

} // namespace rlx::models

#endif // RLX_MODELS_PSABLOCKGRAPH_H
