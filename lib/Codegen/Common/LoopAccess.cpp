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
  return cast<ir::OnlineAttentionOp>(op.getOperation()).getStaticLoopSizes();
}

SmallVector<bool> rlx::getTileableLoops(TilingInterface op) {
  SmallVector<bool> tileable;
  for (utils::IteratorType type : op.getLoopIteratorTypes())
    tileable.push_back(type == utils::IteratorType::parallel);
  auto attention = dyn_cast<ir::OnlineAttentionOp>(op.getOperation());
  if (attention && attention.getKeyChunk())
    tileable[1] = tileable[2] = false;
  return tileable;
}

/// The dimensions of an operand or output of attention, by the loops (batch, head, query,
/// key), but for the one that counts chunks. Rows are queries or keys.
static LoopOfDim getAttentionLoops(ir::OnlineAttentionOp op, unsigned row) {
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
  auto attention = cast<ir::OnlineAttentionOp>(op.getOperation());
  LoopOfDim loops = resultNumber == 0 ? getAttentionLoops(attention, 2) : LoopOfDim{0u, 1u, 2u};
  if (attention.getKeyChunk())
    loops.insert(loops.begin(), std::nullopt);
  return loops;
}

static LoopOfDim getAttentionOperandLoops(ir::OnlineAttentionOp op, OpOperand &operand,
                                          bool &exact) {
  LoopOfDim loops;
  if (operand.get() == op.getMask())
    loops = {0u, 1u, 2u, 3u};
  else if (operand.get() == op.getKeyBias())
    loops = {0u, 1u, 3u};
  else
    loops = getAttentionLoops(op, operand.getOperandNumber() == 0 ? 2 : 3);
  for (auto [dim, loop] : llvm::enumerate(loops)) {
    bool repeats = operand.getOperandNumber() > 2 && loop != 3u &&
                   op.getShaped(operand.get()).getDimSize(dim) == 1;
    if (repeats || (loop == 3u && !op.getKeyChunk()))
      loop = std::nullopt;
  }
  // Channels of the sequence layout are tiled with the heads, unless these stay whole.
  bool wholeHeads = op.getKeyChunk() || op.getNumHeads() == 1;
  exact = op.getLayout() != ir::AttentionLayout::Sequence || wholeHeads ||
          op.getHeadsOf(operand.get()) == 1;
  return loops;
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
  return getAttentionOperandLoops(cast<ir::OnlineAttentionOp>(op.getOperation()), operand, exact);
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
    // An exponential costs about ten operations.
    return points * (2 * attention.getHeadSize(attention.getQ()) +
                     2 * attention.getHeadSize(attention.getV()) + 10);
  }
  // Outside of contractions, reading and writing elements costs as much as the arithmetic.
  int64_t flops = isComputeHeavy(op) ? 0 : 4 * op->getNumOperands();
  for (Operation &inner : op->getRegion(0).front().without_terminator())
    flops += inner.getDialect()->getNamespace() == "math" ? 10 : 1;
  return points * std::max<int64_t>(flops, 1);
}
