//===- VectorMath.cpp - elementary functions as vector code ---------------===//

#include "VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace rlx::cpu {
namespace {

/// Shorthand for f32 code over values of one shape: scalars, or vectors of it.
class FloatEmitter {
public:
  FloatEmitter(OpBuilder &builder, Location loc, Value like, const CpuTarget &target)
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
  const CpuTarget &target;
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

Value emitFma(OpBuilder &builder, Location loc, Value a, Value b, Value c,
              const CpuTarget &target) {
  if (target.hasFma)
    return math::FmaOp::create(builder, loc, a, b, c);
  return arith::AddFOp::create(builder, loc, arith::MulFOp::create(builder, loc, a, b), c);
}

Value emitExp(OpBuilder &builder, Location loc, Value x, const CpuTarget &target) {
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

Value emitExpNonPositive(OpBuilder &builder, Location loc, Value x, const CpuTarget &target) {
  FloatEmitter emit(builder, loc, x, target);
  x = emit.atLeast(-104.0f, x);
  // With the exponent's bias carried along, the low bits are 2^n's exponent field;
  // below the normal numbers they are held at 0, which makes the scale 0.
  auto [power, mantissa] = reduceExponent(emit, x, 127);
  power = emit.maxsi(power, emit.constant(roundMagicBits));
  return emit.mul(mantissa, emit.asFloat(emit.shl(power, 23)));
}

} // namespace rlx::cpu
