//===- Scalars.cpp - Functions of single elements -------------------------===//

#include "rlx/Conversion/Scalars.h"

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace rlx {

Value scalarConstant(ImplicitLocOpBuilder &b, Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr = isa<FloatType>(element) ? TypedAttr(b.getFloatAttr(element, value))
                                           : b.getIntegerAttr(element, static_cast<int64_t>(value));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, attr);
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// 1 / (1 + exp(-x)).
static Value sigmoid(ImplicitLocOpBuilder &b, Value x) {
  Value one = scalarConstant(b, x.getType(), 1);
  Value exp = math::ExpOp::create(b, arith::NegFOp::create(b, x));
  return arith::DivFOp::create(b, one, arith::AddFOp::create(b, exp, one));
}

/// x/2 * (1 + bell).
static Value gelu(ImplicitLocOpBuilder &b, Value x, Value bell) {
  Value half = arith::MulFOp::create(b, x, scalarConstant(b, x.getType(), 0.5));
  Value one = scalarConstant(b, x.getType(), 1);
  return arith::MulFOp::create(b, half, arith::AddFOp::create(b, bell, one));
}

/// tanh(sqrt(2/pi) * (x + 0.044715*x^3)).
static Value geluTanhBell(ImplicitLocOpBuilder &b, Value x) {
  Type type = x.getType();
  Value square = arith::MulFOp::create(b, x, x);
  Value cubic = arith::MulFOp::create(b, square, scalarConstant(b, type, 0.044715));
  Value factor = arith::AddFOp::create(b, cubic, scalarConstant(b, type, 1));
  Value inner = arith::MulFOp::create(b, x, factor);
  Value scale = scalarConstant(b, type, std::sqrt(2 / std::numbers::pi));
  return math::TanhOp::create(b, arith::MulFOp::create(b, inner, scale));
}

static Value activateInteger(ImplicitLocOpBuilder &b, ir::ActivationKind kind, Value x) {
  Value zero = scalarConstant(b, x.getType(), 0);
  switch (kind) {
  case ir::ActivationKind::Relu:
    return arith::MaxSIOp::create(b, x, zero);
  case ir::ActivationKind::Neg:
    return arith::SubIOp::create(b, zero, x);
  case ir::ActivationKind::Abs:
    return arith::MaxSIOp::create(b, x, arith::SubIOp::create(b, zero, x));
  default:
    llvm_unreachable("refused by the verifier for integers");
  }
}

Value activate(ImplicitLocOpBuilder &b, ir::ActivationKind kind, Value x) {
  Type type = x.getType();
  if (isa<IntegerType>(type))
    return activateInteger(b, kind, x);
  switch (kind) {
  case ir::ActivationKind::Relu:
    return arith::MaximumFOp::create(b, x, scalarConstant(b, type, 0));
  case ir::ActivationKind::Gelu: {
    Value scaled = arith::MulFOp::create(b, x, scalarConstant(b, type, std::numbers::sqrt2 / 2));
    return gelu(b, x, math::ErfOp::create(b, scaled));
  }
  case ir::ActivationKind::GeluTanh:
    return gelu(b, x, geluTanhBell(b, x));
  case ir::ActivationKind::Silu:
    return arith::MulFOp::create(b, x, sigmoid(b, x));
  case ir::ActivationKind::Sigmoid:
    return sigmoid(b, x);
  case ir::ActivationKind::Tanh:
    return math::TanhOp::create(b, x);
  case ir::ActivationKind::Exp:
    return math::ExpOp::create(b, x);
  case ir::ActivationKind::Log:
    return math::LogOp::create(b, x);
  case ir::ActivationKind::Sqrt:
    return math::SqrtOp::create(b, x);
  case ir::ActivationKind::Rsqrt:
    return arith::DivFOp::create(b, scalarConstant(b, type, 1), math::SqrtOp::create(b, x));
  case ir::ActivationKind::Neg:
    return arith::NegFOp::create(b, x);
  case ir::ActivationKind::Abs:
    return math::AbsFOp::create(b, x);
  case ir::ActivationKind::Sin:
    return math::SinOp::create(b, x);
  case ir::ActivationKind::Cos:
    return math::CosOp::create(b, x);
  case ir::ActivationKind::Round:
    return math::RoundEvenOp::create(b, x);
  }
  llvm_unreachable("unknown activation");
}

//===----------------------------------------------------------------------===//
// Binary functions and relations
//===----------------------------------------------------------------------===//

/// Rounds toward zero; a division by zero gives zero, and one by -1 wraps, where the
/// machine instruction would trap.
static Value divideIntegers(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  Type type = lhs.getType();
  Value zero = scalarConstant(b, type, 0), one = scalarConstant(b, type, 1);
  Value byZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rhs, zero);
  Value byMinusOne =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rhs, scalarConstant(b, type, -1));
  Value traps = arith::OrIOp::create(b, byZero, byMinusOne);
  Value divisor = arith::SelectOp::create(b, traps, one, rhs);
  Value quotient = arith::DivSIOp::create(b, lhs, divisor);
  Value negated = arith::SubIOp::create(b, zero, lhs);
  quotient = arith::SelectOp::create(b, byMinusOne, negated, quotient);
  return arith::SelectOp::create(b, byZero, zero, quotient);
}

