//===- LowerAttention.cpp - online attention as register-tiled kernels ----===//
//
// SIMD lanes are queries. Scores are then S^T[key][query] = K[key][d] * Q^T[d][query]
// and the output is O^T[d][query] += V^T[d][key] * P^T[key][query]: both are the
// matmul kernel with rows broadcast from K and V as they lie in memory, while the
// running maximum, sum and exponentials of the softmax are vertical, without a
// reduction across lanes. Only Q and O are transposed, once for each block of queries,
// and not even those where channels come first (the head_channel layout).
//
//===----------------------------------------------------------------------===//

#include "LowerStructured.h"

#include "MicroKernel.h"
#include "VectorMath.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <limits>

using namespace mlir;
using namespace rlx;
using namespace rlx::cpu;

namespace {

/// Keys whose scores are held at a time.
constexpr int64_t kKeyBlock = 128;

class AttentionEmitter {
public:
  AttentionEmitter(OpBuilder &builder, ir::OnlineAttentionOp op, const CpuTarget &target)
      : builder(builder), loc(op.getLoc()), op(op), target(target) {
    Type outType = op.getShaped(op.getOut()).getElementType();
    elementType = outType.isF64() ? outType : Type(builder.getF32Type());
    lanes = target.lanes(elementType.getIntOrFloatBitWidth());
    vectorType = VectorType::get({lanes}, elementType);
    maskType = VectorType::get({lanes}, builder.getI1Type());
    keySize = op.getHeadSize(op.getQ());
    valueSize = op.getHeadSize(op.getV());
    queries = memref::getMixedSize(builder, loc, op.getQ(), op.getRowDim());
    keys = memref::getMixedSize(builder, loc, op.getK(), op.getRowDim());
    // A single vector of queries wastes fewer lanes when there are few of them.
    std::optional<int64_t> few = getConstantIntValue(queries);
    vectors = few && *few <= lanes ? 1 : 2;
    queryBlock = vectors * lanes;
    keyBlock = kKeyBlock;
    if (std::optional<int64_t> count = getConstantIntValue(keys))
      keyBlock = std::clamp<int64_t>(*count, 1, kKeyBlock);
    zero = index(0);
  }

  void emit() {
    queryScratch = createScratch(builder, loc, {keySize, queryBlock}, elementType);
    scoreScratch = createScratch(builder, loc, {keyBlock, queryBlock}, elementType);
    outScratch = createScratch(builder, loc, {valueSize, queryBlock}, elementType);
    rowScratch = createScratch(builder, loc, {queryBlock, (valueSize + lanes - 1) / lanes * lanes},
                               elementType);
    OpFoldResult batches = memref::getMixedSize(builder, loc, op.getQ(), 0);
    emitLoop(builder, loc, batches, 1, [&](OpBuilder &, Value b) {
      batch = b;
      emitLoop(builder, loc, builder.getIndexAttr(op.getNumHeads()), 1, [&](OpBuilder &, Value h) {
        head = h;
        if (masksKeys())
          valuesFinite = emitValuesFinite();
        emitLoop(builder, loc, queries, queryBlock, [&](OpBuilder &, Value start) {
          firstQuery = start;
          emitQueryBlock();
        });
      });
    });
    op.erase();
  }

private:
  //===--------------------------------------------------------------------===//
  // Small helpers
  //===--------------------------------------------------------------------===//

  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  Value constant(double value) {
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(vectorType, builder.getFloatAttr(elementType, value)));
  }

  Value asValue(OpFoldResult value) { return getValueOrCreateConstantIndexOp(builder, loc, value); }

  bool hasMaskOperand() { return static_cast<bool>(op.getMask()); }

  /// True where the mask switches keys off, so that what they hold must not matter.
  bool masksKeys() {
    return op.getMaskKind() != ir::MaskKind::None && op.getMaskKind() != ir::MaskKind::Bias;
  }

  /// Indices of channel `d` of row `row` of the current head in q, k, v or out.
  SmallVector<Value> at(Value operand, Value row, Value d) {
    switch (op.getLayout()) {
    case ir::AttentionLayout::Sequence: {
      Value size = index(op.getHeadSize(operand));
      Value base = arith::MulIOp::create(builder, loc, head, size);
      return {batch, row, arith::AddIOp::create(builder, loc, base, d)};
    }
    case ir::AttentionLayout::HeadSequence:
      return {batch, head, row, d};
    case ir::AttentionLayout::HeadChannel:
      return {batch, head, d, row};
    }
    llvm_unreachable("unknown layout");
  }

