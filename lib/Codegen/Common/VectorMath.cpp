//===- VectorMath.cpp - elementary functions as vector code ---------------===//

#include "VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/TargetParser/Triple.h"

#include <limits>

using namespace mlir;

namespace rlx {
namespace {

/// Shorthand for f32 code over values of one shape: scalars, or vectors of it.
class FloatEmitter {
public:
  FloatEmitter(OpBuilder &builder, Location loc, Value like, const MathTarget &target)
      : builder(builder), loc(loc), target(target), floatType(like.getType()) {
    assert(getElementTypeOrSelf(floatType).isF32() && "only f32 is emitted inline");
    intType = builder.getI32Type();
    if (auto vectorType = dyn_cast<VectorType>(floatType))
      intType = vectorType.clone(intType);
  }

  Value constant(float value) { return constant(floatType, builder.getF32FloatAttr(value)); }
  Value constant(int32_t value) { return constant(intType, builder.getI32IntegerAttr(value)); }

  Value add(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) { return arith::DivFOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(builder, loc, a, b); }
  Value fma(Value a, Value b, Value c) { return emitFma(builder, loc, a, b, c, target); }

  Value addi(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
  Value subi(Value a, Value b) { return arith::SubIOp::create(builder, loc, a, b); }
  Value maxsi(Value a, Value b) { return arith::MaxSIOp::create(builder, loc, a, b); }
  Value shl(Value a, int32_t bits) {
    return arith::ShLIOp::create(builder, loc, a, constant(bits));
  }
  Value shrui(Value a, int32_t bits) {
    return arith::ShRUIOp::create(builder, loc, a, constant(bits));
  }

  Value shrsi(Value a, int32_t bits) {
    return arith::ShRSIOp::create(builder, loc, a, constant(bits));
  }
  Value andi(Value a, Value b) { return arith::AndIOp::create(builder, loc, a, b); }
  Value toFloat(Value x) { return arith::SIToFPOp::create(builder, loc, floatType, x); }

  Value abs(Value x) { return math::AbsFOp::create(builder, loc, x); }
  Value copySign(Value magnitude, Value sign) {
    return math::CopySignOp::create(builder, loc, magnitude, sign);
  }

  Value asInt(Value x) { return arith::BitcastOp::create(builder, loc, intType, x); }
  Value asFloat(Value x) { return arith::BitcastOp::create(builder, loc, floatType, x); }

  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }

  /// max(x, low), but x where x is NaN. In this operand order it is one
  /// instruction on x86, unlike arith.maximumf and arith.maxnumf.
  Value atLeast(float low, Value x) {
    Value bound = constant(low);
    return select(compare(arith::CmpFPredicate::OGT, bound, x), bound, x);
  }
  /// min(x, high), but x where x is NaN.
  Value atMost(float high, Value x) {
    Value bound = constant(high);
    return select(compare(arith::CmpFPredicate::OLT, bound, x), bound, x);
  }

  /// Horner's rule; the coefficients start at the highest power.
  Value polynomial(Value x, ArrayRef<float> coefficients) {
    Value result = constant(coefficients.front());
    for (float coefficient : coefficients.drop_front())
      result = fma(result, x, constant(coefficient));
    return result;
  }

private:
  Value constant(Type type, TypedAttr scalar) {
    if (auto vectorType = dyn_cast<VectorType>(type))
      return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(vectorType, scalar));
    return arith::ConstantOp::create(builder, loc, scalar);
  }

  OpBuilder &builder;
  Location loc;
  MathTarget target;
  Type floatType;
  Type intType;
};

/// Adding this to |x| < 2^22 rounds x to an integer, which is then the low bits
/// of the sum. It has no bits of its own where such an integer can have some.
constexpr float roundMagic = 0x1.8p23f;
constexpr int32_t roundMagicBits = 0x4b400000;

/// x = n ln 2 + r with integer n and |r| <= ln 2 / 2 up to rounding.
struct ReducedExponent {
  Value power;    ///< bits of roundMagic + bias + n, an integer for integer bias
  Value mantissa; ///< e^r
};

/// Splits x, which is in [-104, 89] or NaN.
ReducedExponent reduceExponent(FloatEmitter &emit, Value x, int32_t bias) {
  constexpr float log2e = 0x1.715476p+0f;
  // ln 2 in two parts; the product of n and the first is exact without FMA too.
  constexpr float ln2High = 0x1.63p-1f;
  constexpr float ln2Low = -0x1.bd0106p-13f;
  // Least maximum relative error on |r| <= 0.348 with the first two fixed at 1: 3.1e-9.
  constexpr float coefficients[] = {
      0x1.6a2154p-10f, 0x1.123b9ap-7f, 0x1.5558fcp-5f, 0x1.55548fp-3f, 0x1.fffffcp-2f, 1.0f, 1.0f};

  Value magic = emit.constant(roundMagic + static_cast<float>(bias));
  Value shifted = emit.fma(x, emit.constant(log2e), magic);
  Value n = emit.sub(shifted, magic);
  Value r = emit.fma(n, emit.constant(-ln2High), x);
  r = emit.fma(n, emit.constant(-ln2Low), r);
  return {emit.asInt(shifted), emit.polynomial(r, coefficients)};
}

} // namespace

