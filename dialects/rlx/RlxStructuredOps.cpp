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
// Helpers shared by the ops
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

void OnlineAttentionOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addBufferEffects(cast<DestinationStyleOpInterface>(getOperation()), effects);
}

LogicalResult OnlineAttentionOp::reifyResultShapes(OpBuilder &builder,
                                                   ReifiedRankedShapedTypeDims &shapes) {
  return reifyFromInits(builder, cast<DestinationStyleOpInterface>(getOperation()), shapes);
}

SmallVector<utils::IteratorType> OnlineAttentionOp::getLoopIteratorTypes() {
  using enum utils::IteratorType;
  return {parallel, getSharing() == HeadSharing::Queries ? reduction : parallel, parallel,
          getKeyChunk() ? parallel : reduction};
}

SmallVector<Range> OnlineAttentionOp::getIterationDomain(OpBuilder &builder) {
  return {fullRange(builder, getDim(builder, getLoc(), getQ(), 0)),
          fullRange(builder, builder.getIndexAttr(getNumHeads())),
          fullRange(builder, getDim(builder, getLoc(), getQ(), getRowDim())),
          fullRange(builder, getDim(builder, getLoc(), getK(), getRowDim()))};
}

namespace {
/// A tile of (batch, head, row) of an attention operand.
struct AttentionTile {
  OpFoldResult batch, batches, head, heads, row, rows;
};
} // namespace

