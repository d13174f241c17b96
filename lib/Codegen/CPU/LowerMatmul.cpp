//===- LowerMatmul.cpp - matmul and linalg contractions as kernels --------===//

#include "LowerStructured.h"

#include "Contraction.h"

#include "rlx/Conversion/Scalars.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace rlx;
using namespace rlx::cpu;

namespace {

/// Emits loops over the leading dims of `memref` other than the last `numInner`, and
/// calls the body with their indices.
void emitOuterLoops(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> sizes,
                    SmallVector<Value> &indices, llvm::function_ref<void()> body) {
  if (indices.size() == sizes.size())
    return body();
  emitLoop(builder, loc, sizes[indices.size()], 1, [&](OpBuilder &, Value index) {
    indices.push_back(index);
    emitOuterLoops(builder, loc, sizes, indices, body);
    indices.pop_back();
  });
}

OpFoldResult dimOf(OpBuilder &builder, Location loc, Value memref, int64_t dim) {
  return memref::getMixedSize(builder, loc, memref, dim);
}

} // namespace

//===----------------------------------------------------------------------===//
// rlx.packed_matmul
//===----------------------------------------------------------------------===//

void cpu::lowerPackedMatmul(OpBuilder &builder, ir::PackedMatmulOp op, const CpuTarget &target) {
  Location loc = op.getLoc();
  builder.setInsertionPoint(op);
  Value x = op.getX(), packed = op.getPacked(), bias = op.getBias(), out = op.getInit();
  int64_t rank = op.getInitType().getRank(), panelWidth = op.getPanelWidth();
  Type elementType = op.getInitType().getElementType();

  SmallVector<OpFoldResult> outerSizes;
  for (int64_t dim = 0; dim + 2 < rank; ++dim)
    outerSizes.push_back(dimOf(builder, loc, out, dim));
  SmallVector<Value> outer;
  auto at = [&](ValueRange inner) {
    SmallVector<Value> indices(outer);
    llvm::append_range(indices, inner);
    return indices;
  };

  Contraction contraction;
  contraction.elementType = elementType;
  contraction.rows = dimOf(builder, loc, out, rank - 2);
  contraction.columns = dimOf(builder, loc, out, rank - 1);
  contraction.depth = dimOf(builder, loc, packed, 1);
  contraction.loadRow = [&](OpBuilder &b, Value k, Value m) {
    Value element = memref::LoadOp::create(b, loc, x, at({m, k}));
    return emitFloatCast(b, loc, element, elementType);
  };
  contraction.loadColumns = [&](OpBuilder &b, Value k, Value n, VectorType type, Value) -> Value {
    // Panels are padded, so that no mask is needed.
    Value width = arith::ConstantIndexOp::create(b, loc, panelWidth);
    Value panel = arith::DivUIOp::create(b, loc, n, width);
    Value lane = arith::RemUIOp::create(b, loc, n, width);
    return loadVector(b, loc, packed, {panel, k, lane}, type, Value());
  };
  contraction.loadInit = [&](OpBuilder &b, Value, Value n, VectorType type, Value mask) -> Value {
    if (bias)
      return loadVector(b, loc, bias, {n}, type, mask);
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  };
  contraction.store = [&](OpBuilder &b, Value value, Value m, Value n, Value mask) {
    if (op.getAct()) {
      ImplicitLocOpBuilder elementBuilder(loc, b);
      value = activate(elementBuilder, *op.getAct(), value);
    }
    storeVector(b, loc, value, out, at({m, n}), mask);
  };
  emitOuterLoops(builder, loc, outerSizes, outer,
                 [&] { emitContraction(builder, loc, target, contraction); });
  op.erase();
}

//===----------------------------------------------------------------------===//
// linalg contractions
//===----------------------------------------------------------------------===//

namespace {

/// Which loops of a linalg contraction are the kernel's rows, columns and reduction.
struct ContractionLoops {
  unsigned rowOperand = 0, columnOperand = 1;
  std::optional<unsigned> row; ///< none for a matrix-vector product
  unsigned column = 0, depth = 0;
  /// A loop just outside `column` that can be collapsed with it, if any.
  std::optional<unsigned> outerColumn;
};

bool isUnitStride(Value memref) {
  auto [strides, offset] = cast<MemRefType>(memref.getType()).getStridesAndOffset();
  return !strides.empty() && strides.back() == 1;
}

/// True if the last two dims of `memref` walk one range of elements.
bool canCollapseInner(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t rank = type.getRank();
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim + 2 < rank; ++dim)
    groups.push_back({dim});
  groups.push_back({rank - 2, rank - 1});
  return rank >= 2 && memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups);
}

Value collapseInner(OpBuilder &builder, Location loc, Value memref) {
  int64_t rank = cast<MemRefType>(memref.getType()).getRank();
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim + 2 < rank; ++dim)
    groups.push_back({dim});
  groups.push_back({rank - 2, rank - 1});
  return memref::CollapseShapeOp::create(builder, loc, memref, groups);
}

