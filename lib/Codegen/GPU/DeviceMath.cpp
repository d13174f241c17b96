//===- DeviceMath.cpp - elementary functions in double precision ----------===//
//
// What a CPU leaves to libm, as arithmetic on f64 scalars. Series are Taylor's where they
// converge fast enough; the others were fitted at Chebyshev nodes.
//
//===----------------------------------------------------------------------===//

#include "DeviceMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using Predicate = arith::CmpFPredicate;

namespace rlx::gpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLog2e = 0x1.71547652b82fep+0;
// ln 2 in two parts; products of an exponent and the first are exact.
constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;
// pi/2 in three parts.
constexpr double kHalfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};

/// Shorthand for f64 code.
struct Emitter {
  ImplicitLocOpBuilder &b;

  Value constant(double value) { return arith::ConstantOp::create(b, b.getF64FloatAttr(value)); }
  Value integer(int64_t value) { return arith::ConstantOp::create(b, b.getI64IntegerAttr(value)); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) { return math::FmaOp::create(b, x, y, z); }
  Value neg(Value x) { return arith::NegFOp::create(b, x); }
  Value abs(Value x) { return math::AbsFOp::create(b, x); }
  Value copySign(Value x, Value sign) { return math::CopySignOp::create(b, x, sign); }
  Value round(Value x) { return math::RoundEvenOp::create(b, x); }
  Value addi(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value subi(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value andi(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value ori(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value shl(Value x, Value y) { return arith::ShLIOp::create(b, x, y); }
  Value shl(Value x, int64_t bits) { return shl(x, integer(bits)); }
  Value shrui(Value x, Value y) { return arith::ShRUIOp::create(b, x, y); }
  Value shrui(Value x, int64_t bits) { return shrui(x, integer(bits)); }
  Value shrsi(Value x, int64_t bits) { return arith::ShRSIOp::create(b, x, integer(bits)); }
  Value toInt(Value x) { return arith::FPToSIOp::create(b, b.getI64Type(), x); }
  Value toFloat(Value x) { return arith::SIToFPOp::create(b, b.getF64Type(), x); }
  Value asInt(Value x) { return arith::BitcastOp::create(b, b.getI64Type(), x); }
  Value asFloat(Value x) { return arith::BitcastOp::create(b, b.getF64Type(), x); }
  Value compare(Predicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value compare(Predicate predicate, Value x, double y) {
    return compare(predicate, x, constant(y));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value select(Value condition, double x, Value y) { return select(condition, constant(x), y); }

  /// Horner's rule; the coefficients start at the highest power.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value result = constant(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      result = fma(result, x, constant(coefficient));
    return result;
  }

  /// 2^n for -1022 <= n <= 1023.
  Value powerOfTwo(Value n) { return asFloat(shl(addi(n, integer(1023)), 52)); }
};

/// Coefficients of the Taylor series `1/first! + x/(first + step)! + ...`, with
/// alternating signs if `step` is 2, the highest power first.
SmallVector<double> inverseFactorials(int first, int step, int count) {
  SmallVector<double> coefficients;
  double factorial = 1, sign = 1;
  for (int i = 2; i <= first; ++i)
    factorial *= i;
  for (int n = first; count > 0; --count) {
    coefficients.push_back(sign / factorial);
    for (int i = 0; i < step; ++i)
      factorial *= ++n;
    sign = step == 2 ? -sign : sign;
  }
  return SmallVector<double>(llvm::reverse(coefficients));
}

Value emitExp(Emitter &e, Value x) {
  // At the bounds the result has already gone to 0 and to infinity; NaN stays.
  Value low = e.constant(-746), high = e.constant(710);
  x = e.select(e.compare(Predicate::OLT, x, low), low, x);
  x = e.select(e.compare(Predicate::OGT, x, high), high, x);
  Value n = e.round(e.mul(x, e.constant(kLog2e)));
  Value r = e.fma(n, e.constant(-kLn2High), x);
  r = e.fma(n, e.constant(-kLn2Low), r);
  Value mantissa = e.polynomial(r, inverseFactorials(0, 1, 14));
  // In two steps, for 2^n alone may leave the format. A NaN's n is any integer.
  Value isNumber = e.compare(Predicate::ORD, x, x);
  Value whole = e.toInt(e.select(isNumber, n, e.constant(0)));
  Value half = e.shrsi(whole, 1);
  Value scaled = e.mul(mantissa, e.powerOfTwo(half));
  return e.mul(scaled, e.powerOfTwo(e.subi(whole, half)));
}

/// A number as the unevaluated sum of two.
struct DoubleDouble {
  Value high, low;
};

/// log(x) for finite x > 0, with some ten bits more than f64 has.
DoubleDouble emitLogParts(Emitter &e, Value x) {
  constexpr int64_t sqrtHalfBits = 0x3fe6a09e667f3bcd;
  Value isDenormal = e.compare(Predicate::OLT, x, 0x1p-1022);
  Value normal = e.select(isDenormal, e.mul(x, e.constant(0x1p54)), x);
  Value shifted = e.subi(e.asInt(normal), e.integer(sqrtHalfBits));
  Value n = e.add(e.toFloat(e.shrsi(shifted, 52)), e.select(isDenormal, -54, e.constant(0)));
  Value mantissa =
      e.asFloat(e.addi(e.andi(shifted, e.integer(0x000fffffffffffff)), e.integer(sqrtHalfBits)));

  // log(1 + f) = 2 atanh(s) with s = f / (2 + f), whose rounding error is kept.
  Value f = e.sub(mantissa, e.constant(1)), divisor = e.add(f, e.constant(2));
  Value s = e.div(f, divisor);
  Value divisorError = e.sub(f, e.sub(divisor, e.constant(2)));
  Value rest = e.fma(e.neg(s), divisor, f);
  rest = e.div(e.fma(e.neg(s), divisorError, rest), divisor);
  SmallVector<double> series;
  for (int k = 12; k >= 1; --k)
    series.push_back(2.0 / (2 * k + 1));
  Value square = e.mul(s, s);
  Value tail = e.mul(e.mul(s, square), e.polynomial(square, series));
  tail = e.add(e.fma(e.constant(2), rest, tail), e.mul(n, e.constant(kLn2Low)));

  // The larger term is the exponent's, unless that is 0.
  Value large = e.mul(n, e.constant(kLn2High)), small = e.mul(e.constant(2), s);
  Value sum = e.add(large, small);
  Value error = e.sub(small, e.sub(sum, large));
  Value low = e.add(error, tail);
  Value high = e.add(sum, low);
  return {high, e.sub(low, e.sub(high, sum))};
}

/// Replaces `result` by log(x) where x is not a finite positive number.
Value withSpecialLogs(Emitter &e, Value x, Value result) {
  result = e.select(e.compare(Predicate::OEQ, x, kInfinity), kInfinity, result);
  result = e.select(e.compare(Predicate::OEQ, x, 0), -kInfinity, result);
  return e.select(e.compare(Predicate::ULT, x, 0), kNan, result);
}

Value emitLog(Emitter &e, Value x) { return withSpecialLogs(e, x, emitLogParts(e, x).high); }

Value emitTanh(Emitter &e, Value x) {
  // (tanh(x)/x - 1) / x^2 in x^2, for |x| < 0.25.
  constexpr double series[] = {
      -0x1.497d8eea25259p-15, 0x1.967e18afcafadp-14, -0x1.f57d7734d1664p-13, 0x1.3558248036744p-11,
      -0x1.7da36452b75e3p-10, 0x1.d6d3d0e157de0p-9,  -0x1.226e355e6c23dp-7,  0x1.664f4882c10fap-6,
      -0x1.ba1ba1ba1ba1cp-5,  0x1.1111111111111p-3,  -0x1.5555555555555p-2};
  Value square = e.mul(x, x);
  Value small = e.fma(e.mul(square, x), e.polynomial(square, series), x);
  Value magnitude = e.abs(x), one = e.constant(1);
  Value t = emitExp(e, e.mul(magnitude, e.constant(-2)));
  Value large = e.copySign(e.div(e.sub(one, t), e.add(one, t)), x);
  return e.select(e.compare(Predicate::OLT, magnitude, 0.25), small, large);
}

Value emitErf(Emitter &e, Value x) {
  // log(erfc(x)) + x^2 in (x - 3.5) / 2.5, for x in [1, 6]; 2e-18 in erf.
  constexpr double large[] = {
      0x1.34dd01e247377p-29,  -0x1.f195f0a8368a2p-28, 0x1.36b598558ad84p-28,
      0x1.43b9fba47758cp-28,  -0x1.2898608ea2494p-29, 0x1.43d2080a94f91p-26,
      -0x1.172a80e62e800p-23, 0x1.a4ca8b08c35efp-22,  -0x1.ec11c6f3ae400p-21,
      0x1.00b7cd68af62fp-19,  -0x1.cb14e5898c58cp-19, 0x1.32947938ed058p-18,
      -0x1.8cc473b9d43c7p-20, -0x1.35f6c4071182cp-16, 0x1.7d4438e255520p-14,
      -0x1.42c5a434dd655p-12, 0x1.d47dd137089cep-11,  -0x1.372a2188cfd82p-9,
      0x1.862e9604f58e4p-8,   -0x1.d75a5651f5965p-7,  0x1.1794772e75795p-5,
      -0x1.4e712f2ed45bbp-4,  0x1.a98f9718b3813p-3,   -0x1.549b835b89abfp-1,
      -0x1.dcc8b29512d7ep+0};
  SmallVector<double> small; // of erf(x)/x in x^2
  double factorial = 1;
  for (int n = 0; n < 22; factorial *= ++n)
    small.push_back((n % 2 ? -1 : 1) * 0x1.20dd750429b6dp+0 / (factorial * (2 * n + 1)));
  std::reverse(small.begin(), small.end());
  Value nearZero = e.mul(x, e.polynomial(e.mul(x, x), small));

  Value magnitude = e.abs(x);
  Value bounded = e.select(e.compare(Predicate::OGT, magnitude, 6), 6, magnitude);
  Value u = e.mul(e.sub(bounded, e.constant(3.5)), e.constant(0.4));
  Value exponent = e.fma(e.neg(bounded), bounded, e.polynomial(u, large));
  Value far = e.copySign(e.sub(e.constant(1), emitExp(e, exponent)), x);
  return e.select(e.compare(Predicate::OLT, magnitude, 1), nearZero, far);
}

//===----------------------------------------------------------------------===//
// Sines
//===----------------------------------------------------------------------===//

/// x = quadrant * pi/2 + rest, with the quadrant up to multiples of 4.
struct ReducedAngle {
  Value quadrant, rest;
};

/// The first bits of 2/pi behind the point.
constexpr uint64_t kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

ReducedAngle reduceModerate(Emitter &e, Value x) {
  Value n = e.round(e.mul(x, e.constant(0x1.45f306dc9c883p-1)));
  Value rest = x;
  for (double part : kHalfPi)
    rest = e.fma(e.neg(n), e.constant(part), rest);
  return {e.toInt(n), rest};
}

/// Of |x| >= 2^20, by the bits of 2/pi that matter (Payne and Hanek, "Radian reduction for
/// trigonometric functions", 1983): x = m * 2^e, and those of 2/pi * 2^e above 2^1 make
/// multiples of 4 quadrants.
ReducedAngle reduceLarge(Emitter &e, Value x) {
  Value bits = e.asInt(e.abs(x));
  Value exponent = e.subi(e.shrui(bits, 52), e.integer(1023 + 52));
  Value m = e.ori(e.andi(bits, e.integer(0x000fffffffffffff)), e.integer(0x0010000000000000));

  // 192 bits from the one of weight 2^1 on; the bit of weight 2^-1 is the first of the
  // table, so the start may lie two bits before it.
  Value start = e.addi(e.subi(exponent, e.integer(2)), e.integer(64));
  Value word = e.shrui(start, 6), shift = e.andi(start, e.integer(63));
  auto wordAt = [&](int64_t offset) {
    Value result = e.integer(0);
    for (auto [position, value] : llvm::enumerate(kTwoOverPi)) {
      Value isHere = arith::CmpIOp::create(e.b, arith::CmpIPredicate::eq, word,
                                           e.integer(static_cast<int64_t>(position) + 1 - offset));
      result = e.select(isHere, e.integer(static_cast<int64_t>(value)), result);
    }
    return result;
  };
  Value words[] = {wordAt(0), wordAt(1), wordAt(2), wordAt(3)};
  Value isAligned = arith::CmpIOp::create(e.b, arith::CmpIPredicate::eq, shift, e.integer(0));
  Value window[3];
  for (int i = 0; i < 3; ++i) {
    Value carried = e.shrui(words[i + 1], e.andi(e.subi(e.integer(64), shift), e.integer(63)));
    window[i] = e.ori(e.shl(words[i], shift), e.select(isAligned, e.integer(0), carried));
  }

  // m * window, its upper 128 bits but for what goes beyond the top.
  auto multiply = [&](Value w) {
    auto product = arith::MulUIExtendedOp::create(e.b, m, w);
    return std::pair<Value, Value>(product.getHigh(), product.getLow());
  };
  auto [high2, low2] = multiply(window[2]);
  auto [high1, low1] = multiply(window[1]);
  Value p1 = e.addi(low1, high2);
  Value carry = arith::ExtUIOp::create(
      e.b, e.b.getI64Type(), arith::CmpIOp::create(e.b, arith::CmpIPredicate::ult, p1, low1));
  Value p0 = arith::MulIOp::create(e.b, m, window[0]);
  p0 = e.addi(e.addi(p0, high1), carry);

  // Two bits of quadrant, then the fraction, taken as signed: the quadrant is the nearest.
  Value quadrant = e.shrui(p0, 62);
  Value fraction = e.ori(e.shl(p0, 2), e.shrui(p1, 62));
  quadrant = e.addi(quadrant, e.shrui(fraction, 63));
  Value low =
      e.mul(arith::UIToFPOp::create(e.b, e.b.getF64Type(), e.shl(p1, 2)), e.constant(0x1p-128));
  Value turned = e.fma(e.toFloat(fraction), e.constant(0x1p-64), low);
  Value rest = e.mul(turned, e.constant(kHalfPi[0]));
  Value isNegative = e.compare(Predicate::OLT, x, 0);
  quadrant = e.select(isNegative, e.subi(e.integer(0), quadrant), quadrant);
  return {quadrant, e.select(isNegative, e.neg(rest), rest)};
}

ReducedAngle reduceAngle(Emitter &e, Value x) {
  Value isLarge = e.compare(Predicate::OGE, e.abs(x), 0x1p20);
  auto reduced = scf::IfOp::create(e.b, TypeRange{e.b.getI64Type(), e.b.getF64Type()}, isLarge,
                                   /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(reduced.thenBlock());
  ReducedAngle large = reduceLarge(e, x);
  scf::YieldOp::create(e.b, ValueRange{large.quadrant, large.rest});
  e.b.setInsertionPointToStart(reduced.elseBlock());
  Value isNumber = e.compare(Predicate::ORD, x, x);
  ReducedAngle moderate = reduceModerate(e, e.select(isNumber, x, e.constant(0)));
  scf::YieldOp::create(e.b, ValueRange{moderate.quadrant, moderate.rest});
  return {reduced.getResult(0), reduced.getResult(1)};
}

/// The sine of x, or of x + pi/2 if `isCosine`.
Value emitSine(Emitter &e, Value x, bool isCosine) {
  auto [quadrant, rest] = reduceAngle(e, x);
  Value square = e.mul(rest, rest);
  SmallVector<double> sineSeries = inverseFactorials(1, 2, 9);
  sineSeries.pop_back(); // the 1 of x, added last
  Value sine = e.fma(e.mul(rest, square), e.polynomial(square, sineSeries), rest);
  Value cosine = e.polynomial(square, inverseFactorials(0, 2, 10));
  if (isCosine)
    quadrant = e.addi(quadrant, e.integer(1));
  auto hasBit = [&](int64_t bit) -> Value {
    return arith::CmpIOp::create(e.b, arith::CmpIPredicate::ne, e.andi(quadrant, e.integer(bit)),
                                 e.integer(0));
  };
  Value result = e.select(hasBit(1), cosine, sine);
  result = e.select(hasBit(2), e.neg(result), result);
  // x - x is NaN for the infinities and NaN.
  Value isFinite = e.compare(Predicate::OLT, e.abs(x), kInfinity);
  return e.select(isFinite, result, e.constant(kNan));
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

Value emitPow(Emitter &e, Value x, Value y) {
  Value magnitude = e.abs(x);
  DoubleDouble logarithm = emitLogParts(e, magnitude);
  Value high = withSpecialLogs(e, magnitude, logarithm.high);
  Value product = e.mul(y, high);
  Value rest = e.fma(y, logarithm.low, e.fma(y, high, e.neg(product)));
  // Of what has gone to infinity or to zero there is no rest.
  Value isOrdinary = e.compare(Predicate::OLT, e.abs(product), 746);
  rest = e.select(isOrdinary, rest, e.constant(0));
  Value power = emitExp(e, product);
  Value isFinite = e.compare(Predicate::OLT, power, kInfinity);
  power = e.select(isFinite, e.fma(power, rest, power), power);

  // The sign of an odd integer power; NaN of another number's.
  auto isInteger = [&](Value value) { return e.compare(Predicate::OEQ, e.round(value), value); };
  Value isWhole = isInteger(y);
  Value isEven = isInteger(e.mul(y, e.constant(0.5)));
  Value isNegative =
      arith::CmpIOp::create(e.b, arith::CmpIPredicate::slt, e.asInt(x), e.integer(0));
  Value isOdd =
      e.andi(isWhole, arith::XOrIOp::create(e.b, isEven, arith::ConstantIntOp::create(e.b, 1, 1)));
  Value result = e.select(e.andi(isNegative, isOdd), e.neg(power), power);
  Value isNumber = e.compare(Predicate::ORD, x, y);
  Value hasRoot = e.ori(isWhole, e.compare(Predicate::OGE, x, 0));
  // -inf has every power, as has -0, which compares as 0.
  hasRoot = e.ori(hasRoot, e.compare(Predicate::OEQ, x, -kInfinity));
  result = e.select(hasRoot, result, e.constant(kNan));
  result = e.select(isNumber, result, e.constant(kNan));

  // 1 to any power, anything to the power 0, and -1 to an infinite one.
  Value isInfinite = e.compare(Predicate::OEQ, e.abs(y), kInfinity);
  Value isOne = e.ori(e.compare(Predicate::OEQ, x, 1), e.compare(Predicate::OEQ, y, 0));
  isOne = e.ori(isOne, e.andi(isInfinite, e.compare(Predicate::OEQ, magnitude, 1)));
  return e.select(isOne, 1, result);
}

} // namespace

Value emitDouble(ImplicitLocOpBuilder &b, Operation *op, ValueRange operands) {
  Emitter e{b};
  Value x = operands[0];
  if (isa<math::ExpOp>(op))
    return emitExp(e, x);
  if (isa<math::LogOp>(op))
    return emitLog(e, x);
  if (isa<math::TanhOp>(op))
    return emitTanh(e, x);
  if (isa<math::ErfOp>(op))
    return emitErf(e, x);
  if (isa<math::SinOp, math::CosOp>(op))
    return emitSine(e, x, isa<math::CosOp>(op));
  if (isa<math::PowFOp>(op))
    return emitPow(e, x, operands[1]);
  return {};
}

} // namespace rlx::gpu
