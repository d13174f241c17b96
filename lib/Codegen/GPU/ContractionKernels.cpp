//===- ContractionKernels.cpp - kernels of matrix products ----------------===//
//
// Two ways to sum products of floats: square tiles of the result with both operands in
// shared memory and a part of the tile in each thread's registers, and, for few rows,
// narrow blocks of columns whose sums are shared by all threads of a block.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace rlx;
using namespace rlx::gpu;

namespace {

/// Rows up to which each thread has a column of all of them.
constexpr int64_t kMaxFewRows = 16;
/// Most warps that share the sums of a block of columns.
constexpr int64_t kMaxWarps = 16;
/// Blocks that keep a GPU busy: larger tiles are for results with more.
constexpr int64_t kManyBlocks = 256;
/// Threads along each side of a square tile.
constexpr int64_t kSide = 16;

/// Loops of a contraction by what they index: both operands and the result, one operand
/// and the result, or the operands alone.
struct Loops {
  SmallVector<unsigned, 2> batch, rows, columns, depth;
};

/// Loops of `op` if it sums products of two float operands, whose element types may be
/// narrower than the result's.
std::optional<Loops> matchContraction(linalg::LinalgOp op) {
  FailureOr<linalg::ContractionDimensions> dims = linalg::inferContractionDims(op);
  if (failed(dims) || !linalg::isaContractionOpInterface(op) || dims->m.empty() ||
      dims->n.empty() || dims->k.empty())
    return std::nullopt;
  bool sumsProducts = true;
  for (Operation &inner : op.getBlock()->without_terminator())
    sumsProducts &= isa<arith::MulFOp, arith::AddFOp, arith::ExtFOp>(inner);
  for (Value operand : op->getOperands())
    sumsProducts &= isa<MemRefType>(operand.getType()) &&
                    isa<FloatType>(getElementTypeOrSelf(operand.getType()));
  if (!sumsProducts)
    return std::nullopt;
  return Loops{dims->batch, dims->m, dims->n, dims->k};
}

/// What both kernels do: addresses, loads and the sum of a product.
class ContractionKernel {
public:
  ContractionKernel(ImplicitLocOpBuilder &b, linalg::LinalgOp op, Loops loops)
      : b(b), op(op), loops(std::move(loops)) {
    for (Range range : op.createLoopRanges(b, op.getLoc()))
      sizes.push_back(getValueOrCreateConstantIndexOp(b, op.getLoc(), range.size));
    coordinates.resize(sizes.size());
    numRows = countOf(this->loops.rows);
    numColumns = countOf(this->loops.columns);
    depth = countOf(this->loops.depth);
    batches = countOf(this->loops.batch);
  }

  /// The number of points of `dims`, kDynamic if unknown.
  static int64_t staticCount(linalg::LinalgOp op, ArrayRef<unsigned> dims) {
    int64_t count = 1;
    for (unsigned dim : dims) {
      int64_t size = op.getStaticLoopRanges()[dim];
      if (ShapedType::isDynamic(size))
        return size;
      count *= size;
    }
    return count;
  }

protected:
  Value countOf(ArrayRef<unsigned> dims) { return emitProduct(b, sizesOf(dims)); }
  SmallVector<Value> sizesOf(ArrayRef<unsigned> dims) {
    return llvm::map_to_vector(dims, [&](unsigned dim) { return sizes[dim]; });
  }
  /// Sets the coordinates of `dims` to point `number` of them.
  void setPoint(ArrayRef<unsigned> dims, Value number) {
    for (auto [dim, value] : llvm::zip(dims, emitCoordinates(b, number, sizesOf(dims))))
      coordinates[dim] = value;
  }
  SmallVector<Value> indicesOf(OpOperand &operand) {
    SmallVector<Value> indices;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      indices.push_back(affine::expandAffineExpr(b, op.getLoc(), expr, coordinates, ValueRange()));
    return indices;
  }
  Value load(OpOperand &operand) {
    return memref::LoadOp::create(b, operand.get(), indicesOf(operand));
  }
  OpOperand &result() { return *op.getDpsInitOperand(0); }
  OpOperand &input(unsigned index) { return *op.getDpsInputOperand(index); }
  /// Which input the rows index.
  unsigned rowInput() {
    return op.getMatchingIndexingMap(&input(0)).isFunctionOfDim(loops.rows.front()) ? 0 : 1;
  }
  /// Whether neighbours along `dims` are neighbours in the operand's memory.
  bool isContiguousAlong(OpOperand &operand, ArrayRef<unsigned> dims) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    return map.getResults().back() == getAffineDimExpr(dims.back(), map.getContext());
  }
  Value isLess(Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, lhs, rhs);
  }
  Value lastOf(Value count) { return b.createOrFold<arith::SubIOp>(count, emitIndex(b, 1)); }
  /// sum + row * column, as the op's region has it.
  Value addProduct(Value row, Value column, Value sum) {
    IRMapping mapping;
    mapping.map(op.getMatchingBlockArgument(&input(rowInput())), row);
    mapping.map(op.getMatchingBlockArgument(&input(1 - rowInput())), column);
    mapping.map(op.getMatchingBlockArgument(&result()), sum);
    for (Operation &inner : op.getBlock()->without_terminator())
      b.clone(inner, mapping);
    return mapping.lookup(op.getBlock()->getTerminator()->getOperand(0));
  }

  ImplicitLocOpBuilder &b;
  linalg::LinalgOp op;
  Loops loops;
  SmallVector<Value> sizes;       ///< of the loops
  SmallVector<Value> coordinates; ///< of the point at hand, by loop
  Value numRows, numColumns, depth, batches;
};

