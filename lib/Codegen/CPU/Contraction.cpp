//===- Contraction.cpp - loops around the micro-kernel --------------------===//

#include "Contraction.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace rlx;
using namespace rlx::cpu;

namespace {

class ContractionEmitter {
public:
  ContractionEmitter(OpBuilder &builder, Location loc, const CpuTarget &target,
                     const Contraction &contraction)
      : builder(builder), loc(loc), target(target), op(contraction),
        tile(RegisterTile::get(target, contraction.elementType.getIntOrFloatBitWidth(),
                               contraction.vectors)) {}

  void emit() {
    // Columns in whole register tiles, then single vectors, the last one masked.
    std::optional<int64_t> columns = getConstantIntValue(op.columns);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value end = getValueOrCreateConstantIndexOp(builder, loc, op.columns);
    Value tileEnd;
    if (columns) {
      int64_t whole = *columns / tile.columns() * tile.columns();
      tileEnd = arith::ConstantIndexOp::create(builder, loc, whole);
      if (whole > 0)
        emitColumns(zero, tileEnd, tile.vectors, /*masked=*/false);
      int64_t vectorsEnd = *columns / tile.lanes * tile.lanes;
      if (vectorsEnd > whole)
        emitColumns(tileEnd, arith::ConstantIndexOp::create(builder, loc, vectorsEnd), 1, false);
      if (*columns > vectorsEnd)
        emitColumns(arith::ConstantIndexOp::create(builder, loc, vectorsEnd), end, 1, true);
      return;
    }
    Value width = arith::ConstantIndexOp::create(builder, loc, tile.columns());
    tileEnd = arith::MulIOp::create(builder, loc, arith::DivUIOp::create(builder, loc, end, width),
                                    width);
    emitColumns(zero, tileEnd, tile.vectors, /*masked=*/false);
    emitColumns(tileEnd, end, 1, /*masked=*/true);
  }

private:
  /// Columns [begin, end), `vectors` vectors at a time.
  void emitColumns(Value begin, Value end, int64_t vectors, bool masked) {
    OpBuilder::InsertionGuard guard(builder);
    Value step = arith::ConstantIndexOp::create(builder, loc, vectors * tile.lanes);
    auto loop = scf::ForOp::create(builder, loc, begin, end, step);
    builder.setInsertionPointToStart(loop.getBody());
    Value column = loop.getInductionVar();
    Value mask;
    if (masked) {
      Value left = arith::SubIOp::create(builder, loc, end, column);
      mask = vector::CreateMaskOp::create(builder, loc,
                                          VectorType::get({tile.lanes}, builder.getI1Type()), left);
    }
    if (op.panel)
      copyPanel(column, vectors, mask);
    // Where zeros are left out, code size counts more than speed.
    RegisterTile kernel =
        RegisterTile::get(target, op.elementType.getIntOrFloatBitWidth(), vectors);
    int64_t maxRows = op.skipsZeros ? 1 : kernel.rows;
    emitRowBlocks(builder, loc, op.rows, maxRows,
                  [&](Value row, int64_t rows) { emitKernel(row, rows, column, vectors, mask); });
  }

  VectorType getVectorType() { return VectorType::get({tile.lanes}, op.elementType); }

  Value columnAt(Value column, int64_t vector) {
    return emitAddIndex(builder, loc, column, vector * tile.lanes);
  }

  void copyPanel(Value column, int64_t vectors, Value mask) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    emitLoop(builder, loc, op.depth, 1, [&](OpBuilder &b, Value k) {
      for (int64_t vector = 0; vector < vectors; ++vector) {
        Value value = op.loadColumns(b, k, columnAt(column, vector), getVectorType(), mask);
        vector::StoreOp::create(b, loc, value, op.panel, ValueRange{k, columnAt(zero, vector)});
      }
    });
  }

  Value loadColumns(Value k, Value column, int64_t vector, Value mask) {
    if (!op.panel)
      return op.loadColumns(builder, k, columnAt(column, vector), getVectorType(), mask);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    return vector::LoadOp::create(builder, loc, getVectorType(), op.panel,
                                  ValueRange{k, columnAt(zero, vector)});
  }

  void emitKernel(Value firstRow, int64_t rows, Value column, int64_t vectors, Value mask) {
    auto rowAt = [&](int64_t row) { return emitAddIndex(builder, loc, firstRow, row); };
    Accumulators init;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t vector = 0; vector < vectors; ++vector)
        init.push_back(
            op.loadInit(builder, rowAt(row), columnAt(column, vector), getVectorType(), mask));
    Accumulators sums = emitKernelLoop(
        builder, loc, target, op.depth, rows, vectors, init,
        [&](Value k, int64_t row) { return op.loadRow(builder, k, rowAt(row)); },
        [&](Value k, int64_t vector) { return loadColumns(k, column, vector, mask); },
        op.skipsZeros);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t vector = 0; vector < vectors; ++vector)
        op.store(builder, sums[row * vectors + vector], rowAt(row), columnAt(column, vector), mask);
  }

  OpBuilder &builder;
  Location loc;
  const CpuTarget &target;
  const Contraction &op;
  RegisterTile tile;
};

} // namespace

void cpu::emitContraction(OpBuilder &builder, Location loc, const CpuTarget &target,
                          const Contraction &contraction) {
  ContractionEmitter(builder, loc, target, contraction).emit();
}

Value cpu::loadVector(OpBuilder &builder, Location loc, Value memref, ValueRange indices,
                      VectorType type, Value mask) {
  auto memoryType = type.clone(cast<MemRefType>(memref.getType()).getElementType());
  Value value;
  if (mask) {
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(memoryType));
    value = vector::MaskedLoadOp::create(builder, loc, memoryType, memref, indices, mask, zero);
  } else {
    value = vector::LoadOp::create(builder, loc, memoryType, memref, indices);
  }
  return emitFloatCast(builder, loc, value, type.getElementType());
}

void cpu::storeVector(OpBuilder &builder, Location loc, Value value, Value memref,
                      ValueRange indices, Value mask) {
  value = emitFloatCast(builder, loc, value, cast<MemRefType>(memref.getType()).getElementType());
  if (mask)
    vector::MaskedStoreOp::create(builder, loc, memref, indices, mask, value);
  else
    vector::StoreOp::create(builder, loc, value, memref, indices);
}
