//===- OutlineParallel.cpp - scf.forall to tasks of the host --------------===//
//
// Finds the outermost parallel loops, moves what their bodies can recompute into
// them, and outlines the bodies as functions.
//
//===----------------------------------------------------------------------===//

#include "rlx/Codegen/Passes.h"
#include "rlx/Codegen/Signature.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

namespace rlx {
#define GEN_PASS_DEF_OUTLINEPARALLEL
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

/// Whether a task computes `op` again rather than capturing its result: it is
/// free there, and shows the task the buffer behind a view.
static bool isRecomputedInTask(Operation *op) {
  return matchPattern(op, m_Constant()) ||
         isa<memref::GetGlobalOp, memref::SubViewOp, memref::CastOp, memref::ExpandShapeOp,
             memref::CollapseShapeOp, memref::ReinterpretCastOp, memref::DimOp>(op);
}

/// Clones into the loop what isRecomputedInTask says, and returns what is left
/// for it to capture, each value once.
static SetVector<Value> sinkAndCollectCaptures(scf::ForallOp loop) {
  OpBuilder builder(loop.getContext());
  SetVector<Value> captures;
  for (;;) {
    captures.clear();
    getUsedValuesDefinedAbove(loop.getRegion(), captures);
    bool changed = false;
    for (Value value : captures) {
      Operation *op = value.getDefiningOp();
      if (!op || !isRecomputedInTask(op))
        continue;
      builder.setInsertionPointToStart(loop.getBody());
      Operation *clone = builder.clone(*op);
      for (auto [original, copy] : llvm::zip_equal(op->getResults(), clone->getResults()))
        original.replaceUsesWithIf(copy, [&](OpOperand &use) {
          return loop.getRegion().isAncestor(use.getOwner()->getParentRegion()) &&
                 use.getOwner() != clone;
        });
      changed = true;
    }
    if (!changed)
      return captures;
  }
}

/// Whether all captured buffers are known to be apart: arguments of the function,
/// views of the workspace, and stack buffers. See the pass description.
static bool areBuffersDistinct(const SetVector<Value> &captures) {
  bool hasWorkspace = false, hasView = false;
  for (Value value : captures) {
    if (!isa<MemRefType>(value.getType()))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
      if (!function || !argument.getOwner()->isEntryBlock())
        return false;
      hasWorkspace |= !!function.getArgAttr(argument.getArgNumber(), hostabi::kWorkspace);
      continue;
    }
    hasView |= isa<memref::ViewOp>(value.getDefiningOp());
    if (!isa<memref::ViewOp, memref::AllocaOp>(value.getDefiningOp()))
      return false;
  }
  return !(hasWorkspace && hasView);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Iterations of each dimension of `loop`, folded where static.
static SmallVector<OpFoldResult> getTripCounts(OpBuilder &builder, scf::ForallOp loop) {
  AffineExpr lb, ub, step;
  bindSymbols(builder.getContext(), lb, ub, step);
  SmallVector<OpFoldResult> counts;
  for (auto [low, high, by] :
       llvm::zip_equal(loop.getMixedLowerBound(), loop.getMixedUpperBound(), loop.getMixedStep()))
    counts.push_back(affine::makeComposedFoldedAffineApply(
        builder, loop.getLoc(), (ub - lb).ceilDiv(step), {low, high, by}));
  return counts;
}

/// Runs a loop of one iteration in place. Stack buffers move to the start of the
/// function, for the loop may be inside a sequential one.
static void inlineSingleIteration(IRRewriter &rewriter, scf::ForallOp loop) {
  auto function = loop->getParentOfType<func::FuncOp>();
  for (auto alloca : llvm::make_early_inc_range(loop.getBody()->getOps<memref::AllocaOp>()))
    if (alloca->getNumOperands() == 0)
      rewriter.moveOpBefore(alloca, &function.front(), function.front().begin());
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> indices = loop.getLowerBound(rewriter);
  rewriter.eraseOp(loop.getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(), loop, indices);
  rewriter.eraseOp(loop);
}

/// The loop's induction variables from the task's number, in row-major order.
static SmallVector<Value> delinearize(OpBuilder &builder, Location loc, Value index,
                                      ArrayRef<OpFoldResult> counts,
                                      ArrayRef<OpFoldResult> lowerBounds,
                                      ArrayRef<OpFoldResult> steps) {
  SmallVector<Value> positions(1, index);
  if (counts.size() > 1)
    positions = llvm::to_vector_of<Value>(
        affine::AffineDelinearizeIndexOp::create(builder, loc, index, counts).getResults());
  AffineExpr position, lb, step;
  bindDims(builder.getContext(), position);
  bindSymbols(builder.getContext(), lb, step);
  for (auto [value, low, by] : llvm::zip_equal(positions, lowerBounds, steps))
    value =
        getValueOrCreateConstantIndexOp(builder, loc,
                                        affine::makeComposedFoldedAffineApply(
                                            builder, loc, position * step + lb, {value, low, by}));
  return positions;
}

/// Makes `loop` a task of its function and a call that runs it.
static LogicalResult outline(IRRewriter &rewriter, scf::ForallOp loop, StringRef name) {
  if (loop->getNumResults() != 0)
    return loop.emitError("parallel loop over tensors: expected memrefs after bufferization");
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  SmallVector<OpFoldResult> counts = getTripCounts(rewriter, loop);
  if (llvm::all_of(counts, [](OpFoldResult count) { return isConstantIntValue(count, 1); })) {
    inlineSingleIteration(rewriter, loop);
    return success();
  }

  AffineExpr a, b;
  bindSymbols(rewriter.getContext(), a, b);
  OpFoldResult total = rewriter.getIndexAttr(1);
  for (OpFoldResult count : counts)
    total = affine::makeComposedFoldedAffineApply(rewriter, loc, a * b, {total, count});
  Value totalValue = getValueOrCreateConstantIndexOp(rewriter, loc, total);

  // Compute the induction variables inside the loop, from an argument that becomes the
  // task's, so that what they need is captured like everything else.
  rewriter.setInsertionPointToStart(loop.getBody());
  Value number = loop.getBody()->addArgument(rewriter.getIndexType(), loc);
  SmallVector<Value> inductionVars =
      delinearize(rewriter, loc, number, counts, loop.getMixedLowerBound(), loop.getMixedStep());
  for (auto [variable, value] : llvm::zip_equal(loop.getInductionVars(), inductionVars))
    rewriter.replaceAllUsesWith(variable, value);
  SetVector<Value> captures = sinkAndCollectCaptures(loop);

  auto parent = loop->getParentOfType<func::FuncOp>();
  SmallVector<Type> argumentTypes;
  for (Value capture : captures)
    argumentTypes.push_back(capture.getType());
  argumentTypes.push_back(rewriter.getIndexType());
  rewriter.setInsertionPointAfter(parent);
  auto task = func::FuncOp::create(rewriter, loc, name,
                                   rewriter.getFunctionType(argumentTypes, /*results=*/{}));
  task.setPrivate();
  Block *entry = task.addEntryBlock();
  bool distinct = areBuffersDistinct(captures);
  for (auto [index, capture] : llvm::enumerate(captures)) {
    if (distinct && isa<MemRefType>(capture.getType()))
      task.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(), rewriter.getUnitAttr());
    replaceAllUsesInRegionWith(capture, entry->getArgument(index), loop.getRegion());
  }
  rewriter.replaceAllUsesWith(number, entry->getArguments().back());
  rewriter.eraseOp(loop.getTerminator());
  entry->getOperations().splice(entry->end(), loop.getBody()->getOperations());
  rewriter.setInsertionPointToEnd(entry);
  func::ReturnOp::create(rewriter, loc);

