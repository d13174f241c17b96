//===- VectorizeLoopsEmit.cpp - emits planned loop nests ------------------===//
//
// One emitter serves vectors and scalars: the current number of lanes is state,
// and with one lane every type stays scalar. Whatever is the same for all lanes
// stays scalar too until it meets a vector.
//
//===----------------------------------------------------------------------===//

#include "VectorizeLoopsPlan.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <utility>

using namespace mlir;

namespace rlx::cpu {
namespace {

/// A stretch of the vector dimension that is run with one number of lanes.
struct Stage {
  OpFoldResult from, to;
  int64_t lanes;
  bool masked; ///< one vector, of which only the lanes below `to` exist
};

class LoopNestEmitter {
public:
  LoopNestEmitter(OpBuilder &builder, linalg::GenericOp op, const LoopPlan &plan,
                  const CpuTarget &target)
      : b(op.getLoc(), builder), op(op), plan(plan), target(target),
        maps(op.getIndexingMapsArray()), ivs(op.getNumLoops()), loaded(op->getNumOperands()) {}

  void run();

private:
  using Values = SmallVector<Value>;

  // Loops.
  void emitOuterLoops(ArrayRef<unsigned> dims);
  void emitPoint();
  Values emitReductions(ArrayRef<unsigned> dims, Values carried,
                        function_ref<Values(Values)> innermost);
  Values emitSweep(Values results);
  Values emitLoop(unsigned dim, OpFoldResult from, OpFoldResult to, int64_t step, Values carried,
                  function_ref<Values(Values)> body);
  Values emitStage(const Stage &stage, Values carried, function_ref<Values(Values)> body);
  SmallVector<Stage> planStages();
  OpFoldResult wholeVectorsEnd(OpFoldResult extent, int64_t lanes);

  // Reductions along the vector lanes.
  Value combine(unsigned result, Value a, Value b);
  Values narrow(Values vectors, int64_t lanes);
  Values makeNeutral();

  // Operands.
  Values indicesOf(unsigned operand);
  Value loadOperand(unsigned operand);
  void storeResult(unsigned result, Value value);
  void loadWhatIsKnown();
  bool isVector(unsigned operand) const {
    return lanes > 1 && plan.accesses[operand] != Access::Uniform;
  }
  void forEachLane(function_ref<void(int64_t)> body);

  // The body.
  Values emitBody(Values carried);
  void emitBodyOp(Operation &inner, IRMapping &values);
  void emitOpByLanes(Operation &inner, IRMapping &values);
  Value emitContiguousLoad(memref::LoadOp load, IRMapping &values);

  // Types and values.
  Type withLanes(Type elementType) const {
    return lanes == 1 ? elementType : VectorType::get({lanes}, elementType);
  }
  Value asVector(Value value) {
    if (lanes == 1 || isa<VectorType>(value.getType()))
      return value;
    return b.createOrFold<vector::BroadcastOp>(withLanes(value.getType()), value);
  }
  Value asValue(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), value);
  }
  OpFoldResult constant(int64_t value) { return b.getIndexAttr(value); }
  bool hasReductions() { return op.getNumReductionLoops() != 0; }

  ImplicitLocOpBuilder b;
  linalg::GenericOp op;
  const LoopPlan &plan;
  const CpuTarget &target;
  SmallVector<AffineMap> maps;
  SmallVector<OpFoldResult> extents;

  // Where the emitter is: set by the loops around, restored on leaving them.
  SmallVector<OpFoldResult> ivs; ///< of each loop that has been entered
  Values loaded;                 ///< operands read so far
  int64_t lanes = 1;
  Value mask; ///< the lanes that exist, if not all do
};

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void LoopNestEmitter::run() {
  for (Range range : cast<linalg::LinalgOp>(*op).createLoopRanges(b, b.getLoc()))
    extents.push_back(range.size);
  loadWhatIsKnown();
  emitOuterLoops(plan.outerDims);
}

void LoopNestEmitter::emitOuterLoops(ArrayRef<unsigned> dims) {
  if (!dims.empty()) {
    emitLoop(dims.front(), constant(0), extents[dims.front()], 1, {}, [&](const Values &) {
      emitOuterLoops(dims.drop_front());
      return Values();
    });
    return;
  }
  if (!plan.vectorDim || plan.vectorIsReduction)
    return emitPoint();
  for (const Stage &stage : planStages())
    emitStage(stage, {}, [&](const Values &) {
      emitPoint();
      return Values();
    });
}

