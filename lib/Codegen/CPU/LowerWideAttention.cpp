//===- LowerWideAttention.cpp - attention with wide values ----------------===//
//
// Where rows of values are long, walking down a column of them misses the first-level
// cache at every step. So a block of many rows attends to a block of keys at once: its
// probabilities P^T[key][row] times V[key][d] is a matrix product with results as they
// lie in memory, for which panels of V are copied. Maxima, sums and scales of the block
// are in memory.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "Contraction.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <limits>

using namespace mlir;
using namespace rlx;
using namespace rlx::cpu;

namespace {

/// Most rows of a block, and most keys whose probabilities are held at a time: together
/// they fill the first-level cache.
constexpr int64_t kRowBlock = 64;
constexpr int64_t kWideKeyBlock = 128;

class WideAttentionEmitter : AttentionEmitter {
public:
  WideAttentionEmitter(OpBuilder &builder, ir::OnlineAttentionOp op, const CpuTarget &target)
      : AttentionEmitter(builder, op, target) {
    keyBlock = kWideKeyBlock;
    if (std::optional<int64_t> count = getConstantIntValue(keys))
      keyBlock = std::clamp<int64_t>(*count, 1, kWideKeyBlock);
    groupWidth = kMaxVectors * lanes;
    rowBlock = kRowBlock;
    if (std::optional<int64_t> count = getConstantIntValue(rows))
      rowBlock = std::min(rowBlock, *count);
    rowBlock = llvm::alignTo(rowBlock, groupWidth);
    queryScratch =
        createScratch(builder, loc, {rowBlock / groupWidth, keySize, groupWidth}, elementType);
    scoreScratch = createScratch(builder, loc, {keyBlock, rowBlock}, elementType);
    outScratch = createScratch(builder, loc, {rowBlock, valueSize}, elementType);
    stateScratch = createScratch(builder, loc, {3, rowBlock}, elementType);
    panel = createScratch(builder, loc, {keyBlock, groupWidth}, elementType);
    if (hasMaskOperand())
      maskScratch = createScratch(builder, loc, {keyBlock, rowBlock}, elementType);
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
  /// Lines of the state scratch.
  enum State : int64_t { Maximum, Sum, Scale };

  void emitRows() {
    if (masksKeys())
      valuesFinite = emitValuesFinite(keys);
    emitBlocks(rowBlock, [&](Value first, OpFoldResult count) {
      blockStart = first;
      blockRows = count;
      if (op.getSums() && hasMaskOperand() && getConstantIntValue(keys))
        emitBlockIfVisible();
      else
        emitBlock();
    });
  }

  /// Where no row of the block sees a key, no result is written, which sums of 0 show.
  void emitBlockIfVisible() {
    Value sees = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                       emitVisibleKeys(blockStart, blockRows), zero);
    auto branch = scf::IfOp::create(builder, loc, sees, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    emitBlock();
    builder.setInsertionPointToStart(branch.elseBlock());
    emitGroups(blockStart, blockRows, [&] {
      setState(Maximum, constant(-std::numeric_limits<double>::infinity()));
      setState(Sum, constant(0));
      emitStatistics(stateScratch);
    });
  }

  void emitBlock() {
    emitGroups(blockStart, blockRows, [&] {
      loadQueries(getGroupQueries());
      setState(Maximum, constant(-std::numeric_limits<double>::infinity()));
      setState(Sum, constant(0));
    });
    std::optional<int64_t> count = getConstantIntValue(keys);
    if (count && *count <= keyBlock) {
      emitKeyBlock(zero, keys, /*first=*/true);
    } else {
      emitLoop(builder, loc, builder.getIndexAttr(rowBlock), 1, [&](OpBuilder &, Value row) {
        emitLoop(builder, loc, builder.getIndexAttr(valueSize), 1, [&](OpBuilder &, Value d) {
          Value none = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(elementType));
          memref::StoreOp::create(builder, loc, none, outScratch, ValueRange{row, d});
        });
      });
      emitLoop(builder, loc, keys, keyBlock, [&](OpBuilder &, Value start) {
        OpFoldResult size = builder.getIndexAttr(keyBlock);
        if (!count || *count % keyBlock != 0) {
          Value left = arith::SubIOp::create(builder, loc, asValue(keys), start);
          size = arith::MinSIOp::create(builder, loc, left, index(keyBlock)).getResult();
        }
        emitKeyBlock(start, size, /*first=*/false);
      });
    }
    finish();
  }