/// Offsets and sizes of `tile` in a q, k, v or out operand of the op's layout, but for
/// the dim of chunks.
static void getOperandTile(OpBuilder &builder, OnlineAttentionOp op, Value operand,
                           const AttentionTile &tile, SmallVector<OpFoldResult> &offsets,
                           SmallVector<OpFoldResult> &sizes) {
  OpFoldResult zero = builder.getIndexAttr(0);
  int64_t headSize = op.getHeadSize(operand);
  OpFoldResult channels = builder.getIndexAttr(headSize);
  switch (op.getLayout()) {
  case AttentionLayout::Sequence: {
    offsets = {tile.batch, tile.row, zero};
    sizes = {tile.batches, tile.rows, channels};
    if (op.getHeadsOf(operand) == op.getNumHeads()) {
      AffineExpr scaled = builder.getAffineDimExpr(0) * headSize;
      offsets[2] = applyExpr(builder, op.getLoc(), scaled, tile.head);
      sizes[2] = applyExpr(builder, op.getLoc(), scaled, tile.heads);
    }
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

namespace {

/// Builds the tile of an attention op from slices of its operands.
class AttentionTiler {
public:
  AttentionTiler(OpBuilder &builder, OnlineAttentionOp op, ArrayRef<OpFoldResult> offsets,
                 ArrayRef<OpFoldResult> sizes)
      : builder(builder), loc(op.getLoc()), op(op), offsets(offsets), sizes(sizes),
        zero(builder.getIndexAttr(0)) {}

  FailureOr<TilingResult> build() {
    std::optional<int64_t> heads = getConstantIntValue(sizes[1]);
    if (!heads || (op.getKeyChunk() && getConstantIntValue(sizes[3]) != op.getKeyChunk()))
      return failure();
    AttentionTile queries{offsets[0], sizes[0], offsets[1], sizes[1], offsets[2], sizes[2]};
    AttentionTile keys{offsets[0], sizes[0], offsets[1], sizes[1], offsets[3], sizes[3]};
    addTile(op.getQ(), queries);
    addTile(op.getK(), keys);
    addTile(op.getV(), keys);
    if (Value mask = op.getMask())
      addBroadcastSlice(mask, {0, 1, 2, 3});
    if (Value bias = op.getKeyBias())
      addBroadcastSlice(bias, {0, 1, 3});
    Value offset = getPositionOffset();
    if (offset)
      operands.push_back(offset);
    SmallVector<OpFoldResult> outOffsets, outSizes;
    getOperandTile(builder, op, op.getOut(), queries, outOffsets, outSizes);
    addOutput(op.getOut(), outOffsets, outSizes);
    for (Value statistics : op.getInits().drop_front())
      addOutput(statistics, offsets.take_front(3), sizes.take_front(3));

    SmallVector<Type> resultTypes;
    for (Value init : ArrayRef(operands).take_back(op.getInits().size()))
      resultTypes.push_back(init.getType());
    auto tiled = cast<OnlineAttentionOp>(mlir::clone(builder, op, resultTypes, operands));
    // The clone may have gained the offset operand.
    tiled.getProperties().setOperandSegmentSizes({1, 1, 1, op.getMask() ? 1 : 0,
                                                  op.getKeyBias() ? 1 : 0, offset ? 1 : 0,
                                                  static_cast<int32_t>(op.getInits().size())});
    tiled.setNumHeads(*heads);
    tiled.removeKeyChunkAttr();
    return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), slices};
  }

private:
  void addSlice(Operation *slice) {
    slices.push_back(slice);
    operands.push_back(slice->getResult(0));
  }

  void addTile(Value operand, const AttentionTile &tile) {
    SmallVector<OpFoldResult> tileOffsets, tileSizes;
    getOperandTile(builder, op, operand, tile, tileOffsets, tileSizes);
    addSlice(sliceOf(builder, loc, operand, tileOffsets, tileSizes));
  }

  /// The part of `operand` that `loops` walk, each of which may meet a dim of size 1.
  void addBroadcastSlice(Value operand, ArrayRef<unsigned> loops) {
    SmallVector<OpFoldResult> sliceOffsets, sliceSizes;
    for (auto [dim, loop] : llvm::enumerate(loops)) {
      bool repeats = loop != 3 && op.getShaped(operand).getDimSize(dim) == 1;
      sliceOffsets.push_back(repeats ? zero : offsets[loop]);
      sliceSizes.push_back(repeats ? OpFoldResult(builder.getIndexAttr(1)) : sizes[loop]);
    }
    addSlice(sliceOf(builder, loc, operand, sliceOffsets, sliceSizes));
  }

  /// The part of an output; of a chunked op without the dim that counts chunks.
  void addOutput(Value init, ArrayRef<OpFoldResult> sliceOffsets,
                 ArrayRef<OpFoldResult> sliceSizes) {
    if (!op.getKeyChunk())
      return addSlice(sliceOf(builder, loc, init, sliceOffsets, sliceSizes));
    SmallVector<OpFoldResult> allOffsets(sliceOffsets), allSizes(sliceSizes);
    allOffsets.insert(allOffsets.begin(), op.getChunkIndex(builder, offsets[3]));
    allSizes.insert(allSizes.begin(), builder.getIndexAttr(1));
    SmallVector<OpFoldResult> strides(allOffsets.size(), builder.getIndexAttr(1));
    auto type = cast<RankedTensorType>(init.getType());
    SmallVector<int64_t> shape;
    for (OpFoldResult size : sliceSizes)
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    addSlice(tensor::ExtractSliceOp::create(builder, loc,
                                            RankedTensorType::get(shape, type.getElementType()),
                                            init, allOffsets, allSizes, strides));
  }

  /// Positions count from the tile's first query and key.
  Value getPositionOffset() {
    bool positional =
        op.getMaskKind() == MaskKind::Causal || op.getMaskKind() == MaskKind::SlidingWindow;
    Value offset = op.getPositionOffset();
    if (!positional || (isConstantIntValue(offsets[2], 0) && isConstantIntValue(offsets[3], 0)))
      return offset;
    AffineExpr first = builder.getAffineDimExpr(0), key = builder.getAffineDimExpr(1);
    AffineExpr given = builder.getAffineDimExpr(2);
    OpFoldResult base = offset ? OpFoldResult(offset) : zero;
    return getValueOrCreateConstantIndexOp(
        builder, loc,
        affine::makeComposedFoldedAffineApply(builder, loc,
                                              AffineMap::get(3, 0, given + first - key),
                                              {offsets[2], offsets[3], base}));
  }

  OpBuilder &builder;
  Location loc;
  OnlineAttentionOp op;
  ArrayRef<OpFoldResult> offsets, sizes;
  OpFoldResult zero;
  SmallVector<Operation *> slices;
  SmallVector<Value> operands;
};

} // namespace

OpFoldResult OnlineAttentionOp::getChunkIndex(OpBuilder &builder, OpFoldResult firstKey) {
  return applyExpr(builder, getLoc(), builder.getAffineDimExpr(0).floorDiv(*getKeyChunk()),
                   firstKey);
}

FailureOr<TilingResult> OnlineAttentionOp::getTiledImplementation(OpBuilder &builder,
                                                                  ArrayRef<OpFoldResult> offsets,
                                                                  ArrayRef<OpFoldResult> sizes) {
  return AttentionTiler(builder, *this, offsets, sizes).build();
}

LogicalResult OnlineAttentionOp::getResultTilePosition(OpBuilder &builder, unsigned resultNumber,
                                                       ArrayRef<OpFoldResult> offsets,
                                                       ArrayRef<OpFoldResult> sizes,
                                                       SmallVector<OpFoldResult> &resultOffsets,
                                                       SmallVector<OpFoldResult> &resultSizes) {
  if (resultNumber != 0) {
    resultOffsets.assign(offsets.begin(), offsets.begin() + 3);
    resultSizes.assign(sizes.begin(), sizes.begin() + 3);
  } else {
    AttentionTile tile{offsets[0], sizes[0], offsets[1], sizes[1], offsets[2], sizes[2]};
    getOperandTile(builder, *this, getOut(), tile, resultOffsets, resultSizes);
  }
  if (getKeyChunk()) {
    resultOffsets.insert(resultOffsets.begin(), getChunkIndex(builder, offsets[3]));
    resultSizes.insert(resultSizes.begin(), builder.getIndexAttr(1));
  }
  return success();
}

/// Tiles by the batch and query rows of a result tile that has all heads and
/// channels; other result tiles are not of a form that the op can compute alone.
FailureOr<TilingResult> OnlineAttentionOp::generateResultTileValue(OpBuilder &builder,
                                                                   unsigned resultNumber,
                                                                   ArrayRef<OpFoldResult> offsets,
                                                                   ArrayRef<OpFoldResult> sizes) {
  if (resultNumber != 0 || getKeyChunk())
    return failure();
  unsigned row = getRowDim();
  ShapedType out = getShaped(getOut());
  for (unsigned dim = 1; dim < out.getRank(); ++dim)
    if (dim != row && (!isConstantIntValue(offsets[dim], 0) ||
                       getConstantIntValue(sizes[dim]) != out.getDimSize(dim)))
      return failure();
  OpFoldResult zero = builder.getIndexAttr(0);
  return getTiledImplementation(builder, {offsets[0], zero, offsets[row], zero},
                                {sizes[0], builder.getIndexAttr(getNumHeads()), sizes[row],
                                 getDim(builder, getLoc(), getK(), row)});
}

//===----------------------------------------------------------------------===//
// CombineChunksOp
//===----------------------------------------------------------------------===//

void CombineChunksOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addBufferEffects(cast<DestinationStyleOpInterface>(getOperation()), effects);
}

