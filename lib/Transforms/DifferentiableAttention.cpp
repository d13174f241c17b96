//===- DifferentiableAttention.cpp - attention in a form with gradients ---===//
//
// Keys and values, or queries, that all heads share are repeated for each of them. A
// bias of keys becomes a channel: (q, 1) . (k, bias) = q . k + bias.
//
//===----------------------------------------------------------------------===//

#include "rlx/Transforms/Autodiff.h"

#include "dialects/rlx/RlxPlainBuilder.h"

using namespace mlir;
using namespace rlx;

namespace {

/// Rewrites one attention op.
class AttentionRewriter {
public:
  AttentionRewriter(OpBuilder &builder, ir::AttentionOp op)
      : builder(builder), plain(builder, op), op(op), heads(op.getNumHeads()) {}

  void run() {
    Value q = splitHeads(op.getQ(), op.getSharing() == ir::HeadSharing::Queries);
    bool sharedKeys = op.getSharing() == ir::HeadSharing::Keys;
    Value k = splitHeads(op.getK(), sharedKeys), v = splitHeads(op.getV(), sharedKeys);
    int64_t headDim = op.getHeadDim();
    if (op.getKeyBias()) {
      q = concatChannel(q, plain.filledLike(plain.narrow(q, 3, 0, 1), 1));
      k = concatChannel(k, keyBias(k));
      ++headDim;
    }
    auto attention = plain.create<ir::AttentionOp>(
        joinHeads(q), joinHeads(k), joinHeads(v), op.getMask(), /*key_bias=*/Value(),
        builder.getI64IntegerAttr(heads), builder.getI64IntegerAttr(headDim), op.getMaskKindAttr(),
        op.getWindowAttr(), ir::HeadSharingAttr::get(builder.getContext(), ir::HeadSharing::None),
        builder.getF64FloatAttr(op.getScaleValue()), builder.getUnitAttr());
    Value result = attention.getResult();
    if (op.getSharing() == ir::HeadSharing::Queries)
      result = plain.reduce(ir::ReduceKind::Sum, splitHeads(result, /*shared=*/false), 2,
                            /*keepDims=*/false);
    op.getResult().replaceAllUsesWith(plain.asType(result, op.getResult().getType()));
    if (op.getLse())
      op.getLse().replaceAllUsesWith(plain.asType(attention.getLse(), op.getLse().getType()));
    op.erase();
  }

private:
  static RankedTensorType typeOf(Value x) { return cast<RankedTensorType>(x.getType()); }

  /// [B, L, H*D], or [B, L, D] if shared, as [B, L, H, D].
  Value splitHeads(Value x, bool shared) {
    RankedTensorType type = typeOf(x);
    SmallVector<int64_t> shape(type.getShape());
    if (ShapedType::isDynamic(shape[2]))
      shape[2] = heads * op.getHeadDim();
    int64_t width = shared ? shape[2] : shape[2] / heads;
    shape[2] = shared ? 1 : heads;
    shape.push_back(width);
    x = plain.create<ir::ReshapeOp>(type.clone(shape), x);
    shape[2] = heads;
    return shared ? plain.create<ir::ExpandOp>(type.clone(shape), x).getResult() : x;
  }

  Value joinHeads(Value x) {
    SmallVector<int64_t> shape(typeOf(x).getShape());
    shape[2] *= shape.pop_back_val();
    return plain.create<ir::ReshapeOp>(typeOf(x).clone(shape), x);
  }

  Value concatChannel(Value x, Value channel) {
    return plain.create<ir::ConcatOp>(ValueRange{x, channel}, 3);
  }

  /// The bias [B or 1, H, Lk] as one channel of `k`, [B, Lk, H, 1].
  Value keyBias(Value k) {
    Value bias = plain.transpose(op.getKeyBias(), {0, 2, 1});
    SmallVector<int64_t> shape(typeOf(bias).getShape());
    shape[2] = heads;
    shape.push_back(1);
    bias = plain.create<ir::ReshapeOp>(typeOf(bias).clone(shape), bias);
    return plain.broadcastLike(bias, plain.narrow(k, 3, 0, 1));
  }

  OpBuilder &builder;
  ir::PlainBuilder plain;
  ir::AttentionOp op;
  int64_t heads;
};

} // namespace

void rlx::makeAttentionDifferentiable(OpBuilder &builder, ir::AttentionOp op) {
  builder.setInsertionPoint(op);
  if (op.getSharing() != ir::HeadSharing::None || op.getKeyBias())
    return AttentionRewriter(builder, op).run();
  if (op.getLse())
    return;
  auto attention = ir::AttentionOp::create(
      builder, op.getLoc(), op.getQ(), op.getK(), op.getV(), op.getMask(), /*key_bias=*/Value(),
      op.getNumHeadsAttr(), op.getHeadDimAttr(), op.getMaskKindAttr(), op.getWindowAttr(),
      op.getSharingAttr(), op.getScaleAttr(), builder.getUnitAttr());
  ir::PlainBuilder plain(builder, op);
  op.getResult().replaceAllUsesWith(plain.asType(attention.getResult(), op.getResult().getType()));
  op.erase();
}
