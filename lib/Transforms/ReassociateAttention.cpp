//===- ReassociateAttention.cpp - attention without its long projections --===//
//
// The products of attention between a few tokens and a long sequence, with the
// projections of keys and values (or of queries and results), can be bracketed so that
// nothing is projected on the long side. It is exact algebra; which bracketing is
// cheaper depends on the sizes alone.
//
//===----------------------------------------------------------------------===//

#include "rlx/Transforms/Passes.h"

#include "dialects/rlx/Rlx.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

#include <limits>

namespace rlx {
#define GEN_PASS_DEF_REASSOCIATEATTENTION
#include "rlx/Transforms/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

namespace {

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Whether `op` is a linear layer without activation and with a static weight.
bool isLinear(ir::FusedMatmulBiasActOp op) {
  return op && !op.getAct() && op.getW().getType().hasStaticShape() &&
         op.getX().getType().getRank() == 3;
}

/// The linear layer that gives `value` and nothing else, or null.
ir::FusedMatmulBiasActOp matchLinear(Value value) {
  auto op = value.getDefiningOp<ir::FusedMatmulBiasActOp>();
  return isLinear(op) && op->hasOneUse() ? op : nullptr;
}

/// Sizes of an attention block with all its projections.
struct Sizes {
  double batch, queries, keys, heads, keyDim, valueDim;
  double bytes; ///< of an element
};

/// Arithmetic and memory traffic of one way to compute something.
struct Cost {
  double flops, bytes;