LogicalResult CombineChunksOp::reifyResultShapes(OpBuilder &builder,
                                                 ReifiedRankedShapedTypeDims &shapes) {
  return reifyFromInits(builder, cast<DestinationStyleOpInterface>(getOperation()), shapes);
}

SmallVector<utils::IteratorType> CombineChunksOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(3, utils::IteratorType::parallel);
}

SmallVector<Range> CombineChunksOp::getIterationDomain(OpBuilder &builder) {
  return {fullRange(builder, getDim(builder, getLoc(), getOut(), 0)),
          fullRange(builder, builder.getIndexAttr(getNumHeads())),
          fullRange(builder, getDim(builder, getLoc(), getOut(), 1))};
}

/// Offsets or sizes `tile` of the loops (b, h, i) in the result: `[B, Lq, H*Dv]`.
static SmallVector<OpFoldResult> toResultDims(OpBuilder &builder, CombineChunksOp op,
                                              ArrayRef<OpFoldResult> tile) {
  AffineExpr channels = builder.getAffineDimExpr(0) * op.getHeadSize();
  return {tile[0], tile[2], applyExpr(builder, op.getLoc(), channels, tile[1])};
}

FailureOr<TilingResult> CombineChunksOp::getTiledImplementation(OpBuilder &builder,
                                                                ArrayRef<OpFoldResult> offsets,
                                                                ArrayRef<OpFoldResult> sizes) {
  std::optional<int64_t> heads = getConstantIntValue(sizes[1]);
  if (!heads)
    return failure();
  Location loc = getLoc();
  OpFoldResult chunks = getDim(builder, loc, getParts(), 0), zero = builder.getIndexAttr(0);
  auto ofAllChunks = [](SmallVector<OpFoldResult> dims, OpFoldResult chunk) {
    dims.insert(dims.begin(), chunk);
    return dims;
  };
  SmallVector<OpFoldResult> rowOffsets(offsets), rowSizes(sizes);
  SmallVector<OpFoldResult> outOffsets = toResultDims(builder, *this, offsets),
                            outSizes = toResultDims(builder, *this, sizes);
  SmallVector<Operation *> slices = {sliceOf(
      builder, loc, getParts(), ofAllChunks(outOffsets, zero), ofAllChunks(outSizes, chunks))};
  for (Value statistics : {getMaxima(), getSums()})
    slices.push_back(sliceOf(builder, loc, statistics, ofAllChunks(rowOffsets, zero),
                             ofAllChunks(rowSizes, chunks)));
  slices.push_back(sliceOf(builder, loc, getOut(), outOffsets, outSizes));
  if (getLse())
    slices.push_back(sliceOf(builder, loc, getLse(), rowOffsets, rowSizes));
  SmallVector<Value> operands;
  for (Operation *slice : slices)
    operands.push_back(slice->getResult(0));
  TilingResult tiled =
      cloneTiled(builder, cast<DestinationStyleOpInterface>(getOperation()), operands, slices);
  cast<CombineChunksOp>(tiled.tiledOps.front()).setNumHeads(*heads);
  return tiled;
}

