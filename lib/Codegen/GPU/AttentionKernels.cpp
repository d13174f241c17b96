//===- AttentionKernels.cpp - kernels of rlx.online_attention -------------===//
//
// A block for each query of a head (of a chunk of keys). Its threads take a key each to
// compute scores, then a value channel each to sum values, in turns of as many keys as
// there are threads; the row's maximum and sum run along ("FlashAttention", Dao et al.,
// 2022). Blocks have as many threads as the keys can use.
//
//===----------------------------------------------------------------------===//

#include "AttentionAccess.h"

#include "dialects/rlx/RlxTypes.h"
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

/// The kernel of one attention.
class AttentionKernel : AttentionAccess {
public:
  AttentionKernel(ImplicitLocOpBuilder &b, ir::OnlineAttentionOp op) : AttentionAccess(b, op) {}

  void emit();

private:
  /// The running softmax of a row: its largest score, the sum of exponentials, and the
  /// sums of values in the thread's channels.
  struct Row {
    Value largest, sum;
    SmallVector<Value> channels;
  };

  int64_t channelsPerThread() const { return llvm::divideCeil(valueSize, numThreads); }

  void chooseThreads();
  void emitBlock(ValueRange shared);
  Row attendToHead(ValueRange shared);
  Row attendToKeys(Value firstOfTurn, Value end, Row row, ValueRange shared);
  Value emitScore(Value key, Value query);
  void storeResults(const Row &row);
  void storeChannels(ArrayRef<Value> values);

  int64_t numThreads = 128;
  Value thread;
};

/// A warp where there are few keys and channels, else up to 128 threads.
void AttentionKernel::chooseThreads() {
  int64_t keys = op.getKeyChunk() ? *op.getKeyChunk() : op.getStaticLoopSizes()[3];
  int64_t useful = std::max(ShapedType::isDynamic(keys) ? 128 : keys, valueSize);
  numThreads = std::clamp<int64_t>(llvm::PowerOf2Ceil(useful), kWarpThreads, 128);
}

void AttentionKernel::emit() {
  chooseThreads();
  Value one = emitIndex(b, 1);
  numKeys = sizeOf(op.getK(), op.getRowDim());
  Value chunks = one;
  if (op.getKeyChunk())
    chunks = emitIndex(b, op.getStaticLoopSizes()[3] / *op.getKeyChunk());
  Value heads = sharesQueries ? one : emitIndex(b, op.getNumHeads());
  Value sizes[] = {chunks, sizeOf(op.getQ(), 0), heads, sizeOf(op.getQ(), op.getRowDim())};
  MemRefType shared[] = {sharedType({keySize}, statistics), sharedType({numThreads}, statistics)};
  emitLaunch(b, emitProduct(b, sizes), numThreads, shared,
             [&](Value block, Value threadNumber, ValueRange arrays) {
               thread = threadNumber;
               SmallVector<Value> position = emitCoordinates(b, block, sizes);
               chunk = position[0], batch = position[1], head = position[2], query = position[3];
               emitBlock(arrays);
             });
}

/// The results of one query, of one head or, where heads share queries, of their sum.
void AttentionKernel::emitBlock(ValueRange shared) {
  if (!sharesQueries)
    return storeResults(attendToHead(shared));
  SmallVector<Value> sums(channelsPerThread(), constant(0));
  sums = emitLoop(b, emitIndex(b, 0), emitIndex(b, op.getNumHeads()), 1, sums,
                  [&](Value index, ValueRange carried) {
                    head = index;
                    Row row = attendToHead(shared);
                    for (auto [channel, sum] : llvm::zip_equal(row.channels, carried))
                      channel = arith::AddFOp::create(b, sum, channel);
                    return row.channels;
                  });
  storeChannels(sums);
}

/// The softmax over all keys (of the chunk), normalized.
AttentionKernel::Row AttentionKernel::attendToHead(ValueRange shared) {
  // The query, once for all threads.
  emitLoop(b, thread, emitIndex(b, keySize), numThreads, {},
           [&](Value channel, ValueRange) -> SmallVector<Value> {
             Value element = loadAsStatistic(op.getQ(), indicesOf(op.getQ(), query, channel));
             memref::StoreOp::create(b, element, shared[0], channel);
             return {};
           });
  mlir::gpu::BarrierOp::create(b);

  Value first = emitIndex(b, 0), end = numKeys;
  if (op.getKeyChunk()) {
    first = emitMul(b, chunk, emitIndex(b, *op.getKeyChunk()));
    end = emitAdd(b, first, emitIndex(b, *op.getKeyChunk()));
  }
  SmallVector<Value> carried(channelsPerThread() + 2, constant(0));
  carried[0] = constant(-std::numeric_limits<double>::infinity());
  auto toRow = [](ValueRange values) {
    return Row{values[0], values[1], llvm::to_vector_of<Value>(values.drop_front(2))};
  };
  carried = emitLoop(b, first, end, numThreads, carried, [&](Value turn, ValueRange values) {
    Row row = attendToKeys(turn, end, toRow(values), shared);
    SmallVector<Value> next{row.largest, row.sum};
    next.append(row.channels);
    return next;
  });
  Row row = toRow(carried);
  Value isEmpty = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, row.sum, constant(0));
  for (Value &channel : row.channels) {
    channel = arith::DivFOp::create(b, channel, row.sum);
    channel = arith::SelectOp::create(b, isEmpty, constant(0), channel);
  }
  return row;
}