// Only SSE4.1 and later round in an instruction.
MathTarget::MathTarget(const CpuTarget &target)
    : hasFma(target.hasFma),
      roundsByCall(llvm::Triple(target.triple).isX86() && target.vectorBits < 256) {}

Value emitFma(OpBuilder &builder, Location loc, Value a, Value b, Value c,
              const MathTarget &target) {
  if (target.hasFma)
    return math::FmaOp::create(builder, loc, a, b, c);
  return arith::AddFOp::create(builder, loc, arith::MulFOp::create(builder, loc, a, b), c);
}

Value emitExp(OpBuilder &builder, Location loc, Value x, const MathTarget &target) {
  FloatEmitter emit(builder, loc, x, target);
  // At the bounds the product below already rounds to 0 and overflows to inf.
  x = emit.atMost(89.0f, emit.atLeast(-104.0f, x));
  // 2^n alone leaves the format at both ends of the range, so it is multiplied in
  // two halves; only the second product can round. Twice the exponent's bias is
  // carried along, and divided between the halves with n.
  auto [power, mantissa] = reduceExponent(emit, x, 2 * 127);
  power = emit.subi(power, emit.constant(roundMagicBits));
  Value half = emit.shrui(power, 1);
  Value rest = emit.subi(power, half);
  Value scaled = emit.mul(mantissa, emit.asFloat(emit.shl(half, 23)));
  return emit.mul(scaled, emit.asFloat(emit.shl(rest, 23)));
}

Value emitExpNonPositive(OpBuilder &builder, Location loc, Value x, const MathTarget &target) {
  FloatEmitter emit(builder, loc, x, target);
  x = emit.atLeast(-104.0f, x);
  // With the exponent's bias carried along, the low bits are 2^n's exponent field;
  // below the normal numbers they are held at 0, which makes the scale 0.
  auto [power, mantissa] = reduceExponent(emit, x, 127);
  power = emit.maxsi(power, emit.constant(roundMagicBits));
  return emit.mul(mantissa, emit.asFloat(emit.shl(power, 23)));
}

Value emitLog(OpBuilder &builder, Location loc, Value x, const MathTarget &target) {
  using Predicate = arith::CmpFPredicate;
  // (log(1+f) - f + f^2/2) / f^3 for 1+f in [1/sqrt 2, sqrt 2]; 7.5e-10 relative to the log.
  constexpr float coefficients[] = {0x1.144c32p-4f,  -0x1.de40dap-4f, 0x1.e6f7d4p-4f,
                                    -0x1.fc21e0p-4f, 0x1.2336f0p-3f,  -0x1.555c4ap-3f,
                                    0x1.99a4bap-3f,  -0x1.000006p-2f, 0x1.555548p-2f};
  constexpr float ln2High = 0x1.63p-1f;
  constexpr float ln2Low = -0x1.bd0106p-13f;
  constexpr int32_t sqrtHalfBits = 0x3f3504f3;

  FloatEmitter emit(builder, loc, x, target);
  Value zero = emit.constant(0.0f);
  Value infinity = emit.constant(std::numeric_limits<float>::infinity());

  // x = 2^n (1+f); denormal numbers are scaled into the normal ones first.
  Value denormal = emit.compare(Predicate::OLT, x, emit.constant(0x1p-126f));
  Value normal = emit.select(denormal, emit.mul(x, emit.constant(0x1p23f)), x);
  Value shifted = emit.subi(emit.asInt(normal), emit.constant(sqrtHalfBits));
  Value n = emit.add(emit.toFloat(emit.shrsi(shifted, 23)),
                     emit.select(denormal, emit.constant(-23.0f), zero));
  Value mantissa = emit.asFloat(emit.addi(emit.andi(shifted, emit.constant(int32_t(0x007fffff))),
                                          emit.constant(sqrtHalfBits)));
  Value f = emit.sub(mantissa, emit.constant(1.0f));

  // f is exact, so adding it last (but for n ln 2, whose product is exact) keeps the error low.
  Value square = emit.mul(f, f);
  Value tail = emit.mul(emit.mul(square, f), emit.polynomial(f, coefficients));
  tail = emit.fma(n, emit.constant(ln2Low), tail);
  tail = emit.fma(square, emit.constant(-0.5f), tail);
  Value result = emit.fma(n, emit.constant(ln2High), emit.add(f, tail));

  // inf and NaN give themselves, 0 gives -inf, and less gives NaN.
  result = emit.select(emit.compare(Predicate::OLT, x, infinity), result, x);
  Value special = emit.select(emit.compare(Predicate::OEQ, x, zero),
                              emit.constant(-std::numeric_limits<float>::infinity()),
                              emit.constant(std::numeric_limits<float>::quiet_NaN()));
  return emit.select(emit.compare(Predicate::OLE, x, zero), special, result);
}

