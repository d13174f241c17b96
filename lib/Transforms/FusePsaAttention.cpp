//===- FusePsaAttention.cpp - PSA attention without a packed buffer -------===//

#include "rlx/Transforms/Passes.h"

#include "dialects/rlx/Rlx.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace rlx {
#define GEN_PASS_DEF_FUSEPSAATTENTION
#include "rlx/Transforms/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

namespace {

/// The flash attention of `section` that gives `value`, if nothing needs its
/// log-sum-exp.
ir::PsaFlashAttentionOp matchHalf(Value value, ir::PsaSection section) {
  auto flash = value.getDefiningOp<ir::PsaFlashAttentionOp>();
  if (!flash || value != flash.getOut() || flash.getSection() != section ||
      !flash.getLse().use_empty())
    return nullptr;
  return flash;
}

struct FusePsaAttention : OpRewritePattern<ir::PsaMergeAttnOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ir::PsaMergeAttnOp merge,
                                PatternRewriter &rewriter) const override {
    ir::PsaFlashAttentionOp lo = matchHalf(merge.getLo(), ir::PsaSection::Lo);
    ir::PsaFlashAttentionOp hi = matchHalf(merge.getHi(), ir::PsaSection::Hi);
    if (!lo || !hi || lo.getPacked() != hi.getPacked())
      return failure();
    auto pack = lo.getPacked().getDefiningOp<ir::PsaPackQkvOp>();
    if (!pack)
      return failure();
    auto image = cast<RankedTensorType>(pack.getQkv().getType());
    if (image.getDimSize(2) != merge.getH() || image.getDimSize(3) != merge.getW())
      return failure();
    rewriter.replaceOpWithNewOp<ir::PsaAttentionOp>(merge, merge.getType(), pack.getQkv(),
                                                    pack.getNumHeads(), pack.getKeyDim());
    return success();
  }
};

class FusePsaAttentionPass : public rlx::impl::FusePsaAttentionBase<FusePsaAttentionPass> {
public:
  void runOnOperation() override {
    SmallVector<ir::PsaMergeAttnOp> merges;
    getOperation()->walk([&](ir::PsaMergeAttnOp merge) { merges.push_back(merge); });
    PatternRewriter rewriter(&getContext());
    FusePsaAttention pattern(&getContext());
    for (ir::PsaMergeAttnOp merge : merges) {
      rewriter.setInsertionPoint(merge);
      if (succeeded(pattern.matchAndRewrite(merge, rewriter)))
        ++numFused;
      else
        merge.emitRemark("not fused: expected the lo and hi attention of one psa_pack_qkv");
    }
  }
};

} // namespace