  Value getGroupQueries() {
    Value group = arith::DivUIOp::create(builder, loc, column, index(groupWidth));
    auto type = cast<MemRefType>(queryScratch.getType());
    OpFoldResult none = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
    SmallVector<OpFoldResult> offsets = {group, none, none}, strides = {one, one, one};
    SmallVector<OpFoldResult> sizes = {one, builder.getIndexAttr(keySize),
                                       builder.getIndexAttr(groupWidth)};
    MemRefType viewType = memref::SubViewOp::inferRankReducedResultType({keySize, groupWidth}, type,
                                                                        offsets, sizes, strides);
    return memref::SubViewOp::create(builder, loc, viewType, queryScratch, offsets, sizes, strides);
  }

  void setState(State line, Value value) {
    for (int64_t vector = 0; vector < vectors; ++vector)
      storeScratch(value, stateScratch, index(line), vector);
  }

  SmallVector<Value> getState(State line) {
    SmallVector<Value> values;
    for (int64_t vector = 0; vector < vectors; ++vector)
      values.push_back(loadScratch(stateScratch, index(line), vector));
    return values;
  }

  //===--------------------------------------------------------------------===//
  // Keys
  //===--------------------------------------------------------------------===//

  void emitKeyBlock(Value start, OpFoldResult size, bool first) {
    Value anyVisible = emitGroupProbabilities(start, size);
    if (!masksKeys())
      return emitValues(start, size, first, /*skipsZeros=*/false);
    // Zero probability times NaN or Inf is NaN: values of masked keys are left out one
    // by one, but only if some value of this head is not finite.
    auto visible = scf::IfOp::create(builder, loc, anyVisible, /*withElseRegion=*/first);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(visible.thenBlock());
    auto finite = scf::IfOp::create(builder, loc, valuesFinite, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(finite.thenBlock());
    emitValues(start, size, first, /*skipsZeros=*/false);
    builder.setInsertionPointToStart(finite.elseBlock());
    emitValues(start, size, first, /*skipsZeros=*/true);
    if (!first)
      return;
    builder.setInsertionPointToStart(visible.elseBlock());
    emitValues(start, builder.getIndexAttr(0), first, /*skipsZeros=*/false);
  }

  /// Probabilities of all groups of the block; returns whether any row sees any key.
  Value emitGroupProbabilities(Value start, OpFoldResult size) {
    Value seen;
    if (masksKeys()) {
      seen = createScratch(builder, loc, {1}, builder.getIndexType());
      memref::StoreOp::create(builder, loc, zero, seen, zero);
    }
    emitGroups(blockStart, blockRows, [&] {
      if (!masksKeys())
        return emitSoftmax(start, size);
      auto branch =
          scf::IfOp::create(builder, loc, emitVisible(start, size), /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      memref::StoreOp::create(builder, loc, index(1), seen, zero);
      emitSoftmax(start, size);
      builder.setInsertionPointToStart(branch.elseBlock());
      setState(Scale, constant(1));
      emitLoop(builder, loc, size, 1, [&](OpBuilder &, Value key) {
        for (int64_t vector = 0; vector < vectors; ++vector)
          storeScratch(constant(0), scoreScratch, key, vector);
      });
    });
    if (!seen)
      return Value();
    Value loaded = memref::LoadOp::create(builder, loc, seen, zero);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, loaded, zero);
  }

  /// Scores and probabilities of a group, and its new state.
  void emitSoftmax(Value start, OpFoldResult size) {
    SmallVector<Value> before = getState(Maximum), sums = getState(Sum);
    emitScores(start, size, getGroupQueries());
    SmallVector<Value> maxima = emitMaskAndMaxima(start, size, before), shifts;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      shifts.push_back(emitShift(maxima[vector]));
      Value scale =
          emitExponential(arith::SubFOp::create(builder, loc, before[vector], shifts[vector]));
      storeScratch(scale, stateScratch, index(Scale), vector);
      sums[vector] = arith::MulFOp::create(builder, loc, sums[vector], scale);
    }
    sums = emitProbabilities(size, shifts, sums);
    for (int64_t vector = 0; vector < vectors; ++vector) {
      storeScratch(maxima[vector], stateScratch, index(Maximum), vector);
      storeScratch(sums[vector], stateScratch, index(Sum), vector);
    }
  }

