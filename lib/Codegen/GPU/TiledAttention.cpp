//===- TiledAttention.cpp - attention of blocks of rows -------------------===//
//
// A block of threads attends to tiles of keys for 32 rows at a time, with both products
// tiled in shared memory and registers, and the softmax of a row spread over eight lanes
// ("FlashAttention", Dao et al., 2022). Rows are queries, or pairs (query, head) where all
// heads share the keys. Where they share the queries, the columns of a tile are pairs
// (head, key) of as many heads as fit, and the heads' results add up.
//
//===----------------------------------------------------------------------===//

#include "AttentionAccess.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace rlx;
using namespace rlx::gpu;

namespace {

constexpr int64_t kRows = 32, kColumns = 64;
/// Channels of queries and keys that are in shared memory at a time.
constexpr int64_t kSlab = 32;
/// Lanes that share the softmax of a row, and the bits in which their numbers differ.
constexpr int64_t kLanesOfRow = kBlockThreads / kRows;
constexpr int64_t kRowDistances[] = {4, 2, 1};
static_assert(kLanesOfRow == 8);
/// Rows and columns of scores of a thread: neighbours, and every 16th.
constexpr int64_t kScoreRows = 2, kScoreThreads = kRows / kScoreRows;
constexpr int64_t kScoreColumns = kColumns * kScoreThreads / kBlockThreads;
/// Rows of the result of a thread, whose columns are every 32nd.
constexpr int64_t kOutRows = kRows * kWarpThreads / kBlockThreads;
/// Columns whose values a thread loads at a time.
constexpr int64_t kUnroll = 4;
/// Columns of the result of a thread that registers have room for.
constexpr int64_t kMaxOutColumns = 8;

class TiledAttentionKernel : AttentionAccess {
public:
  TiledAttentionKernel(ImplicitLocOpBuilder &b, ir::OnlineAttentionOp op)
      : AttentionAccess(b, op), numHeads(op.getNumHeads()) {
    outColumns = llvm::divideCeil(valueSize, kWarpThreads);
    int64_t keys = op.getStaticLoopSizes()[3];
    if (sharesQueries)
      groupHeads = std::clamp<int64_t>(kColumns / std::max<int64_t>(keys, 1), 1, numHeads);
  }

  void emit();

private:
  /// Lines of the shared array of statistics.
  enum Statistic : int64_t { Largest, Sum, Decay };

  void emitBlock(ValueRange arrays);
  void initializeStatistics();
  SmallVector<Value> attendToTile(ValueRange sums);
  void setRow(Value row);
  Value keyOf(Value column);
  Value headOf(Value column);
  Value columnExists(Value column);
  void loadSlab(Value array, Value operand, int64_t lines, Value firstChannel,
                function_ref<void(Value line)> setLine, function_ref<Value()> position);
  void emitScores();
  void emitOnlineSoftmax();
  void emitSoftmaxOfHeads();
  SmallVector<Value> addValues(ValueRange sums);
  SmallVector<Value> addColumns(ValueRange sums, Value count,
                                function_ref<SmallVector<Value>(Value column)> valuesOf);
  SmallVector<Value> addWeighted(ValueRange sums, Value column, Value exists,
                                 ArrayRef<Value> values);
  void storeRows(ArrayRef<Value> sums);
  void storeStatistics();

