//===- LegalizeFloats.cpp - small floats without a support library --------===//
//
// Conversions between f32 or f64 and f16 or bf16 as integer arithmetic, where
// LLVM would call compiler-rt.
//
//===----------------------------------------------------------------------===//

#include "rlx/Codegen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace rlx {
#define GEN_PASS_DEF_LEGALIZEFLOATS
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;

namespace {

/// `type`, or its element type, replaced by `element`.
Type withElement(Type type, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(element);
  return element;
}

/// Builds arithmetic on the bits of floats, scalars and vectors alike.
class Bits {
public:
  Bits(PatternRewriter &rewriter, Location loc, Type shape) : b(loc, rewriter), shape(shape) {}

  Type integer(unsigned width) { return withElement(shape, b.getIntegerType(width)); }
  Type f32() { return withElement(shape, b.getF32Type()); }
  Value word(uint32_t value) {
    Attribute attr = b.getI32IntegerAttr(static_cast<int32_t>(value));
    Type type = integer(32);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(shaped, attr);
    return arith::ConstantOp::create(b, cast<TypedAttr>(attr));
  }
  Value asFloat(Value bits) { return arith::BitcastOp::create(b, f32(), bits); }
  Value asWord(Value number) { return arith::BitcastOp::create(b, integer(32), number); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value band(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value bor(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value shiftLeft(Value x, uint32_t by) { return arith::ShLIOp::create(b, x, word(by)); }
  Value shiftRight(Value x, uint32_t by) { return arith::ShRUIOp::create(b, x, word(by)); }
  Value select(Value c, Value x, Value y) { return arith::SelectOp::create(b, c, x, y); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y);
  }

  ImplicitLocOpBuilder b;

private:
  Type shape;
};

/// f32 to f16, to nearest even, with subnormals, infinities and NaN.
struct ExpandTruncToF16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(op.getType()).isF16() || !getElementTypeOrSelf(x.getType()).isF32())
      return failure();
    Bits bits(rewriter, op.getLoc(), x.getType());
    using P = arith::CmpIPredicate;
    Value all = bits.asWord(x);
    Value sign = bits.band(all, bits.word(0x80000000u));
    Value magnitude = bits.band(all, bits.word(0x7fffffffu));

    // Normal numbers: rebias the exponent and round; a carry reaches the exponent.
    Value odd = bits.band(bits.shiftRight(magnitude, 13), bits.word(1));
    Value rebiased = bits.add(magnitude, bits.word((uint32_t(15 - 127) << 23) + 0xfff));
    Value normal = bits.shiftRight(bits.add(rebiased, odd), 13);
    // Subnormal results: adding 0.5 shifts and rounds in the float adder.
    Value half = bits.word(0x3f000000u);
    Value sum =
        arith::AddFOp::create(bits.b, bits.asFloat(magnitude), bits.asFloat(half)).getResult();
    Value subnormal = bits.sub(bits.asWord(sum), half);
    Value isNan = bits.compare(P::ugt, magnitude, bits.word(0x7f800000u));
    Value special = bits.select(isNan, bits.word(0x7e00), bits.word(0x7c00));

    Value isSmall = bits.compare(P::ult, magnitude, bits.word(113u << 23));
    Value isLarge = bits.compare(P::uge, magnitude, bits.word((127u + 16) << 23));
    Value result = bits.select(isLarge, special, bits.select(isSmall, subnormal, normal));
    result = bits.bor(result, bits.shiftRight(sign, 16));
    Value narrow = arith::TruncIOp::create(bits.b, bits.integer(16), result);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), narrow);
    return success();
  }
};

/// f32 to bf16, to nearest even; NaN stays NaN. The last step is arithmetic, not a
/// selection, which LLVM would turn into one of bf16 vectors and convert these back and
/// forth through f32.
struct ExpandTruncToBf16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(op.getType()).isBF16() || !getElementTypeOrSelf(x.getType()).isF32())
      return failure();
    Bits bits(rewriter, op.getLoc(), x.getType());
    Value all = bits.asWord(x);
    Value isNan = bits.compare(arith::CmpIPredicate::ugt, bits.band(all, bits.word(0x7fffffffu)),
                               bits.word(0x7f800000u));
    Value odd = bits.band(bits.shiftRight(all, 16), bits.word(1));
    Value half = bits.select(isNan, bits.word(0), bits.add(bits.word(0x7fff), odd));
    Value quiet = bits.select(isNan, bits.word(0x40), bits.word(0));
    Value result = bits.bor(bits.shiftRight(bits.add(all, half), 16), quiet);
    Value narrow = arith::TruncIOp::create(bits.b, bits.integer(16), result);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), narrow);
    return success();
  }
};

