//===- LowerSharedQueries.cpp - attention whose heads share the queries ---===//
//
// The heads' results add up, so the (key, head) pairs of all heads together are the
// rows of two matrix products: scores S^T[pair][query] = K[pair][d] * Q^T[d][query],
// which the softmax normalizes head by head, and O[query][d] += P[query][pair] *
// V[pair][d]. Keys are few: all scores of a block of queries are held at once.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "Contraction.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <limits>

using namespace mlir;
using namespace rlx;
using namespace rlx::cpu;

namespace {

/// Most queries of a block, for which panels of values are copied once.
constexpr int64_t kRowBlock = 64;

class SharedQueriesEmitter : AttentionEmitter {
public:
  SharedQueriesEmitter(OpBuilder &builder, ir::OnlineAttentionOp op, const CpuTarget &target)
      : AttentionEmitter(builder, op, target) {
    int64_t numPairs = *getConstantIntValue(keys) * numHeads, groupWidth = kMaxVectors * lanes;
    rowBlock = kRowBlock;
    if (std::optional<int64_t> count = getConstantIntValue(rows))
      rowBlock = std::min(rowBlock, *count);
    rowBlock = llvm::alignTo(rowBlock, groupWidth);
    queryScratch = createScratch(builder, loc, {keySize, groupWidth}, elementType);
    scoreScratch = createScratch(builder, loc, {numPairs, rowBlock}, elementType);
    panel = createScratch(builder, loc, {numPairs, groupWidth}, elementType);
    if (hasMaskOperand())
      maskScratch = createScratch(builder, loc, {numPairs, rowBlock}, elementType);
  }

  void emit() {
    emitLoop(builder, loc, batches, 1, [&](OpBuilder &, Value b) {
      batch = b;
      if (masksKeys())
        valuesFinite = emitValuesFinite(scaleByHeads(keys));
      emitBlocks(rowBlock, [&](Value first, OpFoldResult count) {
        blockStart = first;
        blockRows = count;
        emitBlock();
      });
    });
    op.erase();
  }

private:
  OpFoldResult scaleByHeads(OpFoldResult count) {
    return affine::makeComposedFoldedAffineApply(builder, loc,
                                                 builder.getAffineDimExpr(0) * numHeads, {count});
  }

  /// The row of pair (key, head).
  Value pairAt(Value key, Value ofHead) {
    Value first = arith::MulIOp::create(builder, loc, key, index(numHeads));
    return arith::AddIOp::create(builder, loc, first, ofHead);
  }

