//===- RlxDecompose.cpp - Plain forms of fused and composite ops ----------===//

#include "dialects/rlx/RlxPlainBuilder.h"

#include <numbers>

using namespace mlir;

namespace rlx::ir {

FailureOr<SmallVector<Value>> FusedMatmulBiasActOp::decompose(OpBuilder &builder) {
  PlainBuilder plain(builder, *this);
  Value y = plain.add(plain.create<MatmulOp>(getX(), getW()), getBias());
  if (std::optional<ActivationKind> act = getAct())
    y = plain.activation(*act, y);
  return SmallVector<Value>{plain.asType(y, getType())};
}

FailureOr<SmallVector<Value>> LayerNormOp::decompose(OpBuilder &builder) {
  PlainBuilder plain(builder, *this);
  Type compute = statisticsType(getType().getElementType());
  auto axes = llvm::to_vector(llvm::seq<int64_t>(normalizedAxis(), getType().getRank()));
  Value x = plain.convert(getX(), compute);
  Value centered = plain.sub(x, plain.reduce(ReduceKind::Mean, x, axes));
  Value variance = plain.reduce(ReduceKind::Mean, plain.mul(centered, centered), axes);
  Value deviation =
      plain.activation(ActivationKind::Sqrt,
                       plain.add(variance, plain.scalar(variance, getEpsilon().convertToDouble())));
  Value y = plain.binary(BinaryKind::Div, centered, deviation);
  y = plain.mul(y, plain.convert(getGamma(), compute));
  y = plain.add(y, plain.convert(getBeta(), compute));
  return SmallVector<Value>{plain.asType(y, getType())};
}

FailureOr<SmallVector<Value>> FusedResidualLayerNormOp::decompose(OpBuilder &builder) {
  PlainBuilder plain(builder, *this);
  Value sum = plain.add(getX(), getResidual());
  Value y = plain.create<LayerNormOp>(sum, getGamma(), getBeta(), getAxisAttr(), getEpsilonAttr());
  return SmallVector<Value>{plain.asType(y, getType())};
}

FailureOr<SmallVector<Value>> ActivationOp::decompose(OpBuilder &builder) {
  PlainBuilder plain(builder, *this);
  Value x = getX();
  switch (getKind()) {
  case ActivationKind::Silu: {
    Value y = plain.mul(x, plain.activation(ActivationKind::Sigmoid, x));
    return SmallVector<Value>{plain.asType(y, getType())};
  }
  case ActivationKind::GeluTanh: {
    Value square = plain.mul(x, x);
    Value scaled = plain.mul(x, plain.scalar(x, 0.044715));
    Value sum = plain.add(x, plain.mul(square, scaled));
    constexpr double sqrt2OverPi = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    Value tanh =
        plain.activation(ActivationKind::Tanh, plain.mul(sum, plain.scalar(x, sqrt2OverPi)));
    Value gate = plain.add(tanh, plain.scalar(x, 1.0));
    Value half = plain.mul(x, plain.scalar(x, 0.5));
    Value y = plain.mul(half, gate);
    return SmallVector<Value>{plain.asType(y, getType())};
  }
  default:
    return failure();
  }
}

FailureOr<SmallVector<Value>> SoftmaxOp::decompose(OpBuilder &builder) {
  PlainBuilder plain(builder, *this);
  int64_t axis = normalizedAxis();
  Value x = plain.convert(getX(), statisticsType(getType().getElementType()));
  Value shifted = plain.sub(x, plain.reduce(ReduceKind::Max, x, axis));
  Value exponentials = plain.activation(ActivationKind::Exp, shifted);
  Value sum = plain.reduce(ReduceKind::Sum, exponentials, axis);
  return SmallVector<Value>{
      plain.asType(plain.binary(BinaryKind::Div, exponentials, sum), getType())};
}

FailureOr<SmallVector<Value>> PsaAttentionOp::decompose(OpBuilder &builder) {
  RankedTensorType type = getQkv().getType();
  if (type.isDynamicDim(2) || type.isDynamicDim(3))
    return failure();
  PlainBuilder plain(builder, *this);
  Value packed = plain.create<PsaPackQkvOp>(getQkv(), getNumHeadsAttr(), getKeyDimAttr());
  auto lo = plain.create<PsaFlashAttentionOp>(packed, PsaSection::Lo);
  auto hi = plain.create<PsaFlashAttentionOp>(packed, PsaSection::Hi);
  Value y = plain.create<PsaMergeAttnOp>(lo.getOut(), hi.getOut(), type.getDimSize(2),
                                         type.getDimSize(3));
  return SmallVector<Value>{plain.asType(y, getType())};
}

} // namespace rlx::ir
