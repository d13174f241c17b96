//===- Elementwise.cpp - ops on single elements -----------------------------===//

#include "Indexing.h"

#include <cmath>
#include <numbers>

using namespace rlx;
using namespace rlx::interp;
using namespace rlx::ir;

namespace {

/// Elements below which a second thread doesn't pay.
constexpr int64_t kGrain = 1 << 14;

/// One element of each array for one of the result, all of the result's shape.
template <typename T> struct Broadcast {
  std::span<const T> elements;
  Shape strides;

  Broadcast(std::span<const T> elements, const Array &array, const Shape &result)
      : elements(elements), strides(broadcastStrides(array.shape(), result)) {}
};

template <typename T, typename Target, typename Fn>
void mapPairs(const Broadcast<T> &lhs, const Broadcast<T> &rhs, const Shape &shape,
              std::span<Target> result, Fn fn) {
  forEachIndex<2>(shape, {lhs.strides, rhs.strides},
                  [&](int64_t i, const std::array<int64_t, 2> &at) {
                    result[i] = fn(lhs.elements[at[0]], rhs.elements[at[1]]);
                  });
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

double sigmoid(double x) {
  if (x >= 0)
    return 1 / (1 + std::exp(-x));
  double e = std::exp(x);
  return e / (1 + e);
}

/// x/2 * (1 + erf(x/sqrt(2))), without the cancellation for negative x.
double gelu(double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); }

double geluTanh(double x) {
  const double scale = std::sqrt(2 * std::numbers::inv_pi);
  return 0.5 * x * (1 + std::tanh(scale * (x + 0.044715 * x * x * x)));
}

double activate(ActivationKind kind, double x) {
  switch (kind) {
  case ActivationKind::Relu:
    return x < 0 ? 0 : x;
  case ActivationKind::Gelu:
    return gelu(x);
  case ActivationKind::GeluTanh:
    return geluTanh(x);
  case ActivationKind::Silu:
    return x * sigmoid(x);
  case ActivationKind::Sigmoid:
    return sigmoid(x);
  case ActivationKind::Tanh:
    return std::tanh(x);
  case ActivationKind::Exp:
    return std::exp(x);
  case ActivationKind::Log:
    return std::log(x);
  case ActivationKind::Sqrt:
    return std::sqrt(x);
  case ActivationKind::Rsqrt:
    return 1 / std::sqrt(x);
  case ActivationKind::Neg:
    return -x;
  case ActivationKind::Abs:
    return std::abs(x);
  case ActivationKind::Sin:
    return std::sin(x);
  case ActivationKind::Cos:
    return std::cos(x);
  case ActivationKind::Round:
    return std::nearbyint(x); // the default rounding mode: halves to even
  }
  llvm_unreachable("unknown activation kind");
}

/// Negation modulo 2^64, which the least integer survives.
int64_t negate(int64_t x) { return static_cast<int64_t>(-static_cast<uint64_t>(x)); }

int64_t activate(ActivationKind kind, int64_t x) {
  switch (kind) {
  case ActivationKind::Relu:
    return x < 0 ? 0 : x;
  case ActivationKind::Neg:
    return negate(x);
  case ActivationKind::Abs:
    return x < 0 ? negate(x) : x;
  default:
    llvm_unreachable("an activation of floats");
  }
}

//===----------------------------------------------------------------------===//
// Binary ops
//===----------------------------------------------------------------------===//

double combine(BinaryKind kind, double a, double b) {
  switch (kind) {
  case BinaryKind::Add:
    return a + b;
  case BinaryKind::Sub:
    return a - b;
  case BinaryKind::Mul:
    return a * b;
  case BinaryKind::Div:
    return a / b;
  case BinaryKind::Max:
    return std::isnan(a) || a > b ? a : b; // b if that is NaN
  case BinaryKind::Min:
    return std::isnan(a) || a < b ? a : b;
  case BinaryKind::Pow:
    return std::pow(a, b);
  }
  llvm_unreachable("unknown binary kind");
}

/// The result modulo 2^64; the caller wraps it to the declared width.
int64_t combine(BinaryKind kind, int64_t a, int64_t b) {
  const uint64_t ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (kind) {
  case BinaryKind::Add:
    return static_cast<int64_t>(ua + ub);
  case BinaryKind::Sub:
    return static_cast<int64_t>(ua - ub);
  case BinaryKind::Mul:
    return static_cast<int64_t>(ua * ub);
  case BinaryKind::Div:
    if (b == 0)
      return 0;
    return b == -1 ? negate(a) : a / b;
  case BinaryKind::Max:
    return std::max(a, b);
  case BinaryKind::Min:
    return std::min(a, b);
  case BinaryKind::Pow:
    break;
  }
  llvm_unreachable("a binary op of floats");
}

template <typename T> bool compare(CompareKind kind, T a, T b) {
  switch (kind) {
  case CompareKind::Eq:
    return a == b;
  case CompareKind::Ne:
    return a != b;
  case CompareKind::Lt:
    return a < b;
  case CompareKind::Le:
    return a <= b;
  case CompareKind::Gt:
    return a > b;
  case CompareKind::Ge:
    return a >= b;
  }
  llvm_unreachable("unknown compare kind");
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Bits of precision and of range of a type: for floats the significand and the
/// exponent, for integers the magnitude.
struct Capacity {
  int precision, range;
};

Capacity capacityOf(DType type) {
  switch (type) {
  case DType::F64:
    return {53, 1024};
  case DType::F32:
    return {24, 128};
  case DType::BF16:
    return {8, 128};
  case DType::F16:
    return {11, 16};
  case DType::I64:
    return {63, 63};
  case DType::I32:
    return {31, 31};
  case DType::I8:
    return {7, 7};
  case DType::Bool:
    return {1, 1};
  }
  llvm_unreachable("unknown element type");
}

/// Whether a float type holds every value of another type.
bool holdsAll(DType target, DType source) {
  Capacity inner = capacityOf(source), outer = capacityOf(target);
  return inner.precision <= outer.precision && inner.range <= outer.range;
}

Array castFloats(DType type, const Array &x) {
  Array result(type, x.shape());
  if (!isFloat(type)) {
    std::span<int64_t> target = result.mutableInts();
    for (size_t i = 0; i < target.size(); ++i)
      target[i] = truncateToInteger(x.floats()[i], type);
    return result;
  }
  const bool exact = holdsAll(type, x.type());
  std::span<double> target = result.mutableFloats();
  for (size_t i = 0; i < target.size(); ++i)
    target[i] = exact ? x.floats()[i] : roundToFloat(x.floats()[i], type);
  return result;
}

Array castIntegers(DType type, const Array &x) {
  Array result(type, x.shape());
  for (int64_t i = 0; i < x.numElements(); ++i) {
    if (isFloat(type))
      result.mutableFloats()[i] = integerToFloat(x.ints()[i], type);
    else
      result.mutableInts()[i] = wrapToInteger(x.ints()[i], type);
  }
  return result;
}

} // namespace

Result<Array> interp::evaluate(ActivationOp op, Operands operands, const Context &context) {
  const Array &x = operands[0];
  const ActivationKind kind = op.getKind();
  Array result(x.type(), x.shape());
  if (!isFloat(x.type())) {
    std::span<int64_t> target = result.mutableInts();
    for (size_t i = 0; i < target.size(); ++i)
      target[i] = wrapToInteger(activate(kind, x.ints()[i]), x.type());
    return result;
  }
  std::span<double> target = result.mutableFloats();
  parallelFor(context.threads, x.numElements(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      target[i] = activate(kind, x.floats()[i]);
  });
  return result;
}

Result<Array> interp::evaluate(BinaryOp op, Operands operands, const Context &) {
  Result<Shape> shape = broadcastShapes(op->getOperandTypes(), operands);
  if (!shape)
    return shape.status();
  const Array &lhs = operands[0], &rhs = operands[1];
  const BinaryKind kind = op.getKind();
  Array result(lhs.type(), *shape);
  if (isFloat(lhs.type()))
    mapPairs(Broadcast(lhs.floats(), lhs, *shape), Broadcast(rhs.floats(), rhs, *shape), *shape,
             result.mutableFloats(), [&](double a, double b) { return combine(kind, a, b); });
  else
    mapPairs(Broadcast(lhs.ints(), lhs, *shape), Broadcast(rhs.ints(), rhs, *shape), *shape,
             result.mutableInts(),
             [&](int64_t a, int64_t b) { return wrapToInteger(combine(kind, a, b), lhs.type()); });
  return result;
}

Result<Array> interp::evaluate(CompareOp op, Operands operands, const Context &) {
  Result<Shape> shape = broadcastShapes(op->getOperandTypes(), operands);
  if (!shape)
    return shape.status();
  const Array &lhs = operands[0], &rhs = operands[1];
  const CompareKind kind = op.getKind();
  Array result(DType::Bool, *shape);
  if (isFloat(lhs.type()))
    mapPairs(Broadcast(lhs.floats(), lhs, *shape), Broadcast(rhs.floats(), rhs, *shape), *shape,
             result.mutableInts(), [&](double a, double b) { return compare(kind, a, b); });
  else
    mapPairs(Broadcast(lhs.ints(), lhs, *shape), Broadcast(rhs.ints(), rhs, *shape), *shape,
             result.mutableInts(), [&](int64_t a, int64_t b) { return compare(kind, a, b); });
  return result;
}

Result<Array> interp::evaluate(WhereOp op, Operands operands, const Context &) {
  Result<Shape> shape = broadcastShapes(op->getOperandTypes(), operands);
  if (!shape)
    return shape.status();
  const Array &condition = operands[0], &lhs = operands[1], &rhs = operands[2];
  Array result(lhs.type(), *shape);
  const std::array<Shape, 3> strides = {broadcastStrides(condition.shape(), *shape),
                                        broadcastStrides(lhs.shape(), *shape),
                                        broadcastStrides(rhs.shape(), *shape)};
  auto choose = [&](auto target, auto ifTrue, auto ifFalse) {
    forEachIndex<3>(*shape, strides, [&](int64_t i, const std::array<int64_t, 3> &at) {
      target[i] = condition.ints()[at[0]] ? ifTrue[at[1]] : ifFalse[at[2]];
    });
  };
  if (isFloat(lhs.type()))
    choose(result.mutableFloats(), lhs.floats(), rhs.floats());
  else
    choose(result.mutableInts(), lhs.ints(), rhs.ints());
  return result;
}

Result<Array> interp::evaluate(CastOp op, Operands operands, const Context &) {
  const Array &x = operands[0];
  const DType type = elementTypeOf(op.getType());
  if (type == x.type())
    return x;
  return isFloat(x.type()) ? castFloats(type, x) : castIntegers(type, x);
}
