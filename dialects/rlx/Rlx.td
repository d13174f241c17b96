//===- Rlx.td - All ops of the rlx dialect ----------------------*- tablegen -*-===//
//
// The file that C++ and documentation are generated from.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_TD
#define RLX_TD

include "dialects/rlx/RlxGradientOps.td"
include "dialects/rlx/RlxGraphOps.td"
include "dialects/rlx/RlxOps.td"
include "dialects/rlx/RlxPsaOps.td"
include "dialects/rlx/RlxStructuredOps.td"
include "dialects/rlx/RlxShapeOps.td"

#endif // RLX_TD