  Value add(Value lhs, int64_t rhs) { return emitAdd(b, lhs, emitIndex(b, rhs)); }
  Value div(Value lhs, int64_t rhs) {
    return b.createOrFold<arith::DivUIOp>(lhs, emitIndex(b, rhs));
  }
  Value rem(Value lhs, int64_t rhs) {
    return b.createOrFold<arith::RemUIOp>(lhs, emitIndex(b, rhs));
  }
  Value load(Value array, Value line, Value place) {
    return memref::LoadOp::create(b, array, ValueRange{line, place});
  }
  void store(Value value, Value array, Value line, Value place) {
    memref::StoreOp::create(b, value, array, ValueRange{line, place});
  }
  Value isEqual(Value value, double to) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, value, constant(to));
  }
  /// exp(x - shift) of a score, 0 of -inf.
  Value weigh(Value x, Value shift) {
    Value power = math::ExpOp::create(b, arith::SubFOp::create(b, x, shift));
    return arith::SelectOp::create(b, isEqual(x, -kInfinity), constant(0), power);
  }
  Value shiftOf(Value largest) {
    return arith::SelectOp::create(b, isEqual(largest, -kInfinity), constant(0), largest);
  }
  void barrier() { mlir::gpu::BarrierOp::create(b); }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  int64_t numHeads, outColumns, groupHeads = 1;
  Value thread, firstRow, numRows;
  Value blockHead;              ///< where heads have blocks of their own
  Value firstColumn, endColumn; ///< of the tile: its first key or head, and the last's end
  Value queries, keys, scores, statisticsOf; ///< shared arrays
};

void TiledAttentionKernel::emit() {
  Value one = emitIndex(b, 1), chunks = one;
  numKeys = sizeOf(op.getK(), op.getRowDim());
  if (op.getKeyChunk())
    chunks = emitIndex(b, op.getStaticLoopSizes()[3] / *op.getKeyChunk());
  numRows = sizeOf(op.getQ(), op.getRowDim());
  bool sharesKeys = op.getSharing() == ir::HeadSharing::Keys;
  if (sharesKeys)
    numRows = emitMul(b, numRows, emitIndex(b, numHeads));
  Value heads = sharesKeys || sharesQueries ? one : emitIndex(b, numHeads);
  Value sizes[] = {chunks, sizeOf(op.getQ(), 0), heads, emitCeilDiv(b, numRows, kRows)};
  // A line has one place more than it needs, so that lines begin in different banks.
  MemRefType arrays[] = {
      sharedType({kRows, kSlab + 1}, statistics), sharedType({kColumns, kSlab + 1}, statistics),
      sharedType({kRows, kColumns + 1}, statistics), sharedType({3, kRows}, statistics)};
  emitLaunch(b, emitProduct(b, sizes), kBlockThreads, arrays,
             [&](Value block, Value threadNumber, ValueRange shared) {
               thread = threadNumber;
               SmallVector<Value> position = emitCoordinates(b, block, sizes);
               chunk = position[0], batch = position[1], blockHead = position[2];
               firstRow = emitMul(b, position[3], emitIndex(b, kRows));
               emitBlock(shared);
             });
}

void TiledAttentionKernel::emitBlock(ValueRange arrays) {
  queries = arrays[0], keys = arrays[1], scores = arrays[2], statisticsOf = arrays[3];
  initializeStatistics();
  SmallVector<Value> sums(kOutRows * outColumns, constant(0));
  Value first = emitIndex(b, 0), end = numKeys;
  int64_t step = kColumns;
  if (sharesQueries) {
    end = emitIndex(b, numHeads);
    step = groupHeads;
  } else if (op.getKeyChunk()) {
    first = emitMul(b, chunk, emitIndex(b, *op.getKeyChunk()));
    end = add(first, *op.getKeyChunk());
  }
  endColumn = end;
  sums = emitLoop(b, first, end, step, sums, [&](Value turn, ValueRange carried) {
    firstColumn = turn;
    return attendToTile(carried);
  });
  storeRows(sums);
  if (op.getInits().size() > 1)
    storeStatistics();
}

void TiledAttentionKernel::initializeStatistics() {
  emitIf(b, isLess(thread, emitIndex(b, kRows)), [&] {
    store(constant(-kInfinity), statisticsOf, emitIndex(b, Largest), thread);
    store(constant(sharesQueries ? 1 : 0), statisticsOf, emitIndex(b, Sum), thread);
    store(constant(1), statisticsOf, emitIndex(b, Decay), thread);
  });
  barrier();
}

