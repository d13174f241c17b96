//===- Passes.h - passes on graphs -----------------------------*- C++ -*-===//
//
// From the rlx dialect to the rlx dialect. Described in Passes.td.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_TRANSFORMS_PASSES_H
#define RLX_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace rlx {

#define GEN_PASS_DECL
#include "rlx/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "rlx/Transforms/Passes.h.inc"

/// Registers the passes on graphs.
inline void registerTransformsPasses() { registerRlxTransformsPasses(); }

} // namespace rlx

#endif // RLX_TRANSFORMS_PASSES_H
