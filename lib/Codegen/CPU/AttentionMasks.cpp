//===- AttentionMasks.cpp - masks of attention kernels --------------------===//

#include "AttentionEmitter.h"

#include "../Common/VectorMath.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace rlx;
using namespace rlx::cpu;

Value AttentionEmitter::emitValuesFinite(OpFoldResult valueRows) {
  // x * 0 is 0 for finite numbers alone.
  Value v = op.getV();
  int64_t whole = hasContiguousChannels(v) ? valueSize / lanes * lanes : 0;
  SmallVector<Value> init(whole / lanes, constant(0));
  Value scalarZero = arith::ConstantOp::create(builder, loc, builder.getFloatAttr(elementType, 0));
  init.push_back(scalarZero);
  auto loop = scf::ForOp::create(builder, loc, zero, asValue(valueRows), index(1), init);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value row = loop.getInductionVar();
    SmallVector<Value> sums(loop.getRegionIterArgs());
    auto accumulate = [&](Value &sum, Value values, Value none) {
      sum = emitFma(builder, loc, values, none, sum, target);
    };
    for (int64_t d = 0; d < whole; d += lanes)
      accumulate(sums[d / lanes], loadChannels(v, row, index(d)), constant(0));
    for (int64_t d = whole; d < valueSize; ++d)
      accumulate(sums.back(), loadElement(v, row, index(d)), scalarZero);
    scf::YieldOp::create(builder, loc, sums);
  }
  Value total = loop.getResults().back();
  for (Value sum : loop.getResults().drop_back())
    total = vector::ReductionOp::create(builder, loc, vector::CombiningKind::ADD, sum, total);
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, total, scalarZero);
}

/// `value` in every element of `type`.
static Value splat(OpBuilder &builder, Location loc, Type type, Attribute value) {
  TypedAttr attr = cast<TypedAttr>(value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attr = DenseElementsAttr::get(shaped, value);
  return arith::ConstantOp::create(builder, loc, attr);
}

/// Whether what a mask operand holds shows a key: an i1, or a vector of them.
static Value emitShows(OpBuilder &builder, Location loc, ir::MaskKind kind, Value mask) {
  Type type = mask.getType(), element = getElementTypeOrSelf(type);
  if (isa<IntegerType>(element))
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, mask,
                                 splat(builder, loc, type, builder.getIntegerAttr(element, 0)));
  bool isBias = kind == ir::MaskKind::Bias;
  Value bound = splat(builder, loc, type, builder.getFloatAttr(element, isBias ? -kInfinity : 0.5));
  return arith::CmpFOp::create(
      builder, loc, isBias ? arith::CmpFPredicate::UNE : arith::CmpFPredicate::OGE, mask, bound);
}

/// What a custom mask or bias adds to scores, of the type of `mask`'s shape.
static Value emitAddedByMask(OpBuilder &builder, Location loc, ir::MaskKind kind, Value mask,
                             Type elementType) {
  if (kind == ir::MaskKind::Bias)
    return emitFloatCast(builder, loc, mask, elementType);
  Type resultType = elementType;
  if (auto vectorType = dyn_cast<VectorType>(mask.getType()))
    resultType = vectorType.clone(elementType);
  auto constant = [&](double value) {
    return splat(builder, loc, resultType, builder.getFloatAttr(elementType, value));
  };
  return arith::SelectOp::create(builder, loc, emitShows(builder, loc, kind, mask), constant(0),
                                 constant(-kInfinity));
}

SmallVector<Value> AttentionEmitter::maskIndices(Value row, Value key) {
  auto [query, ofHead] = splitRow(op.getQ(), row);
  auto type = cast<MemRefType>(op.getMask().getType());
  return {type.getDimSize(0) == 1 ? zero : batch, type.getDimSize(1) == 1 ? zero : ofHead,
          type.getDimSize(2) == 1 ? zero : query, key};
}