SmallVector<Value> TiledAttentionKernel::attendToTile(ValueRange sums) {
  emitScores();
  barrier();
  if (sharesQueries)
    emitSoftmaxOfHeads();
  else
    emitOnlineSoftmax();
  barrier();
  SmallVector<Value> next = addValues(sums);
  barrier();
  return next;
}

/// Makes row `row` of the block the one at hand; rows behind the last one are like it.
void TiledAttentionKernel::setRow(Value row) {
  Value last = arith::SubIOp::create(b, numRows, emitIndex(b, 1));
  query = arith::MinUIOp::create(b, emitAdd(b, firstRow, row), last);
  head = blockHead;
  if (op.getSharing() == ir::HeadSharing::Keys) {
    head = rem(query, numHeads);
    query = div(query, numHeads);
  }
}

Value TiledAttentionKernel::keyOf(Value column) {
  return sharesQueries ? b.createOrFold<arith::RemUIOp>(column, numKeys)
                       : emitAdd(b, firstColumn, column);
}

/// The head of a column, where columns have one.
Value TiledAttentionKernel::headOf(Value column) {
  return emitAdd(b, firstColumn, b.createOrFold<arith::DivUIOp>(column, numKeys));
}

Value TiledAttentionKernel::columnExists(Value column) {
  if (!sharesQueries)
    return isLess(keyOf(column), endColumn);
  Value isOfGroup =
      isLess(b.createOrFold<arith::DivUIOp>(column, numKeys), emitIndex(b, groupHeads));
  return arith::AndIOp::create(b, isOfGroup, isLess(headOf(column), endColumn));
}

/// Copies kSlab channels of `lines` rows of an operand to a shared array, with zeros
/// behind the last channel. Neighbouring threads read what lies side by side.
void TiledAttentionKernel::loadSlab(Value array, Value operand, int64_t lines, Value firstChannel,
                                    function_ref<void(Value line)> setLine,
                                    function_ref<Value()> position) {
  bool channelsFirst = op.getLayout() == ir::AttentionLayout::HeadChannel;
  for (int64_t turn = 0; turn < lines * kSlab / kBlockThreads; ++turn) {
    Value number = add(thread, turn * kBlockThreads);
    Value line = channelsFirst ? rem(number, lines) : div(number, kSlab);
    Value place = channelsFirst ? div(number, lines) : rem(number, kSlab);
    Value channel = emitAdd(b, firstChannel, place);
    setLine(line);
    Value last = emitIndex(b, keySize - 1);
    Value element = loadAsStatistic(
        operand, indicesOf(operand, position(), arith::MinUIOp::create(b, channel, last)));
    if (keySize % kSlab != 0)
      element =
          arith::SelectOp::create(b, isLess(channel, emitIndex(b, keySize)), element, constant(0));
    store(element, array, line, place);
  }
}