Value combine(ImplicitLocOpBuilder &b, ir::BinaryKind kind, Value lhs, Value rhs) {
  bool isFloat = isa<FloatType>(lhs.getType());
  switch (kind) {
  case ir::BinaryKind::Add:
    return isFloat ? Value(arith::AddFOp::create(b, lhs, rhs)) : arith::AddIOp::create(b, lhs, rhs);
  case ir::BinaryKind::Sub:
    return isFloat ? Value(arith::SubFOp::create(b, lhs, rhs)) : arith::SubIOp::create(b, lhs, rhs);
  case ir::BinaryKind::Mul:
    return isFloat ? Value(arith::MulFOp::create(b, lhs, rhs)) : arith::MulIOp::create(b, lhs, rhs);
  case ir::BinaryKind::Div:
    return isFloat ? Value(arith::DivFOp::create(b, lhs, rhs)) : divideIntegers(b, lhs, rhs);
  case ir::BinaryKind::Max:
    return isFloat ? Value(arith::MaximumFOp::create(b, lhs, rhs))
                   : arith::MaxSIOp::create(b, lhs, rhs);
  case ir::BinaryKind::Min:
    return isFloat ? Value(arith::MinimumFOp::create(b, lhs, rhs))
                   : arith::MinSIOp::create(b, lhs, rhs);
  case ir::BinaryKind::Pow:
    return math::PowFOp::create(b, lhs, rhs);
  }
  llvm_unreachable("unknown binary function");
}

Value compare(ImplicitLocOpBuilder &b, ir::CompareKind kind, Value lhs, Value rhs) {
  using arith::CmpFPredicate, arith::CmpIPredicate;
  auto relate = [&](CmpFPredicate floats, CmpIPredicate integers) -> Value {
    if (isa<FloatType>(lhs.getType()))
      return arith::CmpFOp::create(b, floats, lhs, rhs);
    return arith::CmpIOp::create(b, integers, lhs, rhs);
  };
  switch (kind) {
  case ir::CompareKind::Eq:
    return relate(CmpFPredicate::OEQ, CmpIPredicate::eq);
  case ir::CompareKind::Ne:
    return relate(CmpFPredicate::UNE, CmpIPredicate::ne);
  case ir::CompareKind::Lt:
    return relate(CmpFPredicate::OLT, CmpIPredicate::slt);
  case ir::CompareKind::Le:
    return relate(CmpFPredicate::OLE, CmpIPredicate::sle);
  case ir::CompareKind::Gt:
    return relate(CmpFPredicate::OGT, CmpIPredicate::sgt);
  case ir::CompareKind::Ge:
    return relate(CmpFPredicate::OGE, CmpIPredicate::sge);
  }
  llvm_unreachable("unknown relation");
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static Value floatToFloat(ImplicitLocOpBuilder &b, Value x, FloatType type) {
  unsigned from = cast<FloatType>(x.getType()).getWidth(), to = type.getWidth();
  if (from == to)
    // From f16 to bf16 or back; f32 holds all values of both.
    return x.getType() == type ? x : roundTo(b, b.getLoc(), widen(b, b.getLoc(), x), type);
  if (from < to)
    return arith::ExtFOp::create(b, type, x);
  return arith::TruncFOp::create(b, type, x);
}

/// Rounds toward zero and saturates; NaN gives 0.
static Value floatToInteger(ImplicitLocOpBuilder &b, Value x, IntegerType type) {
  x = widen(b, b.getLoc(), x);
  unsigned width = type.getWidth();
  // Both bounds are powers of two, exact in every float type that is computed in.
  double bound = std::ldexp(1.0, static_cast<int>(width) - 1);
  Value tooLarge =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, x, scalarConstant(b, x.getType(), bound));
  Value inRangeBelow = arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, x,
                                             scalarConstant(b, x.getType(), -bound));
  Value tooSmall = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x,
                                         scalarConstant(b, x.getType(), -bound));
  // NaN is neither in range nor out of it, so it takes the zero.
  Value above = arith::XOrIOp::create(b, tooLarge, scalarConstant(b, b.getI1Type(), 1));
  Value inRange = arith::AndIOp::create(b, inRangeBelow, above);
  Value safe = arith::SelectOp::create(b, inRange, x, scalarConstant(b, x.getType(), 0));
  Value result = arith::FPToSIOp::create(b, type, safe);
  Value largest =
      arith::ConstantOp::create(b, b.getIntegerAttr(type, llvm::APInt::getSignedMaxValue(width)));
  Value least =
      arith::ConstantOp::create(b, b.getIntegerAttr(type, llvm::APInt::getSignedMinValue(width)));
  result = arith::SelectOp::create(b, tooLarge, largest, result);
  return arith::SelectOp::create(b, tooSmall, least, result);
}

static Value integerToFloat(ImplicitLocOpBuilder &b, Value x, FloatType type) {
  if (x.getType().isInteger(1))
    return arith::UIToFPOp::create(b, type, x);
  return arith::SIToFPOp::create(b, type, x);
}

static Value integerToInteger(ImplicitLocOpBuilder &b, Value x, IntegerType type) {
  unsigned from = cast<IntegerType>(x.getType()).getWidth(), to = type.getWidth();
  if (from == to)
    return x;
  if (from > to)
    return arith::TruncIOp::create(b, type, x);
  if (from == 1)
    return arith::ExtUIOp::create(b, type, x);
  return arith::ExtSIOp::create(b, type, x);
}

Value convert(ImplicitLocOpBuilder &b, Value x, Type type) {
  bool fromFloat = isa<FloatType>(x.getType());
  if (type.isInteger(1) && !x.getType().isInteger(1)) {
    x = widen(b, b.getLoc(), x);
    return compare(b, ir::CompareKind::Ne, x, scalarConstant(b, x.getType(), 0));
  }
  if (auto floatType = dyn_cast<FloatType>(type))
    return fromFloat ? floatToFloat(b, x, floatType) : integerToFloat(b, x, floatType);
  auto integerType = cast<IntegerType>(type);
  return fromFloat ? floatToInteger(b, x, integerType) : integerToInteger(b, x, integerType);
}

} // namespace rlx
