//===- ExpandMath.cpp - the math dialect as vector arithmetic -------------===//

#include "VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace rlx;

namespace {

/// `type` with f32 elements if it has f16 or bf16 ones, else null.
Type promotedType(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!element.isF16() && !element.isBF16())
    return {};
  Type f32 = Float32Type::get(type.getContext());
  if (auto vectorType = dyn_cast<VectorType>(type))
    return vectorType.clone(f32);
  return f32;
}

/// Whether `op` computes with f16 or bf16, rather than moving or converting them.
bool computesSmallFloats(Operation *op) {
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp, arith::BitcastOp, arith::SelectOp>(op))
    return false;
  return llvm::any_of(llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()),
                                         llvm::to_vector(op->getResultTypes())),
                      [](Type type) { return promotedType(type) != nullptr; });
}

/// Replaces `op` by the same op on f32 between conversions; returns the new one.
Operation *promote(RewriterBase &rewriter, Operation *op) {
  rewriter.setInsertionPoint(op);
  Location loc = op->getLoc();
  OperationState state(loc, op->getName());
  state.attributes = llvm::to_vector(op->getAttrs());
  for (Value operand : op->getOperands()) {
    Type wide = promotedType(operand.getType());
    state.operands.push_back(wide ? arith::ExtFOp::create(rewriter, loc, wide, operand) : operand);
  }
  for (Type type : op->getResultTypes())
    state.types.push_back(promotedType(type) ? promotedType(type) : type);
  Operation *promoted = rewriter.create(state);
  SmallVector<Value> results;
  for (auto [result, original] : llvm::zip(promoted->getResults(), op->getResultTypes()))
    results.push_back(result.getType() == original
                          ? Value(result)
                          : arith::TruncFOp::create(rewriter, loc, original, result));
  rewriter.replaceOp(op, results);
  return promoted;
}

/// The code that takes the place of the math op `op`, or null if it stays.
Value expand(OpBuilder &builder, Operation *op, const MathTarget &target) {
  Location loc = op->getLoc();
  Type type = op->getNumResults() == 1 ? op->getResult(0).getType() : Type();
  if (auto fma = dyn_cast<math::FmaOp>(op))
    return target.hasFma ? Value()
                         : emitFma(builder, loc, fma.getA(), fma.getB(), fma.getC(), target);
  if (auto rsqrt = dyn_cast<math::RsqrtOp>(op)) {
    TypedAttr one = builder.getFloatAttr(getElementTypeOrSelf(type), 1.0);
    if (auto vectorType = dyn_cast<VectorType>(type))
      one = DenseElementsAttr::get(vectorType, one);
    return arith::DivFOp::create(builder, loc, arith::ConstantOp::create(builder, loc, one),
                                 math::SqrtOp::create(builder, loc, rsqrt.getOperand()));
  }
  if (!type || !getElementTypeOrSelf(type).isF32())
    return {};
  Value x = op->getOperand(0);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) { return emitExp(builder, loc, x, target); })
      .Case([&](math::LogOp) { return emitLog(builder, loc, x, target); })
      .Case([&](math::TanhOp) { return emitTanh(builder, loc, x, target); })
      .Case([&](math::ErfOp) { return emitErf(builder, loc, x, target); })
      .Case([&](math::RoundEvenOp) {
        return target.roundsByCall ? emitRoundEven(builder, loc, x, target) : Value();
      })
      .Default([](Operation *) { return Value(); });
}

} // namespace

void rlx::expandMath(Operation *root, const MathTarget &target) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa_and_nonnull<math::MathDialect>(op->getDialect()) || computesSmallFloats(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (Operation *op : ops) {
    if (computesSmallFloats(op))
      op = promote(rewriter, op);
    rewriter.setInsertionPoint(op);
    if (isa<math::MathDialect>(op->getDialect()))
      if (Value expanded = expand(rewriter, op, target))
        rewriter.replaceOp(op, expanded);
  }
}