//===----------------------------------------------------------------------===//
// Square tiles
//===----------------------------------------------------------------------===//

class SquareTileKernel : ContractionKernel {
public:
  SquareTileKernel(ImplicitLocOpBuilder &b, linalg::LinalgOp op, const Loops &loops)
      : ContractionKernel(b, op, loops) {
    int64_t tiles = 1;
    for (ArrayRef<unsigned> dims : {ArrayRef(loops.rows), ArrayRef(loops.columns)})
      tiles *= llvm::divideCeil(std::max<int64_t>(staticCount(op, dims), 1), 64);
    perThread = tiles >= kManyBlocks ? 4 : 2;
    slab = perThread == 4 ? 16 : 32;
  }

  void emit() {
    int64_t side = perThread * kSide;
    Value grid[] = {batches, emitCeilDiv(b, numRows, side), emitCeilDiv(b, numColumns, side)};
    MemRefType arrays[] = {sharedType({side, slab + 1}, elementType(rowInput())),
                           sharedType({side, slab + 1}, elementType(1 - rowInput()))};
    emitLaunch(b, emitProduct(b, grid), kSide * kSide, arrays,
               [&](Value block, Value threadNumber, ValueRange shared) {
                 thread = threadNumber;
                 SmallVector<Value> position = emitCoordinates(b, block, grid);
                 setPoint(loops.batch, position[0]);
                 firstRow = emitMul(b, position[1], emitIndex(b, side));
                 firstColumn = emitMul(b, position[2], emitIndex(b, side));
                 emitTile(shared[0], shared[1]);
               });
  }

private:
  Type elementType(unsigned index) { return getElementTypeOrSelf(input(index).get().getType()); }

  /// Calls `body` for each element of the thread: rows are neighbours, columns every 16th.
  void overElements(function_ref<void(int64_t index, Value line, Value place)> body) {
    Value line =
        emitMul(b, arith::DivUIOp::create(b, thread, emitIndex(b, kSide)), emitIndex(b, perThread));
    Value place = arith::RemUIOp::create(b, thread, emitIndex(b, kSide));
    for (int64_t i = 0; i < perThread; ++i)
      for (int64_t j = 0; j < perThread; ++j)
        body(i * perThread + j, emitAdd(b, line, emitIndex(b, i)),
             emitAdd(b, place, emitIndex(b, j * kSide)));
  }

  void setElement(Value line, Value place) {
    setPoint(loops.rows, arith::MinUIOp::create(b, emitAdd(b, firstRow, line), lastOf(numRows)));
    setPoint(loops.columns,
             arith::MinUIOp::create(b, emitAdd(b, firstColumn, place), lastOf(numColumns)));
  }

