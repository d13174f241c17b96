//===- LinalgKernels.cpp - kernels of linalg ops --------------------------===//
//
// A thread, or the lanes of a warp, for each element of the result.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace rlx;
using namespace rlx::gpu;

namespace {

/// The kernel of one op.
class LinalgKernel {
public:
  LinalgKernel(ImplicitLocOpBuilder &b, linalg::LinalgOp op) : b(b), op(op) {
    for (Range range : op.createLoopRanges(b, op.getLoc()))
      sizes.push_back(getValueOrCreateConstantIndexOp(b, op.getLoc(), range.size));
    coordinates.resize(sizes.size());
    orderLoops();
  }

  void emit();

private:
  void orderLoops();
  bool reducesContiguously();
  bool usesWarps();
  SmallVector<Value> sizesOf(ArrayRef<unsigned> loops) const;
  void setCoordinates(ArrayRef<unsigned> loops, ValueRange values);
  void emitElement();
  void emitElementByWarp(Value lane);
  SmallVector<Value> indicesOf(OpOperand &operand);
  SmallVector<Value> emitBody(ValueRange results);
  SmallVector<Value> emitReduction(unsigned depth, ValueRange results);
  SmallVector<Value> loadResults();
  void storeResults(ValueRange results);
  Value combine(Value lhs, Value rhs);

  ImplicitLocOpBuilder &b;
  linalg::LinalgOp op;
  SmallVector<Value> sizes;       ///< of the loops
  SmallVector<Value> coordinates; ///< of the element at hand, by loop
  SmallVector<unsigned> parallel, reduction;
};

/// Parallel loops in the order of the result's dimensions, so that neighbouring threads
/// write neighbouring elements.
void LinalgKernel::orderLoops() {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<bool> isResultDim(sizes.size());
  SmallVector<unsigned> ofResult;
  for (AffineExpr expr : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      isResultDim[dim.getPosition()] = true;
      ofResult.push_back(dim.getPosition());
    }
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind != utils::IteratorType::parallel)
      reduction.push_back(loop);
    else if (!isResultDim[loop])
      parallel.push_back(loop);
  }
  parallel.append(ofResult);
}

/// Whether operands are contiguous along the innermost reduction, so that the lanes of a
/// warp read neighbouring elements.
bool LinalgKernel::reducesContiguously() {
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    auto innermost = getAffineDimExpr(reduction.back(), map.getContext());
    return !map.isFunctionOfDim(reduction.back()) || map.getResults().back() == innermost;
  });
}

/// Whether a warp shares the reduction of an element: the lanes' parts of it can be
/// combined by shuffles, and it is long or may be.
bool LinalgKernel::usesWarps() {
  if (reduction.empty() || !reducesContiguously() || op.getNumDpsInits() != 1 ||
      !getElementTypeOrSelf(op.getDpsInits()[0].getType()).isF32())
    return false;
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) || combiners.size() != 1)
    return false;
  if (!isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp>(combiners[0]))
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  return ShapedType::isDynamic(ranges[reduction.back()]) ||
         ranges[reduction.back()] >= kWarpThreads;
}

SmallVector<Value> LinalgKernel::sizesOf(ArrayRef<unsigned> loops) const {
  return llvm::map_to_vector(loops, [&](unsigned loop) { return sizes[loop]; });
}

void LinalgKernel::setCoordinates(ArrayRef<unsigned> loops, ValueRange values) {
  for (auto [loop, value] : llvm::zip_equal(loops, values))
    coordinates[loop] = value;
}

void LinalgKernel::emit() {
  SmallVector<Value> parallelSizes = sizesOf(parallel);
  Value count = emitProduct(b, parallelSizes);
  int64_t perElement = usesWarps() ? kWarpThreads : 1;
  Value blocks = emitCeilDiv(b, count, kBlockThreads / perElement);
  emitLaunch(b, blocks, kBlockThreads, {}, [&](Value block, Value thread, ValueRange) {
    Value number = emitAdd(b, emitMul(b, block, emitIndex(b, kBlockThreads)), thread);
    Value lane;
    if (perElement > 1) {
      lane = arith::RemUIOp::create(b, number, emitIndex(b, perElement));
      number = arith::DivUIOp::create(b, number, emitIndex(b, perElement));
    }
    Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, count);
    emitIf(b, inside, [&] {
      setCoordinates(parallel, emitCoordinates(b, number, parallelSizes));
      if (lane)
        emitElementByWarp(lane);
      else
        emitElement();
    });
  });
}

