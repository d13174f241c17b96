//===- OpCost.cpp - what an op on buffers computes and touches ------------===//

#include "OpCost.h"

#include "dialects/rlx/Rlx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace rlx;

//===----------------------------------------------------------------------===//
// Floating-point operations
//===----------------------------------------------------------------------===//

/// Whether an op of a linalg op's body is a floating-point operation.
static bool isFloatOperation(Operation &op) {
  if (op.getNumResults() != 1 || !isa<FloatType>(op.getResult(0).getType()))
    return false;
  if (isa<math::MathDialect>(op.getDialect()))
    return true;
  return isa<arith::ArithDialect>(op.getDialect()) && !op.hasTrait<OpTrait::ConstantLike>() &&
         !isa<arith::SelectOp, CastOpInterface>(op);
}

/// Adds a loop over dim `dim` of `memref`.
static void addLoop(OpFlops &flops, Value memref, int64_t dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.isDynamicDim(dim))
    flops.extents.push_back({memref, dim});
  else
    flops.factor *= type.getDimSize(dim);
}

/// Adds loop `loop` of `op`, which is as long as a dim that it walks alone.
static void addLoop(OpFlops &flops, linalg::LinalgOp op, unsigned loop) {
  AffineExpr expected = getAffineDimExpr(loop, op.getContext());
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (expr == expected)
        return addLoop(flops, operand.get(), dim);
  llvm_unreachable("linalg verifies that every loop has a size");
}

static OpFlops countLinalgFlops(linalg::LinalgOp op) {
  OpFlops flops;
  flops.factor = llvm::count_if(op.getBlock()->without_terminator(), isFloatOperation);
  if (flops.factor)
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      addLoop(flops, op, loop);
  return flops;
}

static OpFlops countMatmulFlops(ir::PackedMatmulOp op) {
  OpFlops flops;
  flops.factor = 2 * op.getPackedType().getDimSize(1) + (op.getAct() ? 1 : 0);
  for (int64_t dim = 0; dim < op.getInitType().getRank(); ++dim)
    addLoop(flops, op.getInit(), dim);
  return flops;
}

static OpFlops countAttentionFlops(ir::OnlineAttentionOp op) {
  // Of a score beside its products: scale, maximum, difference, exponential, sum.
  constexpr int64_t softmaxFlops = 5;
  OpFlops flops;
  flops.factor = 2 * op.getHeadSize(op.getQ()) + 2 * op.getHeadSize(op.getV()) + softmaxFlops;
  flops.factor *= static_cast<int64_t>(op.getNumHeads());
  addLoop(flops, op.getQ(), 0);
  addLoop(flops, op.getQ(), op.getRowDim());
  addLoop(flops, op.getK(), op.getRowDim());
  return flops;
}

static OpFlops countCombineFlops(ir::CombineChunksOp op) {
  // Of a chunk's share of a row: maximum, difference, exponential, product, sum.
  constexpr int64_t shareFlops = 5;
  OpFlops flops;
  flops.factor = (2 * op.getHeadSize() + shareFlops) * static_cast<int64_t>(op.getNumHeads());
  addLoop(flops, op.getParts(), 0);
  addLoop(flops, op.getOut(), 0);
  addLoop(flops, op.getOut(), 1);
  return flops;
}

OpFlops rlx::countFlops(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return countLinalgFlops(linalgOp);
  if (auto matmul = dyn_cast<ir::PackedMatmulOp>(op))
    return countMatmulFlops(matmul);
  if (auto attention = dyn_cast<ir::OnlineAttentionOp>(op))
    return countAttentionFlops(attention);
  if (auto combine = dyn_cast<ir::CombineChunksOp>(op))
    return countCombineFlops(combine);
  return {};
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

SmallVector<BufferAccess> rlx::getBufferAccesses(Operation *op) {
  SmallVector<BufferAccess> accesses;
  auto add = [&](Value value, bool isWrite) {
    if (isa<MemRefType>(value.getType()))
      accesses.push_back({value, isWrite});
  };
  if (auto dps = dyn_cast<DestinationStyleOpInterface>(op)) {
    for (OpOperand *input : dps.getDpsInputOperands())
      add(input->get(), /*isWrite=*/false);
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      for (OpOperand &init : linalgOp.getDpsInitsMutable())
        if (linalgOp.payloadUsesValueFromOperand(&init))
          add(init.get(), /*isWrite=*/false);
      for (auto load : linalgOp.getBlock()->getOps<memref::LoadOp>())
        add(load.getMemRef(), /*isWrite=*/false);
    }
    for (Value init : dps.getDpsInits())
      add(init, /*isWrite=*/true);
  } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    add(copy.getSource(), /*isWrite=*/false);
    add(copy.getTarget(), /*isWrite=*/true);
  }
  return accesses;
}
