//===- RlxGradients.cpp - Gradients of computing ops ----------------------===//
//
// Each rule is the op's derivative in terms of its operands and results, so that
// nothing but those is kept for it.
//
//===----------------------------------------------------------------------===//

#include "dialects/rlx/RlxPlainBuilder.h"

using namespace mlir;

namespace rlx::ir {

using Gradients = FailureOr<SmallVector<Value>>;

static Gradients one(Value gradient) { return SmallVector<Value>{gradient}; }

static bool isFloatTensor(Value x) { return isa<FloatType>(getElementTypeOrSelf(x)); }

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// All leading dims of `x` as one.
static Value flattenRows(PlainBuilder &plain, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  if (type.getRank() == 2)
    return x;
  int64_t rows = 1;
  for (int64_t size : type.getShape().drop_back())
    rows = ShapedType::isDynamic(rows) || ShapedType::isDynamic(size) ? ShapedType::kDynamic
                                                                      : rows * size;
  return plain.create<ReshapeOp>(type.clone({rows, type.getShape().back()}), x);
}

Gradients MatmulOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  PlainBuilder plain(builder, *this);
  Value x = getX(), w = getW(), d = gradients[0];
  Value dx = plain.create<MatmulOp>(d, plain.transposeMatrix(w));
  // The batches that share a weight are as good as more rows, where they can be.
  bool sharesWeight = getW().getType().getRank() == 2 &&
                      !ShapedType::isDynamic(getX().getType().getShape().back()) &&
                      !ShapedType::isDynamic(getType().getShape().back());
  if (sharesWeight) {
    x = flattenRows(plain, x);
    d = flattenRows(plain, d);
  }
  Value dw = plain.create<MatmulOp>(plain.transposeMatrix(x), d);
  return SmallVector<Value>{plain.sumTo(dx, getX().getType()), plain.sumTo(dw, w.getType())};
}

Gradients Conv2dOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  PlainBuilder plain(builder, *this);
  Value d = gradients[0];
  SmallVector<Value> results = {
      plain.create<Conv2dBackwardInputOp>(d, getW(), getX(), getStride(), getPadding(),
                                          getDilation(), getGroups()),
      plain.create<Conv2dBackwardWeightOp>(d, getX(), getW(), getStride(), getPadding(),
                                           getDilation(), getGroups())};
  if (getBias())
    results.push_back(plain.asType(plain.reduce(ReduceKind::Sum, d, {0, 2, 3}, /*keepDims=*/false),
                                   getBias().getType()));
  return results;
}

//===----------------------------------------------------------------------===//
// Norms and softmax
//===----------------------------------------------------------------------===//

Gradients LayerNormOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  PlainBuilder plain(builder, *this);
  Type compute = statisticsType(getType().getElementType());
  SmallVector<int64_t> axes, rows;
  for (int64_t axis = 0; axis < getType().getRank(); ++axis)
    (axis < normalizedAxis() ? rows : axes).push_back(axis);
  auto mean = [&](Value x) { return plain.reduce(ReduceKind::Mean, x, axes); };

  Value x = plain.convert(getX(), compute), d = plain.convert(gradients[0], compute);
  Value centered = plain.sub(x, mean(x));
  Value variance = mean(plain.mul(centered, centered));
  Value factor =
      plain.activation(ActivationKind::Rsqrt,
                       plain.add(variance, plain.scalar(variance, getEpsilon().convertToDouble())));
  Value normal = plain.mul(centered, factor);

  // Of what reaches the normalized rows, neither the mean nor the part along them counts.
  Value inner = plain.mul(d, plain.convert(getGamma(), compute));
  Value along = plain.mul(normal, mean(plain.mul(inner, normal)));
  Value dx = plain.mul(plain.sub(plain.sub(inner, mean(inner)), along), factor);
  auto sumRows = [&](Value value, Type type) {
    return plain.asType(plain.reduce(ReduceKind::Sum, value, rows, /*keepDims=*/false), type);
  };
  return SmallVector<Value>{plain.asType(dx, getX().getType()),
                            sumRows(plain.mul(d, normal), getGamma().getType()),
                            sumRows(d, getBeta().getType())};
}

Gradients SoftmaxOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  PlainBuilder plain(builder, *this);
  Type compute = statisticsType(getType().getElementType());
  Value y = plain.convert(getResult(), compute), d = plain.convert(gradients[0], compute);
  Value mean = plain.reduce(ReduceKind::Sum, plain.mul(d, y), normalizedAxis());
  return one(plain.asType(plain.mul(y, plain.sub(d, mean)), getX().getType()));
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

Gradients ActivationOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  PlainBuilder plain(builder, *this);
  switch (getKind()) {
  case ActivationKind::Round:
    return one(Value());
  case ActivationKind::Neg:
    return one(plain.asType(plain.activation(ActivationKind::Neg, gradients[0]), getX().getType()));
  case ActivationKind::Exp:
    return one(plain.asType(plain.mul(gradients[0], getResult()), getX().getType()));
  default:
    return one(plain.asType(plain.create<ActivationBackwardOp>(getKind(), getX(), gradients[0]),
                            getX().getType()));
  }
}

/// The gradients of `lhs` and `rhs` of a power, as far as an operand has one. At a base
/// of 0 the exponent's is 0, as is the base's for an exponent of 0.
static std::pair<Value, Value> powGradients(PlainBuilder &plain, BinaryOp op, Value d) {
  Value base = op.getLhs(), exponent = op.getRhs();
  Value zero = plain.scalar(base, 0), oneLess = plain.sub(exponent, plain.scalar(base, 1));
  Value slope = plain.mul(exponent, plain.binary(BinaryKind::Pow, base, oneLess));
  slope = plain.where(plain.compare(CompareKind::Eq, exponent, zero), zero, slope);
  Value log = plain.activation(ActivationKind::Log, base);
  Value growth = plain.mul(op.getResult(), log);
  growth = plain.where(plain.compare(CompareKind::Eq, base, zero), zero, growth);
  return {plain.mul(d, slope), plain.mul(d, growth)};
}