void LinalgKernel::emitElement() {
  SmallVector<Value> results = loadResults();
  storeResults(emitReduction(0, results));
}

/// Each lane reduces every 32nd position of the innermost reduction; the lanes' parts are
/// combined in a tree of fixed shape, and last with what the result held before.
void LinalgKernel::emitElementByWarp(Value lane) {
  SmallVector<Operation *> combiners;
  matchReduction(op.getRegionOutputArgs(), 0, combiners);
  TypedAttr neutral = *arith::getNeutralElement(combiners[0]);
  Value part = arith::ConstantOp::create(b, neutral);
  std::function<Value(unsigned, Value)> reduce = [&](unsigned depth, Value value) -> Value {
    if (depth == reduction.size())
      return emitBody(value)[0];
    bool innermost = depth + 1 == reduction.size();
    unsigned loop = reduction[depth];
    return emitLoop(b, innermost ? lane : emitIndex(b, 0), sizes[loop],
                    innermost ? kWarpThreads : 1, value,
                    [&](Value index, ValueRange carried) -> SmallVector<Value> {
                      coordinates[loop] = index;
                      return {reduce(depth + 1, carried[0])};
                    })[0];
  };
  part = reduce(0, part);
  part = emitOverLanes(b, part, kWarpDistances, [&](Value x, Value y) { return combine(x, y); });
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, emitIndex(b, 0));
  emitIf(b, isFirst, [&] { storeResults(combine(loadResults()[0], part)); });
}

Value LinalgKernel::combine(Value lhs, Value rhs) {
  SmallVector<Operation *> combiners;
  matchReduction(op.getRegionOutputArgs(), 0, combiners);
  OperationState state(op.getLoc(), combiners[0]->getName());
  state.addOperands({lhs, rhs});
  state.addTypes(lhs.getType());
  return b.create(state)->getResult(0);
}

/// The loops of the reduction from `depth` on.
SmallVector<Value> LinalgKernel::emitReduction(unsigned depth, ValueRange results) {
  if (depth == reduction.size())
    return emitBody(results);
  unsigned loop = reduction[depth];
  return emitLoop(b, emitIndex(b, 0), sizes[loop], 1, results,
                  [&](Value index, ValueRange carried) {
                    coordinates[loop] = index;
                    return emitReduction(depth + 1, carried);
                  });
}

SmallVector<Value> LinalgKernel::indicesOf(OpOperand &operand) {
  SmallVector<Value> indices;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
    indices.push_back(affine::expandAffineExpr(b, op.getLoc(), expr, coordinates, ValueRange()));
  return indices;
}

SmallVector<Value> LinalgKernel::loadResults() {
  SmallVector<Value> results;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    bool isRead = op.payloadUsesValueFromOperand(&init);
    Type type = getElementTypeOrSelf(init.get().getType());
    results.push_back(isRead ? memref::LoadOp::create(b, init.get(), indicesOf(init)).getResult()
                             : arith::ConstantOp::create(b, b.getZeroAttr(type)).getResult());
  }
  return results;
}

void LinalgKernel::storeResults(ValueRange results) {
  for (auto [value, init] : llvm::zip_equal(results, op.getDpsInitsMutable()))
    memref::StoreOp::create(b, value, init.get(), indicesOf(init));
}

/// The op's region at the coordinates, with the results so far.
SmallVector<Value> LinalgKernel::emitBody(ValueRange results) {
  Block *body = op.getBlock();
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (argument.use_empty())
      continue;
    bool isScalar = !isa<MemRefType>(input->get().getType());
    mapping.map(argument, isScalar ? input->get()
                                   : memref::LoadOp::create(b, input->get(), indicesOf(*input)));
  }
  mapping.map(op.getRegionOutputArgs(), results);
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(index.getResult(), coordinates[index.getDim()]);
    else
      b.clone(inner, mapping);
  }
  return llvm::map_to_vector(body->getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

} // namespace

void rlx::gpu::emitLinalgKernel(ImplicitLocOpBuilder &b, linalg::LinalgOp op) {
  LinalgKernel(b, op).emit();
}
