//===- AttentionEmitter.cpp - what attention kernels share ----------------===//

#include "AttentionEmitter.h"

#include "../Common/VectorMath.h"
#include "Contraction.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace rlx;
using namespace rlx::cpu;

AttentionEmitter::AttentionEmitter(OpBuilder &builder, ir::OnlineAttentionOp op,
                                   const CpuTarget &target)
    : builder(builder), loc(op.getLoc()), op(op), target(target) {
  Type outType = op.getShaped(op.getOut()).getElementType();
  elementType = outType.isF64() ? outType : Type(builder.getF32Type());
  lanes = target.lanes(elementType.getIntOrFloatBitWidth());
  vectorType = VectorType::get({lanes}, elementType);
  maskType = VectorType::get({lanes}, builder.getI1Type());
  keySize = op.getHeadSize(op.getQ());
  valueSize = op.getHeadSize(op.getV());
  numHeads = op.getNumHeads();
  batches = memref::getMixedSize(builder, loc, op.getQ(), 0);
  rows = memref::getMixedSize(builder, loc, op.getQ(), op.getRowDim());
  keys = memref::getMixedSize(builder, loc, op.getK(), op.getRowDim());
  if (op.getSharing() == ir::HeadSharing::Keys)
    rows = affine::makeComposedFoldedAffineApply(builder, loc,
                                                 builder.getAffineDimExpr(0) * numHeads, {rows});
  zero = column = index(0);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value AttentionEmitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value AttentionEmitter::constant(double value) {
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(vectorType, builder.getFloatAttr(elementType, value)));
}

Value AttentionEmitter::asValue(OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(builder, loc, value);
}

Value AttentionEmitter::emitExponential(Value x) {
  if (elementType.isF64())
    return math::ExpOp::create(builder, loc, x);
  return emitExpNonPositive(builder, loc, x, target);
}

Value AttentionEmitter::emitMaximum(Value value, Value maximum) {
  Value larger = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, value, maximum);
  return arith::SelectOp::create(builder, loc, larger, value, maximum);
}

Value AttentionEmitter::emitShift(Value maximum) {
  Value none =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, maximum, constant(-kInfinity));
  return arith::SelectOp::create(builder, loc, none, constant(0), maximum);
}

Value AttentionEmitter::emitInverse(Value sum) {
  Value none = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, sum, constant(0));
  Value divisor = arith::SelectOp::create(builder, loc, none, constant(1), sum);
  return arith::DivFOp::create(builder, loc, constant(1), divisor);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

std::pair<Value, Value> AttentionEmitter::splitRow(Value operand, Value row) {
  bool ofQueries = operand == op.getQ() || operand == op.getOut();
  ir::HeadSharing shared = ofQueries ? ir::HeadSharing::Queries : ir::HeadSharing::Keys;
  if (op.getSharing() == ir::HeadSharing::None || op.getSharing() == shared)
    return {row, head};
  if (numHeads == 1)
    return {row, zero};
  Value count = index(numHeads);
  return {arith::DivUIOp::create(builder, loc, row, count),
          arith::RemUIOp::create(builder, loc, row, count)};
}

SmallVector<Value> AttentionEmitter::at(Value operand, Value row, Value d) {
  switch (op.getLayout()) {
  case ir::AttentionLayout::Sequence: {
    if (op.getHeadsOf(operand) == 1)
      return {batch, row, d};
    auto [position, ofHead] = splitRow(operand, row);
    Value base = arith::MulIOp::create(builder, loc, ofHead, index(op.getHeadSize(operand)));
    return {batch, position, arith::AddIOp::create(builder, loc, base, d)};
  }
  case ir::AttentionLayout::HeadSequence:
    return {batch, head, row, d};
  case ir::AttentionLayout::HeadChannel:
    return {batch, head, d, row};
  }
  llvm_unreachable("unknown layout");
}

Value AttentionEmitter::loadElement(Value operand, Value row, Value d) {
  Value element = memref::LoadOp::create(builder, loc, operand, at(operand, row, d));
  return emitFloatCast(builder, loc, element, elementType);
}

Value AttentionEmitter::loadChannels(Value operand, Value row, Value d) {
  return loadVector(builder, loc, operand, at(operand, row, d), vectorType);
}

bool cpu::hasContiguousElements(Value memref) {
  auto [strides, offset] = cast<MemRefType>(memref.getType()).getStridesAndOffset();
  return strides.back() == 1;
}

bool AttentionEmitter::hasContiguousChannels(Value operand) {
  return op.getLayout() != ir::AttentionLayout::HeadChannel && hasContiguousElements(operand);
}

bool AttentionEmitter::hasContiguousRows(Value operand) {
  return op.getLayout() == ir::AttentionLayout::HeadChannel && hasContiguousElements(operand);
}

Value AttentionEmitter::loadScratch(Value scratch, Value row, int64_t vector) {
  Value place = emitAddIndex(builder, loc, column, vector * lanes);
  return vector::LoadOp::create(builder, loc, vectorType, scratch, ValueRange{row, place});
}

