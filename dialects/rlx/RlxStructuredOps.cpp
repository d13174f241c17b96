//===- RlxStructuredOps.cpp - Structured ops of code generation -----------===//

#include "dialects/rlx/Rlx.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace rlx;
using namespace rlx::ir;

//===----------------------------------------------------------------------===//
// Helpers shared by both ops
//===----------------------------------------------------------------------===//

/// Reads of the inputs, reads and writes of the destinations, once bufferized.
static void
addBufferEffects(DestinationStyleOpInterface op,
                 SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!op.hasPureBufferSemantics())
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand, SideEffects::DefaultResource::get());
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
}

/// The sizes of each result are those of the destination tied to it.
static LogicalResult reifyFromInits(OpBuilder &builder, DestinationStyleOpInterface op,
                                    ReifiedRankedShapedTypeDims &shapes) {
  for (Value init : op.getDpsInits())
    shapes.push_back(tensor::getMixedSizes(builder, op.getLoc(), init));
  return success();
}

/// True if no static size of `a` contradicts the one of `b`.
static bool sizesMatch(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

static OpFoldResult getDim(OpBuilder &builder, Location loc, Value tensor, int64_t dim) {
  return tensor::getMixedSize(builder, loc, tensor, dim);
}

static Range fullRange(OpBuilder &builder, OpFoldResult size) {
  return {builder.getIndexAttr(0), size, builder.getIndexAttr(1)};
}

/// `value floordiv divisor` (or ceildiv, multiply), folded where constant.
static OpFoldResult applyExpr(OpBuilder &builder, Location loc, AffineExpr expr,
                              OpFoldResult value) {
  return affine::makeComposedFoldedAffineApply(builder, loc, AffineMap::get(1, 0, expr), {value});
}

/// The unit-stride slice of `tensor` with the given offsets and sizes.
static Operation *sliceOf(OpBuilder &builder, Location loc, Value tensor,
                          ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, tensor, offsets, sizes, strides);
}

/// Clones `op` onto `operands`, with results of the types of the new destinations.
static TilingResult cloneTiled(OpBuilder &builder, DestinationStyleOpInterface op,
                               ArrayRef<Value> operands, ArrayRef<Operation *> slices) {
  SmallVector<Type> resultTypes;
  for (OpOperand &init : op.getDpsInitsMutable())
    resultTypes.push_back(operands[init.getOperandNumber()].getType());
  Operation *tiled = mlir::clone(builder, op, resultTypes, operands);
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), llvm::to_vector(slices)};
}

//===----------------------------------------------------------------------===//
// PackedMatmulOp
//===----------------------------------------------------------------------===//

LogicalResult PackedMatmulOp::verify() {
  ShapedType x = getXType(), packed = getPackedType(), init = getInitType();
  int64_t rank = x.getRank();
  auto biasType = getBias() ? cast<ShapedType>(getBias().getType()) : ShapedType();
  if (packed.getRank() != 3 || rank < 2 || init.getRank() != rank ||
      (biasType && biasType.getRank() != 1))
    return emitOpError("expected packed of rank 3, bias of rank 1, and x and out of one rank >= 2 "
                       "(C1), found x ")
           << x << ", packed " << packed << ", out " << init;
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    if (!sizesMatch(x.getDimSize(dim), init.getDimSize(dim)))
      return emitOpError("x and out: expected equal sizes of dim ")
             << dim << " (C2), found " << x.getDimSize(dim) << " and " << init.getDimSize(dim);
  if (!sizesMatch(x.getDimSize(rank - 1), packed.getDimSize(1)))
    return emitOpError("x: expected a last dim of ")
           << packed.getDimSize(1) << " (C3), found " << x.getDimSize(rank - 1);
  if (packed.isDynamicDim(2))
    return emitOpError("packed: expected a static panel width (C4), found ") << packed;
  int64_t columns = init.getDimSize(rank - 1);
  if (ShapedType::isDynamic(columns))
    return success();
  int64_t panels = llvm::divideCeil(columns, packed.getDimSize(2));
  if (!sizesMatch(packed.getDimSize(0), panels))
    return emitOpError("packed: expected ") << panels << " panels for " << columns
                                            << " columns (C4), found " << packed.getDimSize(0);
  if (biasType && !sizesMatch(biasType.getDimSize(0), columns))
    return emitOpError("bias: expected ")
           << columns << " elements (C4), found " << biasType.getDimSize(0);
  return success();
}

void PackedMatmulOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addBufferEffects(cast<DestinationStyleOpInterface>(getOperation()), effects);
}

LogicalResult PackedMatmulOp::reifyResultShapes(OpBuilder &builder,
                                                ReifiedRankedShapedTypeDims &shapes) {
  return reifyFromInits(builder, cast<DestinationStyleOpInterface>(getOperation()), shapes);
}

SmallVector<utils::IteratorType> PackedMatmulOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(getInitType().getRank(), utils::IteratorType::parallel);
}

SmallVector<Range> PackedMatmulOp::getIterationDomain(OpBuilder &builder) {
  SmallVector<Range> domain;
  for (int64_t dim = 0, rank = getInitType().getRank(); dim < rank; ++dim)
    domain.push_back(fullRange(builder, getDim(builder, getLoc(), getInit(), dim)));
  return domain;
}

FailureOr<TilingResult> PackedMatmulOp::getTiledImplementation(OpBuilder &builder,
                                                               ArrayRef<OpFoldResult> offsets,
                                                               ArrayRef<OpFoldResult> sizes) {
  Location loc = getLoc();
  int64_t rank = getInitType().getRank();
  OpFoldResult zero = builder.getIndexAttr(0);
  OpFoldResult depth = getDim(builder, loc, getPacked(), 1);
  OpFoldResult panelWidth = builder.getIndexAttr(getPanelWidth());

  SmallVector<OpFoldResult> xOffsets(offsets), xSizes(sizes);
  xOffsets[rank - 1] = zero;
  xSizes[rank - 1] = depth;
  AffineExpr n = builder.getAffineDimExpr(0);
  OpFoldResult panel = applyExpr(builder, loc, n.floorDiv(getPanelWidth()), offsets[rank - 1]);
  OpFoldResult panels = applyExpr(builder, loc, n.ceilDiv(getPanelWidth()), sizes[rank - 1]);

  SmallVector<Operation *> slices = {
      sliceOf(builder, loc, getX(), xOffsets, xSizes),
      sliceOf(builder, loc, getPacked(), {panel, zero, zero}, {panels, depth, panelWidth})};
  if (getBias())
    slices.push_back(sliceOf(builder, loc, getBias(), {offsets[rank - 1]}, {sizes[rank - 1]}));
  slices.push_back(sliceOf(builder, loc, getInit(), offsets, sizes));

  SmallVector<Value> operands;
  for (Operation *slice : slices)
    operands.push_back(slice->getResult(0));
  return cloneTiled(builder, cast<DestinationStyleOpInterface>(getOperation()), operands, slices);
}

LogicalResult PackedMatmulOp::getResultTilePosition(OpBuilder &builder, unsigned resultNumber,
                                                    ArrayRef<OpFoldResult> offsets,
                                                    ArrayRef<OpFoldResult> sizes,
                                                    SmallVector<OpFoldResult> &resultOffsets,
                                                    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  return success();
}

FailureOr<TilingResult> PackedMatmulOp::generateResultTileValue(OpBuilder &builder,
                                                                unsigned resultNumber,
                                                                ArrayRef<OpFoldResult> offsets,
                                                                ArrayRef<OpFoldResult> sizes) {
  return getTiledImplementation(builder, offsets, sizes);
}

//===----------------------------------------------------------------------===//
// OnlineAttentionOp
//===----------------------------------------------------------------------===//