  rewriter.setInsertionPoint(loop);
  host::ParallelForOp::create(rewriter, loc, totalValue, task.getSymName(), captures.getArrayRef());
  rewriter.eraseOp(loop);
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {

struct OutlineParallelPass : public rlx::impl::OutlineParallelBase<OutlineParallelPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (failed(runOnFunction(rewriter, function)))
        return signalPassFailure();
  }

  static LogicalResult runOnFunction(IRRewriter &rewriter, func::FuncOp function) {
    SmallVector<scf::ForallOp> loops;
    WalkResult walk = function.walk([&](scf::ForallOp loop) {
      if (!loop->getParentOfType<scf::ForallOp>()) {
        loops.push_back(loop);
        return WalkResult::advance();
      }
      rewriter.setInsertionPoint(loop);
      return WalkResult(scf::forallToForLoop(rewriter, loop));
    });
    if (walk.wasInterrupted())
      return failure();
    auto module = function->getParentOfType<ModuleOp>();
    unsigned number = 0;
    for (scf::ForallOp loop : loops) {
      std::string name;
      do
        name = (function.getSymName() + "_region_" + Twine(number++)).str();
      while (module.lookupSymbol(name));
      if (failed(outline(rewriter, loop, name)))
        return failure();
    }
    return success();
  }
};

} // namespace
