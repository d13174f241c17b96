//===- LowerAttention.cpp - online attention as register-tiled kernels ----===//
//
// Scores are S^T[key][row] = K[key][d] * Q^T[d][row] and the output is
// O^T[d][row] += V^T[d][key] * P^T[key][row]: both are the matmul kernel with elements
// broadcast from K and V as they lie in memory. Only Q and O are transposed, once for
// each block of rows, and not even those where channels come first (the head_channel
// layout).
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "../Common/VectorMath.h"
#include "Contraction.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <limits>

using namespace mlir;
using namespace rlx;
using namespace rlx::cpu;

namespace {

/// Keys whose scores are held at a time.
constexpr int64_t kKeyBlock = 128;

/// Attention whose heads have results of their own.
class OnlineAttentionEmitter : AttentionEmitter {
public:
  OnlineAttentionEmitter(OpBuilder &builder, ir::OnlineAttentionOp op, const CpuTarget &target)
      : AttentionEmitter(builder, op, target) {
    keyBlock = kKeyBlock;
    if (std::optional<int64_t> count = getConstantIntValue(keys))
      keyBlock = std::clamp<int64_t>(*count, 1, kKeyBlock);
    int64_t width = kMaxVectors * lanes;
    queryScratch = createScratch(builder, loc, {keySize, width}, elementType);
    scoreScratch = createScratch(builder, loc, {keyBlock, width}, elementType);
    outScratch = createScratch(builder, loc, {valueSize, width}, elementType);
    int64_t rowWidth = llvm::alignTo(valueSize, lanes);
    rowScratch = createScratch(builder, loc, {width, rowWidth}, elementType);
    if (hasMaskOperand())
      maskScratch = createScratch(builder, loc, {keyBlock, width}, elementType);
    if (op.getInits().size() > 1)
      statisticsScratch = createScratch(builder, loc, {2, width}, elementType);
  }

  void emit() {
    emitLoop(builder, loc, batches, 1, [&](OpBuilder &, Value b) {
      batch = b;
      if (op.getSharing() == ir::HeadSharing::Keys)
        return emitRows();
      emitLoop(builder, loc, builder.getIndexAttr(numHeads), 1, [&](OpBuilder &, Value h) {
        head = h;
        emitRows();
      });
    });
    op.erase();
  }

private:
  void emitRows() {
    if (masksKeys())
      valuesFinite = emitValuesFinite(keys);
    emitBlocks(kMaxVectors * lanes, [&](Value first, OpFoldResult count) {
      emitGroups(first, count, [&] { emitGroup(); });
    });
  }

  //===--------------------------------------------------------------------===//
  // Keys
  //===--------------------------------------------------------------------===//

  void emitGroup() {
    loadQueries(queryScratch);
    SmallVector<Value> state; // maxima, then sums
    for (int64_t vector = 0; vector < vectors; ++vector)
      state.push_back(constant(-std::numeric_limits<double>::infinity()));
    for (int64_t vector = 0; vector < vectors; ++vector)
      state.push_back(constant(0));

    std::optional<int64_t> count = getConstantIntValue(keys);
    if (count && *count <= keyBlock && !masksKeys()) {
      finish(emitKeyBlock(zero, keys, state, /*first=*/true));
      return;
    }
    clearOutput();
    auto loop = scf::ForOp::create(builder, loc, zero, asValue(keys), index(keyBlock), state);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Value start = loop.getInductionVar();
      OpFoldResult size = builder.getIndexAttr(keyBlock);
      if (!count || *count % keyBlock != 0) {
        Value left = arith::SubIOp::create(builder, loc, asValue(keys), start);
        size = arith::MinSIOp::create(builder, loc, left, index(keyBlock)).getResult();
      }
      scf::YieldOp::create(
          builder, loc,
          emitVisibleKeyBlock(start, size, SmallVector<Value>(loop.getRegionIterArgs())));
    }
    finish(SmallVector<Value>(loop.getResults()));
  }

  void clearOutput() {
    emitLoop(builder, loc, builder.getIndexAttr(valueSize), 1, [&](OpBuilder &, Value d) {
      for (int64_t vector = 0; vector < vectors; ++vector)
        storeScratch(constant(0), outScratch, d, vector);
    });
  }