/// The same for the larger or smaller of two elements; equal ones share the gradient.
static std::pair<Value, Value> extremumGradients(PlainBuilder &plain, BinaryOp op, Value d) {
  Value zero = plain.scalar(d, 0), half = plain.mul(d, plain.scalar(d, 0.5));
  Value lhs = op.getLhs(), rhs = op.getRhs();
  if (op.getKind() == BinaryKind::Min)
    std::swap(lhs, rhs);
  Value isEqual = plain.compare(CompareKind::Eq, lhs, rhs);
  auto choose = [&](Value larger, Value smaller) {
    Value strict = plain.where(plain.compare(CompareKind::Gt, larger, smaller), d, zero);
    return plain.where(isEqual, half, strict);
  };
  Value first = choose(lhs, rhs), second = choose(rhs, lhs);
  if (op.getKind() == BinaryKind::Min)
    std::swap(first, second);
  return {first, second};
}

Gradients BinaryOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  PlainBuilder plain(builder, *this);
  Value d = gradients[0], lhs = getLhs(), rhs = getRhs();
  std::pair<Value, Value> results;
  switch (getKind()) {
  case BinaryKind::Add:
    results = {d, d};
    break;
  case BinaryKind::Sub:
    results = {d, plain.activation(ActivationKind::Neg, d)};
    break;
  case BinaryKind::Mul:
    results = {plain.mul(d, rhs), plain.mul(d, lhs)};
    break;
  case BinaryKind::Div: {
    Value quotient = plain.div(d, rhs);
    results = {quotient,
               plain.activation(ActivationKind::Neg, plain.mul(quotient, plain.div(lhs, rhs)))};
    break;
  }
  case BinaryKind::Max:
  case BinaryKind::Min:
    results = extremumGradients(plain, *this, d);
    break;
  case BinaryKind::Pow:
    results = powGradients(plain, *this, d);
    break;
  }
  return SmallVector<Value>{plain.sumTo(results.first, lhs.getType()),
                            plain.sumTo(results.second, rhs.getType())};
}

Gradients WhereOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  PlainBuilder plain(builder, *this);
  Value d = gradients[0], zero = plain.scalar(d, 0);
  return SmallVector<Value>{Value(),
                            plain.sumTo(plain.where(getCondition(), d, zero), getLhs().getType()),
                            plain.sumTo(plain.where(getCondition(), zero, d), getRhs().getType())};
}

Gradients CastOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  if (!isFloatTensor(getX()))
    return one(Value());
  return one(PlainBuilder(builder, *this).asType(gradients[0], getX().getType()));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// A reduction's result, or its gradient, with the reduced dims as 1.
static Value withReducedDims(PlainBuilder &plain, ReduceOp op, Value value) {
  if (op.getKeepDims())
    return value;
  auto type = op.getX().getType();
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t axis : op.normalizedAxes())
    shape[axis] = 1;
  return plain.create<ReshapeOp>(
      RankedTensorType::get(shape, getElementTypeOrSelf(value.getType())), value);
}

/// The derivative of a product by its factors, of which any may be 0.
static Value productSlope(PlainBuilder &plain, ReduceOp op) {
  Value x = op.getX(), zero = plain.scalar(x, 0), unit = plain.scalar(x, 1);
  Value isZero = plain.compare(CompareKind::Eq, x, zero);
  Value zeros = plain.reduce(ReduceKind::Sum, plain.where(isZero, unit, plain.zerosLike(x)),
                             op.normalizedAxes());
  Value others = plain.reduce(ReduceKind::Prod, plain.where(isZero, unit, x), op.normalizedAxes());
  Value atZero = plain.where(plain.compare(CompareKind::Eq, zeros, unit), others, zero);
  Value elsewhere = plain.where(plain.compare(CompareKind::Eq, zeros, zero), others, zero);
  return plain.where(isZero, atZero, plain.div(elsewhere, x));
}

Gradients ReduceOp::buildGradient(OpBuilder &builder, ValueRange gradients) {
  PlainBuilder plain(builder, *this);
  Value x = getX(), d = withReducedDims(plain, *this, gradients[0]);
  auto finish = [&](Value gradient) { return one(plain.asType(gradient, x.getType())); };
  if (getAxes().empty())
    return finish(gradients[0]);
  switch (getKind()) {
  case ReduceKind::Sum:
    return finish(plain.broadcastLike(d, x));
  case ReduceKind::Mean: {
    Value ones = plain.filledLike(x, 1);
    Value count = plain.reduce(ReduceKind::Sum, ones, normalizedAxes());
    return finish(plain.broadcastLike(plain.div(d, count), x));
  }
  case ReduceKind::Prod:
    return finish(plain.mul(d, productSlope(plain, *this)));
  case ReduceKind::Max:
  case ReduceKind::Min: {
    // Equal elements share the gradient.
    Value isExtremum =
        plain.compare(CompareKind::Eq, x, withReducedDims(plain, *this, getResult()));
    Value marks = plain.where(isExtremum, plain.scalar(x, 1), plain.scalar(x, 0));
    Value count = plain.reduce(ReduceKind::Sum, marks, normalizedAxes());
    return finish(plain.mul(marks, plain.div(d, count)));
  }
  }
  llvm_unreachable("unknown reduction");
}

} // namespace rlx::ir