/// Computes and stores the results at one point of the parallel loops, or as many
/// points as there are lanes.
void LoopNestEmitter::emitPoint() {
  Values results;
  if (!hasReductions()) {
    results = emitBody({});
  } else {
    Values initial;
    for (OpOperand &output : op.getDpsInitsMutable())
      initial.push_back(loadOperand(output.getOperandNumber()));
    results = emitReductions(plan.reductionDims, initial, [&](const Values &carried) {
      return plan.vectorIsReduction ? emitSweep(carried) : emitBody(carried);
    });
  }
  for (auto [index, value] : llvm::enumerate(results))
    storeResult(index, value);
}

LoopNestEmitter::Values LoopNestEmitter::emitReductions(ArrayRef<unsigned> dims, Values carried,
                                                        function_ref<Values(Values)> innermost) {
  if (dims.empty())
    return innermost(std::move(carried));
  unsigned dim = dims.front();
  auto body = [&](Values carried) {
    return emitReductions(dims.drop_front(), std::move(carried), innermost);
  };
  if (!plan.unrollsReductions)
    return emitLoop(dim, constant(0), extents[dim], 1, std::move(carried), body);
  int64_t extent = *getConstantIntValue(extents[dim]);
  for (int64_t i = 0; i < extent; ++i)
    carried = emitLoop(dim, constant(i), constant(i + 1), 1, std::move(carried), body);
  return carried;
}

/// Runs along a vector dimension that is a reduction, from and to scalar results.
LoopNestEmitter::Values LoopNestEmitter::emitSweep(Values results) {
  Values vectors;
  auto finish = [&] {
    if (vectors.empty())
      return;
    for (auto [index, value] : llvm::enumerate(narrow(std::exchange(vectors, {}), 1)))
      results[index] = combine(index, results[index], value);
  };
  for (const Stage &stage : planStages()) {
    if (stage.lanes == 1) {
      finish();
      results = emitStage(stage, results, [&](const Values &carried) { return emitBody(carried); });
      continue;
    }
    llvm::SaveAndRestore restoreLanes(lanes, stage.lanes);
    vectors = vectors.empty() ? makeNeutral() : narrow(std::move(vectors), stage.lanes);
    vectors = emitStage(stage, vectors, [&](const Values &carried) {
      Values next = emitBody(carried);
      if (mask)
        for (auto [value, old] : llvm::zip(next, carried))
          value = arith::SelectOp::create(b, mask, value, old);
      return next;
    });
  }
  finish();
  return results;
}

/// Emits `body` in a loop over `dim` that carries values, or alone if the loop is
/// known to have one iteration.
LoopNestEmitter::Values LoopNestEmitter::emitLoop(unsigned dim, OpFoldResult from, OpFoldResult to,
                                                  int64_t step, Values carried,
                                                  function_ref<Values(Values)> body) {
  llvm::SaveAndRestore restoreIvs(ivs);
  llvm::SaveAndRestore restoreLoaded(loaded);
  std::optional<int64_t> first = getConstantIntValue(from), last = getConstantIntValue(to);
  if (first && last && *last <= *first)
    return carried;
  if (first && last && *last - *first <= step) {
    ivs[dim] = from;
    loadWhatIsKnown();
    return body(std::move(carried));
  }
  auto loop = scf::ForOp::create(b, asValue(from), asValue(to), asValue(constant(step)), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ivs[dim] = loop.getInductionVar();
  loadWhatIsKnown();
  Values results = body(Values(loop.getRegionIterArgs()));
  if (!carried.empty())
    scf::YieldOp::create(b, results);
  return Values(loop.getResults());
}

LoopNestEmitter::Values LoopNestEmitter::emitStage(const Stage &stage, Values carried,
                                                   function_ref<Values(Values)> body) {
  unsigned dim = *plan.vectorDim;
  llvm::SaveAndRestore restoreLanes(lanes, stage.lanes);
  if (!stage.masked)
    return emitLoop(dim, stage.from, stage.to, lanes, std::move(carried), body);

  llvm::SaveAndRestore restoreMask(mask);
  auto emitMasked = [&](Value count) {
    mask = b.createOrFold<vector::CreateMaskOp>(VectorType::get({lanes}, b.getI1Type()), count);
    llvm::SaveAndRestore restoreIvs(ivs);
    llvm::SaveAndRestore restoreLoaded(loaded);
    ivs[dim] = stage.from;
    loadWhatIsKnown();
    return body(carried);
  };
  std::optional<int64_t> from = getConstantIntValue(stage.from), to = getConstantIntValue(stage.to);
  if (from && to)
    return emitMasked(asValue(constant(*to - *from)));

  Value count = arith::SubIOp::create(b, asValue(stage.to), asValue(stage.from));
  Value any = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, count, asValue(constant(0)));
  auto branch = scf::IfOp::create(b, ValueRange(carried).getTypes(), any,
                                  /*withElseRegion=*/!carried.empty());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Values results = emitMasked(count);
  if (carried.empty())
    return {};
  scf::YieldOp::create(b, results);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, carried);
  return Values(branch.getResults());
}

