//===- RlxElementwiseFold.cpp - Simplification of computing ops -----------===//
//
// Folding to constants covers splats: their cost does not grow with the tensor.
//
//===----------------------------------------------------------------------===//

#include "dialects/rlx/Rlx.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace rlx::ir {

/// The one element of a splat constant, or none.
template <typename ValueT> static std::optional<ValueT> splatOf(Attribute attribute) {
  auto elements = dyn_cast_if_present<SplatElementsAttr>(attribute);
  if (!elements)
    return std::nullopt;
  constexpr bool isFloat = std::is_same_v<ValueT, APFloat>;
  if (isa<FloatType>(elements.getElementType()) != isFloat)
    return std::nullopt;
  return elements.getSplatValue<ValueT>();
}

/// A splat of the result's type, if that is static.
template <typename ValueT> static Attribute makeSplat(Type type, const ValueT &value) {
  auto tensor = cast<RankedTensorType>(type);
  if (!tensor.hasStaticShape())
    return {};
  return DenseElementsAttr::get(tensor, value);
}

/// Whether the constant is a splat of `number`.
static bool isSplatOf(Attribute attribute, int64_t number) {
  if (std::optional<APFloat> value = splatOf<APFloat>(attribute))
    return value->isExactlyValue(static_cast<double>(number)) || (number == 0 && value->isZero());
  if (std::optional<APInt> value = splatOf<APInt>(attribute))
    return value->getSExtValue() == number;
  return false;
}

//===----------------------------------------------------------------------===//
// ActivationOp
//===----------------------------------------------------------------------===//

static std::optional<APFloat> evaluate(ActivationKind kind, APFloat x) {
  switch (kind) {
  case ActivationKind::Relu:
    return x.isNegative() && !x.isNaN() ? APFloat::getZero(x.getSemantics()) : x;
  case ActivationKind::Neg:
    x.changeSign();
    return x;
  case ActivationKind::Abs:
    x.clearSign();
    return x;
  case ActivationKind::Round:
    x.roundToIntegral(APFloat::rmNearestTiesToEven);
    return x;
  default:
    return std::nullopt;
  }
}

static std::optional<APInt> evaluate(ActivationKind kind, const APInt &x) {
  switch (kind) {
  case ActivationKind::Relu:
    return x.isNegative() ? APInt::getZero(x.getBitWidth()) : x;
  case ActivationKind::Neg:
    return -x;
  case ActivationKind::Abs:
    return x.abs();
  default:
    return std::nullopt;
  }
}

OpFoldResult ActivationOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getX().getDefiningOp<ActivationOp>(); inner && inner.getKind() == getKind()) {
    switch (getKind()) {
    case ActivationKind::Neg:
      if (inner.getX().getType() == getType())
        return inner.getX();
      break;
    case ActivationKind::Relu:
    case ActivationKind::Abs:
    case ActivationKind::Round:
      if (getX().getType() == getType())
        return getX();
      break;
    default:
      break;
    }
  }
  if (std::optional<APFloat> value = splatOf<APFloat>(adaptor.getX()))
    if (std::optional<APFloat> result = evaluate(getKind(), *value))
      return makeSplat(getType(), *result);
  if (std::optional<APInt> value = splatOf<APInt>(adaptor.getX()))
    if (std::optional<APInt> result = evaluate(getKind(), *value))
      return makeSplat(getType(), *result);
  return {};
}

//===----------------------------------------------------------------------===//
// BinaryOp
//===----------------------------------------------------------------------===//

static std::optional<APFloat> evaluate(BinaryKind kind, const APFloat &lhs, const APFloat &rhs) {
  switch (kind) {
  case BinaryKind::Add:
    return lhs + rhs;
  case BinaryKind::Sub:
    return lhs - rhs;
  case BinaryKind::Mul:
    return lhs * rhs;
  case BinaryKind::Div:
    return lhs / rhs;
  case BinaryKind::Max:
    return llvm::maximum(lhs, rhs);
  case BinaryKind::Min:
    return llvm::minimum(lhs, rhs);
  case BinaryKind::Pow:
    return std::nullopt;
  }
  llvm_unreachable("unknown binary kind");
}

