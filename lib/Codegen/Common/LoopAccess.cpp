//===- LoopAccess.cpp - how loops of an op index its tensors --------------===//

#include "LoopAccess.h"

#include "dialects/rlx/Rlx.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace rlx;

bool rlx::isTileableOp(Operation *op) {
  if (!isa<linalg::LinalgOp, ir::PackedMatmulOp, ir::OnlineAttentionOp>(op))
    return false;
  return cast<DestinationStyleOpInterface>(op).hasPureTensorSemantics();
}

SmallVector<int64_t> rlx::getLoopSizes(TilingInterface op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op.getOperation()))
    return linalgOp.getStaticLoopRanges();
  if (auto matmul = dyn_cast<ir::PackedMatmulOp>(op.getOperation()))
    return llvm::to_vector(matmul.getInitType().getShape());
  auto attention = cast<ir::OnlineAttentionOp>(op.getOperation());
  ShapedType q = attention.getShaped(attention.getQ());
  return {q.getDimSize(0), attention.getNumHeads(), q.getDimSize(attention.getRowDim())};
}

/// The dimensions of an operand or output of attention, by the loops (batch, head, query).
static LoopOfDim getAttentionLoops(ir::OnlineAttentionOp op, bool ofQueries) {
  std::optional<unsigned> row = ofQueries ? std::optional<unsigned>(2) : std::nullopt;
  switch (op.getLayout()) {
  case ir::AttentionLayout::Sequence:
    return {0u, row, std::nullopt};
  case ir::AttentionLayout::HeadSequence:
    return {0u, 1u, row, std::nullopt};
  case ir::AttentionLayout::HeadChannel:
    return {0u, 1u, std::nullopt, row};
  }
  llvm_unreachable("unknown layout");
}

static LoopOfDim getMapLoops(AffineMap map, bool &exact) {
  LoopOfDim loops;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      loops.push_back(dim.getPosition());
    } else {
      loops.push_back(std::nullopt);
      exact &= isa<AffineConstantExpr>(expr);
    }
  }
  return loops;
}

LoopOfDim rlx::getResultLoops(TilingInterface op, unsigned resultNumber) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op.getOperation())) {
    bool exact = true;
    return getMapLoops(linalgOp.getIndexingMapMatchingResult(op->getResult(resultNumber)), exact);
  }
  if (auto matmul = dyn_cast<ir::PackedMatmulOp>(op.getOperation())) {
    LoopOfDim loops;
    for (unsigned dim = 0, rank = matmul.getInitType().getRank(); dim < rank; ++dim)
      loops.push_back(dim);
    return loops;
  }
  if (resultNumber == 1)
    return {0u, 1u, 2u};
  return getAttentionLoops(cast<ir::OnlineAttentionOp>(op.getOperation()), /*ofQueries=*/true);
}

LoopOfDim rlx::getOperandLoops(TilingInterface op, OpOperand &operand, bool &exact) {
  exact = true;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op.getOperation()))
    return getMapLoops(linalgOp.getMatchingIndexingMap(&operand), exact);
  auto dps = cast<DestinationStyleOpInterface>(op.getOperation());
  if (dps.isDpsInit(&operand))
    return getResultLoops(op, dps.getTiedOpResult(&operand).getResultNumber());
  if (auto matmul = dyn_cast<ir::PackedMatmulOp>(op.getOperation())) {
    unsigned last = matmul.getInitType().getRank() - 1;
    if (operand.get() == matmul.getBias())
      return {last};
    if (operand.get() == matmul.getPacked()) {
      exact = false; // panels of columns
      return {std::nullopt, std::nullopt, std::nullopt};
    }
    LoopOfDim loops = getResultLoops(op, 0);
    loops[last] = std::nullopt;
    return loops;
  }
  auto attention = cast<ir::OnlineAttentionOp>(op.getOperation());
  if (operand.get() == attention.getMask()) {
    LoopOfDim loops = {0u, 1u, 2u, std::nullopt};
    for (unsigned dim = 0; dim < 3; ++dim)
      if (attention.getShaped(attention.getMask()).getDimSize(dim) == 1)
        loops[dim] = std::nullopt;
    return loops;
  }
  // Channels of the sequence layout are tiled with the heads.
  exact = attention.getLayout() != ir::AttentionLayout::Sequence;
  return getAttentionLoops(attention, operand.getOperandNumber() == 0);
}

bool rlx::isComputeHeavy(Operation *op) {
  if (isa<ir::PackedMatmulOp, ir::OnlineAttentionOp>(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && (linalg::isaContractionOpInterface(linalgOp) ||
                      linalg::isaConvolutionOpInterface(linalgOp));
}

int64_t rlx::estimateFlops(TilingInterface op, int64_t dynamicSize) {
  auto known = [&](int64_t size) { return ShapedType::isDynamic(size) ? dynamicSize : size; };
  int64_t points = 1;
  for (int64_t size : getLoopSizes(op))
    points *= known(size);
  if (auto matmul = dyn_cast<ir::PackedMatmulOp>(op.getOperation()))
    return 2 * points * known(matmul.getPackedType().getDimSize(1));
  if (auto attention = dyn_cast<ir::OnlineAttentionOp>(op.getOperation())) {
    int64_t keys = known(attention.getShaped(attention.getK()).getDimSize(attention.getRowDim()));
    // An exponential costs about ten operations.
    return points * keys *
           (2 * attention.getHeadSize(attention.getQ()) +
            2 * attention.getHeadSize(attention.getV()) + 10);
  }
  // Outside of contractions, reading and writing elements costs as much as the arithmetic.
  int64_t flops = isComputeHeavy(op) ? 0 : 4 * op->getNumOperands();
  for (Operation &inner : op->getRegion(0).front().without_terminator())
    flops += inner.getDialect()->getNamespace() == "math" ? 10 : 1;
  return points * std::max<int64_t>(flops, 1);
}