/// The largest multiple of `lanes`, a power of two, that is at most `extent`.
OpFoldResult LoopNestEmitter::wholeVectorsEnd(OpFoldResult extent, int64_t lanes) {
  if (std::optional<int64_t> size = getConstantIntValue(extent))
    return constant(*size / lanes * lanes);
  return arith::AndIOp::create(b, asValue(extent), asValue(constant(-lanes))).getResult();
}

/// Cuts the vector dimension: several vectors at a time, single vectors, the rest.
SmallVector<Stage> LoopNestEmitter::planStages() {
  OpFoldResult extent = extents[*plan.vectorDim], from = constant(0);
  SmallVector<Stage> stages;
  auto append = [&](OpFoldResult to, int64_t stageLanes, bool masked = false) {
    std::optional<int64_t> first = getConstantIntValue(from), last = getConstantIntValue(to);
    if (first && last && *first == *last)
      return;
    stages.push_back({from, to, stageLanes, masked});
    from = to;
  };
  for (int64_t unroll = plan.unroll; unroll >= 1; unroll = unroll > 1 ? 1 : 0)
    append(wholeVectorsEnd(extent, unroll * plan.lanes), unroll * plan.lanes);

  std::optional<int64_t> size = getConstantIntValue(extent), done = getConstantIntValue(from);
  if (!size) {
    append(extent, plan.masksTail ? plan.lanes : 1, plan.masksTail);
  } else if (int64_t rest = *size - *done; plan.masksTail && rest > 0) {
    int64_t restLanes = llvm::bit_ceil<uint64_t>(rest);
    append(extent, restLanes, /*masked=*/restLanes != rest);
  } else {
    // Narrower vectors while they are worth their instructions.
    for (int64_t narrower = plan.lanes / 2; narrower >= 4; narrower /= 2)
      append(wholeVectorsEnd(extent, narrower), narrower);
    append(extent, 1);
  }
  return stages;
}

//===----------------------------------------------------------------------===//
// Reductions along the vector lanes
//===----------------------------------------------------------------------===//

Value LoopNestEmitter::combine(unsigned result, Value x, Value y) {
  Operation *combiner = plan.combiners[result];
  return b
      .create(b.getLoc(), combiner->getName().getIdentifier(), ValueRange{x, y}, x.getType(),
              combiner->getAttrs())
      ->getResult(0);
}

/// Folds halves of each vector together until `lanes` are left; one lane is a scalar.
LoopNestEmitter::Values LoopNestEmitter::narrow(Values vectors, int64_t lanes) {
  for (auto [index, value] : llvm::enumerate(vectors)) {
    int64_t width = cast<VectorType>(value.getType()).getNumElements();
    for (; width > lanes; width /= 2) {
      Value half[2];
      for (int64_t i : {0, 1}) {
        int64_t offset = i * width / 2;
        if (width == 2)
          half[i] = vector::ExtractOp::create(b, value, offset);
        else
          half[i] = vector::ExtractStridedSliceOp::create(b, value, offset, width / 2, 1);
      }
      value = combine(index, half[0], half[1]);
    }
  }
  return vectors;
}