void TiledAttentionKernel::emitScores() {
  Value firstLine = emitMul(b, div(thread, kScoreThreads), emitIndex(b, kScoreRows));
  Value firstPlace = rem(thread, kScoreThreads), key;
  SmallVector<Value> dots(kScoreRows * kScoreColumns, constant(0));
  dots = emitLoop(
      b, emitIndex(b, 0), emitIndex(b, keySize), kSlab, dots,
      [&](Value channel, ValueRange carried) {
        loadSlab(
            queries, op.getQ(), kRows, channel, [&](Value line) { setRow(line); },
            [&] { return query; });
        loadSlab(
            keys, op.getK(), kColumns, channel,
            [&](Value column) {
              Value last = arith::SubIOp::create(b, numKeys, emitIndex(b, 1));
              key = arith::MinUIOp::create(b, keyOf(column), last);
              head = blockHead;
              if (sharesQueries)
                head = arith::MinUIOp::create(b, headOf(column), emitIndex(b, numHeads - 1));
            },
            [&] { return key; });
        barrier();
        SmallVector<Value> next = emitLoop(
            b, emitIndex(b, 0), emitIndex(b, kSlab), 1, carried, [&](Value d, ValueRange values) {
              SmallVector<Value> results(values), rows, columns;
              for (int64_t i = 0; i < kScoreRows; ++i)
                rows.push_back(load(queries, add(firstLine, i), d));
              for (int64_t j = 0; j < kScoreColumns; ++j)
                columns.push_back(load(keys, add(firstPlace, j * kScoreThreads), d));
              for (int64_t i = 0; i < kScoreRows; ++i)
                for (int64_t j = 0; j < kScoreColumns; ++j) {
                  Value &result = results[i * kScoreColumns + j];
                  result = math::FmaOp::create(b, rows[i], columns[j], result);
                }
              return results;
            });
        barrier();
        return next;
      });
  for (int64_t i = 0; i < kScoreRows; ++i)
    for (int64_t j = 0; j < kScoreColumns; ++j) {
      Value line = add(firstLine, i), column = add(firstPlace, j * kScoreThreads);
      setRow(line);
      Value exists = columnExists(column);
      auto guarded = scf::IfOp::create(b, TypeRange{statistics}, exists, /*withElseRegion=*/true);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(guarded.thenBlock());
        if (sharesQueries)
          head = headOf(column);
        scf::YieldOp::create(b, emitMaskedScore(dots[i * kScoreColumns + j], keyOf(column)));
        b.setInsertionPointToStart(guarded.elseBlock());
        scf::YieldOp::create(b, constant(-kInfinity));
      }
      store(guarded.getResult(0), scores, line, column);
    }
}

/// Scores to weights, with what rows have seen before: every lane of a row has the same
/// statistics, and the first one keeps them.
void TiledAttentionKernel::emitOnlineSoftmax() {
  Value line = div(thread, kLanesOfRow), lane = rem(thread, kLanesOfRow);
  Value before = load(statisticsOf, emitIndex(b, Largest), line);
  Value sumBefore = load(statisticsOf, emitIndex(b, Sum), line);
  SmallVector<Value> own;
  Value largest = constant(-kInfinity);
  for (int64_t place = 0; place < kColumns; place += kLanesOfRow) {
    own.push_back(load(scores, line, add(lane, place)));
    largest = arith::MaximumFOp::create(b, largest, own.back());
  }
  largest = emitOverLanes(b, largest, kRowDistances, [&](Value x, Value y) -> Value {
    return arith::MaximumFOp::create(b, x, y);
  });
  largest = arith::MaximumFOp::create(b, before, largest);
  Value shift = shiftOf(largest), sum = constant(0);
  for (auto [turn, score] : llvm::enumerate(own)) {
    Value weight = weigh(score, shift);
    store(weight, scores, line, add(lane, turn * kLanesOfRow));
    sum = arith::AddFOp::create(b, sum, weight);
  }
  sum = emitOverLanes(b, sum, kRowDistances,
                      [&](Value x, Value y) -> Value { return arith::AddFOp::create(b, x, y); });
  Value decay = weigh(before, shift);
  sum = math::FmaOp::create(b, sumBefore, decay, sum);
  emitIf(b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, emitIndex(b, 0)), [&] {
    store(largest, statisticsOf, emitIndex(b, Largest), line);
    store(sum, statisticsOf, emitIndex(b, Sum), line);
    store(decay, statisticsOf, emitIndex(b, Decay), line);
  });
}

