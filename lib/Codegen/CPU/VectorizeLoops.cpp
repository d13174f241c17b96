//===- VectorizeLoops.cpp - linalg on memrefs to vector loops -------------===//

#include "VectorizeLoopsPlan.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace rlx {
#define GEN_PASS_DECL_VECTORIZELOOPS
#define GEN_PASS_DEF_VECTORIZELOOPS
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

namespace {

/// Whether loops `dim` and `dim + 1` of `op` walk neighbouring dimensions that lie
/// without gaps in every operand, so that one loop can walk both.
bool areMergeable(linalg::GenericOp op, unsigned dim) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  if (kinds[dim] != kinds[dim + 1])
    return false;
  bool indexed = false;
  op.getBody()->walk([&](linalg::IndexOp index) {
    indexed |= index.getDim() == dim || index.getDim() == dim + 1;
  });
  if (indexed || !linalg::areDimSequencesPreserved(op.getIndexingMapsArray(),
                                                   {ReassociationIndices{dim, dim + 1}}))
    return false;
  AffineExpr outer = getAffineDimExpr(dim, op.getContext());
  for (auto [map, operand] : llvm::zip(op.getIndexingMapsArray(), op->getOperands())) {
    std::optional<unsigned> position = map.getResultPosition(outer);
    if (!position)
      continue;
    auto type = cast<MemRefType>(operand.getType());
    SmallVector<ReassociationIndices> groups;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (i == *position + 1)
        groups.back().push_back(i);
      else
        groups.push_back({i});
    if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups))
      return false;
  }
  return true;
}

/// Merges loops of `op` that walk memory without gaps, so that vectors may span them.
linalg::GenericOp mergeLoops(RewriterBase &rewriter, linalg::GenericOp op) {
  // One group at a time: merged operands have simpler types, and a group of three
  // is mergeable as a whole if its pairs are.
  for (unsigned dim = 0; dim + 1 < op.getNumLoops();) {
    if (!areMergeable(op, dim)) {
      ++dim;
      continue;
    }
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::CollapseResult> merged =
        linalg::collapseOpIterationDims(op, {ReassociationIndices{dim, dim + 1}}, rewriter);
    if (failed(merged)) {
      ++dim;
      continue;
    }
    auto collapsed = cast<linalg::GenericOp>(merged->collapsedOp);
    rewriter.eraseOp(op);
    op = collapsed;
  }
  return op;
}

/// Replaces `linalgOp` by loops.
LogicalResult lowerOp(RewriterBase &rewriter, linalg::LinalgOp linalgOp, const CpuTarget &target) {
  rewriter.setInsertionPoint(linalgOp);
  auto op = dyn_cast<linalg::GenericOp>(linalgOp.getOperation());
  if (!op) {
    FailureOr<linalg::GenericOp> generalized = linalg::generalizeNamedOp(rewriter, linalgOp);
    if (failed(generalized))
      return linalgOp.emitError("expected a linalg op with a structured body, found '")
             << linalgOp->getName() << "'";
    op = *generalized;
  }
  op = mergeLoops(rewriter, op);
  rewriter.setInsertionPoint(op);
  if (FailureOr<cpu::LoopPlan> plan = cpu::planLoops(op, target); succeeded(plan)) {
    cpu::emitLoopNest(rewriter, op, *plan, target);
  } else if (failed(linalg::linalgOpToLoops(rewriter, op))) {
    return op.emitError("expected a linalg op that loops can express");
  }
  rewriter.eraseOp(op);
  return success();
}

struct VectorizeLoopsPass : public rlx::impl::VectorizeLoopsBase<VectorizeLoopsPass> {
  using VectorizeLoopsBase::VectorizeLoopsBase;

  LogicalResult initialize(MLIRContext *context) override {
    llvm::Expected<CpuTarget> described = CpuTarget::get(triple, cpu, features);
    if (!described)
      return emitError(UnknownLoc::get(context)) << llvm::toString(described.takeError());
    target = *described;
    return success();
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](memref::CopyOp copy) {
      rewriter.setInsertionPoint(copy);
      linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(), copy.getTarget());
      rewriter.eraseOp(copy);
    });
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops)
      if (failed(lowerOp(rewriter, op, target)))
        return signalPassFailure();
  }

private:
  CpuTarget target;
};

} // namespace