  /// Skips a block of keys that no row of the group sees.
  SmallVector<Value> emitVisibleKeyBlock(Value start, OpFoldResult size, SmallVector<Value> state) {
    if (!masksKeys())
      return emitKeyBlock(start, size, state, /*first=*/false);
    Value visible = emitVisible(start, size);
    SmallVector<Type> types(state.size(), vectorType);
    auto branch = scf::IfOp::create(builder, loc, types, visible, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, emitKeyBlock(start, size, state, /*first=*/false));
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, state);
    return SmallVector<Value>(branch.getResults());
  }

  /// One block of keys: scores, softmax with the running state, values. Returns the
  /// new state.
  SmallVector<Value> emitKeyBlock(Value start, OpFoldResult size, SmallVector<Value> state,
                                  bool first) {
    emitScores(start, size, queryScratch);
    SmallVector<Value> next = emitMaskAndMaxima(start, size, ArrayRef(state).take_front(vectors));
    SmallVector<Value> shifts, scales, sums;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      shifts.push_back(emitShift(next[vector]));
      sums.push_back(state[vectors + vector]);
      if (first)
        continue;
      scales.push_back(
          emitExponential(arith::SubFOp::create(builder, loc, state[vector], shifts[vector])));
      sums.back() = arith::MulFOp::create(builder, loc, sums.back(), scales[vector]);
    }
    llvm::append_range(next, emitProbabilities(size, shifts, sums));
    emitValues(start, size, scales, first);
    return next;
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
    // Where keys are selected, code size counts more than speed.
    int64_t maxChannels = selectKeys ? 1 : getTile().rows;
    emitRowBlocks(
        builder, loc, builder.getIndexAttr(valueSize), maxChannels, [&](Value d, int64_t channels) {
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
  Accumulators emitSelectingLoop(OpFoldResult depth, int64_t numChannels, Accumulators init,
                                 llvm::function_ref<Value(Value, int64_t)> value,
                                 llvm::function_ref<Value(Value, int64_t)> probability) {
    auto loop = scf::ForOp::create(builder, loc, zero, asValue(depth), index(1), init);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Accumulators sums(loop.getRegionIterArgs());
    for (int64_t channel = 0; channel < numChannels; ++channel) {
      Value repeated = vector::BroadcastOp::create(builder, loc, vectorType,
                                                   value(loop.getInductionVar(), channel));
      for (int64_t vector = 0; vector < vectors; ++vector) {
        Value weight = probability(loop.getInductionVar(), vector);
        Value &sum = sums[channel * vectors + vector];
        Value added = emitFma(builder, loc, repeated, weight, sum, target);
        Value masked =
            arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, weight, constant(0));
        sum = arith::SelectOp::create(builder, loc, masked, sum, added);
      }
    }
    scf::YieldOp::create(builder, loc, sums);
    return Accumulators(loop.getResults());
  }

  //===--------------------------------------------------------------------===//
  // Outputs
  //===--------------------------------------------------------------------===//

  /// Divides by the sums and writes the group's outputs and statistics.
  void finish(ArrayRef<Value> state) {
    SmallVector<Value> inverse;
    for (Value sum : state.take_back(vectors))
      inverse.push_back(emitInverse(sum));
    if (hasContiguousRows(op.getOut()))
      storeColumns(inverse);
    else
      storeRows(inverse);
    if (op.getLse() || op.getMaxima())
      storeStatistics(state);
  }

  Value loadOutput(Value d, int64_t vector, ArrayRef<Value> inverse) {
    return arith::MulFOp::create(builder, loc, loadScratch(outScratch, d, vector), inverse[vector]);
  }

  void storeColumns(ArrayRef<Value> inverse) {
    Value out = op.getOut();
    emitLoop(builder, loc, builder.getIndexAttr(valueSize), 1, [&](OpBuilder &, Value d) {
      for (int64_t vector = 0; vector < vectors; ++vector) {
        Value row = emitAddIndex(builder, loc, firstRow, vector * lanes);
        storeVector(builder, loc, loadOutput(d, vector, inverse), out, at(out, row, d),
                    rowMask(vector));
      }
    });
  }

  /// Transposes squares into the row scratch, then copies the rows of the group.
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
    emitLoop(builder, loc, groupRows, 1, [&](OpBuilder &, Value row) { copyRow(row); });
  }

  void copyRow(Value offset) {
    Value out = op.getOut();
    Value row = arith::AddIOp::create(builder, loc, firstRow, offset);
    int64_t whole = hasContiguousChannels(out) ? valueSize / lanes * lanes : 0;
    emitLoop(builder, loc, builder.getIndexAttr(whole), lanes, [&](OpBuilder &, Value d) {
      Value value =
          vector::LoadOp::create(builder, loc, vectorType, rowScratch, ValueRange{offset, d});
      storeVector(builder, loc, value, out, at(out, row, d));
    });
    Type memoryType = cast<MemRefType>(out.getType()).getElementType();
    for (int64_t d = whole; d < valueSize; ++d) {
      Value value = memref::LoadOp::create(builder, loc, rowScratch, ValueRange{offset, index(d)});
      memref::StoreOp::create(builder, loc, emitFloatCast(builder, loc, value, memoryType), out,
                              at(out, row, index(d)));
    }
  }

  void storeStatistics(ArrayRef<Value> state) {
    for (int64_t vector = 0; vector < vectors; ++vector) {
      storeScratch(state[vector], statisticsScratch, zero, vector);
      storeScratch(state[vectors + vector], statisticsScratch, index(1), vector);
    }
    emitStatistics(statisticsScratch);
  }

  int64_t keyBlock;
  Value queryScratch, outScratch, rowScratch, statisticsScratch;
  Value valuesFinite; ///< of the head being emitted
};

} // namespace