/// Scores to weights that are normalized for each head: a lane has every eighth head of
/// the tile.
void TiledAttentionKernel::emitSoftmaxOfHeads() {
  Value line = div(thread, kLanesOfRow), lane = rem(thread, kLanesOfRow);
  emitLoop(b, lane, emitIndex(b, groupHeads), kLanesOfRow, {},
           [&](Value ofGroup, ValueRange) -> SmallVector<Value> {
             Value first = emitMul(b, ofGroup, numKeys);
             auto overKeys = [&](Value init, function_ref<Value(Value place, Value carried)> body) {
               return emitLoop(b, emitIndex(b, 0), numKeys, 1, init,
                               [&](Value key, ValueRange carried) -> SmallVector<Value> {
                                 return {body(emitAdd(b, first, key), carried[0])};
                               })[0];
             };
             Value largest = overKeys(constant(-kInfinity), [&](Value place, Value so) -> Value {
               return arith::MaximumFOp::create(b, so, load(scores, line, place));
             });
             Value shift = shiftOf(largest);
             Value sum = overKeys(constant(0), [&](Value place, Value so) -> Value {
               Value weight = weigh(load(scores, line, place), shift);
               store(weight, scores, line, place);
               return arith::AddFOp::create(b, so, weight);
             });
             Value divisor = arith::SelectOp::create(b, isEqual(sum, 0), constant(1), sum);
             overKeys(constant(0), [&](Value place, Value so) -> Value {
               store(arith::DivFOp::create(b, load(scores, line, place), divisor), scores, line,
                     place);
               return so;
             });
             return {};
           });
}

/// sums * decay + weights * values.
SmallVector<Value> TiledAttentionKernel::addValues(ValueRange sums) {
  Value firstLine = emitMul(b, div(thread, kWarpThreads), emitIndex(b, kOutRows));
  Value firstChannel = rem(thread, kWarpThreads);
  SmallVector<Value> scaled;
  for (int64_t i = 0; i < kOutRows; ++i) {
    Value decay = load(statisticsOf, emitIndex(b, Decay), add(firstLine, i));
    for (int64_t j = 0; j < outColumns; ++j)
      scaled.push_back(arith::MulFOp::create(b, sums[i * outColumns + j], decay));
  }
  Value left = arith::SubIOp::create(b, endColumn, firstColumn);
  Value used = sharesQueries
                   ? emitMul(b, arith::MinUIOp::create(b, left, emitIndex(b, groupHeads)), numKeys)
                   : arith::MinUIOp::create(b, left, emitIndex(b, kColumns)).getResult();
  auto valuesOf = [&](Value column) {
    Value last = arith::SubIOp::create(b, used, emitIndex(b, 1));
    Value existing = arith::MinUIOp::create(b, column, last);
    head = sharesQueries ? headOf(existing) : blockHead;
    SmallVector<Value> values;
    for (int64_t j = 0; j < outColumns; ++j) {
      Value channel = arith::MinUIOp::create(b, add(firstChannel, j * kWarpThreads),
                                             emitIndex(b, valueSize - 1));
      values.push_back(loadAsStatistic(op.getV(), indicesOf(op.getV(), keyOf(existing), channel)));
    }
    return values;
  };
  return addColumns(scaled, used, valuesOf);
}

/// sums + weights * values of the first `count` columns, several at a time, so that their
/// loads overlap.
SmallVector<Value>
TiledAttentionKernel::addColumns(ValueRange sums, Value count,
                                 function_ref<SmallVector<Value>(Value column)> valuesOf) {
  return emitLoop(b, emitIndex(b, 0), count, kUnroll, sums, [&](Value turn, ValueRange carried) {
    SmallVector<Value> next(carried), columns;
    SmallVector<SmallVector<Value>> values;
    for (int64_t step = 0; step < kUnroll; ++step) {
      columns.push_back(add(turn, step));
      values.push_back(valuesOf(columns.back()));
    }
    for (auto [column, ofColumn] : llvm::zip_equal(columns, values)) {
      // Columns behind the last one have no weight; their values are to have no NaN.
      Value exists = isLess(column, count);
      for (Value &value : ofColumn)
        value = arith::SelectOp::create(b, exists, value, constant(0));
      next = addWeighted(next, column, exists, ofColumn);
    }
    return next;
  });
}