  /// Copies a slab of an operand to shared memory, with zeros behind the depth.
  void loadSlab(OpOperand &operand, Value array, ArrayRef<unsigned> dims, Value first, Value count,
                Value firstDepth) {
    int64_t side = perThread * kSide;
    bool depthFirst = isContiguousAlong(operand, loops.depth);
    for (int64_t turn = 0; turn < side * slab / (kSide * kSide); ++turn) {
      Value number = emitAdd(b, thread, emitIndex(b, turn * kSide * kSide));
      Value inner = emitIndex(b, depthFirst ? slab : side);
      Value quotient = arith::DivUIOp::create(b, number, inner);
      Value remainder = arith::RemUIOp::create(b, number, inner);
      Value line = depthFirst ? quotient : remainder, k = depthFirst ? remainder : quotient;
      Value position = emitAdd(b, firstDepth, k);
      setPoint(dims, arith::MinUIOp::create(b, emitAdd(b, first, line), lastOf(count)));
      setPoint(loops.depth, arith::MinUIOp::create(b, position, lastOf(depth)));
      Value element = load(operand);
      Value none = arith::ConstantOp::create(b, b.getZeroAttr(element.getType()));
      element = arith::SelectOp::create(b, isLess(position, depth), element, none);
      memref::StoreOp::create(b, element, array, ValueRange{line, k});
    }
  }

  void emitTile(Value rowArray, Value columnArray) {
    SmallVector<Value> sums;
    overElements([&](int64_t, Value line, Value place) {
      setElement(line, place);
      sums.push_back(load(result()));
    });
    sums =
        emitLoop(b, emitIndex(b, 0), depth, slab, sums, [&](Value firstDepth, ValueRange carried) {
          loadSlab(input(rowInput()), rowArray, loops.rows, firstRow, numRows, firstDepth);
          loadSlab(input(1 - rowInput()), columnArray, loops.columns, firstColumn, numColumns,
                   firstDepth);
          mlir::gpu::BarrierOp::create(b);
          SmallVector<Value> next = emitLoop(
              b, emitIndex(b, 0), emitIndex(b, slab), 1, carried, [&](Value k, ValueRange values) {
                SmallVector<Value> added(values);
                overElements([&](int64_t index, Value line, Value place) {
                  Value row = memref::LoadOp::create(b, rowArray, ValueRange{line, k});
                  Value column = memref::LoadOp::create(b, columnArray, ValueRange{place, k});
                  added[index] = addProduct(row, column, added[index]);
                });
                return added;
              });
          mlir::gpu::BarrierOp::create(b);
          return next;
        });
    overElements([&](int64_t index, Value line, Value place) {
      Value exists = arith::AndIOp::create(b, isLess(emitAdd(b, firstRow, line), numRows),
                                           isLess(emitAdd(b, firstColumn, place), numColumns));
      emitIf(b, exists, [&] {
        setElement(line, place);
        memref::StoreOp::create(b, sums[index], result().get(), indicesOf(result()));
      });
    });
  }

  int64_t perThread; ///< elements of a thread along each side
  int64_t slab;      ///< depth in shared memory at a time
  Value thread, firstRow, firstColumn;
};

//===----------------------------------------------------------------------===//
// Few rows
//===----------------------------------------------------------------------===//

class FewRowsKernel : ContractionKernel {
public:
  FewRowsKernel(ImplicitLocOpBuilder &b, linalg::LinalgOp op, const Loops &loops)
      : ContractionKernel(b, op, loops), rows(staticCount(op, loops.rows)) {
    int64_t steps = staticCount(op, loops.depth);
    bool isKnown = !ShapedType::isDynamic(steps);
    warps =
        isKnown ? std::clamp<int64_t>(steps / (kDepthLanes * kUnroll), 1, kMaxWarps) : kMaxWarps;
    unroll = isKnown && steps % (warps * kDepthLanes * kUnroll) == 0 ? kUnroll : 1;
  }

  void emit() {
    Value grid[] = {batches, emitCeilDiv(b, numColumns, kColumns)};
    emitLaunch(b, emitProduct(b, grid), warps * kWarpThreads,
               sharedType({warps, rows, kColumns}, b.getF32Type()),
               [&](Value block, Value threadNumber, ValueRange shared) {
                 SmallVector<Value> position = emitCoordinates(b, block, grid);
                 setPoint(loops.batch, position[0]);
                 firstColumn = emitMul(b, position[1], emitIndex(b, kColumns));
                 thread = threadNumber;
                 emitParts(shared[0]);
                 mlir::gpu::BarrierOp::create(b);
                 addParts(shared[0]);
               });
  }

private:
  /// Columns of a block, whose elements of one depth fill a sector of memory, and lanes
  /// of a warp that share the sum of a column.
  static constexpr int64_t kColumns = 8, kDepthLanes = kWarpThreads / kColumns;
  static_assert(kDepthLanes == 4, "two distances between the lanes of a column");
  /// Depths that a lane loads at a time.
  static constexpr int64_t kUnroll = 4;

