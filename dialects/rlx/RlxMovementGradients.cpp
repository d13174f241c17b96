//===- RlxMovementGradients.cpp - Gradients of shape ops and attention ----===//

#include "dialects/rlx/RlxPlainBuilder.h"

#include <numeric>

using namespace mlir;

namespace rlx::ir {

using Gradients = FailureOr<SmallVector<Value>>;

static Gradients one(Value gradient) { return SmallVector<Value>{gradient}; }

//===----------------------------------------------------------------------===//
// Shape ops
//===----------------------------------------------------------------------===//

Gradients ReshapeOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  RankedTensorType source = getX().getType(), target = getType();
  unsigned dynamic = source.getNumDynamicDims();
  if (dynamic > 1 && dynamic != static_cast<unsigned>(target.getNumDynamicDims()))
    return emitOpError("operand 'x': expected one dynamic dim at most, or as many as the result "
                       "has, to have a gradient");
  return one(PlainBuilder(builder, *this).create<ReshapeOp>(source, gradients[0]));
}

Gradients TransposeOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  PlainBuilder plain(builder, *this);
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [to, from] : llvm::enumerate(getPermutation()))
    inverse[from] = to;
  return one(plain.asType(plain.transpose(gradients[0], inverse), getX().getType()));
}

Gradients NarrowOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  PlainBuilder plain(builder, *this);
  RankedTensorType type = getX().getType();
  int64_t axis = normalizedAxis(), start = getStart(), length = getLength();
  Value zeros = plain.zerosLike(getX());
  if (type.isDynamicDim(axis)) {
    SmallVector<int64_t> places(length);
    std::iota(places.begin(), places.end(), start);
    auto placesType = RankedTensorType::get({length}, builder.getI64Type());
    Value indices = plain.create<ConstantOp>(
        cast<ElementsAttr>(DenseElementsAttr::get(placesType, ArrayRef<int64_t>(places))));
    return one(plain.create<ScatterAddOp>(zeros, indices, gradients[0], axis));
  }
  SmallVector<Value> parts;
  int64_t end = start + length, size = type.getDimSize(axis);
  if (start > 0)
    parts.push_back(plain.narrow(zeros, axis, 0, start));
  parts.push_back(gradients[0]);
  if (end < size)
    parts.push_back(plain.narrow(zeros, axis, end, size - end));
  return one(plain.asType(plain.create<ConcatOp>(parts, axis), type));
}

Gradients ConcatOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  PlainBuilder plain(builder, *this);
  int64_t axis = normalizedAxis(), start = 0;
  SmallVector<Value> results;
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    auto type = cast<RankedTensorType>(input.getType());
    if (type.isDynamicDim(axis) && getInputs().size() > 1)
      return emitOpError("input ") << index << ": expected a static dim " << axis
                                   << " to have a gradient, found " << type;
    if (getInputs().size() == 1)
      return one(plain.asType(gradients[0], type));
    int64_t size = type.getDimSize(axis);
    results.push_back(plain.asType(plain.narrow(gradients[0], axis, start, size), type));
    start += size;
  }
  return results;
}

Gradients ExpandOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  return one(PlainBuilder(builder, *this).sumTo(gradients[0], getX().getType()));
}

Gradients GatherOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  PlainBuilder plain(builder, *this);
  Value zeros = plain.zerosLike(getX());
  return SmallVector<Value>{
      plain.create<ScatterAddOp>(zeros, getIndices(), gradients[0], getAxis()), Value()};
}

Gradients ScatterAddOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  PlainBuilder plain(builder, *this);
  Value updates = plain.create<GatherOp>(gradients[0], getIndices(), getAxis());
  return SmallVector<Value>{gradients[0], Value(), plain.asType(updates, getUpdates().getType())};
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

Gradients AttentionOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  if (getSharing() != HeadSharing::None || getKeyBias() || !getLse())
    return emitOpError("expected heads of their own, no key bias and a log-sum-exp to have a "
                       "gradient");
  PlainBuilder plain(builder, *this);
  Value d = gradients[0] ? gradients[0] : plain.zerosLike(getResult());
  auto backward = plain.create<AttentionBackwardOp>(
      getQ(), getK(), getV(), getMask(), getResult(), getLse(), d, gradients[1], getNumHeadsAttr(),
      getHeadDimAttr(), getMaskKindAttr(), getWindowAttr(), getScaleAttr());
  SmallVector<Value> results = {backward.getDQ(), backward.getDK(), backward.getDV()};
  if (getMask())
    results.push_back(backward.getDMask());
  return results;
}

//===----------------------------------------------------------------------===//
// PSA ops
//===----------------------------------------------------------------------===//

Gradients PsaPackQkvOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  PlainBuilder plain(builder, *this);
  return one(plain.create<PsaPackQkvBackwardOp>(gradients[0], plain.zerosLike(getQkv()),
                                                getNumHeadsAttr(), getKeyDimAttr()));
}

Gradients PsaExtractVOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  PlainBuilder plain(builder, *this);
  return one(plain.create<PsaExtractVBackwardOp>(gradients[0], plain.zerosLike(getQkv()),
                                                 getNumHeadsAttr(), getKeyDimAttr()));
}

Gradients PsaFlashAttentionOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  PlainBuilder plain(builder, *this);
  Value d = gradients[0] ? gradients[0] : plain.zerosLike(getOut());
  return one(plain.create<PsaFlashAttentionBackwardOp>(getPacked(), getOut(), getLse(), d,
                                                       gradients[1], plain.zerosLike(getPacked()),
                                                       getSectionAttr()));
}

Gradients PsaMergeAttnOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  PlainBuilder plain(builder, *this);
  auto backward =
      plain.create<PsaMergeAttnBackwardOp>(gradients[0], getLo().getType().getDimSize(1));
  return SmallVector<Value>{plain.asType(backward.getDLo(), getLo().getType()),
                            plain.asType(backward.getDHi(), getHi().getType())};
}

} // namespace rlx::ir
