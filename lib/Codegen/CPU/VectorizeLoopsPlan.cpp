//===- VectorizeLoopsPlan.cpp - which loop becomes vectors ----------------===//

#include "VectorizeLoopsPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace rlx::cpu {

/// Stands for a dynamic extent in cost estimates.
static constexpr int64_t kDynamicExtent = 128;

/// Iterations up to which reduction loops are unrolled: the taps of a 3x3 window.
static constexpr int64_t kUnrolledIterations = 16;

static int64_t estimateExtent(int64_t extent) {
  return ShapedType::isDynamic(extent) ? kDynamicExtent : std::max<int64_t>(extent, 1);
}

Access classifyAccess(AffineMap map, Type type, unsigned dim) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !map.isFunctionOfDim(dim))
    return Access::Uniform;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return Access::Strided;
  if (llvm::any_of(map.getResults().drop_back(),
                   [&](AffineExpr expr) { return expr.isFunctionOfDim(dim); }))
    return Access::Strided;
  AffineExpr last = map.getResults().back();
  AffineExpr dimExpr = getAffineDimExpr(dim, map.getContext());
  AffineExpr step = simplifyAffineExpr(last.replace(dimExpr, dimExpr + 1) - last, map.getNumDims(),
                                       map.getNumSymbols());
  return step == getAffineConstantExpr(1, map.getContext()) ? Access::Contiguous : Access::Strided;
}

namespace {

/// Whether vectors of the element types of `op` can be read and written.
bool hasVectorElements(linalg::GenericOp op) {
  return llvm::all_of(op->getOperands(), [](Value operand) {
    Type type = getElementTypeOrSelf(operand.getType());
    if (!isa<MemRefType>(operand.getType()))
      return true;
    unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
    return bits == 8 || bits == 16 || bits == 32 || bits == 64;
  });
}

/// The ops that fold a value into each result, where every result is a fold with an
/// associative and commutative op, independent of the others; empty otherwise.
SmallVector<Operation *> findCombiners(linalg::GenericOp op) {
  SmallVector<Operation *> combiners;
  for (auto [argument, yielded] :
       llvm::zip(op.getRegionOutputArgs(), op.getBody()->getTerminator()->getOperands())) {
    Operation *combiner = yielded.getDefiningOp();
    if (!combiner || combiner->getBlock() != op.getBody() || combiner->getNumOperands() != 2 ||
        !yielded.hasOneUse() || !argument.hasOneUse() || *argument.getUsers().begin() != combiner ||
        !arith::getNeutralElement(combiner))
      return {};
    combiners.push_back(combiner);
  }
  return combiners;
}

/// Computes the plan of one op.
class Planner {
public:
  Planner(linalg::GenericOp op, const CpuTarget &target)
      : op(op), target(target), maps(op.getIndexingMapsArray()), extents(op.getStaticLoopRanges()) {
  }

  FailureOr<LoopPlan> run();

private:
  bool isReduction(unsigned dim) {
    return op.getIteratorTypesArray()[dim] == utils::IteratorType::reduction;
  }
  bool isOutput(unsigned operand) { return operand >= op.getNumDpsInputs(); }
  bool hasSupportedLoops();
  int64_t lanesAlong(unsigned dim);
  double iterations(std::optional<unsigned> except = std::nullopt);
  double scalarCost();
  std::optional<double> vectorCost(unsigned dim);
  bool canMaskTail(ArrayRef<Access> accesses);
  int64_t chooseUnroll(const LoopPlan &plan);

  linalg::GenericOp op;
  const CpuTarget &target;
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> extents;
  SmallVector<Operation *> combiners;
};

bool Planner::hasSupportedLoops() {
  for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind != utils::IteratorType::parallel && kind != utils::IteratorType::reduction)
      return false;
    for (OpOperand &output : op.getDpsInitsMutable()) {
      bool moves = maps[output.getOperandNumber()].isFunctionOfDim(dim);
      if (isReduction(dim) ? moves : !moves && extents[dim] != 1)
        return false;
    }
  }
  return true;
}

/// Lanes of a vector of the widest element along `dim`, in memory or in float
/// arithmetic, but less than twice as many as the loop is long.
int64_t Planner::lanesAlong(unsigned dim) {
  unsigned widest = 8;
  auto include = [&](Type type) { widest = std::max(widest, type.getIntOrFloatBitWidth()); };
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (isOutput(index) || classifyAccess(maps[index], operand.getType(), dim) != Access::Uniform)
      include(getElementTypeOrSelf(operand.getType()));
  for (Operation &inner : op.getBody()->without_terminator())
    for (Type type : inner.getResultTypes())
      if (isa<FloatType>(type))
        include(type);
  int64_t lanes = target.lanes(widest);
  if (ShapedType::isDynamic(extents[dim]))
    return lanes;
  return std::min<int64_t>(lanes, llvm::bit_ceil<uint64_t>(extents[dim]));
}