bool AttentionEmitter::hasOneMaskRow() {
  auto type = cast<MemRefType>(op.getMask().getType());
  return type.getDimSize(2) == 1 &&
         (op.getSharing() != ir::HeadSharing::Keys || type.getDimSize(1) == 1);
}

Value AttentionEmitter::emitVisibleKeys(Value first, OpFoldResult count) {
  if (!hasContiguousElements(op.getMask()))
    return asValue(keys);
  if (hasOneMaskRow())
    count = builder.getIndexAttr(1);
  auto countType = VectorType::get({lanes}, builder.getI32Type());
  Value none = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(countType));
  auto loop = scf::ForOp::create(builder, loc, zero, asValue(count), index(1), none);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value row = arith::AddIOp::create(builder, loc, first, loop.getInductionVar());
    scf::YieldOp::create(builder, loc, emitVisibleKeysOfRow(row, loop.getRegionIterArgs()[0]));
  }
  Value largest =
      vector::ReductionOp::create(builder, loc, vector::CombiningKind::MAXSI, loop.getResult(0));
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), largest);
}

Value AttentionEmitter::emitVisibleKeysOfRow(Value row, Value counts) {
  int64_t numKeys = *getConstantIntValue(keys), whole = numKeys / lanes * lanes;
  auto countType = cast<VectorType>(counts.getType());
  Type memoryElement = cast<MemRefType>(op.getMask().getType()).getElementType();
  auto steps = llvm::to_vector(llvm::seq<int32_t>(1, static_cast<int32_t>(lanes) + 1));
  Value ordinals =
      arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(countType, ArrayRef(steps)));
  Value none = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(countType));
  auto take = [&](Value before, Value key, Value shows) -> Value {
    Value position = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), key);
    Value ends = arith::AddIOp::create(
        builder, loc, ordinals, vector::BroadcastOp::create(builder, loc, countType, position));
    return arith::MaxSIOp::create(builder, loc, before,
                                  arith::SelectOp::create(builder, loc, shows, ends, none));
  };
  auto takeVector = [&](Value before, Value key) {
    Value loaded = vector::LoadOp::create(builder, loc, VectorType::get({lanes}, memoryElement),
                                          op.getMask(), maskIndices(row, key));
    return take(before, key, emitShows(builder, loc, op.getMaskKind(), loaded));
  };
  auto loop = scf::ForOp::create(builder, loc, zero, index(whole), index(lanes), counts);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(builder, loc,
                         takeVector(loop.getRegionIterArgs()[0], loop.getInductionVar()));
  }
  counts = loop.getResult(0);
  if (whole == numKeys)
    return counts;
  if (whole > 0) // the last vector overlaps the one before
    return takeVector(counts, index(numKeys - lanes));
  for (int64_t key = 0; key < numKeys; ++key) {
    Value loaded = memref::LoadOp::create(builder, loc, op.getMask(), maskIndices(row, index(key)));
    Value shows = emitShows(builder, loc, op.getMaskKind(), loaded);
    Value first = vector::CreateMaskOp::create(builder, loc, maskType, index(1));
    Value lane = arith::AndIOp::create(builder, loc, first,
                                       vector::BroadcastOp::create(builder, loc, maskType, shows));
    counts = take(counts, index(key), lane);
  }
  return counts;
}

