//===- LowerCombineChunks.cpp - sums over chunks of keys ------------------===//
//
// One row of one head at a time: the weights of its chunks, then the weighted sum of
// their results, each of which is read once, from end to end, or not at all.
//
//===----------------------------------------------------------------------===//

#include "LowerStructured.h"

#include "../Common/VectorMath.h"
#include "Contraction.h"
#include "MicroKernel.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <limits>

using namespace mlir;
using namespace rlx;
using namespace rlx::cpu;

namespace {

class CombineChunksEmitter {
public:
  CombineChunksEmitter(OpBuilder &builder, ir::CombineChunksOp op, const CpuTarget &target)
      : builder(builder), loc(op.getLoc()), op(op), target(target) {
    auto partsType = cast<MemRefType>(op.getParts().getType());
    elementType = partsType.getElementType();
    lanes = target.lanes(elementType.getIntOrFloatBitWidth());
    vectorType = VectorType::get({lanes}, elementType);
    chunks = asValue(memref::getMixedSize(builder, loc, op.getParts(), 0));
    zero = arith::ConstantIndexOp::create(builder, loc, 0);
    one = arith::ConstantIndexOp::create(builder, loc, 1);
    weights = createScratch(builder, loc, {partsType.getDimSize(0)}, elementType);
    int64_t width = llvm::alignTo(op.getHeadSize(), lanes);
    sum = createScratch(builder, loc, {width}, elementType);
  }

  void emit() {
    Value out = op.getOut();
    emitLoop(builder, loc, memref::getMixedSize(builder, loc, out, 0), 1,
             [&](OpBuilder &, Value b) {
               batch = b;
               emitLoop(builder, loc, memref::getMixedSize(builder, loc, out, 1), 1,
                        [&](OpBuilder &, Value i) {
                          row = i;
                          emitLoop(builder, loc, builder.getIndexAttr(op.getNumHeads()), 1,
                                   [&](OpBuilder &, Value h) {
                                     head = h;
                                     emitRow();
                                   });
                        });
             });
    op.erase();
  }

private:
  Value asValue(OpFoldResult size) { return getValueOrCreateConstantIndexOp(builder, loc, size); }

  Value constant(double value) {
    return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(elementType, value));
  }

  Value isEqual(Value value, double to) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, value, constant(to));
  }

  /// A statistic of the row in a chunk.
  Value loadStatistic(Value statistics, Value chunk) {
    return memref::LoadOp::create(builder, loc, statistics, ValueRange{chunk, batch, head, row});
  }

  void emitRow() {
    Value largest = emitLargest(), total = emitWeights(largest);
    Value divisor = arith::SelectOp::create(builder, loc, isEqual(total, 0), constant(1), total);
    emitChannels([&](Value d, Value) {
      Value none = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vectorType));
      vector::StoreOp::create(builder, loc, none, sum, d);
    });
    emitLoop(builder, loc, chunks, 1, [&](OpBuilder &, Value chunk) {
      // A chunk without weight may be all NaN, or not written at all.
      Value counts = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                           loadStatistic(op.getSums(), chunk), constant(0));
      auto branch = scf::IfOp::create(builder, loc, counts, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      Value weight = memref::LoadOp::create(builder, loc, weights, chunk);
      addPart(chunk, arith::DivFOp::create(builder, loc, weight, divisor));
    });
    emitChannels([&](Value d, Value mask) {
      Value value = vector::LoadOp::create(builder, loc, vectorType, sum, d);
      storeVector(builder, loc, value, op.getOut(), {batch, row, channelAt(d)}, mask);
    });
    if (Value lse = op.getLse()) {
      Value logarithm = math::LogOp::create(builder, loc, total);
      memref::StoreOp::create(builder, loc, arith::AddFOp::create(builder, loc, largest, logarithm),
                              lse, ValueRange{batch, head, row});
    }
  }

  /// The row's largest score, -inf if it sees no key.
  Value emitLargest() {
    return emitOverChunks(constant(-std::numeric_limits<double>::infinity()),
                          [&](Value chunk, Value largest) -> Value {
                            Value maximum = loadStatistic(op.getMaxima(), chunk);
                            Value larger = arith::CmpFOp::create(
                                builder, loc, arith::CmpFPredicate::OGT, maximum, largest);
                            return arith::SelectOp::create(builder, loc, larger, maximum, largest);
                          });
  }

  /// Writes what each chunk counts; returns the total.
  Value emitWeights(Value largest) {
    // exp(-inf - shift) is zero for any finite shift.
    Value none = isEqual(largest, -std::numeric_limits<double>::infinity());
    Value shift = arith::SelectOp::create(builder, loc, none, constant(0), largest);
    return emitOverChunks(constant(0), [&](Value chunk, Value total) -> Value {
      Value difference =
          arith::SubFOp::create(builder, loc, loadStatistic(op.getMaxima(), chunk), shift);
      Value weight = arith::MulFOp::create(builder, loc, loadStatistic(op.getSums(), chunk),
                                           math::ExpOp::create(builder, loc, difference));
      memref::StoreOp::create(builder, loc, weight, weights, chunk);
      return arith::AddFOp::create(builder, loc, total, weight);
    });
  }

  /// A loop over the chunks that carries a value.
  Value emitOverChunks(Value init, llvm::function_ref<Value(Value chunk, Value carried)> body) {
    auto loop = scf::ForOp::create(builder, loc, zero, chunks, one, init);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(builder, loc,
                         body(loop.getInductionVar(), loop.getRegionIterArgs().front()));
    return loop.getResult(0);
  }

  void addPart(Value chunk, Value weight) {
    Value factor = vector::BroadcastOp::create(builder, loc, vectorType, weight);
    emitChannels([&](Value d, Value mask) {
      Value part = loadVector(builder, loc, op.getParts(), {chunk, batch, row, channelAt(d)},
                              vectorType, mask);
      Value before = vector::LoadOp::create(builder, loc, vectorType, sum, d);
      vector::StoreOp::create(builder, loc, emitFma(builder, loc, factor, part, before, target),
                              sum, d);
    });
  }

  /// Channel `d` of the current head among those of all heads.
  Value channelAt(Value d) {
    Value headSize = arith::ConstantIndexOp::create(builder, loc, op.getHeadSize());
    return arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, head, headSize),
                                 d);
  }

  /// A loop over vectors of a head's channels; `mask` is null or selects those of the
  /// last one that exist.
  void emitChannels(llvm::function_ref<void(Value d, Value mask)> body) {
    int64_t channels = op.getHeadSize(), whole = channels / lanes * lanes;
    emitLoop(builder, loc, builder.getIndexAttr(whole), lanes,
             [&](OpBuilder &, Value d) { body(d, Value()); });
    if (whole == channels)
      return;
    Value left = arith::ConstantIndexOp::create(builder, loc, channels - whole);
    auto maskType = VectorType::get({lanes}, builder.getI1Type());
    body(arith::ConstantIndexOp::create(builder, loc, whole),
         vector::CreateMaskOp::create(builder, loc, maskType, left));
  }

  OpBuilder &builder;
  Location loc;
  ir::CombineChunksOp op;
  const CpuTarget &target;
  Type elementType; ///< of the parts
  VectorType vectorType;
  int64_t lanes;
  Value chunks, zero, one;
  Value weights, sum;     ///< of the chunks, and of the row being emitted
  Value batch, head, row; ///< of the loops being emitted
};

} // namespace

void cpu::lowerCombineChunks(OpBuilder &builder, ir::CombineChunksOp op, const CpuTarget &target) {
  builder.setInsertionPoint(op);
  CombineChunksEmitter(builder, op, target).emit();
}