  Value divide(int64_t by) { return arith::DivUIOp::create(b, thread, emitIndex(b, by)); }
  Value remainder(int64_t by) { return arith::RemUIOp::create(b, thread, emitIndex(b, by)); }

  /// Each warp's part of the sums.
  void emitParts(Value parts) {
    Value column = emitAdd(b, firstColumn, remainder(kColumns));
    setPoint(loops.columns, arith::MinUIOp::create(b, column, lastOf(numColumns)));
    Value none = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
    SmallVector<Value> sums(rows, none);
    int64_t slices = warps * kDepthLanes;
    sums = emitLoop(b, divide(kColumns), depth, slices * unroll, sums,
                    [&](Value first, ValueRange carried) {
                      SmallVector<Value> next(carried);
                      for (int64_t step = 0; step < unroll; ++step)
                        addDepth(emitAdd(b, first, emitIndex(b, step * slices)), next);
                      return next;
                    });
    for (auto [row, sum] : llvm::enumerate(sums)) {
      sum = emitOverLanes(b, sum, {kColumns, 2 * kColumns}, [&](Value x, Value y) -> Value {
        return arith::AddFOp::create(b, x, y);
      });
      // Lanes of one column have the same sum.
      memref::StoreOp::create(
          b, sum, parts, ValueRange{divide(kWarpThreads), emitIndex(b, row), remainder(kColumns)});
    }
  }

  void addDepth(Value k, SmallVector<Value> &sums) {
    setPoint(loops.depth, k);
    Value element = load(input(1 - rowInput()));
    for (auto [row, sum] : llvm::enumerate(sums)) {
      setPoint(loops.rows, emitIndex(b, row));
      sum = addProduct(load(input(rowInput())), element, sum);
    }
  }

  /// Adds the warps' parts to the result, an element to a thread.
  void addParts(Value parts) {
    emitLoop(
        b, thread, emitIndex(b, rows * kColumns), warps * kWarpThreads, {},
        [&](Value number, ValueRange) -> SmallVector<Value> {
          Value place = arith::RemUIOp::create(b, number, emitIndex(b, kColumns));
          Value row = arith::DivUIOp::create(b, number, emitIndex(b, kColumns));
          Value column = emitAdd(b, firstColumn, place);
          emitIf(b, isLess(column, numColumns), [&] {
            setPoint(loops.rows, row);
            setPoint(loops.columns, column);
            Value sum = load(result());
            for (int64_t part = 0; part < warps; ++part)
              sum = arith::AddFOp::create(
                  b, sum,
                  memref::LoadOp::create(b, parts, ValueRange{emitIndex(b, part), row, place}));
            memref::StoreOp::create(b, sum, result().get(), indicesOf(result()));
          });
          return {};
        });
  }

  int64_t rows, warps, unroll;
  Value thread, firstColumn;
};

} // namespace

bool rlx::gpu::emitContractionKernel(ImplicitLocOpBuilder &b, linalg::LinalgOp op) {
  std::optional<Loops> loops = matchContraction(op);
  if (!loops)
    return false;
  int64_t rows = ContractionKernel::staticCount(op, loops->rows);
  int64_t columns = ContractionKernel::staticCount(op, loops->columns);
  // Rows and columns are names for the same: the few of them are rows.
  if (!ShapedType::isDynamic(columns) && columns <= kMaxFewRows &&
      (ShapedType::isDynamic(rows) || rows > columns)) {
    std::swap(loops->rows, loops->columns);
    std::swap(rows, columns);
  }
  bool isF32 = getElementTypeOrSelf(op.getDpsInitOperand(0)->get().getType()).isF32();
  if (isF32 && !ShapedType::isDynamic(rows) && rows <= kMaxFewRows)
    FewRowsKernel(b, op, *loops).emit();
  else
    SquareTileKernel(b, op, *loops).emit();
  return true;
}