/// `size` elements of `dim` of `memref` from `first` on; without the dim where it is
/// `dropped`.
static Value viewOf(OpBuilder &builder, Location loc, Value memref, unsigned dim, Value first,
                    int64_t size, bool dropped = false) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(builder, loc, memref);
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  offsets[dim] = first;
  sizes[dim] = builder.getIndexAttr(size);
  if (!dropped)
    return memref::SubViewOp::create(builder, loc, memref, offsets, sizes, strides);
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  MemRefType viewType =
      memref::SubViewOp::inferRankReducedResultType(shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(builder, loc, viewType, memref, offsets, sizes, strides);
}

/// Attends to the chunks of keys one after another.
static void lowerChunkedAttention(OpBuilder &builder, ir::OnlineAttentionOp op,
                                  const CpuTarget &target) {
  Location loc = op.getLoc();
  int64_t size = *op.getKeyChunk(), chunks = op.getStaticLoopSizes()[3] / size;
  emitLoop(builder, loc, builder.getIndexAttr(chunks), 1, [&](OpBuilder &, Value chunk) {
    Value first = arith::MulIOp::create(builder, loc, chunk,
                                        arith::ConstantIndexOp::create(builder, loc, size));
    Value k = viewOf(builder, loc, op.getK(), op.getRowDim(), first, size);
    Value v = viewOf(builder, loc, op.getV(), op.getRowDim(), first, size);
    Value mask = op.getMask(), keyBias = op.getKeyBias(), offset = op.getPositionOffset();
    if (mask)
      mask = viewOf(builder, loc, mask, 3, first, size);
    if (keyBias)
      keyBias = viewOf(builder, loc, keyBias, 2, first, size);
    if (op.getMaskKind() == ir::MaskKind::Causal || op.getMaskKind() == ir::MaskKind::SlidingWindow)
      offset = arith::SubIOp::create(
          builder, loc,
          offset ? offset : arith::ConstantIndexOp::create(builder, loc, 0).getResult(), first);
    SmallVector<Value> inits;
    for (Value init : op.getInits())
      inits.push_back(viewOf(builder, loc, init, 0, chunk, 1, /*dropped=*/true));
    auto part = ir::OnlineAttentionOp::create(
        builder, loc, TypeRange(), op.getQ(), k, v, mask, keyBias, offset, inits,
        op.getLayoutAttr(), op.getMaskKindAttr(), op.getNumHeadsAttr(), op.getScaleAttr(),
        op.getWindowAttr(), op.getSharingAttr(), IntegerAttr());
    OpBuilder::InsertionGuard guard(builder);
    cpu::lowerOnlineAttention(builder, part, target);
  });
  op.erase();
}

void cpu::lowerOnlineAttention(OpBuilder &builder, ir::OnlineAttentionOp op,
                               const CpuTarget &target) {
  builder.setInsertionPoint(op);
  if (op.getKeyChunk())
    return lowerChunkedAttention(builder, op, target);
  if (op.getSharing() == ir::HeadSharing::Queries)
    return lowerSharedQueries(builder, op, target);
  if (prefersWideAttention(op, target))
    return lowerWideAttention(builder, op, target);
  OnlineAttentionEmitter(builder, op, target).emit();
}