void AttentionEmitter::emitMaskBlock(Value start, OpFoldResult size,
                                     llvm::function_ref<Value(Value)> place) {
  Value mask = op.getMask();
  Type memoryElement = cast<MemRefType>(mask.getType()).getElementType();
  ir::MaskKind kind = op.getMaskKind();
  auto indices = [&](Value row, Value key) {
    return maskIndices(row, arith::AddIOp::create(builder, loc, start, key));
  };
  if (hasOneMaskRow()) {
    emitLoop(builder, loc, size, 1, [&](OpBuilder &, Value key) {
      Value element = memref::LoadOp::create(builder, loc, mask, indices(firstRow, key));
      Value added = vector::BroadcastOp::create(
          builder, loc, vectorType, emitAddedByMask(builder, loc, kind, element, elementType));
      for (int64_t vector = 0; vector < vectors; ++vector)
        storeScratch(added, maskScratch, place(key), vector);
    });
    return;
  }
  // Rows lie apart: squares of rows and keys are transposed.
  auto memoryType = VectorType::get({lanes}, memoryElement);
  Value squares = zero;
  if (hasContiguousElements(mask)) {
    AffineExpr s0 = builder.getAffineDimExpr(0);
    OpFoldResult whole =
        affine::makeComposedFoldedAffineApply(builder, loc, s0.floorDiv(lanes) * lanes, {size});
    squares = asValue(whole);
    // Rows are often a power of two apart: a square at a time of each group of lanes
    // keeps their lines in the cache until they are used up.
    for (int64_t vector = 0; vector < vectors; ++vector)
      emitLoop(builder, loc, whole, lanes, [&](OpBuilder &, Value key) {
        SmallVector<Value> lines;
        for (int64_t lane = 0; lane < lanes; ++lane) {
          Value loaded = vector::LoadOp::create(builder, loc, memoryType, mask,
                                                indices(rowAt(vector * lanes + lane), key));
          lines.push_back(emitAddedByMask(builder, loc, kind, loaded, elementType));
        }
        for (auto [offset, column] : llvm::enumerate(emitTranspose(builder, loc, lines)))
          storeScratch(column, maskScratch, place(emitAddIndex(builder, loc, key, offset)), vector);
      });
  }
  auto loop = scf::ForOp::create(builder, loc, squares, asValue(size), index(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value key = loop.getInductionVar();
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Value column = constant(0);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value element =
          memref::LoadOp::create(builder, loc, mask, indices(rowAt(vector * lanes + lane), key));
      column = vector::InsertOp::create(
          builder, loc, emitAddedByMask(builder, loc, kind, element, elementType), column, lane);
    }
    storeScratch(column, maskScratch, place(key), vector);
  }
}

Value AttentionEmitter::emitAnyVisible(OpFoldResult count, Value masks) {
  Value none = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(maskType));
  auto loop = scf::ForOp::create(builder, loc, zero, asValue(count), index(1), none);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value seen = loop.getRegionIterArgs()[0];
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value added = loadScratch(masks, loop.getInductionVar(), vector);
      Value visible = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, added,
                                            constant(-kInfinity));
      seen = arith::OrIOp::create(builder, loc, seen, visible);
    }
    scf::YieldOp::create(builder, loc, seen);
  }
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, loop.getResult(0));
}

Value AttentionEmitter::addMask(Value score, Value added) {
  Value hidden =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, added, constant(-kInfinity));
  Value sum = arith::AddFOp::create(builder, loc, score, added);
  return arith::SelectOp::create(builder, loc, hidden, added, sum);
}

Value AttentionEmitter::maskByPosition(Value score, Value key, int64_t vector) {
  auto indexType = VectorType::get({lanes}, builder.getIndexType());
  auto repeat = [&](Value value) {
    return vector::BroadcastOp::create(builder, loc, indexType, value);
  };
  Value steps = vector::StepOp::create(builder, loc, indexType);
  Value positions = arith::AddIOp::create(
      builder, loc, steps, repeat(emitAddIndex(builder, loc, firstRow, vector * lanes)));
  if (op.getSharing() == ir::HeadSharing::Keys)
    positions = arith::DivUIOp::create(builder, loc, positions, repeat(index(numHeads)));
  if (Value offset = op.getPositionOffset())
    positions = arith::AddIOp::create(builder, loc, positions, repeat(offset));
  Value keyVector = repeat(key);
  Value visible =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, keyVector, positions);
  if (op.getMaskKind() == ir::MaskKind::SlidingWindow) {
    Value lowest = arith::SubIOp::create(builder, loc, positions, repeat(index(*op.getWindow())));
    visible = arith::AndIOp::create(
        builder, loc, visible,
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, keyVector, lowest));
  }
  return arith::SelectOp::create(builder, loc, visible, score, constant(-kInfinity));
}