/// sums + weights * values of one column.
SmallVector<Value> TiledAttentionKernel::addWeighted(ValueRange sums, Value column, Value exists,
                                                     ArrayRef<Value> values) {
  Value firstLine = emitMul(b, div(thread, kWarpThreads), emitIndex(b, kOutRows));
  bool mayHide = op.getMaskKind() != ir::MaskKind::None;
  SmallVector<Value> next(sums);
  for (int64_t i = 0; i < kOutRows; ++i) {
    Value place = arith::MinUIOp::create(b, column, emitIndex(b, kColumns - 1));
    Value weight = load(scores, add(firstLine, i), place);
    weight = arith::SelectOp::create(b, exists, weight, constant(0));
    // A hidden key has no weight, and its values, which may be NaN, no part.
    Value isHidden = mayHide ? isEqual(weight, 0) : Value();
    for (int64_t j = 0; j < outColumns; ++j) {
      Value &sum = next[i * outColumns + j];
      Value added = math::FmaOp::create(b, weight, values[j], sum);
      sum = mayHide ? arith::SelectOp::create(b, isHidden, sum, added).getResult() : added;
    }
  }
  return next;
}

void TiledAttentionKernel::storeRows(ArrayRef<Value> sums) {
  Value firstLine = emitMul(b, div(thread, kWarpThreads), emitIndex(b, kOutRows));
  Value firstChannel = rem(thread, kWarpThreads);
  Type type = elementTypeOf(op.getOut());
  for (int64_t i = 0; i < kOutRows; ++i) {
    Value line = add(firstLine, i);
    setRow(line);
    Value sum = load(statisticsOf, emitIndex(b, Sum), line);
    Value isEmpty = isEqual(sum, 0);
    Value rowExists = isLess(emitAdd(b, firstRow, line), numRows);
    for (int64_t j = 0; j < outColumns; ++j) {
      Value channel = add(firstChannel, j * kWarpThreads);
      Value result = arith::DivFOp::create(b, sums[i * outColumns + j], sum);
      result = arith::SelectOp::create(b, isEmpty, constant(0), result);
      if (type != statistics)
        result = arith::TruncFOp::create(b, type, result);
      Value exists = arith::AndIOp::create(b, rowExists, isLess(channel, emitIndex(b, valueSize)));
      emitIf(b, exists, [&] {
        memref::StoreOp::create(b, result, op.getOut(), indicesOf(op.getOut(), query, channel));
      });
    }
  }
}

void TiledAttentionKernel::storeStatistics() {
  Value exists = arith::AndIOp::create(b, isLess(thread, emitIndex(b, kRows)),
                                       isLess(emitAdd(b, firstRow, thread), numRows));
  emitIf(b, exists, [&] {
    setRow(thread);
    SmallVector<Value> indices{batch, head, query};
    if (op.getKeyChunk())
      indices.insert(indices.begin(), chunk);
    Value largest = load(statisticsOf, emitIndex(b, Largest), thread);
    Value sum = load(statisticsOf, emitIndex(b, Sum), thread);
    if (Value lse = op.getLse()) {
      // -inf + log 0 for a row without keys.
      Value logarithm = math::LogOp::create(b, sum);
      memref::StoreOp::create(b, arith::AddFOp::create(b, largest, logarithm), lse, indices);
      return;
    }
    memref::StoreOp::create(b, largest, op.getMaxima(), indices);
    memref::StoreOp::create(b, sum, op.getSums(), indices);
  });
}

} // namespace

bool rlx::gpu::prefersTiledAttention(ir::OnlineAttentionOp op) {
  int64_t keys = op.getStaticLoopSizes()[3];
  bool fitsTile = op.getSharing() != ir::HeadSharing::Queries ||
                  (!ShapedType::isDynamic(keys) && keys <= kColumns);
  return fitsTile && op.getHeadSize(op.getV()) <= kMaxOutColumns * kWarpThreads &&
         !getElementTypeOrSelf(op.getQ().getType()).isF64();
}

void rlx::gpu::emitTiledAttentionKernel(ImplicitLocOpBuilder &b, ir::OnlineAttentionOp op) {
  TiledAttentionKernel(b, op).emit();
}