  Value loadElement(Value operand, Value row, Value d) {
    Value element = memref::LoadOp::create(builder, loc, operand, at(operand, row, d));
    return emitFloatCast(builder, loc, element, elementType);
  }

  Value loadScratch(Value scratch, Value row, int64_t vector) {
    return vector::LoadOp::create(builder, loc, vectorType, scratch,
                                  ValueRange{row, index(vector * lanes)});
  }

  void storeScratch(Value value, Value scratch, Value row, int64_t vector) {
    vector::StoreOp::create(builder, loc, value, scratch, ValueRange{row, index(vector * lanes)});
  }

  /// True if rows of `operand` lie so that `lanes` channels load as one vector.
  bool hasContiguousChannels(Value operand) {
    if (op.getLayout() == ir::AttentionLayout::HeadChannel)
      return false;
    auto [strides, offset] = cast<MemRefType>(operand.getType()).getStridesAndOffset();
    return strides.back() == 1;
  }

  bool hasContiguousRows(Value operand) {
    if (op.getLayout() != ir::AttentionLayout::HeadChannel)
      return false;
    auto [strides, offset] = cast<MemRefType>(operand.getType()).getStridesAndOffset();
    return strides.back() == 1;
  }

  /// The lanes of vector `vector` of the block that are queries.
  Value queryMask(int64_t vector) {
    Value first = emitAddIndex(builder, loc, firstQuery, vector * lanes);
    Value left = arith::SubIOp::create(builder, loc, asValue(queries), first);
    return vector::CreateMaskOp::create(builder, loc, maskType, left);
  }

  //===--------------------------------------------------------------------===//
  // Blocks
  //===--------------------------------------------------------------------===//

  void emitQueryBlock() {
    loadQueries();
    SmallVector<Value> state; // maxima, then sums
    for (int64_t vector = 0; vector < vectors; ++vector)
      state.push_back(constant(-std::numeric_limits<double>::infinity()));
    for (int64_t vector = 0; vector < vectors; ++vector)
      state.push_back(constant(0));

    std::optional<int64_t> count = getConstantIntValue(keys);
    if (count && *count <= keyBlock) {
      state = emitKeyBlock(zero, keys, state, /*first=*/true);
    } else {
      clearOutput();
      auto loop = scf::ForOp::create(builder, loc, zero, asValue(keys), index(keyBlock), state);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Value start = loop.getInductionVar();
      Value left = arith::SubIOp::create(builder, loc, asValue(keys), start);
      Value size = arith::MinSIOp::create(builder, loc, left, index(keyBlock));
      SmallVector<Value> next =
          emitVisibleKeyBlock(start, size, SmallVector<Value>(loop.getRegionIterArgs()));
      scf::YieldOp::create(builder, loc, next);
      builder.setInsertionPointAfter(loop);
      state = SmallVector<Value>(loop.getResults());
      finish(state);
      return;
    }
    finish(state);
  }

  void clearOutput() {
    emitLoop(builder, loc, builder.getIndexAttr(valueSize), 1, [&](OpBuilder &, Value d) {
      for (int64_t vector = 0; vector < vectors; ++vector)
        storeScratch(constant(0), outScratch, d, vector);
    });
  }