void AttentionEmitter::storeScratch(Value value, Value scratch, Value row, int64_t vector) {
  Value place = emitAddIndex(builder, loc, column, vector * lanes);
  vector::StoreOp::create(builder, loc, value, scratch, ValueRange{row, place});
}

//===----------------------------------------------------------------------===//
// Blocks of rows
//===----------------------------------------------------------------------===//

void AttentionEmitter::emitBlocks(int64_t width,
                                  llvm::function_ref<void(Value first, OpFoldResult count)> block) {
  std::optional<int64_t> count = getConstantIntValue(rows);
  if (!count) {
    emitLoop(builder, loc, rows, width, [&](OpBuilder &, Value first) {
      Value left = arith::SubIOp::create(builder, loc, asValue(rows), first);
      block(first, arith::MinSIOp::create(builder, loc, left, index(width)).getResult());
    });
    return;
  }
  int64_t whole = *count / width * width;
  emitLoop(builder, loc, builder.getIndexAttr(whole), width,
           [&](OpBuilder &, Value first) { block(first, builder.getIndexAttr(width)); });
  if (*count > whole)
    block(index(whole), builder.getIndexAttr(*count - whole));
}

void AttentionEmitter::emitGroups(Value first, OpFoldResult count,
                                  llvm::function_ref<void()> group) {
  const int64_t width = kMaxVectors * lanes;
  auto emitGroup = [&](Value start, int64_t numVectors, OpFoldResult size) {
    firstRow = arith::AddIOp::create(builder, loc, first, start);
    column = start;
    vectors = numVectors;
    groupRows = size;
    group();
    column = zero;
  };
  std::optional<int64_t> known = getConstantIntValue(count);
  if (!known) {
    emitLoop(builder, loc, count, width, [&](OpBuilder &, Value start) {
      Value left = arith::SubIOp::create(builder, loc, asValue(count), start);
      emitGroup(start, kMaxVectors,
                arith::MinSIOp::create(builder, loc, left, index(width)).getResult());
    });
    return;
  }
  int64_t whole = *known / width * width, left = *known - whole;
  emitLoop(builder, loc, builder.getIndexAttr(whole), width, [&](OpBuilder &, Value start) {
    emitGroup(start, kMaxVectors, builder.getIndexAttr(width));
  });
  if (left > 0)
    emitGroup(index(whole), llvm::divideCeil(left, lanes), builder.getIndexAttr(left));
}

Value AttentionEmitter::rowAt(int64_t offset) {
  Value row = emitAddIndex(builder, loc, firstRow, offset);
  std::optional<int64_t> count = getConstantIntValue(groupRows);
  if (count && offset < *count)
    return row;
  Value last = emitAddIndex(builder, loc, asValue(rows), -1);
  return arith::MinSIOp::create(builder, loc, row, last);
}

Value AttentionEmitter::rowMask(int64_t vector) {
  Value left = emitAddIndex(builder, loc, asValue(groupRows), -vector * lanes);
  return vector::CreateMaskOp::create(builder, loc, maskType, left);
}

void AttentionEmitter::loadQueries(Value scratch) {
  Value q = op.getQ();
  Value scale = constant(op.getScale().convertToDouble());
  auto store = [&](Value value, Value d, int64_t vector) {
    vector::StoreOp::create(builder, loc, arith::MulFOp::create(builder, loc, value, scale),
                            scratch, ValueRange{d, index(vector * lanes)});
  };
  if (hasContiguousRows(q)) {
    emitLoop(builder, loc, builder.getIndexAttr(keySize), 1, [&](OpBuilder &, Value d) {
      for (int64_t vector = 0; vector < vectors; ++vector) {
        Value row = emitAddIndex(builder, loc, firstRow, vector * lanes);
        store(loadVector(builder, loc, q, at(q, row, d), vectorType, rowMask(vector)), d, vector);
      }
    });
    return;
  }
  int64_t squares = hasContiguousChannels(q) ? keySize / lanes * lanes : 0;
  for (int64_t vector = 0; vector < vectors; ++vector) {
    emitLoop(builder, loc, builder.getIndexAttr(squares), lanes, [&](OpBuilder &, Value d) {
      SmallVector<Value> channels;
      for (int64_t lane = 0; lane < lanes; ++lane)
        channels.push_back(loadChannels(q, rowAt(vector * lanes + lane), d));
      for (auto [channel, column] : llvm::enumerate(emitTranspose(builder, loc, channels)))
        store(column, emitAddIndex(builder, loc, d, channel), vector);
    });
    for (int64_t d = squares; d < keySize; ++d) {
      Value column = constant(0);
      for (int64_t lane = 0; lane < lanes; ++lane)
        column = vector::InsertOp::create(
            builder, loc, loadElement(q, rowAt(vector * lanes + lane), index(d)), column, lane);
      store(column, index(d), vector);
    }
  }
}