static std::optional<APInt> evaluate(BinaryKind kind, const APInt &lhs, const APInt &rhs) {
  switch (kind) {
  case BinaryKind::Add:
    return lhs + rhs;
  case BinaryKind::Sub:
    return lhs - rhs;
  case BinaryKind::Mul:
    return lhs * rhs;
  case BinaryKind::Div:
    return rhs.isZero() ? APInt::getZero(lhs.getBitWidth()) : lhs.sdiv(rhs);
  case BinaryKind::Max:
    return lhs.sgt(rhs) ? lhs : rhs;
  case BinaryKind::Min:
    return lhs.slt(rhs) ? lhs : rhs;
  case BinaryKind::Pow:
    return std::nullopt;
  }
  llvm_unreachable("unknown binary kind");
}

/// Whether `x kind constant` is `x`.
static bool isRightIdentity(BinaryKind kind, Attribute constant) {
  switch (kind) {
  case BinaryKind::Add:
  case BinaryKind::Sub:
    return isSplatOf(constant, 0);
  case BinaryKind::Mul:
  case BinaryKind::Div:
  case BinaryKind::Pow:
    return isSplatOf(constant, 1);
  case BinaryKind::Max:
  case BinaryKind::Min:
    return false;
  }
  llvm_unreachable("unknown binary kind");
}

OpFoldResult BinaryOp::fold(FoldAdaptor adaptor) {
  BinaryKind kind = getKind();
  if (getLhs().getType() == getType() && isRightIdentity(kind, adaptor.getRhs()))
    return getLhs();
  bool commutes = kind == BinaryKind::Add || kind == BinaryKind::Mul;
  if (commutes && getRhs().getType() == getType() && isRightIdentity(kind, adaptor.getLhs()))
    return getRhs();
  bool isIdempotent = kind == BinaryKind::Max || kind == BinaryKind::Min;
  if (isIdempotent && getLhs() == getRhs() && getLhs().getType() == getType())
    return getLhs();

  std::optional<APFloat> lhs = splatOf<APFloat>(adaptor.getLhs());
  std::optional<APFloat> rhs = splatOf<APFloat>(adaptor.getRhs());
  if (lhs && rhs)
    if (std::optional<APFloat> result = evaluate(kind, *lhs, *rhs))
      return makeSplat(getType(), *result);
  std::optional<APInt> lhsInt = splatOf<APInt>(adaptor.getLhs());
  std::optional<APInt> rhsInt = splatOf<APInt>(adaptor.getRhs());
  if (lhsInt && rhsInt)
    if (std::optional<APInt> result = evaluate(kind, *lhsInt, *rhsInt))
      return makeSplat(getType(), *result);
  return {};
}

//===----------------------------------------------------------------------===//
// WhereOp
//===----------------------------------------------------------------------===//

OpFoldResult WhereOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() && getLhs().getType() == getType())
    return getLhs();
  std::optional<APInt> condition = splatOf<APInt>(adaptor.getCondition());
  if (!condition)
    return {};
  bool isTrue = !condition->isZero();
  Value chosen = isTrue ? getLhs() : getRhs();
  if (chosen.getType() == getType())
    return chosen;
  // A chosen splat broadcasts for free.
  Attribute constant = isTrue ? adaptor.getLhs() : adaptor.getRhs();
  if (std::optional<APFloat> value = splatOf<APFloat>(constant))
    return makeSplat(getType(), *value);
  if (std::optional<APInt> value = splatOf<APInt>(constant))
    return makeSplat(getType(), *value);
  return {};
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  // Every kind of reduction of a single element is that element.
  if (getX().getType() != getType())
    return {};
  bool isIdentity = llvm::all_of(
      normalizedAxes(), [&](int64_t axis) { return getX().getType().getDimSize(axis) == 1; });
  return isIdentity ? OpFoldResult(getX()) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

/// Whether the constant mask has no effect.
static bool isNeutralMask(MaskKind kind, Attribute mask) {
  if (kind == MaskKind::Bias)
    return isSplatOf(mask, 0);
  if (std::optional<APInt> value = splatOf<APInt>(mask))
    return !value->isZero();
  if (std::optional<APFloat> value = splatOf<APFloat>(mask))
    return *value >= APFloat(value->getSemantics(), "0.5");
  return false;
}

LogicalResult AttentionOp::canonicalize(AttentionOp op, PatternRewriter &rewriter) {
  Attribute mask;
  if (!op.getMask() || !matchPattern(op.getMask(), m_Constant(&mask)) ||
      !isNeutralMask(op.getMaskKind(), mask))
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.getMaskMutable().clear();
    op.setMaskKind(MaskKind::None);
  });
  return success();
}

} // namespace rlx::ir