LoopNestEmitter::Values LoopNestEmitter::makeNeutral() {
  Values neutral;
  for (Operation *combiner : plan.combiners)
    neutral.push_back(asVector(arith::ConstantOp::create(b, *arith::getNeutralElement(combiner))));
  return neutral;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The indices of `operand` at the current iteration, or its first lane's.
LoopNestEmitter::Values LoopNestEmitter::indicesOf(unsigned operand) {
  SmallVector<AffineExpr> dims;
  Values dimValues;
  for (auto [dim, iv] : llvm::enumerate(ivs)) {
    std::optional<int64_t> fixed = iv ? getConstantIntValue(iv) : std::nullopt;
    dims.push_back(fixed ? b.getAffineConstantExpr(*fixed) : b.getAffineDimExpr(dim));
    dimValues.push_back(iv && !fixed ? asValue(iv) : Value());
  }
  AffineMap map = simplifyAffineMap(maps[operand].replaceDimsAndSymbols(dims, {}, dims.size(), 0));
  Values indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(affine::expandAffineExpr(b, b.getLoc(), expr, dimValues, {}));
  return indices;
}

/// Calls `body` at each lane's iteration. Under a mask, lanes that don't exist repeat
/// the last one that does.
void LoopNestEmitter::forEachLane(function_ref<void(int64_t)> body) {
  unsigned dim = *plan.vectorDim;
  OpFoldResult first = ivs[dim];
  llvm::SaveAndRestore restoreIv(ivs[dim]);
  Value last;
  if (mask)
    last = arith::SubIOp::create(b, asValue(extents[dim]), asValue(constant(1)));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    if (lane) {
      Value index = b.createOrFold<arith::AddIOp>(asValue(first), asValue(constant(lane)));
      ivs[dim] = mask ? b.createOrFold<arith::MinSIOp>(index, last) : index;
    }
    body(lane);
  }
}

Value LoopNestEmitter::loadOperand(unsigned operand) {
  Value source = op->getOperand(operand);
  auto type = dyn_cast<MemRefType>(source.getType());
  if (!type)
    return source;
  if (!isVector(operand))
    return memref::LoadOp::create(b, source, indicesOf(operand));
  auto vectorType = cast<VectorType>(withLanes(type.getElementType()));
  if (plan.accesses[operand] == Access::Strided) {
    Values elements;
    forEachLane([&](int64_t) {
      elements.push_back(memref::LoadOp::create(b, source, indicesOf(operand)));
    });
    return vector::FromElementsOp::create(b, vectorType, elements);
  }
  if (!mask)
    return vector::LoadOp::create(b, vectorType, source, indicesOf(operand));
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(vectorType));
  return vector::MaskedLoadOp::create(b, vectorType, source, indicesOf(operand), mask, zero);
}

void LoopNestEmitter::storeResult(unsigned result, Value value) {
  unsigned operand = op.getDpsInitOperand(result)->getOperandNumber();
  Value target = op->getOperand(operand);
  if (!isVector(operand)) {
    memref::StoreOp::create(b, value, target, indicesOf(operand));
    return;
  }
  value = asVector(value);
  if (plan.accesses[operand] == Access::Strided) {
    forEachLane([&](int64_t lane) {
      memref::StoreOp::create(b, vector::ExtractOp::create(b, value, lane), target,
                              indicesOf(operand));
    });
    return;
  }
  if (mask)
    vector::MaskedStoreOp::create(b, target, indicesOf(operand), mask, value);
  else
    vector::StoreOp::create(b, value, target, indicesOf(operand));
}

/// Reads the operands whose indices are known by now, so that they are read in the
/// outermost loop that can. The op's semantics allow that: a buffer that it both
/// reads and writes is only one that each iteration reads where it writes.
void LoopNestEmitter::loadWhatIsKnown() {
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    if (loaded[index] || !op.payloadUsesValueFromOperand(&operand) ||
        (op.isDpsInit(&operand) && hasReductions()))
      continue;
    bool known = true;
    for (auto [dim, iv] : llvm::enumerate(ivs))
      known &= iv || !maps[index].isFunctionOfDim(dim);
    if (known)
      loaded[index] = loadOperand(index);
  }
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

LoopNestEmitter::Values LoopNestEmitter::emitBody(Values carried) {
  IRMapping values;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    if (!carried.empty() && op.isDpsInit(&operand))
      values.map(op.getMatchingBlockArgument(&operand), carried[index - op.getNumDpsInputs()]);
    else if (loaded[index])
      values.map(op.getMatchingBlockArgument(&operand), loaded[index]);
  }
  for (Operation &inner : op.getBody()->without_terminator())
    emitBodyOp(inner, values);
  Values results;
  for (Value yielded : op.getBody()->getTerminator()->getOperands()) {
    Value result = values.lookupOrDefault(yielded);
    // What a loop carries keeps its type; what is stored is widened there.
    results.push_back(carried.empty() ? result : asVector(result));
  }
  return results;
}