/// bf16 to f32.
struct ExpandExtFromBf16 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(x.getType()).isBF16() || !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Bits bits(rewriter, op.getLoc(), x.getType());
    Value word = arith::ExtUIOp::create(bits.b, bits.integer(32),
                                        arith::BitcastOp::create(bits.b, bits.integer(16), x));
    rewriter.replaceOp(op, bits.asFloat(bits.shiftLeft(word, 16)));
    return success();
  }
};

/// f16 to f32.
struct ExpandExtFromF16 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(x.getType()).isF16() || !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Bits bits(rewriter, op.getLoc(), x.getType());
    using P = arith::CmpIPredicate;
    Value half = arith::BitcastOp::create(bits.b, bits.integer(16), x);
    Value all = arith::ExtUIOp::create(bits.b, bits.integer(32), half);
    Value shifted = bits.shiftLeft(bits.band(all, bits.word(0x7fff)), 13);
    Value exponent = bits.band(shifted, bits.word(0x7c00u << 13));
    Value normal = bits.add(shifted, bits.word((127u - 15) << 23));
    Value special = bits.add(normal, bits.word((128u - 16) << 23));
    // Subnormals: the float adder normalizes them.
    Value smallest = bits.word(113u << 23);
    Value difference = arith::SubFOp::create(
        bits.b, bits.asFloat(bits.add(normal, bits.word(1u << 23))), bits.asFloat(smallest));
    Value isSpecial = bits.compare(P::eq, exponent, bits.word(0x7c00u << 13));
    Value isSmall = bits.compare(P::eq, exponent, bits.word(0));
    Value magnitude =
        bits.select(isSpecial, special, bits.select(isSmall, bits.asWord(difference), normal));
    Value sign = bits.shiftLeft(bits.band(all, bits.word(0x8000)), 16);
    rewriter.replaceOp(op, bits.asFloat(bits.bor(magnitude, sign)));
    return success();
  }
};

/// f64 to f16 or bf16 through f32. What the first step rounds is made odd in its
/// last bit, so that it is not taken for a tie by the second.
struct SplitTruncOfF64 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(x.getType()).isF64() ||
        getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() != 16)
      return failure();
    Bits bits(rewriter, op.getLoc(), x.getType());
    ImplicitLocOpBuilder &b = bits.b;
    Value nearest = arith::TruncFOp::create(b, bits.f32(), x);
    Value back = arith::ExtFOp::create(b, x.getType(), nearest);
    Value inexact = arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, back, x);
    Type wideBits = withElement(x.getType(), b.getI64Type());
    auto magnitude = [&](Value number) -> Value {
      Value word = arith::BitcastOp::create(b, wideBits, number);
      TypedAttr one = b.getI64IntegerAttr(1);
      if (auto shaped = dyn_cast<ShapedType>(wideBits))
        one = DenseElementsAttr::get(shaped, Attribute(one));
      return arith::ShLIOp::create(b, word, arith::ConstantOp::create(b, one));
    };
    Value away = bits.compare(arith::CmpIPredicate::ugt, magnitude(back), magnitude(x));
    Value word = bits.asWord(nearest);
    Value towardZero = bits.select(away, bits.sub(word, bits.word(1)), word);
    Value odd = bits.select(inexact, bits.bor(towardZero, bits.word(1)), word);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), bits.asFloat(odd));
    return success();
  }
};

/// f16 or bf16 to f64 through f32, which is exact.
struct SplitExtToF64 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(op.getType()).isF64() ||
        getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth() != 16)
      return failure();
    Type f32 = withElement(x.getType(), rewriter.getF32Type());
    Value middle = arith::ExtFOp::create(rewriter, op.getLoc(), f32, x);
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), middle);
    return success();
  }
};

struct LegalizeFloatsPass : public rlx::impl::LegalizeFloatsBase<LegalizeFloatsPass> {
  using LegalizeFloatsBase::LegalizeFloatsBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SplitTruncOfF64, SplitExtToF64, ExpandTruncToBf16, ExpandExtFromBf16>(
        &getContext());
    if (!nativeF16)
      patterns.add<ExpandTruncToF16, ExpandExtFromF16>(&getContext());
    // Folding is left to canonicalization: it would also reassemble vectors.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