  double weigh(double flopsPerByte) const { return flops + flopsPerByte * bytes; }
};

/// Attention of many rows with inputs `in` wide to few, or the other way round: the
/// long side is projected from `in` to the heads and from the heads to `out`. Both
/// directions cost the same.
Cost costOfProjections(const Sizes &s, double longRows, double fewRows, double in, double out) {
  double inner = s.heads * (s.keyDim + s.valueDim);
  return {s.batch * (2 * longRows * s.heads * (in * s.keyDim + out * s.valueDim) +
                     2 * longRows * fewRows * inner),
          s.batch * s.bytes * longRows * (in + out + 2 * inner)};
}

/// The same without projections of the long side, whose rows meet vectors that are as
/// wide as they are, one for each of the few rows and each head.
Cost costOfReassociation(const Sizes &s, double longRows, double fewRows, double in, double out) {
  double pairs = s.heads * fewRows;
  return {s.batch *
              (2 * longRows * pairs * (in + out) + 2 * pairs * (in * s.keyDim + out * s.valueDim)),
          s.batch * s.bytes * (longRows + pairs) * (in + out)};
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Builds ops at an attention op.
class Builder : public ImplicitLocOpBuilder {
public:
  Builder(ir::AttentionOp op, OpBuilder &builder) : ImplicitLocOpBuilder(op.getLoc(), builder) {}

  TypedValue<RankedTensorType> reshape(Value x, ArrayRef<int64_t> shape) {
    auto type = cast<RankedTensorType>(x.getType()).clone(shape);
    return ir::ReshapeOp::create(*this, cast<RankedTensorType>(type), x).getResult();
  }

  TypedValue<RankedTensorType> transpose(Value x, ArrayRef<int64_t> permutation) {
    return ir::TransposeOp::create(*this, x, permutation).getResult();
  }

  /// [B, L, H*D] as [B, H, L, D].
  Value splitHeads(Value x, int64_t heads) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(x.getType()).getShape();
    return transpose(reshape(x, {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
  }

  /// [B, H, L, D] as [B, L, H*D].
  Value mergeHeads(Value x) {
    TypedValue<RankedTensorType> rows = transpose(x, {0, 2, 1, 3});
    ArrayRef<int64_t> shape = rows.getType().getShape();
    return reshape(rows, {shape[0], shape[1], shape[2] * shape[3]});
  }

  /// A weight [in, H*D] as [H, in, D].
  Value splitColumns(Value w, int64_t heads) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(w.getType()).getShape();
    return transpose(reshape(w, {shape[0], heads, shape[1] / heads}), {1, 0, 2});
  }

  /// A weight [in, H*D] as [H, D, in].
  Value splitColumnsTransposed(Value w, int64_t heads) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(w.getType()).getShape();
    return transpose(reshape(w, {shape[0], heads, shape[1] / heads}), {1, 2, 0});
  }

  Value matmul(Value x, Value w) { return ir::MatmulOp::create(*this, x, w); }
  Value add(Value x, Value y) { return ir::BinaryOp::create(*this, ir::BinaryKind::Add, x, y); }

  /// The attention `like`, of other operands.
  ir::AttentionOp attention(ir::AttentionOp like, Value q, Value k, Value v, Value keyBias,
                            int64_t headDim, ir::HeadSharing sharing, bool withLse = false) {
    return ir::AttentionOp::create(
        *this, q, k, v, like.getMask(), keyBias, like.getNumHeadsAttr(), getI64IntegerAttr(headDim),
        like.getMaskKindAttr(), like.getWindowAttr(),
        ir::HeadSharingAttr::get(getContext(), sharing), getF64FloatAttr(like.getScaleValue()),
        withLse ? getUnitAttr() : UnitAttr());
  }

  /// `bias` of the heads' values, [H*Dv], as [B, H, Lq, Dv] with zeros for rows that see
  /// no key, whose log-sum-exp `lse`, [B, H, Lq], is -inf.
  Value biasOfVisibleRows(Value bias, TypedValue<RankedTensorType> lse, int64_t heads) {
    RankedTensorType type = lse.getType();
    SmallVector<int64_t> column(type.getShape());
    column.push_back(1);
    Value visible = ir::CompareOp::create(
        *this, ir::CompareKind::Ne, reshape(lse, column),
        scalar(type.getElementType(), -std::numeric_limits<double>::infinity()));
    auto biasType = cast<RankedTensorType>(bias.getType());
    Value perHead = reshape(bias, {heads, 1, biasType.getDimSize(0) / heads});
    return ir::WhereOp::create(*this, visible, perHead, scalar(biasType.getElementType(), 0));
  }

  Value scalar(Type element, double value) {
    Attribute attr = getFloatAttr(element, value);
    return ir::ConstantOp::create(*this, cast<ElementsAttr>(DenseElementsAttr::get(
                                             RankedTensorType::get({}, element), attr)));
  }
};

/// softmax(q (x Wk + bk)^T) (y Wv + bv) with few queries q: for each head
/// softmax((q Wk^T) x^T) y Wv + bv. The bias bk adds the same to all scores of a row.
void reassociateKeys(ir::AttentionOp op, ir::FusedMatmulBiasActOp k, ir::FusedMatmulBiasActOp v,
                     IRRewriter &rewriter) {
  rewriter.setInsertionPoint(op);
  Builder build(op, rewriter);
  int64_t heads = op.getNumHeads(), width = k.getX().getType().getDimSize(2);
  Value q = build.matmul(build.splitHeads(op.getQ(), heads),
                         build.splitColumnsTransposed(k.getW(), heads));
  bool masked = op.getMaskKind() != ir::MaskKind::None;
  ir::AttentionOp mixed = build.attention(op, build.mergeHeads(q), k.getX(), v.getX(), Value(),
                                          width, ir::HeadSharing::Keys, /*withLse=*/masked);
  Value out =
      build.matmul(build.splitHeads(mixed.getResult(), heads), build.splitColumns(v.getW(), heads));
  if (masked)
    out = build.add(out, build.biasOfVisibleRows(v.getBias(), mixed.getLse(), heads));
  out = build.mergeHeads(out);
  if (!masked)
    out = build.add(out, v.getBias());
  rewriter.replaceOp(op, out);
  rewriter.eraseOp(k);
  if (v != k)
    rewriter.eraseOp(v);
}

/// softmax((x Wq + bq) k^T) v Wo + bo with few keys k: the sum over heads of
/// softmax(x (Wq k^T) + bq k^T) (v Wo), plus bo.
void reassociateQueries(ir::AttentionOp op, ir::FusedMatmulBiasActOp q,
                        ir::FusedMatmulBiasActOp out, IRRewriter &rewriter) {
  rewriter.setInsertionPoint(out); // where its params are available
  Builder build(op, rewriter);
  int64_t heads = op.getNumHeads(), width = q.getX().getType().getDimSize(2);
  ArrayRef<int64_t> outShape = out.getW().getType().getShape();
  Value k = build.splitHeads(op.getK(), heads), v = build.splitHeads(op.getV(), heads);
  Value wideK = build.matmul(k, build.splitColumnsTransposed(q.getW(), heads));
  Value wideV =
      build.matmul(v, build.reshape(out.getW(), {heads, outShape[0] / heads, outShape[1]}));
  TypedValue<RankedTensorType> bias = cast<TypedValue<RankedTensorType>>(
      build.matmul(k, build.reshape(q.getBias(), {heads, op.getHeadDim(), 1})));
  Value keyBias = build.reshape(bias, bias.getType().getShape().drop_back());
  Value mixed = build
                    .attention(op, q.getX(), build.mergeHeads(wideK), build.mergeHeads(wideV),
                               keyBias, width, ir::HeadSharing::Queries)
                    .getResult();
  rewriter.replaceOp(out, build.add(mixed, out.getBias()));
  rewriter.eraseOp(op);
  rewriter.eraseOp(q);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

class ReassociateAttentionPass
    : public rlx::impl::ReassociateAttentionBase<ReassociateAttentionPass> {
public:
  using ReassociateAttentionBase::ReassociateAttentionBase;

  void runOnOperation() override {
    SmallVector<ir::AttentionOp> ops;
    getOperation()->walk([&](ir::AttentionOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (ir::AttentionOp op : ops)
      if (op.getSharing() == ir::HeadSharing::None && !op.getKeyBias() && reassociate(op, rewriter))
        ++numReassociated;
  }

private:
  bool reassociate(ir::AttentionOp op, IRRewriter &rewriter) {
    ir::FusedMatmulBiasActOp q = matchLinear(op.getQ()), k = matchLinear(op.getK()),
                             v = matchLinear(op.getV()), out;
    if (op.getResult().hasOneUse())
      out = dyn_cast<ir::FusedMatmulBiasActOp>(*op.getResult().user_begin());
    if (out && (!isLinear(out) || out.getX() != op.getResult()))
      out = nullptr;
    std::optional<Sizes> sizes = getSizes(op);
    if (!sizes)
      return false;
    if (sizes->queries <= sizes->keys && k && v)
      return tryKeys(op, k, v, *sizes, rewriter);
    if (sizes->queries > sizes->keys && q && out)
      return tryQueries(op, q, out, *sizes, rewriter);
    op.emitRemark("not reassociated: expected linear layers around its long side");
    return false;
  }

  bool tryKeys(ir::AttentionOp op, ir::FusedMatmulBiasActOp k, ir::FusedMatmulBiasActOp v,
               const Sizes &sizes, IRRewriter &rewriter) {
    if (!pays(op, sizes, sizes.keys, countActive(op, sizes.queries),
              k.getX().getType().getDimSize(2), v.getX().getType().getDimSize(2)))
      return false;
    reassociateKeys(op, k, v, rewriter);
    return true;
  }

  bool tryQueries(ir::AttentionOp op, ir::FusedMatmulBiasActOp q, ir::FusedMatmulBiasActOp out,
                  const Sizes &sizes, IRRewriter &rewriter) {
    if (!pays(op, sizes, sizes.queries, countActive(op, sizes.keys),
              q.getX().getType().getDimSize(2), out.getW().getType().getDimSize(1)))
      return false;
    reassociateQueries(op, q, out, rewriter);
    return true;
  }

  /// The sizes of the op, or nothing, with a remark, where rows are dynamic.
  static std::optional<Sizes> getSizes(ir::AttentionOp op) {
    RankedTensorType q = op.getQ().getType(), k = op.getK().getType();
    if (q.isDynamicDim(1) || k.isDynamicDim(1)) {
      op.emitRemark("not reassociated: expected static numbers of queries and keys, found ")
          << q << " and " << k;
      return std::nullopt;
    }
    double batch = q.isDynamicDim(0) ? 1 : q.getDimSize(0);
    return Sizes{batch,
                 double(q.getDimSize(1)),
                 double(k.getDimSize(1)),
                 double(op.getNumHeads()),
                 double(op.getHeadDim()),
                 double(op.getValueDim()),
                 q.getElementTypeBitWidth() / 8.0};
  }

  /// Rows of the short side that are worked on: a mask may switch padding off, which is
  /// then skipped when it runs.
  double countActive(ir::AttentionOp op, double rows) {
    bool masked = op.getMaskKind() == ir::MaskKind::Custom;
    return masked ? std::min<double>(rows, assumedActiveRows) : rows;
  }

  bool pays(ir::AttentionOp op, const Sizes &sizes, double longRows, double fewRows, double in,
            double out) {
    Cost plain = costOfProjections(sizes, longRows, fewRows, in, out);
    Cost reassociated = costOfReassociation(sizes, longRows, fewRows, in, out);
    if (reassociated.weigh(flopsPerByte) < plain.weigh(flopsPerByte))
      return true;
    op.emitRemark("not reassociated: ")
        << int64_t(reassociated.flops) << " FLOP and " << int64_t(reassociated.bytes)
        << " bytes, as it is " << int64_t(plain.flops) << " FLOP and " << int64_t(plain.bytes)
        << " bytes";
    return false;
  }
};

} // namespace