std::optional<ContractionLoops> matchContraction(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !linalg::isaContractionOpInterface(op))
    return std::nullopt;
  for (Value operand : op->getOperands())
    if (!isa<FloatType>(cast<MemRefType>(operand.getType()).getElementType()))
      return std::nullopt;
  Type outType = cast<MemRefType>(op.getDpsInits()[0].getType()).getElementType();
  if ((!outType.isF32() && !outType.isF64()) ||
      !isa<arith::AddFOp>(op.getBlock()->getTerminator()->getOperand(0).getDefiningOp()))
    return std::nullopt;

  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap out = maps[2];
  if (!llvm::all_of(maps, [](AffineMap map) { return map.isProjectedPermutation(); }) ||
      out.getNumResults() == 0 || !isUnitStride(op.getDpsInits()[0]))
    return std::nullopt;
  ContractionLoops loops;
  loops.column = out.getDimPosition(out.getNumResults() - 1);
  auto uses = [&](unsigned operand, unsigned loop) { return maps[operand].isFunctionOfDim(loop); };
  for (unsigned operand : {0u, 1u}) {
    AffineMap map = maps[operand];
    if (map.getNumResults() > 0 && map.getDimPosition(map.getNumResults() - 1) == loops.column &&
        !uses(1 - operand, loops.column) && isUnitStride(op.getDpsInputs()[operand])) {
      loops.columnOperand = operand;
      loops.rowOperand = 1 - operand;
      std::optional<unsigned> depth;
      for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
        if (type == utils::IteratorType::reduction)
          depth = loop;
        else if (uses(loops.rowOperand, loop) && !uses(loops.columnOperand, loop))
          loops.row = loop;
      }
      if (!depth)
        return std::nullopt;
      loops.depth = *depth;
      unsigned rank = out.getNumResults(), columnRank = map.getNumResults();
      if (rank >= 2 && columnRank >= 2 &&
          out.getDimPosition(rank - 2) == map.getDimPosition(columnRank - 2) &&
          !uses(loops.rowOperand, out.getDimPosition(rank - 2)) &&
          canCollapseInner(op.getDpsInits()[0]) && canCollapseInner(op.getDpsInputs()[operand]))
        loops.outerColumn = out.getDimPosition(rank - 2);
      return loops;
    }
  }
  return std::nullopt;
}

/// A buffer for a panel of columns, where copying it pays: many rows pass over it and
/// its rows lie far apart.
Value createPanel(OpBuilder &builder, Location loc, const Contraction &contraction,
                  const CpuTarget &target) {
  RegisterTile tile = RegisterTile::get(target, contraction.elementType.getIntOrFloatBitWidth());
  std::optional<int64_t> rows = getConstantIntValue(contraction.rows);
  std::optional<int64_t> depth = getConstantIntValue(contraction.depth);
  if (!rows || !depth || *rows < 4 * tile.rows || *depth < 8)
    return Value();
  int64_t bytes = *depth * tile.columns() * contraction.elementType.getIntOrFloatBitWidth() / 8;
  if (bytes > target.l2Bytes / 4)
    return Value();
  return createScratch(builder, loc, {*depth, tile.columns()}, contraction.elementType);
}

/// Whether `op` does no more than repeat one input over the whole of `out`.
bool fills(linalg::LinalgOp op, Value out) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getDpsInits()[0] != out || op.getNumReductionLoops() != 0 ||
      !op.getIndexingMapsArray()[1].isIdentity())
    return false;
  Block *body = op.getBlock();
  Type elementType = cast<MemRefType>(out.getType()).getElementType();
  return llvm::hasSingleElement(*body) &&
         body->getTerminator()->getOperand(0) == body->getArgument(0) &&
         body->getArgument(0).getType() == elementType;
}

/// The op just before `op` that fills its result, if kernels can start from what it reads:
/// the same for all columns, or elements that lie like them.
linalg::LinalgOp findFilling(linalg::LinalgOp op, const ContractionLoops &loops) {
  Operation *before = op->getPrevNode();
  while (before && !isa<linalg::LinalgOp>(before) && isMemoryEffectFree(before))
    before = before->getPrevNode();
  auto filling = dyn_cast_or_null<linalg::LinalgOp>(before);
  if (!filling || !fills(filling, op.getDpsInits()[0]))
    return nullptr;
  AffineMap map = filling.getIndexingMapsArray()[0].compose(op.getIndexingMapsArray()[2]);
  if (!map.isProjectedPermutation())
    return nullptr;
  if (!map.isFunctionOfDim(loops.column))
    return loops.outerColumn && map.isFunctionOfDim(*loops.outerColumn) ? nullptr : filling;
  bool isLast = map.getDimPosition(map.getNumResults() - 1) == loops.column;
  return !loops.outerColumn && isLast && isUnitStride(filling.getDpsInputs()[0]) ? filling
                                                                                 : nullptr;
}

