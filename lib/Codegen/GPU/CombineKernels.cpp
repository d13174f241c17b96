//===- CombineKernels.cpp - kernels of sums over chunks of keys -----------===//
//
// A block for each row of each head, whose threads have channels of their own. What a
// chunk counts is so little work that every thread computes it.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace rlx;
using namespace rlx::gpu;

namespace {

/// The kernel of one op.
class CombineKernel {
public:
  CombineKernel(ImplicitLocOpBuilder &b, ir::CombineChunksOp op)
      : b(b), op(op), type(getElementTypeOrSelf(op.getParts().getType())),
        numThreads(std::clamp<int64_t>(llvm::PowerOf2Ceil(op.getHeadSize()), kWarpThreads,
                                       kBlockThreads)) {}

  void emit();

private:
  Value constant(double value) { return arith::ConstantOp::create(b, b.getFloatAttr(type, value)); }
  Value isEqual(Value value, double to) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, value, constant(to));
  }
  Value sizeOf(Value memref, int64_t dim) { return b.createOrFold<memref::DimOp>(memref, dim); }
  Value loadStatistic(Value statistics, Value chunk) {
    return memref::LoadOp::create(b, statistics, ValueRange{chunk, batch, head, row});
  }
  Value overChunks(Value init, function_ref<Value(Value chunk, Value carried)> body);
  void ifTrue(Value condition, function_ref<void()> body);
  Value emitLargest();
  /// What a chunk counts: sum * exp(maximum - shift).
  Value emitWeight(Value chunk, Value shift);
  void emitChannel(Value channel, Value shift, Value total);
  void emitBlock();

  ImplicitLocOpBuilder &b;
  ir::CombineChunksOp op;
  Type type; ///< of the parts
  int64_t numThreads;
  Value chunks, thread, batch, head, row;
};

void CombineKernel::emit() {
  chunks = sizeOf(op.getParts(), 0);
  Value sizes[] = {sizeOf(op.getOut(), 0), emitIndex(b, op.getNumHeads()), sizeOf(op.getOut(), 1)};
  emitLaunch(b, emitProduct(b, sizes), numThreads, {},
             [&](Value block, Value threadNumber, ValueRange) {
               thread = threadNumber;
               SmallVector<Value> position = emitCoordinates(b, block, sizes);
               batch = position[0], head = position[1], row = position[2];
               emitBlock();
             });
}

void CombineKernel::emitBlock() {
  Value largest = emitLargest();
  // exp(-inf - shift) is zero for any finite shift.
  Value isNone = isEqual(largest, -std::numeric_limits<double>::infinity());
  Value shift = arith::SelectOp::create(b, isNone, constant(0), largest);
  Value total = overChunks(constant(0), [&](Value chunk, Value sum) -> Value {
    return arith::AddFOp::create(b, sum, emitWeight(chunk, shift));
  });
  emitLoop(b, thread, emitIndex(b, op.getHeadSize()), numThreads, {},
           [&](Value channel, ValueRange) -> SmallVector<Value> {
             emitChannel(channel, shift, total);
             return {};
           });
  if (!op.getLse())
    return;
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread, emitIndex(b, 0));
  ifTrue(isFirst, [&] {
    Value lse = arith::AddFOp::create(b, largest, math::LogOp::create(b, total));
    memref::StoreOp::create(b, lse, op.getLse(), ValueRange{batch, head, row});
  });
}

void CombineKernel::emitChannel(Value channel, Value shift, Value total) {
  Value column = emitAdd(b, emitMul(b, head, emitIndex(b, op.getHeadSize())), channel);
  Value sum = overChunks(constant(0), [&](Value chunk, Value before) -> Value {
    // A chunk without weight may be all NaN, or not written at all.
    Value isNone = isEqual(loadStatistic(op.getSums(), chunk), 0);
    Value part = memref::LoadOp::create(b, op.getParts(), ValueRange{chunk, batch, row, column});
    Value after = math::FmaOp::create(b, emitWeight(chunk, shift), part, before);
    return arith::SelectOp::create(b, isNone, before, after);
  });
  Value divisor = arith::SelectOp::create(b, isEqual(total, 0), constant(1), total);
  Value result = arith::DivFOp::create(b, sum, divisor);
  Type outType = getElementTypeOrSelf(op.getOut().getType());
  if (outType != type)
    result = arith::TruncFOp::create(b, outType, result);
  memref::StoreOp::create(b, result, op.getOut(), ValueRange{batch, row, column});
}

Value CombineKernel::emitLargest() {
  return overChunks(
      constant(-std::numeric_limits<double>::infinity()), [&](Value chunk, Value largest) -> Value {
        Value maximum = loadStatistic(op.getMaxima(), chunk);
        Value isLarger = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, maximum, largest);
        return arith::SelectOp::create(b, isLarger, maximum, largest);
      });
}

Value CombineKernel::emitWeight(Value chunk, Value shift) {
  Value difference = arith::SubFOp::create(b, loadStatistic(op.getMaxima(), chunk), shift);
  return arith::MulFOp::create(b, loadStatistic(op.getSums(), chunk),
                               math::ExpOp::create(b, difference));
}

Value CombineKernel::overChunks(Value init, function_ref<Value(Value, Value)> body) {
  return emitLoop(b, emitIndex(b, 0), chunks, 1, init,
                  [&](Value chunk, ValueRange carried) -> SmallVector<Value> {
                    return {body(chunk, carried[0])};
                  })[0];
}

void CombineKernel::ifTrue(Value condition, function_ref<void()> body) {
  auto guarded = scf::IfOp::create(b, condition);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(guarded.thenBlock());
  body();
}

} // namespace

void rlx::gpu::emitCombineKernel(ImplicitLocOpBuilder &b, ir::CombineChunksOp op) {
  CombineKernel(b, op).emit();
}
