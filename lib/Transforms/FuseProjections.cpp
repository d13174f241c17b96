//===- FuseProjections.cpp - projections of one input as one product ------===//

#include "rlx/Transforms/Passes.h"

#include "dialects/rlx/Rlx.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace rlx {
#define GEN_PASS_DEF_FUSEPROJECTIONS
#include "rlx/Transforms/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

namespace {

using Projections = SmallVector<ir::FusedMatmulBiasActOp>;

/// Whether `value` can be computed once, when params are bound.
bool dependsOnParamsAlone(Value value) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  if (failed(getBackwardSlice(value, &slice, options)))
    return false;
  return value.getDefiningOp() && llvm::none_of(slice, [](Operation *op) {
           return llvm::any_of(op->getOperands(), llvm::IsaPred<BlockArgument>);
         });
}

/// Whether two projections differ in their weights and biases alone.
bool shareInput(ir::FusedMatmulBiasActOp a, ir::FusedMatmulBiasActOp b) {
  return a.getX() == b.getX() && a->getBlock() == b->getBlock() && a.getAct() == b.getAct() &&
         getElementTypeOrSelf(a.getW()) == getElementTypeOrSelf(b.getW()) &&
         getElementTypeOrSelf(a.getBias()) == getElementTypeOrSelf(b.getBias()) &&
         getElementTypeOrSelf(a.getType()) == getElementTypeOrSelf(b.getType());
}

class FuseProjectionsPass : public rlx::impl::FuseProjectionsBase<FuseProjectionsPass> {
public:
  using FuseProjectionsBase::FuseProjectionsBase;

  void runOnOperation() override {
    SmallVector<Projections> groups;
    getOperation()->walk([&](ir::FusedMatmulBiasActOp op) {
      auto *group =
          llvm::find_if(groups, [&](Projections &g) { return shareInput(g.front(), op); });
      if (group == groups.end())
        groups.push_back({op});
      else
        group->push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Projections &group : groups) {
      if (group.size() > 1)
        llvm::erase_if(group, [&](ir::FusedMatmulBiasActOp op) { return !isFusable(op); });
      if (group.size() > 1)
        fuse(rewriter, group);
    }
  }

private:
  bool isFusable(ir::FusedMatmulBiasActOp op) {
    if (!dependsOnParamsAlone(op.getW()) || !dependsOnParamsAlone(op.getBias())) {
      op.emitRemark("not fused: expected a weight and a bias that depend on params alone");
      return false;
    }
    int64_t rows = 1;
    for (int64_t size : op.getType().getShape().drop_back())
      rows *= ShapedType::isDynamic(size) ? 1 : size;
    if (rows <= maxRows)
      return true;
    op.emitRemark("not fused: expected at most ") << maxRows.getValue() << " rows, found " << rows;
    return false;
  }

  /// One product with all weights side by side, of whose columns each gets its own.
  void fuse(IRRewriter &rewriter, const Projections &group) {
    ir::FusedMatmulBiasActOp first = group.front();
    rewriter.setInsertionPoint(first);
    ImplicitLocOpBuilder builder(first.getLoc(), rewriter);
    SmallVector<Value> weights, biases;
    for (ir::FusedMatmulBiasActOp op : group) {
      weights.push_back(cloneHere(rewriter, op.getW()));
      biases.push_back(cloneHere(rewriter, op.getBias()));
    }
    Value weight = ir::ConcatOp::create(builder, weights, /*axis=*/1);
    Value bias = ir::ConcatOp::create(builder, biases, /*axis=*/0);
    Value wide =
        ir::FusedMatmulBiasActOp::create(builder, first.getX(), weight, bias, first.getActAttr());
    int64_t start = 0, axis = first.getType().getRank() - 1;
    SmallVector<Value> parts;
    for (ir::FusedMatmulBiasActOp op : group) {
      int64_t columns = op.getType().getDimSize(axis);
      parts.push_back(ir::NarrowOp::create(builder, wide, axis, start, columns));
      start += columns;
    }
    for (auto [op, part] : llvm::zip_equal(group, parts))
      rewriter.replaceOp(op, part);
    numFused += group.size();
  }

  /// `value`, which depends on params alone, computed where the rewriter is.
  static Value cloneHere(IRRewriter &rewriter, Value value) {
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    (void)getBackwardSlice(value, &slice, options);
    IRMapping map;
    for (Operation *op : topologicalSort(slice))
      rewriter.clone(*op, map);
    return map.lookup(value);
  }
};

} // namespace
