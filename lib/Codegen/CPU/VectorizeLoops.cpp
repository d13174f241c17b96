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

/// The dimension of an operand indexed with `map` that loop `dim` walks, if loop
/// `dim + 1` walks the next one and both walk nothing else. Fails if the loops walk
/// the operand in any other way; gives nothing if they don't move over it.
FailureOr<std::optional<unsigned>> findLoopPair(AffineMap map, unsigned dim) {
  std::optional<unsigned> position;
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    AffineExpr expr = map.getResult(i);
    if (!expr.isFunctionOfDim(dim) && !expr.isFunctionOfDim(dim + 1))
      continue;
    bool startsPair = !position && i + 1 < map.getNumResults() &&
                      expr == getAffineDimExpr(dim, map.getContext()) &&
                      map.getResult(i + 1) == getAffineDimExpr(dim + 1, map.getContext());
    if (!startsPair)
      return failure();
    position = i++;
  }
  return position;
}

/// Groups of dimensions of a memref of rank `rank` in which `dim` and the next are one.
SmallVector<ReassociationIndices> groupPair(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < rank; ++i)
    if (i == dim + 1)
      groups.back().push_back(i);
    else
      groups.push_back({i});
  return groups;
}

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
  return !indexed &&
         llvm::all_of(llvm::zip(op.getIndexingMapsArray(), op->getOperands()), [&](auto pair) {
           auto [map, operand] = pair;
           FailureOr<std::optional<unsigned>> position = findLoopPair(map, dim);
           if (failed(position))
             return false;
           auto type = dyn_cast<MemRefType>(operand.getType());
           return !*position || memref::CollapseShapeOp::isGuaranteedCollapsible(
                                    type, groupPair(type.getRank(), **position));
         });
}

/// Makes loops `dim` and `dim + 1` of `op` one, over operands with merged dimensions.
linalg::GenericOp mergePair(RewriterBase &rewriter, linalg::GenericOp op, unsigned dim) {
  // Loops behind the pair move up by one.
  SmallVector<AffineExpr> newDims;
  for (unsigned i = 0; i < op.getNumLoops(); ++i)
    newDims.push_back(rewriter.getAffineDimExpr(i <= dim ? i : i - 1));
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (auto [map, operand] : llvm::zip(op.getIndexingMapsArray(), op->getOperands())) {
    SmallVector<AffineExpr> exprs = llvm::to_vector(map.getResults());
    operands.push_back(operand);
    if (std::optional<unsigned> position = *findLoopPair(map, dim)) {
      exprs.erase(exprs.begin() + *position + 1);
      int64_t rank = cast<MemRefType>(operand.getType()).getRank();
      operands.back() = memref::CollapseShapeOp::create(rewriter, op.getLoc(), operand,
                                                        groupPair(rank, *position));
    }
    for (AffineExpr &expr : exprs)
      expr = expr.replaceDims(newDims);
    maps.push_back(AffineMap::get(op.getNumLoops() - 1, 0, exprs, op.getContext()));
  }
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  kinds.erase(kinds.begin() + dim);

  ArrayRef<Value> all = operands;
  auto merged = linalg::GenericOp::create(rewriter, op.getLoc(), TypeRange(),
                                          all.take_front(op.getNumDpsInputs()),
                                          all.drop_front(op.getNumDpsInputs()), maps, kinds);
  merged.getRegion().takeBody(op.getRegion());
  merged.getBody()->walk([&](linalg::IndexOp index) {
    if (index.getDim() > dim)
      index.setDim(index.getDim() - 1);
  });
  rewriter.eraseOp(op);
  return merged;
}

/// Merges loops of `op` that walk memory without gaps, so that vectors may span them.
linalg::GenericOp mergeLoops(RewriterBase &rewriter, linalg::GenericOp op) {
  // A group of several loops is mergeable if its pairs are.
  for (unsigned dim = 0; dim + 1 < op.getNumLoops();) {
    if (areMergeable(op, dim))
      op = mergePair(rewriter, op, dim);
    else
      ++dim;
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