  /// out = out * scale + P V for all rows of the block.
  void emitValues(Value start, OpFoldResult size, bool first, bool skipsZeros) {
    Contraction contraction;
    contraction.rows = blockRows;
    contraction.columns = builder.getIndexAttr(valueSize);
    contraction.depth = size;
    contraction.elementType = elementType;
    contraction.vectors = kMaxVectors;
    contraction.skipsZeros = skipsZeros;
    contraction.panel = panel;
    contraction.loadRow = [&](OpBuilder &b, Value key, Value row) -> Value {
      return memref::LoadOp::create(b, loc, scoreScratch, ValueRange{key, row});
    };
    contraction.loadColumns = [&](OpBuilder &b, Value key, Value d, VectorType type, Value mask) {
      Value position = arith::AddIOp::create(b, loc, start, key);
      return loadVector(b, loc, op.getV(), at(op.getV(), position, d), type, mask);
    };
    contraction.loadInit = [&](OpBuilder &b, Value row, Value d, VectorType type,
                               Value mask) -> Value {
      if (first)
        return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
      Value scale = memref::LoadOp::create(b, loc, stateScratch, ValueRange{index(Scale), row});
      Value sum = loadVector(b, loc, outScratch, {row, d}, type, mask);
      return arith::MulFOp::create(b, loc, sum, vector::BroadcastOp::create(b, loc, type, scale));
    };
    contraction.store = [&](OpBuilder &b, Value value, Value row, Value d, Value mask) {
      storeVector(b, loc, value, outScratch, {row, d}, mask);
    };
    emitContraction(builder, loc, target, contraction);
  }

  //===--------------------------------------------------------------------===//
  // Outputs
  //===--------------------------------------------------------------------===//

  /// Divides by the sums and writes the block's outputs and statistics.
  void finish() {
    emitGroups(blockStart, blockRows, [&] {
      SmallVector<Value> sums = getState(Sum);
      for (int64_t vector = 0; vector < vectors; ++vector)
        storeScratch(emitInverse(sums[vector]), stateScratch, index(Scale), vector);
      if (op.getInits().size() > 1)
        emitStatistics(stateScratch);
    });
    Value out = op.getOut();
    emitLoop(builder, loc, blockRows, 1, [&](OpBuilder &, Value offset) {
      Value row = arith::AddIOp::create(builder, loc, blockStart, offset);
      Value inverse =
          memref::LoadOp::create(builder, loc, stateScratch, ValueRange{index(Scale), offset});
      Value inverses = vector::BroadcastOp::create(builder, loc, vectorType, inverse);
      auto store = [&](Value d, Value mask) {
        Value sum = loadVector(builder, loc, outScratch, {offset, d}, vectorType, mask);
        storeVector(builder, loc, arith::MulFOp::create(builder, loc, sum, inverses), out,
                    at(out, row, d), mask);
      };
      int64_t whole = valueSize / lanes * lanes;
      emitLoop(builder, loc, builder.getIndexAttr(whole), lanes,
               [&](OpBuilder &, Value d) { store(d, Value()); });
      if (whole < valueSize)
        store(index(whole),
              vector::CreateMaskOp::create(builder, loc, maskType, index(valueSize - whole)));
    });
  }

  int64_t keyBlock, rowBlock, groupWidth;
  Value queryScratch, outScratch, stateScratch, panel;
  Value valuesFinite;     ///< of the head being emitted
  Value blockStart;       ///< of the block being emitted
  OpFoldResult blockRows; ///< of the block being emitted
};

} // namespace

bool cpu::prefersWideAttention(ir::OnlineAttentionOp op, const CpuTarget &target) {
  if (op.getLayout() == ir::AttentionLayout::HeadChannel || !hasContiguousElements(op.getV()) ||
      !hasContiguousElements(op.getOut()))
    return false;
  Type type = op.getShaped(op.getOut()).getElementType();
  unsigned bits = type.isF64() ? 64 : 32;
  int64_t panelColumns = 2 * target.lanes(bits);
  int64_t queries = op.getStaticLoopSizes()[2];
  if (op.getSharing() == ir::HeadSharing::Keys && !ShapedType::isDynamic(queries))
    queries *= op.getNumHeads();
  // A panel serves at least two kernels of rows.
  return op.getHeadSize(op.getV()) >= 2 * panelColumns &&
         (ShapedType::isDynamic(queries) || queries >= 2 * RegisterTile::get(target, bits, 2).rows);
}

void cpu::lowerWideAttention(OpBuilder &builder, ir::OnlineAttentionOp op,
                             const CpuTarget &target) {
  WideAttentionEmitter(builder, op, target).emit();
}