  void emitBlock() {
    visibleKeys = hasMaskOperand() ? OpFoldResult(emitMasks()) : keys;
    pairs = scaleByHeads(visibleKeys);
    emitGroups(blockStart, blockRows, [&] {
      loadQueries(queryScratch);
      emitScores(zero, pairs, queryScratch);
      emitLoop(builder, loc, builder.getIndexAttr(numHeads), 1, [&](OpBuilder &, Value h) {
        head = h;
        emitSoftmax();
      });
    });
    if (!masksKeys())
      return emitValues(/*skipsZeros=*/false);
    auto branch = scf::IfOp::create(builder, loc, valuesFinite, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    emitValues(/*skipsZeros=*/false);
    builder.setInsertionPointToStart(branch.elseBlock());
    emitValues(/*skipsZeros=*/true);
  }

  /// Fills the mask scratch; returns the number of keys up to the last one that any
  /// query of the block sees in any head.
  Value emitMasks() {
    Value visible = zero;
    for (int64_t h = 0; h < numHeads; ++h) {
      head = index(h);
      visible =
          arith::MaxSIOp::create(builder, loc, visible, emitVisibleKeys(blockStart, blockRows));
    }
    // Whole squares of queries and keys are fastest.
    AffineExpr count = builder.getAffineDimExpr(0);
    OpFoldResult filled = affine::makeComposedFoldedAffineMin(
        builder, loc,
        AffineMap::get(1, 0,
                       {count.ceilDiv(lanes) * lanes,
                        builder.getAffineConstantExpr(*getConstantIntValue(keys))},
                       builder.getContext()),
        {visible});
    emitGroups(blockStart, blockRows, [&] {
      emitLoop(builder, loc, builder.getIndexAttr(numHeads), 1, [&](OpBuilder &, Value h) {
        head = h;
        emitMaskBlock(zero, filled, [&](Value key) { return pairAt(key, h); });
      });
    });
    return visible;
  }

  /// Scores of the current head, masked, to probabilities.
  void emitSoftmax() {
    SmallVector<Value> init(vectors, constant(-std::numeric_limits<double>::infinity()));
    SmallVector<Value> maxima =
        emitOverKeys(init, [&](Value key, Value pair, int64_t vector, Value maximum) {
          Value score = loadScratch(scoreScratch, pair, vector);
          if (masksKeys()) {
            score = hasMaskOperand() ? addMask(score, loadScratch(maskScratch, pair, vector))
                                     : maskByPosition(score, key, vector);
            storeScratch(score, scoreScratch, pair, vector);
          }
          return emitMaximum(score, maximum);
        });
    for (Value &maximum : maxima)
      maximum = emitShift(maximum);
    SmallVector<Value> sums =
        emitOverKeys(SmallVector<Value>(vectors, constant(0)),
                     [&](Value, Value pair, int64_t vector, Value sum) -> Value {
                       Value score = loadScratch(scoreScratch, pair, vector);
                       Value probability = emitExponential(
                           arith::SubFOp::create(builder, loc, score, maxima[vector]));
                       storeScratch(probability, scoreScratch, pair, vector);
                       return arith::AddFOp::create(builder, loc, sum, probability);
                     });
    for (Value &sum : sums)
      sum = emitInverse(sum);
    emitOverKeys({}, [&](Value, Value pair, int64_t vector, Value) -> Value {
      Value share = arith::MulFOp::create(builder, loc, loadScratch(scoreScratch, pair, vector),
                                          sums[vector]);
      storeScratch(share, scoreScratch, pair, vector);
      return Value();
    });
  }

  /// A loop over the visible keys of the current head that carries a value for each
  /// vector, or none.
  SmallVector<Value> emitOverKeys(
      ArrayRef<Value> init,
      llvm::function_ref<Value(Value key, Value pair, int64_t vector, Value carried)> body) {
    auto loop = scf::ForOp::create(builder, loc, zero, asValue(visibleKeys), index(1), init);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value key = loop.getInductionVar(), pair = pairAt(key, head);
    SmallVector<Value> next;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value carried = init.empty() ? Value() : loop.getRegionIterArgs()[vector];
      if (Value result = body(key, pair, vector, carried))
        next.push_back(result);
    }
    if (!init.empty())
      scf::YieldOp::create(builder, loc, next);
    return SmallVector<Value>(loop.getResults());
  }

  void emitValues(bool skipsZeros) {
    Value out = op.getOut();
    Contraction contraction;
    contraction.rows = blockRows;
    contraction.columns = builder.getIndexAttr(valueSize);
    contraction.depth = pairs;
    contraction.elementType = elementType;
    contraction.vectors = kMaxVectors;
    contraction.skipsZeros = skipsZeros;
    contraction.panel = panel;
    contraction.loadRow = [&](OpBuilder &b, Value pair, Value query) -> Value {
      return memref::LoadOp::create(b, loc, scoreScratch, ValueRange{pair, query});
    };
    contraction.loadColumns = [&](OpBuilder &b, Value pair, Value d, VectorType type, Value mask) {
      return loadVector(b, loc, op.getV(), at(op.getV(), pair, d), type, mask);
    };
    contraction.loadInit = [&](OpBuilder &b, Value, Value, VectorType type, Value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    };
    contraction.store = [&](OpBuilder &b, Value value, Value query, Value d, Value mask) {
      Value row = arith::AddIOp::create(b, loc, blockStart, query);
      storeVector(b, loc, value, out, at(out, row, d), mask);
    };
    emitContraction(builder, loc, target, contraction);
  }

  int64_t rowBlock;
  Value queryScratch, panel;
  Value valuesFinite;                         ///< of the batch being emitted
  Value blockStart;                           ///< of the block being emitted
  OpFoldResult blockRows, visibleKeys, pairs; ///< of the block being emitted
};

} // namespace

void cpu::lowerSharedQueries(OpBuilder &builder, ir::OnlineAttentionOp op,
                             const CpuTarget &target) {
  SharedQueriesEmitter(builder, op, target).emit();
}