LogicalResult CombineChunksOp::getResultTilePosition(OpBuilder &builder, unsigned resultNumber,
                                                     ArrayRef<OpFoldResult> offsets,
                                                     ArrayRef<OpFoldResult> sizes,
                                                     SmallVector<OpFoldResult> &resultOffsets,
                                                     SmallVector<OpFoldResult> &resultSizes) {
  if (resultNumber == 0) {
    resultOffsets = toResultDims(builder, *this, offsets);
    resultSizes = toResultDims(builder, *this, sizes);
  } else {
    resultOffsets.assign(offsets.begin(), offsets.end());
    resultSizes.assign(sizes.begin(), sizes.end());
  }
  return success();
}

/// Tiles by the batches and rows of a result tile that has all channels.
FailureOr<TilingResult> CombineChunksOp::generateResultTileValue(OpBuilder &builder,
                                                                 unsigned resultNumber,
                                                                 ArrayRef<OpFoldResult> offsets,
                                                                 ArrayRef<OpFoldResult> sizes) {
  if (resultNumber != 0 || !isConstantIntValue(offsets[2], 0) ||
      getConstantIntValue(sizes[2]) != getOutType().getDimSize(2))
    return failure();
  return getTiledImplementation(builder, {offsets[0], offsets[2], offsets[1]},
                                {sizes[0], builder.getIndexAttr(getNumHeads()), sizes[1]});
}