LogicalResult OnlineAttentionOp::verify() {
  ShapedType q = getShaped(getQ()), k = getShaped(getK()), v = getShaped(getV());
  if (getInits().empty() || getInits().size() > 2)
    return emitOpError("expected one or two outs, found ") << getInits().size();
  ShapedType out = getShaped(getOut());
  int64_t rank = getLayout() == AttentionLayout::Sequence ? 3 : 4;
  for (ShapedType type : {q, k, v, out})
    if (type.getRank() != rank)
      return emitOpError("expected operands of rank ") << rank << " (C1), found " << type;
  unsigned channelDim = getLayout() == AttentionLayout::Sequence ? 2 : 5 - getRowDim();
  for (ShapedType type : {q, k, v, out}) {
    if (type.isDynamicDim(channelDim))
      return emitOpError("expected static channels (C1), found ") << type;
    if (rank == 3 && type.getDimSize(2) % getNumHeads() != 0)
      return emitOpError("expected channels that num_heads ")
             << getNumHeads() << " divides (C1), found " << type;
  }
  for (ShapedType type : {k, v, out})
    if (!sizesMatch(q.getDimSize(0), type.getDimSize(0)) ||
        (rank == 4 && !sizesMatch(q.getDimSize(1), type.getDimSize(1))))
      return emitOpError("expected equal batch and heads (C2), found ") << q << " and " << type;
  unsigned row = getRowDim();
  if (getHeadSize(getQ()) != getHeadSize(getK()) || getHeadSize(getV()) != getHeadSize(getOut()) ||
      !sizesMatch(q.getDimSize(row), out.getDimSize(row)) ||
      !sizesMatch(k.getDimSize(row), v.getDimSize(row)))
    return emitOpError("expected q and k of one head size, v and out of another, q and out of as "
                       "many queries, k and v of as many keys (C2), found ")
           << q << ", " << k << ", " << v << " and " << out;
  bool wantsMask = getMaskKind() == MaskKind::Custom || getMaskKind() == MaskKind::Bias;
  if (wantsMask != static_cast<bool>(getMask()) ||
      (getMask() && getShaped(getMask()).getRank() != 4))
    return emitOpError("expected a mask of rank 4 exactly for custom and bias (C3)");
  bool wantsWindow = getMaskKind() == MaskKind::SlidingWindow;
  if (wantsWindow != getWindow().has_value() || (getWindow() && *getWindow() < 0))
    return emitOpError("expected a window >= 0 exactly for sliding_window (C4)");
  return success();
}

void OnlineAttentionOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addBufferEffects(cast<DestinationStyleOpInterface>(getOperation()), effects);
}

LogicalResult OnlineAttentionOp::reifyResultShapes(OpBuilder &builder,
                                                   ReifiedRankedShapedTypeDims &shapes) {
  return reifyFromInits(builder, cast<DestinationStyleOpInterface>(getOperation()), shapes);
}

SmallVector<utils::IteratorType> OnlineAttentionOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(3, utils::IteratorType::parallel);
}

SmallVector<Range> OnlineAttentionOp::getIterationDomain(OpBuilder &builder) {
  return {fullRange(builder, getDim(builder, getLoc(), getQ(), 0)),
          fullRange(builder, builder.getIndexAttr(getNumHeads())),
          fullRange(builder, getDim(builder, getLoc(), getQ(), getRowDim()))};
}

namespace {
/// A tile of (batch, head, row) of an attention operand.
struct AttentionTile {
  OpFoldResult batch, batches, head, heads, row, rows;
};
} // namespace

/// Offsets and sizes of `tile` in a q, k, v or out operand of the op's layout.
static void getOperandTile(OpBuilder &builder, OnlineAttentionOp op, Value operand,
                           const AttentionTile &tile, SmallVector<OpFoldResult> &offsets,
                           SmallVector<OpFoldResult> &sizes) {
  OpFoldResult zero = builder.getIndexAttr(0);
  int64_t headSize = op.getHeadSize(operand);
  OpFoldResult channels = builder.getIndexAttr(headSize);
  switch (op.getLayout()) {
  case AttentionLayout::Sequence: {
    AffineExpr scaled = builder.getAffineDimExpr(0) * headSize;
    offsets = {tile.batch, tile.row, applyExpr(builder, op.getLoc(), scaled, tile.head)};
    sizes = {tile.batches, tile.rows, applyExpr(builder, op.getLoc(), scaled, tile.heads)};
    return;
  }
  case AttentionLayout::HeadSequence:
    offsets = {tile.batch, tile.head, tile.row, zero};
    sizes = {tile.batches, tile.heads, tile.rows, channels};
    return;
  case AttentionLayout::HeadChannel:
    offsets = {tile.batch, tile.head, zero, tile.row};
    sizes = {tile.batches, tile.heads, channels, tile.rows};
    return;
  }
}