Value emitTanh(OpBuilder &builder, Location loc, Value x, const MathTarget &target) {
  // (tanh(x)/x - 1) / x^2 in x^2 for |x| <= 0.626; 4.5e-9 relative to tanh.
  constexpr float coefficients[] = {-0x1.756216p-8f, 0x1.520b22p-6f, -0x1.b83852p-5f,
                                    0x1.11070ap-3f, -0x1.555532p-2f};
  FloatEmitter emit(builder, loc, x, target);
  Value square = emit.mul(x, x);
  Value small = emit.fma(emit.mul(square, x), emit.polynomial(square, coefficients), x);

  // (1 - t) / (1 + t) with t = exp(-2|x|), which cancels nothing where it is used.
  Value one = emit.constant(1.0f);
  Value magnitude = emit.abs(x);
  Value t = emitExpNonPositive(builder, loc, emit.mul(magnitude, emit.constant(-2.0f)), target);
  Value large = emit.copySign(emit.div(emit.sub(one, t), emit.add(one, t)), x);
  Value isSmall = emit.compare(arith::CmpFPredicate::OLT, magnitude, emit.constant(0.625f));
  return emit.select(isSmall, small, large);
}

Value emitErf(OpBuilder &builder, Location loc, Value x, const MathTarget &target) {
  // erf(x)/x - 1 in x^2 for |x| <= 0.93; 1.7e-8 relative to erf.
  constexpr float smallCoefficients[] = {-0x1.3825d2p-11f, 0x1.46c238p-8f,  -0x1.b676cap-6f,
                                         0x1.ce1904p-4f,   -0x1.8126dcp-2f, 0x1.06eba6p-3f};
  // (log(erfc(x)) + x) / x for x in [0.92, 4]; an error of 6.8e-10 in erf.
  constexpr float largeCoefficients[] = {-0x1.82af0cp-17f, 0x1.557d6cp-12f, -0x1.deea4ep-9f,
                                         0x1.85b394p-6f,   -0x1.b34128p-4f, -0x1.453086p-1f,
                                         -0x1.077accp-3f};
  FloatEmitter emit(builder, loc, x, target);
  Value square = emit.mul(x, x);
  Value small = emit.fma(emit.polynomial(square, smallCoefficients), x, x);

  // From 4 on, erf is 1 in f32.
  Value magnitude = emit.abs(x);
  Value bounded = emit.atMost(4.0f, magnitude);
  Value exponent = emit.fma(emit.polynomial(bounded, largeCoefficients), bounded,
                            emit.sub(emit.constant(0.0f), bounded));
  Value rest = emitExpNonPositive(builder, loc, exponent, target);
  Value large = emit.copySign(emit.sub(emit.constant(1.0f), rest), x);
  Value isSmall = emit.compare(arith::CmpFPredicate::OLT, magnitude, emit.constant(0.925f));
  return emit.select(isSmall, small, large);
}

Value emitRoundEven(OpBuilder &builder, Location loc, Value x, const MathTarget &target) {
  FloatEmitter emit(builder, loc, x, target);
  Value magic = emit.constant(0x1p23f);
  Value magnitude = emit.abs(x);
  Value rounded = emit.copySign(emit.sub(emit.add(magnitude, magic), magic), x);
  // From 2^23 on there is no fraction; NaN and inf end up there too.
  Value hasFraction = emit.compare(arith::CmpFPredicate::OLT, magnitude, magic);
  return emit.select(hasFraction, rounded, x);
}

} // namespace rlx
