//===- AttentionSoftmax.cpp - scores and softmax of attention kernels -----===//

#include "AttentionEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace rlx;
using namespace rlx::cpu;

RegisterTile AttentionEmitter::getTile() {
  return RegisterTile::get(target, elementType.getIntOrFloatBitWidth(), vectors);
}

Value AttentionEmitter::emitKeyBias(Value key, int64_t vector) {
  Value bias = op.getKeyBias();
  Value b = op.getShaped(bias).getDimSize(0) == 1 ? zero : batch;
  auto load = [&](Value ofHead) {
    Value element = memref::LoadOp::create(builder, loc, bias, ValueRange{b, ofHead, key});
    return emitFloatCast(builder, loc, element, elementType);
  };
  Value result;
  if (op.getSharing() != ir::HeadSharing::Keys) {
    auto [position, ofHead] = splitRow(op.getK(), key);
    key = position;
    result = vector::BroadcastOp::create(builder, loc, vectorType, load(ofHead));
  } else {
    result = constant(0);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value ofHead = splitRow(op.getQ(), rowAt(vector * lanes + lane)).second;
      result = vector::InsertOp::create(builder, loc, load(ofHead), result, lane);
    }
  }
  return arith::MulFOp::create(builder, loc, result, constant(op.getScale().convertToDouble()));
}

void AttentionEmitter::emitScores(Value start, OpFoldResult size, Value queryScratch) {
  emitRowBlocks(builder, loc, size, getTile().rows, [&](Value key, int64_t numKeys) {
    auto keyAt = [&](int64_t row) {
      return arith::AddIOp::create(builder, loc, start, emitAddIndex(builder, loc, key, row))
          .getResult();
    };
    Accumulators init;
    for (int64_t row = 0; row < numKeys; ++row)
      for (int64_t vector = 0; vector < vectors; ++vector)
        init.push_back(op.getKeyBias() ? emitKeyBias(keyAt(row), vector) : constant(0));
    Accumulators scores = emitKernelLoop(
        builder, loc, target, builder.getIndexAttr(keySize), numKeys, vectors, init,
        [&](Value d, int64_t row) { return loadElement(op.getK(), keyAt(row), d); },
        [&](Value d, int64_t vector) {
          return vector::LoadOp::create(builder, loc, vectorType, queryScratch,
                                        ValueRange{d, index(vector * lanes)})
              .getResult();
        });
    for (int64_t row = 0; row < numKeys; ++row)
      for (int64_t vector = 0; vector < vectors; ++vector)
        storeScratch(scores[row * vectors + vector], scoreScratch,
                     emitAddIndex(builder, loc, key, row), vector);
  });
}

SmallVector<Value> AttentionEmitter::emitMaskAndMaxima(Value start, OpFoldResult size,
                                                       ArrayRef<Value> maxima) {
  auto loop = scf::ForOp::create(builder, loc, zero, asValue(size), index(1), maxima);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  Value key = arith::AddIOp::create(builder, loc, start, row);
  SmallVector<Value> next;
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Value score = loadScratch(scoreScratch, row, vector);
    if (masksKeys()) {
      score = hasMaskOperand() ? addMask(score, loadScratch(maskScratch, row, vector))
                               : maskByPosition(score, key, vector);
      storeScratch(score, scoreScratch, row, vector);
    }
    next.push_back(emitMaximum(score, loop.getRegionIterArgs()[vector]));
  }
  scf::YieldOp::create(builder, loc, next);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> AttentionEmitter::emitProbabilities(OpFoldResult size, ArrayRef<Value> shifts,
                                                       ArrayRef<Value> sums) {
  auto loop = scf::ForOp::create(builder, loc, zero, asValue(size), index(1), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next;
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Value score = loadScratch(scoreScratch, loop.getInductionVar(), vector);
    Value probability = emitExponential(arith::SubFOp::create(builder, loc, score, shifts[vector]));
    storeScratch(probability, scoreScratch, loop.getInductionVar(), vector);
    next.push_back(
        arith::AddFOp::create(builder, loc, loop.getRegionIterArgs()[vector], probability));
  }
  scf::YieldOp::create(builder, loc, next);
  return SmallVector<Value>(loop.getResults());
}

Value AttentionEmitter::emitVisibleByPosition(Value start, OpFoldResult size) {
  Value first = splitRow(op.getQ(), firstRow).first;
  if (Value offset = op.getPositionOffset())
    first = arith::AddIOp::create(builder, loc, first, offset);
  Value last = emitAddIndex(builder, loc, first, vectors * lanes - 1);
  Value visible = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, start, last);
  if (op.getMaskKind() != ir::MaskKind::SlidingWindow)
    return visible;
  Value end = arith::AddIOp::create(builder, loc, start, asValue(size));
  Value lowest = arith::SubIOp::create(builder, loc, first, index(*op.getWindow()));
  return arith::AndIOp::create(
      builder, loc, visible,
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, end, lowest));
}

Value AttentionEmitter::emitVisible(Value start, OpFoldResult size) {
  if (!hasMaskOperand())
    return emitVisibleByPosition(start, size);
  emitMaskBlock(start, size, [](Value key) { return key; });
  return emitAnyVisible(size, maskScratch);
}

void AttentionEmitter::emitStatistics(Value scratch) {
  emitLoop(builder, loc, groupRows, 1, [&](OpBuilder &, Value offset) {
    Value place = arith::AddIOp::create(builder, loc, column, offset);
    Value row = arith::AddIOp::create(builder, loc, firstRow, offset);
    auto [query, ofHead] = splitRow(op.getQ(), row);
    auto load = [&](int64_t line) {
      return memref::LoadOp::create(builder, loc, scratch, ValueRange{index(line), place})
          .getResult();
    };
    SmallVector<Value> values = {load(0), load(1)};
    if (op.getLse()) {
      Value logarithm = math::LogOp::create(builder, loc, values[1]);
      values = {arith::AddFOp::create(builder, loc, values[0], logarithm)};
    }
    for (auto [output, value] : llvm::zip(op.getInits().drop_front(), values)) {
      Type memoryType = cast<MemRefType>(output.getType()).getElementType();
      memref::StoreOp::create(builder, loc, emitFloatCast(builder, loc, value, memoryType), output,
                              ValueRange{batch, ofHead, query});
    }
  });
}
