//===- PackWeights.cpp - matmuls with constant weights to packed_matmul ---===//
//
// Matches a contraction x[r..., k] * w[k, n] whose weight depends on params alone,
// with its initial value (zero or a broadcast bias) and a following activation, and
// rewrites it as rlx.packed_matmul on column panels of the weight. The packing is
// ordinary tensor code, which rlx-hoist-params moves to bind time.
//
//===----------------------------------------------------------------------===//

#include "ParamSlice.h"

#include "rlx/Codegen/Passes.h"
#include "rlx/Conversion/Scalars.h"

#include "dialects/rlx/Rlx.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace rlx {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

namespace {

/// The parts of a contraction that packed_matmul can compute.
struct WeightedMatmul {
  linalg::LinalgOp op;         ///< (x, w) -> out
  Value bias;                  ///< null if the sum starts from zero
  linalg::LinalgOp activation; ///< the only user, or null
  ir::ActivationKindAttr kind;
};

bool isMultiplyAdd(linalg::LinalgOp op) {
  auto *yield = op.getBlock()->getTerminator();
  Operation *add = yield->getOperand(0).getDefiningOp();
  return add && isa<arith::AddFOp>(add) && linalg::isaContractionOpInterface(op);
}

/// The rank-1 value that `init` repeats along its last dim, a zero fill (then
/// `bias` is null), or failure.
LogicalResult matchInit(Value init, Value &bias) {
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    bias = Value();
    return success(matchPattern(fill.getInputs()[0], m_AnyZeroFloat()));
  }
  int64_t rank = cast<RankedTensorType>(init.getType()).getRank();
  if (auto broadcast = init.getDefiningOp<linalg::BroadcastOp>()) {
    SmallVector<int64_t> leading = llvm::to_vector(llvm::seq<int64_t>(0, rank - 1));
    bias = broadcast.getInput();
    return success(broadcast.getDimensions() == ArrayRef(leading));
  }
  auto generic = init.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumDpsInputs() != 1 || generic.getNumReductionLoops() != 0 ||
      generic.getBlock()->getOperations().size() != 1 ||
      generic.getBlock()->getTerminator()->getOperand(0) != generic.getBlock()->getArgument(0))
    return failure();
  bias = generic.getInputs()[0];
  AffineMap last = AffineMap::get(rank, 0, getAffineDimExpr(rank - 1, generic.getContext()));
  return success(generic.getIndexingMapsArray()[0] == last &&
                 generic.getIndexingMapsArray()[1].isIdentity());
}

std::optional<WeightedMatmul> matchWeightedMatmul(linalg::LinalgOp op, const ParamSlice &slice) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 || !isMultiplyAdd(op))
    return std::nullopt;
  unsigned numLoops = op.getNumLoops(), rank = numLoops - 1;
  auto weightType = dyn_cast<RankedTensorType>(op.getDpsInputs()[1].getType());
  auto outType = cast<RankedTensorType>(op.getDpsInits()[0].getType());
  if (!weightType || weightType.getRank() != 2 || rank < 2 || op.getNumReductionLoops() != 1)
    return std::nullopt;
  // Loops in any order, as long as x is (r..., k), w is (k, n) and out is (r..., n).
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap x = maps[0], w = maps[1], out = maps[2];
  if (!x.isProjectedPermutation() || !w.isProjectedPermutation() || !out.isProjectedPermutation() ||
      x.getNumResults() != rank || out.getNumResults() != rank ||
      x.getResult(rank - 1) != w.getResult(0) || out.getResult(rank - 1) != w.getResult(1) ||
      x.getResults().drop_back() != out.getResults().drop_back())
    return std::nullopt;
  if (!outType.getElementType().isF32() && !outType.getElementType().isF64())
    return std::nullopt;
  WeightedMatmul match{op, Value(), nullptr, nullptr};
  if (!slice.contains(op.getDpsInputs()[1]) || failed(matchInit(op.getDpsInits()[0], match.bias)))
    return std::nullopt;
  if (op->hasOneUse())
    if (auto user = dyn_cast<linalg::LinalgOp>(*op->user_begin()))
      if (auto kind = user->getAttrOfType<ir::ActivationKindAttr>(kActivationAttr);
          kind && user.getNumDpsInputs() == 1 && user->getResultTypes()[0] == outType) {
        match.activation = user;
        match.kind = kind;
      }
  return match;
}

/// Copies `weight` [K, N] into panels [ceildiv(N, width), K, width], padded with zeros.
Value packWeight(OpBuilder &builder, Location loc, Value weight, int64_t width) {
  auto type = cast<RankedTensorType>(weight.getType());
  int64_t depth = type.getDimSize(0), columns = type.getDimSize(1);
  int64_t panels = llvm::divideCeil(columns, width);
  Type elementType = type.getElementType();
  Value padded = weight;
  if (columns % width != 0) {
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(elementType));
    Value empty = tensor::EmptyOp::create(builder, loc, {depth, panels * width}, elementType);
    Value zeros = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
    OpFoldResult none = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
    padded = tensor::InsertSliceOp::create(
        builder, loc, weight, zeros, ArrayRef<OpFoldResult>{none, none},
        tensor::getMixedSizes(builder, loc, weight), ArrayRef<OpFoldResult>{one, one});
  }
  auto splitType = RankedTensorType::get({depth, panels, width}, elementType);
  Value split = tensor::ExpandShapeOp::create(builder, loc, splitType, padded,
                                              ArrayRef<ReassociationIndices>{{0}, {1, 2}});
  Value init = tensor::EmptyOp::create(builder, loc, {panels, depth, width}, elementType);
  return linalg::TransposeOp::create(builder, loc, split, init, ArrayRef<int64_t>{1, 0, 2})
      ->getResult(0);
}

class PackWeightsPass : public rlx::impl::PackWeightsBase<PackWeightsPass> {
public:
  using PackWeightsBase::PackWeightsBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    ParamSlice slice(function);
    SmallVector<WeightedMatmul> matches;
    function.walk([&](linalg::LinalgOp op) {
      if (std::optional<WeightedMatmul> match = matchWeightedMatmul(op, slice))
        matches.push_back(*match);
    });
    IRRewriter rewriter(&getContext());
    for (WeightedMatmul &match : matches)
      rewrite(rewriter, match);
    numPacked += matches.size();
  }

private:
  void rewrite(IRRewriter &rewriter, WeightedMatmul &match) {
    linalg::LinalgOp last = match.activation ? match.activation : match.op;
    Location loc = match.op->getLoc();
    rewriter.setInsertionPoint(last);
    Value x = match.op.getDpsInputs()[0];
    Value packed = packWeight(rewriter, loc, match.op.getDpsInputs()[1], panelWidth);
    Value init = last.getDpsInits()[0];
    auto type = cast<RankedTensorType>(init.getType());
    if (!init.getDefiningOp<tensor::EmptyOp>())
      init = tensor::EmptyOp::create(rewriter, loc, tensor::getMixedSizes(rewriter, loc, init),
                                     type.getElementType());
    auto matmul = ir::PackedMatmulOp::create(rewriter, loc, TypeRange(type), x, packed, match.bias,
                                             init, match.kind);
    rewriter.replaceOp(last, matmul.getResults());
    if (match.activation)
      rewriter.eraseOp(match.op);
  }
};

} // namespace
