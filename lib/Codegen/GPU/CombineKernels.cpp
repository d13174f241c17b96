//===- CombineKernels.cpp - kernels of sums over chunks of keys -----------===//
//
// A block for each row of each head. Its warps each find what every chunk counts, a chunk
// to a lane; then threads have channels of their own.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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
        numChunks(cast<MemRefType>(op.getParts().getType()).getDimSize(0)),
        numThreads(std::clamp<int64_t>(llvm::PowerOf2Ceil(op.getHeadSize()), kWarpThreads,
                                       kBlockThreads)) {}

  void emit();

private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  /// Chunks that a thread loads at a time.
  static constexpr int64_t kUnroll = 8;

  Value constant(double value) { return arith::ConstantOp::create(b, b.getFloatAttr(type, value)); }
  Value isEqual(Value value, double to) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, value, constant(to));
  }
  Value sizeOf(Value memref, int64_t dim) { return b.createOrFold<memref::DimOp>(memref, dim); }
  Value loadStatistic(Value statistics, Value chunk) {
    return memref::LoadOp::create(b, statistics, ValueRange{chunk, batch, head, row});
  }
  /// Writes the weight of each chunk, -1 of one that does not count; returns the largest
  /// score and the total.
  std::pair<Value, Value> emitWeights(Value weights);
  void emitChannel(Value channel, Value weights, Value total);
  void emitBlock(Value weights);

  ImplicitLocOpBuilder &b;
  ir::CombineChunksOp op;
  Type type; ///< of the parts
  int64_t numChunks, numThreads;
  Value thread, batch, head, row;
};

void CombineKernel::emit() {
  Value sizes[] = {sizeOf(op.getOut(), 0), emitIndex(b, op.getNumHeads()), sizeOf(op.getOut(), 1)};
  emitLaunch(b, emitProduct(b, sizes), numThreads, sharedType({numChunks}, type),
             [&](Value block, Value threadNumber, ValueRange shared) {
               thread = threadNumber;
               SmallVector<Value> position = emitCoordinates(b, block, sizes);
               batch = position[0], head = position[1], row = position[2];
               emitBlock(shared[0]);
             });
}

void CombineKernel::emitBlock(Value weights) {
  auto [largest, total] = emitWeights(weights);
  mlir::gpu::BarrierOp::create(b);
  emitLoop(b, thread, emitIndex(b, op.getHeadSize()), numThreads, {},
           [&, total = total](Value channel, ValueRange) -> SmallVector<Value> {
             emitChannel(channel, weights, total);
             return {};
           });
  if (!op.getLse())
    return;
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread, emitIndex(b, 0));
  Value lse = arith::AddFOp::create(b, largest, math::LogOp::create(b, total));
  emitIf(b, isFirst,
         [&] { memref::StoreOp::create(b, lse, op.getLse(), ValueRange{batch, head, row}); });
}

std::pair<Value, Value> CombineKernel::emitWeights(Value weights) {
  Value lane = arith::RemUIOp::create(b, thread, emitIndex(b, kWarpThreads));
  SmallVector<Value> chunks, maxima, sums;
  Value largest = constant(-kInfinity), total = constant(0);
  for (int64_t first = 0; first < numChunks; first += kWarpThreads) {
    // Lanes without a chunk look at the last one, and don't count it.
    chunks.push_back(emitAdd(b, lane, emitIndex(b, first)));
    Value chunk = arith::MinUIOp::create(b, chunks.back(), emitIndex(b, numChunks - 1));
    maxima.push_back(loadStatistic(op.getMaxima(), chunk));
    sums.push_back(loadStatistic(op.getSums(), chunk));
    Value isLarger = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, maxima.back(), largest);
    largest = arith::SelectOp::create(b, isLarger, maxima.back(), largest);
  }
  largest = emitOverLanes(b, largest, kWarpDistances, [&](Value x, Value y) -> Value {
    Value isLarger = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, y);
    return arith::SelectOp::create(b, isLarger, x, y);
  });
  // exp(-inf - shift) is zero for any finite shift.
  Value shift = arith::SelectOp::create(b, isEqual(largest, -kInfinity), constant(0), largest);
  for (auto [chunk, maximum, sum] : llvm::zip_equal(chunks, maxima, sums)) {
    Value power = math::ExpOp::create(b, arith::SubFOp::create(b, maximum, shift));
    Value weight = arith::MulFOp::create(b, sum, power);
    Value exists =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, chunk, emitIndex(b, numChunks));
    Value counted = arith::SelectOp::create(b, exists, weight, constant(0));
    total = arith::AddFOp::create(b, total, counted);
    Value kept = arith::SelectOp::create(b, isEqual(sum, 0), constant(-1), weight);
    emitIf(b, exists, [&, chunk = chunk] { memref::StoreOp::create(b, kept, weights, chunk); });
  }
  total = emitOverLanes(b, total, kWarpDistances,
                        [&](Value x, Value y) -> Value { return arith::AddFOp::create(b, x, y); });
  return {largest, total};
}

void CombineKernel::emitChannel(Value channel, Value weights, Value total) {
  Value column = emitAdd(b, emitMul(b, head, emitIndex(b, op.getHeadSize())), channel);
  int64_t unroll = kUnroll;
  while (numChunks % unroll != 0)
    --unroll;
  auto add = [&](Value sum, Value chunk) -> Value {
    // A chunk without weight may be all NaN, or not written at all.
    Value weight = memref::LoadOp::create(b, weights, chunk);
    Value part = memref::LoadOp::create(b, op.getParts(), ValueRange{chunk, batch, row, column});
    Value isNone = isEqual(weight, -1);
    return arith::SelectOp::create(b, isNone, sum, math::FmaOp::create(b, weight, part, sum));
  };
  Value sum = emitLoop(b, emitIndex(b, 0), emitIndex(b, numChunks), unroll, constant(0),
                       [&](Value first, ValueRange carried) -> SmallVector<Value> {
                         Value next = carried[0];
                         for (int64_t step = 0; step < unroll; ++step)
                           next = add(next, emitAdd(b, first, emitIndex(b, step)));
                         return {next};
                       })[0];
  Value divisor = arith::SelectOp::create(b, isEqual(total, 0), constant(1), total);
  Value result = arith::DivFOp::create(b, sum, divisor);
  Type outType = getElementTypeOrSelf(op.getOut().getType());
  if (outType != type)
    result = arith::TruncFOp::create(b, outType, result);
  memref::StoreOp::create(b, result, op.getOut(), ValueRange{batch, row, column});
}

} // namespace

void rlx::gpu::emitCombineKernel(ImplicitLocOpBuilder &b, ir::CombineChunksOp op) {
  CombineKernel(b, op).emit();
}