/// The operands of a contraction, and where its loops index them.
class ContractionOperands {
public:
  /// Results begin as what `filling` would write, or, if it is null, as what is there.
  ContractionOperands(OpBuilder &builder, linalg::LinalgOp op, linalg::LinalgOp filling,
                      const ContractionLoops &loops)
      : loc(op.getLoc()), loops(loops), sizes(op.getNumLoops()) {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    row = {op.getDpsInputs()[loops.rowOperand], maps[loops.rowOperand]};
    column = {op.getDpsInputs()[loops.columnOperand], maps[loops.columnOperand]};
    out = {op.getDpsInits()[0], maps[2]};
    if (filling)
      start = {filling.getDpsInputs()[0], filling.getIndexingMapsArray()[0].compose(maps[2])};
    for (const Access &access : {row, column, out})
      for (auto [dim, expr] : llvm::enumerate(access.map.getResults()))
        sizes[cast<AffineDimExpr>(expr).getPosition()] = dimOf(builder, loc, access.memref, dim);
    if (loops.outerColumn)
      collapseColumns(builder);
    if (!filling)
      start = out;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (loop != loops.column && loop != loops.depth && loops.row != loop &&
          loops.outerColumn != loop)
        outerLoops.push_back(loop);
  }

  SmallVector<OpFoldResult> outerSizes() const {
    return llvm::map_to_vector(outerLoops, [&](unsigned loop) { return sizes[loop]; });
  }

  /// The contraction within the outer loops, whose positions will be in `outer`. Both
  /// have to live until it has been emitted.
  Contraction within(OpBuilder &builder, const SmallVector<Value> &outer) const {
    Contraction result;
    result.elementType = cast<MemRefType>(out.memref.getType()).getElementType();
    result.rows = loops.row ? sizes[*loops.row] : builder.getIndexAttr(1);
    result.columns = sizes[loops.column];
    result.depth = sizes[loops.depth];
    result.loadRow = [&, type = result.elementType](OpBuilder &b, Value k, Value m) {
      Value element = memref::LoadOp::create(b, loc, row.memref, indices(row, outer, m, {}, k));
      return emitFloatCast(b, loc, element, type);
    };
    result.loadColumns = [&](OpBuilder &b, Value k, Value n, VectorType type, Value mask) {
      return loadVector(b, loc, column.memref, indices(column, outer, {}, n, k), type, mask);
    };
    result.loadInit = [&](OpBuilder &b, Value m, Value n, VectorType type, Value mask) -> Value {
      Value element = start.memref;
      if (start.map.isFunctionOfDim(loops.column))
        return loadVector(b, loc, start.memref, indices(start, outer, m, n, {}), type, mask);
      if (isa<MemRefType>(element.getType()))
        element = memref::LoadOp::create(b, loc, element, indices(start, outer, m, {}, {}));
      return vector::BroadcastOp::create(b, loc, type, element);
    };
    result.store = [&](OpBuilder &b, Value value, Value m, Value n, Value mask) {
      storeVector(b, loc, value, out.memref, indices(out, outer, m, n, {}), mask);
    };
    return result;
  }

private:
  struct Access {
    Value memref;
    AffineMap map;
  };

  /// Makes one loop of the two inner ones over columns.
  void collapseColumns(OpBuilder &builder) {
    for (Access *access : {&column, &out}) {
      access->memref = collapseInner(builder, loc, access->memref);
      access->map = access->map.dropResult(access->map.getNumResults() - 2);
    }
    int64_t last = cast<MemRefType>(out.memref.getType()).getRank() - 1;
    sizes[loops.column] = dimOf(builder, loc, out.memref, last);
  }

  SmallVector<Value> indices(const Access &access, ArrayRef<Value> outer, Value m, Value n,
                             Value k) const {
    return llvm::map_to_vector(access.map.getResults(), [&](AffineExpr expr) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      if (loop == loops.column)
        return n;
      if (loop == loops.depth)
        return k;
      if (loops.row == loop)
        return m;
      return outer[llvm::find(outerLoops, loop) - outerLoops.begin()];
    });
  }

  Location loc;
  const ContractionLoops &loops;
  Access row, column, out;
  Access start;                    ///< of the sums; its memref may be one scalar for all
  SmallVector<OpFoldResult> sizes; ///< of all loops
  SmallVector<unsigned> outerLoops;
};

} // namespace

bool cpu::lowerContraction(OpBuilder &builder, linalg::LinalgOp op, const CpuTarget &target) {
  std::optional<ContractionLoops> loops = matchContraction(op);
  if (!loops)
    return false;
  builder.setInsertionPoint(op);
  linalg::LinalgOp filling = findFilling(op, *loops);
  ContractionOperands operands(builder, op, filling, *loops);
  SmallVector<Value> outer;
  Contraction contraction = operands.within(builder, outer);
  contraction.panel = createPanel(builder, op.getLoc(), contraction, target);
  emitOuterLoops(builder, op.getLoc(), operands.outerSizes(), outer,
                 [&] { emitContraction(builder, op.getLoc(), target, contraction); });
  op->erase();
  if (filling)
    filling->erase();
  return true;
}
