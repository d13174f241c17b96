//===- MicroKernel.cpp - register-tiled inner products --------------------===//

#include "MicroKernel.h"

#include "../Common/VectorMath.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace rlx;
using namespace rlx::cpu;

RegisterTile RegisterTile::get(const CpuTarget &target, unsigned bits, int64_t vectors) {
  // Two vectors of columns hide the loads of broadcast elements; with 32 registers
  // four of them reuse each element more.
  if (vectors == 0)
    vectors = target.numVectorRegisters >= 32 ? 4 : 2;
  int64_t rows = (target.numVectorRegisters - vectors - 1) / vectors;
  return {std::max<int64_t>(rows, 1), vectors, target.lanes(bits)};
}

Value cpu::emitAddIndex(OpBuilder &builder, Location loc, Value index, int64_t offset) {
  if (offset == 0)
    return index;
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return arith::ConstantIndexOp::create(builder, loc, *constant + offset);
  return arith::AddIOp::create(builder, loc, index,
                               arith::ConstantIndexOp::create(builder, loc, offset));
}

void cpu::emitLoop(OpBuilder &builder, Location loc, OpFoldResult size, int64_t step,
                   llvm::function_ref<void(OpBuilder &, Value)> body) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  std::optional<int64_t> extent = getConstantIntValue(size);
  if (extent && *extent <= 0)
    return;
  if (extent && *extent <= step) {
    body(builder, zero);
    return;
  }
  Value end = getValueOrCreateConstantIndexOp(builder, loc, size);
  Value stride = arith::ConstantIndexOp::create(builder, loc, step);
  auto loop = scf::ForOp::create(builder, loc, zero, end, stride);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(builder, loop.getInductionVar());
}

/// Emits blocks of `height` rows over [begin, end).
static void emitBlocksOfHeight(OpBuilder &builder, Location loc, Value begin, Value end,
                               int64_t height, llvm::function_ref<void(Value, int64_t)> step) {
  Value stride = arith::ConstantIndexOp::create(builder, loc, height);
  auto loop = scf::ForOp::create(builder, loc, begin, end, stride);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  step(loop.getInductionVar(), height);
}

void cpu::emitRowBlocks(OpBuilder &builder, Location loc, OpFoldResult rows, int64_t maxRows,
                        llvm::function_ref<void(Value, int64_t)> step) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  if (std::optional<int64_t> count = getConstantIntValue(rows)) {
    // `tall` blocks of `height` rows, then blocks of one row less.
    int64_t blocks = llvm::divideCeil(*count, maxRows);
    if (blocks == 0)
      return;
    int64_t height = llvm::divideCeil(*count, blocks);
    int64_t tall = blocks - (height * blocks - *count);
    int64_t tallRows = tall * height;
    if (tall == 1)
      step(constant(0), height);
    else if (tall > 1)
      emitBlocksOfHeight(builder, loc, constant(0), constant(tallRows), height, step);
    if (blocks - tall == 1)
      step(constant(tallRows), height - 1);
    else if (blocks > tall)
      emitBlocksOfHeight(builder, loc, constant(tallRows), constant(*count), height - 1, step);
    return;
  }
  // Blocks of maxRows, then of a third as many, and so on down to single rows.
  Value begin = constant(0), end = getValueOrCreateConstantIndexOp(builder, loc, rows);
  for (int64_t height = maxRows; height >= 1; height = height == 1 ? 0 : (height + 2) / 3) {
    Value left = arith::SubIOp::create(builder, loc, end, begin);
    Value size = constant(height);
    Value covered =
        arith::MulIOp::create(builder, loc, arith::DivUIOp::create(builder, loc, left, size), size);
    Value blockEnd = arith::AddIOp::create(builder, loc, begin, covered);
    emitBlocksOfHeight(builder, loc, begin, blockEnd, height, step);
    begin = blockEnd;
  }
}

Accumulators cpu::emitKernelLoop(OpBuilder &builder, Location loc, const CpuTarget &target,
                                 OpFoldResult depth, int64_t rows, int64_t vectors,
                                 Accumulators init, llvm::function_ref<Value(Value, int64_t)> a,
                                 llvm::function_ref<Value(Value, int64_t)> b, bool skipsZeros) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value end = getValueOrCreateConstantIndexOp(builder, loc, depth);
  auto loop = scf::ForOp::create(builder, loc, zero, end, one, init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value k = loop.getInductionVar();
  SmallVector<Value> columns;
  for (int64_t vector = 0; vector < vectors; ++vector)
    columns.push_back(b(k, vector));
  Accumulators sums(loop.getRegionIterArgs());
  for (int64_t row = 0; row < rows; ++row) {
    Value scalar = a(k, row);
    Value repeated = vector::BroadcastOp::create(builder, loc, columns.front().getType(), scalar);
    Value isZero;
    if (skipsZeros) {
      Value none = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(scalar.getType()));
      isZero = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, scalar, none);
    }
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value &sum = sums[row * vectors + vector];
      Value added = emitFma(builder, loc, repeated, columns[vector], sum, target);
      sum = skipsZeros ? arith::SelectOp::create(builder, loc, isZero, sum, added).getResult()
                       : added;
    }
  }
  scf::YieldOp::create(builder, loc, sums);
  return Accumulators(loop.getResults());
}

SmallVector<Value> cpu::emitTranspose(OpBuilder &builder, Location loc, ArrayRef<Value> rows) {
  int64_t size = rows.size();
  SmallVector<Value> current(rows);
  // Each round swaps the off-diagonal halves of blocks of 2 * half elements.
  for (int64_t half = 1; half < size; half *= 2) {
    SmallVector<Value> next(size);
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < size; ++lane) {
      bool odd = (lane / half) % 2;
      low.push_back(odd ? size + lane - half : lane);
      high.push_back(odd ? size + lane : lane + half);
    }
    for (int64_t row = 0; row < size; ++row) {
      if ((row / half) % 2)
        continue;
      next[row] = vector::ShuffleOp::create(builder, loc, current[row], current[row + half], low);
      next[row + half] =
          vector::ShuffleOp::create(builder, loc, current[row], current[row + half], high);
    }
    current = next;
  }
  return current;
}

Value cpu::emitFloatCast(OpBuilder &builder, Location loc, Value value, Type elementType) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == elementType)
    return value;
  Type type = elementType;
  if (auto vectorType = dyn_cast<VectorType>(value.getType()))
    type = vectorType.clone(elementType);
  if (from.getIntOrFloatBitWidth() < elementType.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}