void LoopNestEmitter::emitBodyOp(Operation &inner, IRMapping &values) {
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    Value iv = asValue(ivs[index.getDim()]);
    if (lanes > 1 && index.getDim() == *plan.vectorDim) {
      auto type = cast<VectorType>(withLanes(b.getIndexType()));
      iv = arith::AddIOp::create(b, asVector(iv), vector::StepOp::create(b, type));
    }
    values.map(index.getResult(), iv);
    return;
  }

  bool varies = llvm::any_of(inner.getOperands(), [&](Value operand) {
    return isa<VectorType>(values.lookupOrDefault(operand).getType());
  });
  Operation *emitted;
  if (!varies) {
    emitted = b.clone(inner, values);
  } else if (OpTrait::hasElementwiseMappableTraits(&inner)) {
    OperationState state(b.getLoc(), inner.getName());
    for (Value operand : inner.getOperands())
      state.operands.push_back(asVector(values.lookupOrDefault(operand)));
    for (Type type : inner.getResultTypes())
      state.types.push_back(withLanes(type));
    state.attributes = llvm::to_vector(inner.getAttrs());
    emitted = b.create(state);
    values.map(inner.getResults(), emitted->getResults());
  } else {
    auto load = dyn_cast<memref::LoadOp>(inner);
    if (Value contiguous = load ? emitContiguousLoad(load, values) : Value())
      values.map(load.getResult(), contiguous);
    else
      emitOpByLanes(inner, values);
    return;
  }

  // The machine's multiply-add may take the place of two ops of the body.
  if (target.hasFma && isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(emitted)) {
    auto fast = cast<arith::ArithFastMathInterface>(emitted);
    auto flags = fast.getFastMathFlagsAttr().getValue() | arith::FastMathFlags::contract;
    emitted->setAttr(fast.getFastMathAttrName(),
                     arith::FastMathFlagsAttr::get(b.getContext(), flags));
  }
}

/// A load in the body whose lanes are neighbours in memory: the last index is the
/// vector dimension, and the others are the same for all lanes.
Value LoopNestEmitter::emitContiguousLoad(memref::LoadOp load, IRMapping &values) {
  if (load.getIndices().empty() || mask || !load.getMemRefType().isLastDimUnitStride())
    return {};
  auto last = load.getIndices().back().getDefiningOp<linalg::IndexOp>();
  if (!last || last.getDim() != *plan.vectorDim)
    return {};
  Values indices;
  for (Value index : load.getIndices().drop_back()) {
    indices.push_back(values.lookupOrDefault(index));
    if (isa<VectorType>(indices.back().getType()))
      return {};
  }
  indices.push_back(asValue(ivs[last.getDim()]));
  auto type = cast<VectorType>(withLanes(load.getType()));
  return vector::LoadOp::create(b, type, load.getMemRef(), indices);
}

/// Emits an op that has no vector form for each lane.
void LoopNestEmitter::emitOpByLanes(Operation &inner, IRMapping &values) {
  SmallVector<Values> elements(inner.getNumResults());
  for (int64_t lane = 0; lane < lanes; ++lane) {
    IRMapping laneValues;
    for (Value operand : inner.getOperands()) {
      Value value = values.lookupOrDefault(operand);
      if (isa<VectorType>(value.getType()))
        value = vector::ExtractOp::create(b, value, lane);
      laneValues.map(operand, value);
    }
    for (auto [results, result] : llvm::zip(elements, b.clone(inner, laneValues)->getResults()))
      results.push_back(result);
  }
  for (auto [result, results] : llvm::zip(inner.getResults(), elements)) {
    auto type = cast<VectorType>(withLanes(result.getType()));
    values.map(result, vector::FromElementsOp::create(b, type, results));
  }
}

} // namespace

void emitLoopNest(OpBuilder &builder, linalg::GenericOp op, const LoopPlan &plan,
                  const CpuTarget &target) {
  LoopNestEmitter(builder, op, plan, target).run();
}

} // namespace rlx::cpu
