//===- FuseMatmulBiasAct.cpp - matmul, bias and activation as one op ------===//

#include "rlx/Transforms/Passes.h"

#include "dialects/rlx/Rlx.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace rlx {
#define GEN_PASS_DEF_FUSEMATMULBIASACT
#include "rlx/Transforms/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

namespace {

/// matmul(x, w) + bias, with w [K, N] and bias [N].
struct FuseBias : OpRewritePattern<ir::BinaryOp> {
  FuseBias(MLIRContext *context, Pass::Statistic &fused)
      : OpRewritePattern(context), fused(fused) {}

  LogicalResult matchAndRewrite(ir::BinaryOp add, PatternRewriter &rewriter) const override {
    if (add.getKind() != ir::BinaryKind::Add)
      return failure();
    for (auto [sum, bias] :
         {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())}) {
      auto matmul = sum.getDefiningOp<ir::MatmulOp>();
      if (!matmul || !matmul->hasOneUse())
        continue;
      auto weight = cast<RankedTensorType>(matmul.getW().getType());
      auto biasType = cast<RankedTensorType>(bias.getType());
      auto inputRank = cast<RankedTensorType>(matmul.getX().getType()).getRank();
      if (weight.getRank() != 2 || inputRank < 2 || biasType.getRank() != 1 ||
          biasType.isDynamicDim(0) || biasType.getDimSize(0) != weight.getDimSize(1) ||
          !isa<FloatType>(biasType.getElementType()))
        continue;
      rewriter.replaceOpWithNewOp<ir::FusedMatmulBiasActOp>(
          add, add.getType(), matmul.getX(), matmul.getW(), bias, ir::ActivationKindAttr());
      ++fused;
      return success();
    }
    return failure();
  }

  Pass::Statistic &fused;
};

/// An activation of a fused matmul that has none yet.
struct FuseActivation : OpRewritePattern<ir::ActivationOp> {
  FuseActivation(MLIRContext *context, Pass::Statistic &fused)
      : OpRewritePattern(context), fused(fused) {}

  LogicalResult matchAndRewrite(ir::ActivationOp activation,
                                PatternRewriter &rewriter) const override {
    auto matmul = activation.getX().getDefiningOp<ir::FusedMatmulBiasActOp>();
    if (!matmul || !matmul->hasOneUse() || matmul.getAct())
      return failure();
    rewriter.replaceOpWithNewOp<ir::FusedMatmulBiasActOp>(
        activation, activation.getType(), matmul.getX(), matmul.getW(), matmul.getBias(),
        activation.getKindAttr());
    ++fused;
    return success();
  }

  Pass::Statistic &fused;
};

class FuseMatmulBiasActPass : public rlx::impl::FuseMatmulBiasActBase<FuseMatmulBiasActPass> {
public:
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseBias, FuseActivation>(&getContext(), numFused);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
