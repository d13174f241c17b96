//===- LoopAccess.cpp - how loops of an op index its tensors --------------===//

#include "LoopAccess.h"

#include "dialects/rlx/Rlx.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace rlx;

bool rlx::isTileableOp(Operation *op) {
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return pad.getResultType().hasRank() && pad.getConstantPaddingValue();
  if (!isa<linalg::LinalgOp, ir::PackedMatmulOp, ir::OnlineAttentionOp, ir::CombineChunksOp>(op))
    return false;
  return cast<DestinationStyleOpInterface>(op).hasPureTensorSemantics();
}

SmallVector<int64_t> rlx::getLoopSizes(TilingInterface op) {
  if (auto pad = dyn_cast<tensor::PadOp>(op.getOperation()))
    return llvm::to_vector(pad.getResultType().getShape());
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op.getOperation()))
    return linalgOp.getStaticLoopRanges();
  if (auto matmul = dyn_cast<ir::PackedMatmulOp>(op.getOperation()))
    return llvm::to_vector(matmul.getInitType().getShape());
  if (auto combine = dyn_cast<ir::CombineChunksOp>(op.getOperation()))
    return combine.getStaticLoopSizes();
  return cast<ir::OnlineAttentionOp>(op.getOperation()).getStaticLoopSizes();
}

SmallVector<bool> rlx::getTileableLoops(TilingInterface op) {
  SmallVector<bool> tileable;
  if (auto pad = dyn_cast<tensor::PadOp>(op.getOperation())) {
    llvm::SmallBitVector padded = pad.getPaddedDims();
    for (int64_t dim = 0, rank = pad.getResultType().getRank(); dim < rank; ++dim)
      tileable.push_back(!padded[dim]);
    return tileable;
  }
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

static LoopOfDim getMapLoops(AffineMap map) {
  LoopOfDim loops;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    loops.push_back(dim ? std::optional<unsigned>(dim.getPosition()) : std::nullopt);
  }
  return loops;
}

LoopOfDim rlx::getResultLoops(TilingInterface op, unsigned resultNumber) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op.getOperation()))
    return getMapLoops(linalgOp.getIndexingMapMatchingResult(op->getResult(resultNumber)));
  if (auto pad = dyn_cast<tensor::PadOp>(op.getOperation())) {
    LoopOfDim loops;
    for (auto [dim, tileable] : llvm::enumerate(getTileableLoops(op)))
      loops.push_back(tileable ? std::optional<unsigned>(dim) : std::nullopt);
    return loops;
  }
  if (auto matmul = dyn_cast<ir::PackedMatmulOp>(op.getOperation())) {
    LoopOfDim loops;
    for (unsigned dim = 0, rank = matmul.getInitType().getRank(); dim < rank; ++dim)
      loops.push_back(dim);
    return loops;
  }
  if (isa<ir::CombineChunksOp>(op.getOperation()))
    return resultNumber == 0 ? LoopOfDim{0u, 2u, std::nullopt} : LoopOfDim{0u, 1u, 2u};
  auto attention = cast<ir::OnlineAttentionOp>(op.getOperation());
  LoopOfDim loops = resultNumber == 0 ? getAttentionLoops(attention, 2) : LoopOfDim{0u, 1u, 2u};
  if (attention.getKeyChunk())
    loops.insert(loops.begin(), std::nullopt);
  return loops;
}

static LoopOfDim getAttentionOperandLoops(ir::OnlineAttentionOp op, OpOperand &operand) {
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
  return loops;
}

LoopOfDim rlx::getOperandLoops(TilingInterface op, OpOperand &operand) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op.getOperation()))
    return getMapLoops(linalgOp.getMatchingIndexingMap(&operand));
  if (isa<tensor::PadOp>(op.getOperation()))
    return getResultLoops(op, 0);
  auto dps = cast<DestinationStyleOpInterface>(op.getOperation());
  if (dps.isDpsInit(&operand))
    return getResultLoops(op, dps.getTiedOpResult(&operand).getResultNumber());
  if (auto matmul = dyn_cast<ir::PackedMatmulOp>(op.getOperation())) {
    unsigned last = matmul.getInitType().getRank() - 1;
    if (operand.get() == matmul.getBias())
      return {last};
    if (operand.get() == matmul.getPacked()) // panels of columns
      return {std::nullopt, std::nullopt, std::nullopt};
    LoopOfDim loops = getResultLoops(op, 0);
    loops[last] = std::nullopt;
    return loops;
  }
  if (isa<ir::CombineChunksOp>(op.getOperation())) {
    if (operand.getOperandNumber() == 0)
      return {std::nullopt, 0u, 2u, std::nullopt};
    return {std::nullopt, 0u, 1u, 2u};
  }
  return getAttentionOperandLoops(cast<ir::OnlineAttentionOp>(op.getOperation()), operand);
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
  if (isa<tensor::PadOp>(op.getOperation()))
    return 4 * points;
  if (auto matmul = dyn_cast<ir::PackedMatmulOp>(op.getOperation()))
    return 2 * points * known(matmul.getPackedType().getDimSize(1));
  if (auto attention = dyn_cast<ir::OnlineAttentionOp>(op.getOperation())) {
    // An exponential costs about ten operations.
    return points * (2 * attention.getHeadSize(attention.getQ()) +
                     2 * attention.getHeadSize(attention.getV()) + 10);
  }
  if (auto combine = dyn_cast<ir::CombineChunksOp>(op.getOperation())) {
    int64_t chunks = cast<ShapedType>(combine.getParts().getType()).getDimSize(0);
    return points * known(chunks) * (4 * combine.getHeadSize() + 10);
  }
  // Outside of contractions, reading and writing elements costs as much as the arithmetic.
  int64_t flops = isComputeHeavy(op) ? 0 : 4 * op->getNumOperands();
  for (Operation &inner : op->getRegion(0).front().without_terminator())
    flops += inner.getDialect()->getNamespace() == "math" ? 10 : 1;
  return points * std::max<int64_t>(flops, 1);
}