FailureOr<TilingResult> OnlineAttentionOp::getTiledImplementation(OpBuilder &builder,
                                                                  ArrayRef<OpFoldResult> offsets,
                                                                  ArrayRef<OpFoldResult> sizes) {
  Location loc = getLoc();
  std::optional<int64_t> heads = getConstantIntValue(sizes[1]);
  if (!heads)
    return failure();
  OpFoldResult zero = builder.getIndexAttr(0);
  AttentionTile queries{offsets[0], sizes[0], offsets[1], sizes[1], offsets[2], sizes[2]};
  AttentionTile keys = queries;
  keys.row = zero;
  keys.rows = getDim(builder, loc, getK(), getRowDim());

  SmallVector<Operation *> slices;
  SmallVector<Value> operands;
  auto addSlice = [&](Value operand, ArrayRef<OpFoldResult> sliceOffsets,
                      ArrayRef<OpFoldResult> sliceSizes) {
    slices.push_back(sliceOf(builder, loc, operand, sliceOffsets, sliceSizes));
    operands.push_back(slices.back()->getResult(0));
  };
  auto addTile = [&](Value operand, const AttentionTile &tile) {
    SmallVector<OpFoldResult> tileOffsets, tileSizes;
    getOperandTile(builder, *this, operand, tile, tileOffsets, tileSizes);
    addSlice(operand, tileOffsets, tileSizes);
  };
  addTile(getQ(), queries);
  addTile(getK(), keys);
  addTile(getV(), keys);
  if (Value mask = getMask()) {
    ShapedType type = getShaped(mask);
    SmallVector<OpFoldResult> maskOffsets(4, zero), maskSizes;
    for (int64_t dim = 0; dim < 4; ++dim)
      maskSizes.push_back(getDim(builder, loc, mask, dim));
    for (int64_t dim = 0; dim < 3; ++dim)
      if (type.getDimSize(dim) != 1) {
        maskOffsets[dim] = offsets[dim];
        maskSizes[dim] = sizes[dim];
      }
    addSlice(mask, maskOffsets, maskSizes);
  }
  bool positional = getMaskKind() == MaskKind::Causal || getMaskKind() == MaskKind::SlidingWindow;
  Value offset = getPositionOffset();
  if (positional && !isConstantIntValue(offsets[2], 0)) {
    Value start = getValueOrCreateConstantIndexOp(builder, loc, offsets[2]);
    offset = offset ? affine::makeComposedAffineApply(
                          builder, loc, builder.getAffineDimExpr(0) + builder.getAffineDimExpr(1),
                          {offset, start})
                          .getResult()
                    : start;
  }
  if (offset)
    operands.push_back(offset);
  addTile(getOut(), queries);
  if (Value lse = getLse())
    addSlice(lse, offsets, sizes);

  SmallVector<Type> resultTypes;
  for (Value init : ArrayRef(operands).take_back(getInits().size()))
    resultTypes.push_back(init.getType());
  auto tiled = cast<OnlineAttentionOp>(mlir::clone(builder, getOperation(), resultTypes, operands));
  // The clone may have gained the offset operand.
  tiled.getProperties().setOperandSegmentSizes(
      {1, 1, 1, getMask() ? 1 : 0, offset ? 1 : 0, static_cast<int32_t>(getInits().size())});
  tiled.setNumHeads(*heads);
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), slices};
}

LogicalResult OnlineAttentionOp::getResultTilePosition(OpBuilder &builder, unsigned resultNumber,
                                                       ArrayRef<OpFoldResult> offsets,
                                                       ArrayRef<OpFoldResult> sizes,
                                                       SmallVector<OpFoldResult> &resultOffsets,
                                                       SmallVector<OpFoldResult> &resultSizes) {
  if (resultNumber == 1) {
    resultOffsets.assign(offsets.begin(), offsets.end());
    resultSizes.assign(sizes.begin(), sizes.end());
    return success();
  }
  AttentionTile tile{offsets[0], sizes[0], offsets[1], sizes[1], offsets[2], sizes[2]};
  getOperandTile(builder, *this, getOut(), tile, resultOffsets, resultSizes);
  return success();
}

/// Tiles by the batch and query rows of a result tile that has all heads and
/// channels; other result tiles are not of a form that the op can compute alone.
FailureOr<TilingResult> OnlineAttentionOp::generateResultTileValue(OpBuilder &builder,
                                                                   unsigned resultNumber,
                                                                   ArrayRef<OpFoldResult> offsets,
                                                                   ArrayRef<OpFoldResult> sizes) {
  if (resultNumber != 0)
    return failure();
  unsigned row = getRowDim();
  ShapedType out = getShaped(getOut());
  for (unsigned dim = 1; dim < out.getRank(); ++dim)
    if (dim != row && (!isConstantIntValue(offsets[dim], 0) ||
                       getConstantIntValue(sizes[dim]) != out.getDimSize(dim)))
      return failure();
  return getTiledImplementation(builder, {offsets[0], builder.getIndexAttr(0), offsets[row]},
                                {sizes[0], builder.getIndexAttr(getNumHeads()), sizes[row]});
}
