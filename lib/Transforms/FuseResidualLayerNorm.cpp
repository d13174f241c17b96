//===- FuseResidualLayerNorm.cpp - residual and layer norm as one op ------===//

#include "rlx/Transforms/Passes.h"

#include "dialects/rlx/Rlx.h"
#include "mlir/IR/PatternMatch.h"

namespace rlx {
#define GEN_PASS_DEF_FUSERESIDUALLAYERNORM
#include "rlx/Transforms/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

namespace {

class FuseResidualLayerNormPass
    : public rlx::impl::FuseResidualLayerNormBase<FuseResidualLayerNormPass> {
public:
  void runOnOperation() override {
    SmallVector<ir::LayerNormOp> norms;
    getOperation()->walk([&](ir::LayerNormOp norm) { norms.push_back(norm); });
    IRRewriter rewriter(&getContext());
    for (ir::LayerNormOp norm : norms) {
      auto add = norm.getX().getDefiningOp<ir::BinaryOp>();
      if (add && add.getKind() == ir::BinaryKind::Add && isResidual(norm, add))
        fuse(rewriter, norm, add);
    }
  }

private:
  /// Whether `add` is the norm's alone and adds tensors of one shape.
  static bool isResidual(ir::LayerNormOp norm, ir::BinaryOp add) {
    if (!add->hasOneUse()) {
      norm.emitRemark("not fused: expected no other use of the sum");
      return false;
    }
    Type lhs = add.getLhs().getType(), rhs = add.getRhs().getType();
    if (lhs == rhs)
      return true;
    norm.emitRemark("not fused: expected terms of one type, found ") << lhs << " and " << rhs;
    return false;
  }

  void fuse(IRRewriter &rewriter, ir::LayerNormOp norm, ir::BinaryOp add) {
    rewriter.setInsertionPoint(norm);
    rewriter.replaceOpWithNewOp<ir::FusedResidualLayerNormOp>(
        norm, norm.getType(), add.getLhs(), add.getRhs(), norm.getGamma(), norm.getBeta(),
        norm.getAxisAttr(), norm.getEpsilonAttr());
    rewriter.eraseOp(add);
    ++numFused;
  }
};

} // namespace