  /// Skips a block of keys that no query of the block may see by position.
  SmallVector<Value> emitVisibleKeyBlock(Value start, Value size, SmallVector<Value> state) {
    ir::MaskKind kind = op.getMaskKind();
    if (kind != ir::MaskKind::Causal && kind != ir::MaskKind::SlidingWindow)
      return emitKeyBlock(start, size, state, /*first=*/false);
    // The last query sees the highest keys, the first one the lowest.
    Value lastPosition = emitAddIndex(builder, loc, position(), queryBlock - 1);
    Value visible =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, start, lastPosition);
    if (kind == ir::MaskKind::SlidingWindow) {
      Value end = arith::AddIOp::create(builder, loc, start, size);
      Value lowest = arith::SubIOp::create(builder, loc, position(), index(*op.getWindow()));
      visible = arith::AndIOp::create(
          builder, loc, visible,
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, end, lowest));
    }
    SmallVector<Type> types(state.size(), vectorType);
    auto branch = scf::IfOp::create(builder, loc, types, visible, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, emitKeyBlock(start, size, state, /*first=*/false));
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, state);
    return SmallVector<Value>(branch.getResults());
  }

  /// Key position up to which the block's first query sees, for positional masks.
  Value position() {
    if (Value offset = op.getPositionOffset())
      return arith::AddIOp::create(builder, loc, firstQuery, offset);
    return firstQuery;
  }

  /// One block of keys: scores, softmax with the running state, values. Returns the
  /// new state.
  SmallVector<Value> emitKeyBlock(Value start, OpFoldResult size, SmallVector<Value> state,
                                  bool first) {
    SmallVector<Value> maxima = emitScores(start, size, ArrayRef(state).take_front(vectors));
    SmallVector<Value> shifts, scales;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      // A query that has seen no key yet has the maximum -inf; any finite shift then
      // keeps exp(-inf - shift) at zero.
      Value none = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, maxima[vector],
                                         constant(-std::numeric_limits<double>::infinity()));
      shifts.push_back(arith::SelectOp::create(builder, loc, none, constant(0), maxima[vector]));
      if (!first)
        scales.push_back(
            emitExponential(arith::SubFOp::create(builder, loc, state[vector], shifts[vector])));
    }
    SmallVector<Value> sums;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value sum = state[vectors + vector];
      sums.push_back(first ? sum
                           : arith::MulFOp::create(builder, loc, sum, scales[vector]).getResult());
    }
    sums = emitProbabilities(size, shifts, sums);
    emitValues(start, size, scales, first);
    SmallVector<Value> next(maxima);
    llvm::append_range(next, sums);
    return next;
  }

  Value emitExponential(Value x) {
    if (elementType.isF64())
      return math::ExpOp::create(builder, loc, x);
    return emitExpNonPositive(builder, loc, x, target);
  }

  /// Scores of a block of keys, masked, into the scratch; returns the running maxima.
  SmallVector<Value> emitScores(Value start, OpFoldResult size, ArrayRef<Value> maxima) {
    RegisterTile tile = RegisterTile::get(target, elementType.getIntOrFloatBitWidth(), vectors);
    emitRowBlocks(builder, loc, size, tile.rows, [&](Value key, int64_t numKeys) {
      Accumulators init(numKeys * vectors, constant(0));
      auto keyAt = [&](int64_t row) {
        return arith::AddIOp::create(builder, loc, start, emitAddIndex(builder, loc, key, row))
            .getResult();
      };
      Accumulators scores = emitKernelLoop(
          builder, loc, target, builder.getIndexAttr(keySize), numKeys, vectors, init,
          [&](Value d, int64_t row) { return loadElement(op.getK(), keyAt(row), d); },
          [&](Value d, int64_t vector) { return loadScratch(queryScratch, d, vector); });
      for (int64_t row = 0; row < numKeys; ++row)
        for (int64_t vector = 0; vector < vectors; ++vector)
          storeScratch(scores[row * vectors + vector], scoreScratch,
                       emitAddIndex(builder, loc, key, row), vector);
    });
    return emitMaskAndMaxima(start, size, maxima);
  }

  /// Applies the mask to the scores in the scratch; returns the running maxima. NaN
  /// scores are left out of these and return through their exponential.
  SmallVector<Value> emitMaskAndMaxima(Value start, OpFoldResult size, ArrayRef<Value> maxima) {
    auto loop = scf::ForOp::create(builder, loc, zero, asValue(size), index(1), maxima);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value row = loop.getInductionVar();
    Value key = arith::AddIOp::create(builder, loc, start, row);
    SmallVector<Value> next;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value score = loadScratch(scoreScratch, row, vector);
      if (op.getMaskKind() != ir::MaskKind::None) {
        score = emitMask(score, key, vector);
        storeScratch(score, scoreScratch, row, vector);
      }
      Value maximum = loop.getRegionIterArgs()[vector];
      Value larger = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, score, maximum);
      next.push_back(arith::SelectOp::create(builder, loc, larger, score, maximum));
    }
    scf::YieldOp::create(builder, loc, next);
    return SmallVector<Value>(loop.getResults());
  }

  /// exp(score - shift) in place; returns the running sums.
  SmallVector<Value> emitProbabilities(OpFoldResult size, ArrayRef<Value> shifts,
                                       SmallVector<Value> sums) {
    auto loop = scf::ForOp::create(builder, loc, zero, asValue(size), index(1), sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> next;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value score = loadScratch(scoreScratch, loop.getInductionVar(), vector);
      Value probability =
          emitExponential(arith::SubFOp::create(builder, loc, score, shifts[vector]));
      storeScratch(probability, scoreScratch, loop.getInductionVar(), vector);
      next.push_back(
          arith::AddFOp::create(builder, loc, loop.getRegionIterArgs()[vector], probability));
    }
    scf::YieldOp::create(builder, loc, next);
    return SmallVector<Value>(loop.getResults());
  }

  /// out = out * scale + V^T P^T.
  void emitValues(Value start, OpFoldResult size, ArrayRef<Value> scales, bool first) {
    if (!masksKeys())
      return emitValueKernels(start, size, scales, first, /*selectKeys=*/false);
    // Zero probability times NaN or Inf is NaN: values of masked keys are left out one
    // by one, but only if some value of this head is not finite.
    auto branch = scf::IfOp::create(builder, loc, valuesFinite, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    emitValueKernels(start, size, scales, first, /*selectKeys=*/false);
    builder.setInsertionPointToStart(branch.elseBlock());
    emitValueKernels(start, size, scales, first, /*selectKeys=*/true);
  }

  void emitValueKernels(Value start, OpFoldResult size, ArrayRef<Value> scales, bool first,
                        bool selectKeys) {
    RegisterTile tile = RegisterTile::get(target, elementType.getIntOrFloatBitWidth(), vectors);
    emitRowBlocks(
        builder, loc, builder.getIndexAttr(valueSize), tile.rows, [&](Value d, int64_t channels) {
          auto channelAt = [&](int64_t row) { return emitAddIndex(builder, loc, d, row); };
          Accumulators init;
          for (int64_t row = 0; row < channels; ++row)
            for (int64_t vector = 0; vector < vectors; ++vector)
              init.push_back(
                  first ? constant(0)
                        : arith::MulFOp::create(builder, loc,
                                                loadScratch(outScratch, channelAt(row), vector),
                                                scales[vector])
                              .getResult());
          auto value = [&](Value key, int64_t row) {
            Value position = arith::AddIOp::create(builder, loc, start, key);
            return loadElement(op.getV(), position, channelAt(row));
          };
          auto probability = [&](Value key, int64_t vector) {
            return loadScratch(scoreScratch, key, vector);
          };
          Accumulators sums = selectKeys
                                  ? emitSelectingLoop(size, channels, init, value, probability)
                                  : emitKernelLoop(builder, loc, target, size, channels, vectors,
                                                   init, value, probability);
          for (int64_t row = 0; row < channels; ++row)
            for (int64_t vector = 0; vector < vectors; ++vector)
              storeScratch(sums[row * vectors + vector], outScratch, channelAt(row), vector);
        });
  }

  /// The kernel loop without the products of probability zero.
  Accumulators emitSelectingLoop(OpFoldResult depth, int64_t rows, Accumulators init,
                                 llvm::function_ref<Value(Value, int64_t)> value,
                                 llvm::function_ref<Value(Value, int64_t)> probability) {
    auto loop = scf::ForOp::create(builder, loc, zero, asValue(depth), index(1), init);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Accumulators sums(loop.getRegionIterArgs());
    for (int64_t row = 0; row < rows; ++row) {
      Value repeated =
          vector::BroadcastOp::create(builder, loc, vectorType, value(loop.getInductionVar(), row));
      for (int64_t vector = 0; vector < vectors; ++vector) {
        Value weight = probability(loop.getInductionVar(), vector);
        Value &sum = sums[row * vectors + vector];
        Value added = emitFma(builder, loc, repeated, weight, sum, target);
        Value masked =
            arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, weight, constant(0));
        sum = arith::SelectOp::create(builder, loc, masked, sum, added);
      }
    }
    scf::YieldOp::create(builder, loc, sums);
    return Accumulators(loop.getResults());
  }

  /// Whether all values of the current head are finite: x * 0 is 0 for those alone.
  Value emitValuesFinite() {
    Value v = op.getV();
    int64_t whole = hasContiguousChannels(v) ? valueSize / lanes * lanes : 0;
    SmallVector<Value> init(whole / lanes, constant(0));
    Value scalarZero =
        arith::ConstantOp::create(builder, loc, builder.getFloatAttr(elementType, 0));
    init.push_back(scalarZero);
    auto loop = scf::ForOp::create(builder, loc, zero, asValue(keys), index(1), init);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Value key = loop.getInductionVar();
      SmallVector<Value> sums(loop.getRegionIterArgs());
      auto accumulate = [&](Value &sum, Value values, Value none) {
        sum = emitFma(builder, loc, values, none, sum, target);
      };
      for (int64_t d = 0; d < whole; d += lanes)
        accumulate(sums[d / lanes], loadChannels(v, key, index(d)), constant(0));
      for (int64_t d = whole; d < valueSize; ++d)
        accumulate(sums.back(), loadElement(v, key, index(d)), scalarZero);
      scf::YieldOp::create(builder, loc, sums);
    }
    Value total = loop.getResults().back();
    for (Value sum : loop.getResults().drop_back())
      total = vector::ReductionOp::create(builder, loc, vector::CombiningKind::ADD, sum, total);
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, total, scalarZero);
  }

  //===--------------------------------------------------------------------===//
  // Masks
  //===--------------------------------------------------------------------===//

  /// The score of `key` after the mask, for vector `vector` of queries.
  Value emitMask(Value score, Value key, int64_t vector) {
    switch (op.getMaskKind()) {
    case ir::MaskKind::None:
      return score;
    case ir::MaskKind::Bias:
      return arith::AddFOp::create(builder, loc, score,
                                   emitFloatCast(builder, loc, loadMask(key, vector), elementType));
    case ir::MaskKind::Custom:
      return selectScore(emitCustomMask(key, vector), score);
    case ir::MaskKind::Causal:
    case ir::MaskKind::SlidingWindow:
      return selectScore(emitPositionMask(key, vector), score);
    }
    llvm_unreachable("unknown mask kind");
  }

  Value selectScore(Value visible, Value score) {
    return arith::SelectOp::create(builder, loc, visible, score,
                                   constant(-std::numeric_limits<double>::infinity()));
  }

  Value emitCustomMask(Value key, int64_t vector) {
    Value mask = loadMask(key, vector);
    auto type = cast<VectorType>(mask.getType());
    if (isa<IntegerType>(type.getElementType())) {
      Value none = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, mask, none);
    }
    Value half = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, builder.getFloatAttr(type.getElementType(), 0.5)));
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE, mask, half);
  }

  /// Lanes whose query sees `key` by its position.
  Value emitPositionMask(Value key, int64_t vector) {
    auto indexType = VectorType::get({lanes}, builder.getIndexType());
    Value steps = vector::StepOp::create(builder, loc, indexType);
    Value first = emitAddIndex(builder, loc, position(), vector * lanes);
    Value positions = arith::AddIOp::create(
        builder, loc, steps, vector::BroadcastOp::create(builder, loc, indexType, first));
    Value keyVector = vector::BroadcastOp::create(builder, loc, indexType, key);
    Value visible =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, keyVector, positions);
    if (op.getMaskKind() == ir::MaskKind::Causal)
      return visible;
    Value window = vector::BroadcastOp::create(builder, loc, indexType, index(*op.getWindow()));
    Value lowest = arith::SubIOp::create(builder, loc, positions, window);
    return arith::AndIOp::create(
        builder, loc, visible,
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, keyVector, lowest));
  }

  /// Elements of the mask operand at `key` for a vector of queries.
  Value loadMask(Value key, int64_t vector) {
    Value mask = op.getMask();
    auto type = cast<MemRefType>(mask.getType());
    Value b = type.getDimSize(0) == 1 ? zero : batch;
    Value h = type.getDimSize(1) == 1 ? zero : head;
    auto loaded = VectorType::get({lanes}, type.getElementType());
    if (type.getDimSize(2) == 1) {
      Value element = memref::LoadOp::create(builder, loc, mask, ValueRange{b, h, zero, key});
      return vector::BroadcastOp::create(builder, loc, loaded, element);
    }
    // Rows of the mask are queries, so lanes lie a row apart. Lanes behind the last
    // query repeat it.
    Value last = emitAddIndex(builder, loc, asValue(queries), -1);
    Value result = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(loaded));
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value query = emitAddIndex(builder, loc, firstQuery, vector * lanes + lane);
      query = arith::MinSIOp::create(builder, loc, query, last);
      Value element = memref::LoadOp::create(builder, loc, mask, ValueRange{b, h, query, key});
      result = vector::InsertOp::create(builder, loc, element, result, lane);
    }
    return result;
  }

  //===--------------------------------------------------------------------===//
  // Queries in, outputs out
  //===--------------------------------------------------------------------===//

  /// Q^T of the block, scaled, into the scratch; lanes behind the last query repeat it
  /// or are zero.
  void loadQueries() {
    Value q = op.getQ();
    Value scale = constant(op.getScale().convertToDouble());
    auto store = [&](Value value, Value d, int64_t vector) {
      storeScratch(arith::MulFOp::create(builder, loc, value, scale), queryScratch, d, vector);
    };
    if (hasContiguousRows(q)) {
      auto memoryType = vectorType.clone(cast<MemRefType>(q.getType()).getElementType());
      Value none = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(memoryType));
      emitLoop(builder, loc, builder.getIndexAttr(keySize), 1, [&](OpBuilder &, Value d) {
        for (int64_t vector = 0; vector < vectors; ++vector) {
          Value row = emitAddIndex(builder, loc, firstQuery, vector * lanes);
          Value loaded = vector::MaskedLoadOp::create(builder, loc, memoryType, q, at(q, row, d),
                                                      queryMask(vector), none);
          store(emitFloatCast(builder, loc, loaded, elementType), d, vector);
        }
      });
      return;
    }
    int64_t squares = hasContiguousChannels(q) ? keySize / lanes * lanes : 0;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      emitLoop(builder, loc, builder.getIndexAttr(squares), lanes, [&](OpBuilder &, Value d) {
        SmallVector<Value> rows;
        for (int64_t lane = 0; lane < lanes; ++lane)
          rows.push_back(loadChannels(q, queryAt(vector * lanes + lane), d));
        for (auto [channel, column] : llvm::enumerate(emitTranspose(builder, loc, rows)))
          store(column, emitAddIndex(builder, loc, d, channel), vector);
      });
      for (int64_t d = squares; d < keySize; ++d) {
        Value column = constant(0);
        for (int64_t lane = 0; lane < lanes; ++lane)
          column = vector::InsertOp::create(
              builder, loc, loadElement(q, queryAt(vector * lanes + lane), index(d)), column, lane);
        store(column, index(d), vector);
      }
    }
  }

  /// Query `offset` of the block, or the last one.
  Value queryAt(int64_t offset) {
    Value last = emitAddIndex(builder, loc, asValue(queries), -1);
    return arith::MinSIOp::create(builder, loc, emitAddIndex(builder, loc, firstQuery, offset),
                                  last);
  }

  Value loadChannels(Value operand, Value row, Value d) {
    auto memoryType = vectorType.clone(cast<MemRefType>(operand.getType()).getElementType());
    Value loaded = vector::LoadOp::create(builder, loc, memoryType, operand, at(operand, row, d));
    return emitFloatCast(builder, loc, loaded, elementType);
  }

  /// Divides by the sums and writes the block's outputs and log-sum-exp.
  void finish(ArrayRef<Value> state) {
    SmallVector<Value> inverse;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value sum = state[vectors + vector];
      // Only a query without keys sums to zero; its accumulator is zero as well.
      Value none = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, sum, constant(0));
      Value divisor = arith::SelectOp::create(builder, loc, none, constant(1), sum);
      inverse.push_back(arith::DivFOp::create(builder, loc, constant(1), divisor));
    }
    if (hasContiguousRows(op.getOut()))
      storeColumns(inverse);
    else
      storeRows(inverse);
    if (op.getLse())
      storeLse(state);
  }

  Value loadOutput(Value d, int64_t vector, ArrayRef<Value> inverse) {
    return arith::MulFOp::create(builder, loc, loadScratch(outScratch, d, vector), inverse[vector]);
  }

  void storeColumns(ArrayRef<Value> inverse) {
    Value out = op.getOut();
    Type memoryType = cast<MemRefType>(out.getType()).getElementType();
    emitLoop(builder, loc, builder.getIndexAttr(valueSize), 1, [&](OpBuilder &, Value d) {
      for (int64_t vector = 0; vector < vectors; ++vector) {
        Value value = emitFloatCast(builder, loc, loadOutput(d, vector, inverse), memoryType);
        Value row = emitAddIndex(builder, loc, firstQuery, vector * lanes);
        vector::MaskedStoreOp::create(builder, loc, out, at(out, row, d), queryMask(vector), value);
      }
    });
  }

  /// Transposes squares into the row scratch, then copies the rows that are queries.
  void storeRows(ArrayRef<Value> inverse) {
    int64_t squares = valueSize / lanes * lanes;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      emitLoop(builder, loc, builder.getIndexAttr(squares), lanes, [&](OpBuilder &, Value d) {
        SmallVector<Value> columns;
        for (int64_t channel = 0; channel < lanes; ++channel)
          columns.push_back(loadOutput(emitAddIndex(builder, loc, d, channel), vector, inverse));
        for (auto [lane, row] : llvm::enumerate(emitTranspose(builder, loc, columns)))
          vector::StoreOp::create(builder, loc, row, rowScratch,
                                  ValueRange{index(vector * lanes + lane), d});
      });
      for (int64_t d = squares; d < valueSize; ++d) {
        Value column = loadOutput(index(d), vector, inverse);
        for (int64_t lane = 0; lane < lanes; ++lane)
          memref::StoreOp::create(builder, loc,
                                  vector::ExtractOp::create(builder, loc, column, lane), rowScratch,
                                  ValueRange{index(vector * lanes + lane), index(d)});
      }
    }
    Value left = arith::SubIOp::create(builder, loc, asValue(queries), firstQuery);
    Value count = arith::MinSIOp::create(builder, loc, left, index(queryBlock));
    emitLoop(builder, loc, count, 1, [&](OpBuilder &, Value row) { copyRow(row); });
  }

  void copyRow(Value row) {
    Value out = op.getOut();
    Type memoryType = cast<MemRefType>(out.getType()).getElementType();
    Value query = arith::AddIOp::create(builder, loc, firstQuery, row);
    int64_t whole = hasContiguousChannels(out) ? valueSize / lanes * lanes : 0;
    for (int64_t d = 0; d < whole; d += lanes) {
      Value value =
          vector::LoadOp::create(builder, loc, vectorType, rowScratch, ValueRange{row, index(d)});
      vector::StoreOp::create(builder, loc, emitFloatCast(builder, loc, value, memoryType), out,
                              at(out, query, index(d)));
    }
    for (int64_t d = whole; d < valueSize; ++d) {
      Value value = memref::LoadOp::create(builder, loc, rowScratch, ValueRange{row, index(d)});
      memref::StoreOp::create(builder, loc, emitFloatCast(builder, loc, value, memoryType), out,
                              at(out, query, index(d)));
    }
  }

  /// max + log(sum), -inf for a query without keys.
  void storeLse(ArrayRef<Value> state) {
    Value lse = op.getLse();
    Type memoryType = cast<MemRefType>(lse.getType()).getElementType();
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value logarithm = math::LogOp::create(builder, loc, state[vectors + vector]);
      Value value = arith::AddFOp::create(builder, loc, state[vector], logarithm);
      Value query = emitAddIndex(builder, loc, firstQuery, vector * lanes);
      vector::MaskedStoreOp::create(builder, loc, lse, ValueRange{batch, head, query},
                                    queryMask(vector),
                                    emitFloatCast(builder, loc, value, memoryType));
    }
  }

  OpBuilder &builder;
  Location loc;
  ir::OnlineAttentionOp op;
  const CpuTarget &target;
  Type elementType; ///< of scores and accumulators
  VectorType vectorType, maskType;
  int64_t lanes, vectors, queryBlock, keyBlock, keySize, valueSize;
  OpFoldResult queries, keys;
  Value zero, queryScratch, scoreScratch, outScratch, rowScratch;
  Value batch, head, firstQuery, valuesFinite; ///< of the loops being emitted
};

} // namespace

void cpu::lowerOnlineAttention(OpBuilder &builder, ir::OnlineAttentionOp op,
                               const CpuTarget &target) {
  builder.setInsertionPoint(op);
  AttentionEmitter(builder, op, target).emit();
}