/// One turn: the keys from `firstOfTurn`, one for each thread.
AttentionKernel::Row AttentionKernel::attendToKeys(Value firstOfTurn, Value end, Row row,
                                                   ValueRange shared) {
  Value scores = shared[1], zero = emitIndex(b, 0),
        infinity = constant(-std::numeric_limits<double>::infinity());
  Value key = emitAdd(b, firstOfTurn, thread);
  Value exists = isLess(key, end);
  auto scored = scf::IfOp::create(b, TypeRange{statistics}, exists, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(scored.thenBlock());
    scf::YieldOp::create(b, emitScore(key, shared[0]));
    b.setInsertionPointToStart(scored.elseBlock());
    scf::YieldOp::create(b, infinity);
  }
  Value score = scored.getResult(0);
  memref::StoreOp::create(b, score, scores, thread);
  mlir::gpu::BarrierOp::create(b);

  // Every thread finds the same maximum; all of the array is initialized.
  Value count = emitIndex(b, numThreads);
  Value largest = emitLoop(b, zero, count, 1, row.largest,
                           [&](Value index, ValueRange carried) -> SmallVector<Value> {
                             Value other = memref::LoadOp::create(b, scores, index);
                             return {arith::MaximumFOp::create(b, carried[0], other)};
                           })[0];
  mlir::gpu::BarrierOp::create(b);

  // While all scores are -inf there is nothing to subtract.
  Value isNone = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, largest, infinity);
  Value shift = arith::SelectOp::create(b, isNone, constant(0), largest);
  auto weigh = [&](Value x) -> Value {
    Value weight = math::ExpOp::create(b, arith::SubFOp::create(b, x, shift));
    Value isMasked = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, infinity);
    return arith::SelectOp::create(b, isMasked, constant(0), weight);
  };
  Value decay = weigh(row.largest);
  memref::StoreOp::create(b, weigh(score), scores, thread);
  mlir::gpu::BarrierOp::create(b);

  SmallVector<Value> sums{arith::MulFOp::create(b, row.sum, decay)};
  for (Value channel : row.channels)
    sums.push_back(arith::MulFOp::create(b, channel, decay));
  Value left = arith::SubIOp::create(b, end, firstOfTurn);
  Value used = arith::MinUIOp::create(b, left, count);
  sums = emitLoop(b, zero, used, 1, sums, [&](Value index, ValueRange carried) {
    Value weight = memref::LoadOp::create(b, scores, index);
    // A masked key has no weight, and its values, which may be NaN, no part.
    Value isMasked = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, weight, constant(0));
    SmallVector<Value> next{arith::AddFOp::create(b, carried[0], weight)};
    for (auto [turn, sum] : llvm::enumerate(carried.drop_front())) {
      Value channel = emitAdd(b, thread, emitIndex(b, turn * numThreads));
      Value last = emitIndex(b, valueSize - 1);
      channel = arith::MinUIOp::create(b, channel, last);
      Value value =
          loadAsStatistic(op.getV(), indicesOf(op.getV(), emitAdd(b, firstOfTurn, index), channel));
      value = arith::SelectOp::create(b, isMasked, constant(0), value);
      next.push_back(math::FmaOp::create(b, weight, value, sum));
    }
    return next;
  });
  mlir::gpu::BarrierOp::create(b);
  return {largest, sums[0], llvm::to_vector(ArrayRef(sums).drop_front())};
}

/// The masked score of a key; `query` is the shared array of the row's query.
Value AttentionKernel::emitScore(Value key, Value sharedQuery) {
  Value dot = emitLoop(b, emitIndex(b, 0), emitIndex(b, keySize), 1, constant(0),
                       [&](Value channel, ValueRange sum) -> SmallVector<Value> {
                         Value q = memref::LoadOp::create(b, sharedQuery, channel);
                         Value k = loadAsStatistic(op.getK(), indicesOf(op.getK(), key, channel));
                         return {math::FmaOp::create(b, q, k, sum[0])};
                       })[0];
  return emitMaskedScore(dot, key);
}

void AttentionKernel::storeChannels(ArrayRef<Value> values) {
  Type type = elementTypeOf(op.getOut());
  for (auto [turn, value] : llvm::enumerate(values)) {
    Value channel = emitAdd(b, thread, emitIndex(b, turn * numThreads));
    Value rounded = type == statistics ? value : arith::TruncFOp::create(b, type, value);
    emitIf(b, isLess(channel, emitIndex(b, valueSize)), [&] {
      memref::StoreOp::create(b, rounded, op.getOut(), indicesOf(op.getOut(), query, channel));
    });
  }
}

void AttentionKernel::storeResults(const Row &row) {
  storeChannels(row.channels);
  if (op.getInits().size() == 1)
    return;
  SmallVector<Value> indices{batch, head, query};
  if (op.getKeyChunk())
    indices.insert(indices.begin(), chunk);
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread, emitIndex(b, 0));
  emitIf(b, isFirst, [&] {
    if (Value lse = op.getLse()) {
      // -inf + log 0 for a row without keys.
      Value logarithm = math::LogOp::create(b, row.sum);
      memref::StoreOp::create(b, arith::AddFOp::create(b, row.largest, logarithm), lse, indices);
      return;
    }
    memref::StoreOp::create(b, row.largest, op.getMaxima(), indices);
    memref::StoreOp::create(b, row.sum, op.getSums(), indices);
  });
}

} // namespace

void rlx::gpu::emitAttentionKernel(ImplicitLocOpBuilder &b, ir::OnlineAttentionOp op) {
  AttentionKernel(b, op).emit();
}
