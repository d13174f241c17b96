//===- Autodiff.h - gradients of graphs ------------------------*- C++ -*-===//
#ifndef RLX_TRANSFORMS_AUTODIFF_H
#define RLX_TRANSFORMS_AUTODIFF_H

#include "dialects/rlx/Rlx.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace rlx {

/// Adds to a graph the gradients of its float inputs and params, or of those that
/// `wrt` names, by reverse-mode differentiation; see the description of rlx-autodiff.
/// Fails with a diagnostic where an op has no gradient or a name is not known.
mlir::LogicalResult differentiateGraph(ir::GraphOp graph, llvm::ArrayRef<std::string> wrt = {});

/// Replaces attention by a form whose heads share nothing, that has no key bias and
/// gives the log-sum-exp: one that has a gradient.
void makeAttentionDifferentiable(mlir::OpBuilder &builder, ir::AttentionOp op);

} // namespace rlx

#endif // RLX_TRANSFORMS_AUTODIFF_H