double Planner::iterations(std::optional<unsigned> except) {
  double product = 1;
  for (auto [dim, extent] : llvm::enumerate(extents))
    if (dim != except)
      product *= estimateExtent(extent);
  return product;
}

double Planner::scalarCost() {
  return iterations() * (op.getBody()->getOperations().size() + op->getNumOperands());
}

/// Estimated instructions with `dim` along the lanes, or nothing if it can't be.
std::optional<double> Planner::vectorCost(unsigned dim) {
  int64_t lanes = lanesAlong(dim);
  if (lanes < 2 || (isReduction(dim) && combiners.empty()))
    return std::nullopt;
  double perVector = op.getBody()->getOperations().size();
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    if (isOutput(index) && isReduction(dim))
      continue;
    switch (classifyAccess(maps[index], operand.getType(), dim)) {
    case Access::Uniform:
      perVector += 0.5;
      break;
    case Access::Contiguous:
      perVector += 1;
      break;
    case Access::Strided:
      perVector += lanes * (isOutput(index) ? 2.0 : 1.5);
      break;
    }
  }
  int64_t vectors = llvm::divideCeil(estimateExtent(extents[dim]), lanes);
  double rows = iterations(dim);
  double cost = rows * vectors * perVector;
  if (isReduction(dim))
    cost += rows * combiners.size() * (2 * llvm::Log2_64(lanes) + 4);
  return cost;
}

/// Whether masked accesses are single instructions here, and lanes that are masked
/// off may compute anything.
bool Planner::canMaskTail(ArrayRef<Access> accesses) {
  bool masks32 = target.vectorBits >= 256, masks8 = target.vectorBits >= 512;
  for (auto [index, access] : llvm::enumerate(accesses)) {
    unsigned bits = getElementTypeOrSelf(op->getOperand(index).getType()).getIntOrFloatBitWidth();
    if (access == Access::Contiguous && !(bits >= 32 ? masks32 : masks8))
      return false;
    if (access == Access::Strided && isOutput(index))
      return false;
  }
  return llvm::all_of(op.getBody()->without_terminator(),
                      [](Operation &inner) { return isSpeculatable(&inner); });
}

int64_t Planner::chooseUnroll(const LoopPlan &plan) {
  if (op.getNumReductionLoops() == 0 || (plan.unrollsReductions && !plan.vectorIsReduction))
    return 1;
  // Several accumulators, each of several vectors, have to stay in registers.
  int64_t unroll = op.getNumDpsInits() > 1 ? 2 : 4;
  int64_t extent = extents[*plan.vectorDim];
  while (unroll > 1 && !ShapedType::isDynamic(extent) && extent < unroll * plan.lanes)
    unroll /= 2;
  return unroll;
}

FailureOr<LoopPlan> Planner::run() {
  if (!hasSupportedLoops())
    return failure();
  combiners = findCombiners(op);

  LoopPlan plan;
  bool hasRegions = llvm::any_of(op.getBody()->getOperations(),
                                 [](Operation &inner) { return inner.getNumRegions() != 0; });
  if (hasVectorElements(op) && !hasRegions) {
    double best = scalarCost();
    for (unsigned dim = 0; dim < extents.size(); ++dim) {
      std::optional<double> cost = vectorCost(dim);
      if (cost && *cost <= best) {
        best = *cost;
        plan.vectorDim = dim;
      }
    }
  }

  for (unsigned dim = 0; dim < extents.size(); ++dim)
    if (dim != plan.vectorDim)
      (isReduction(dim) ? plan.reductionDims : plan.outerDims).push_back(dim);
  int64_t reductionIterations = 1;
  for (unsigned dim : plan.reductionDims)
    reductionIterations =
        ShapedType::isDynamic(extents[dim])
            ? kUnrolledIterations + 1
            : llvm::SaturatingMultiply<uint64_t>(reductionIterations, extents[dim]);
  plan.unrollsReductions = reductionIterations <= kUnrolledIterations;
  if (plan.vectorDim) {
    plan.vectorIsReduction = isReduction(*plan.vectorDim);
    plan.lanes = lanesAlong(*plan.vectorDim);
    for (auto [map, operand] : llvm::zip(maps, op->getOperands()))
      plan.accesses.push_back(classifyAccess(map, operand.getType(), *plan.vectorDim));
    plan.masksTail = canMaskTail(plan.accesses);
    plan.unroll = chooseUnroll(plan);
    if (plan.vectorIsReduction)
      plan.combiners = combiners;
  }
  return plan;
}

} // namespace

FailureOr<LoopPlan> planLoops(linalg::GenericOp op, const CpuTarget &target) {
  return Planner(op, target).run();
}

} // namespace rlx::cpu
