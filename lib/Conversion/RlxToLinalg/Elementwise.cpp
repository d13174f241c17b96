//===- Elementwise.cpp - Lowering of elementwise ops ----------------------===//

#include "Emitter.h"
#include "rlx/Conversion/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace rlx {

/// An element of a tensor that the graph takes to be of `type`, as it is computed
/// with: booleans are stored as i8.
static Value load(ImplicitLocOpBuilder &b, Value element, Type type) {
  if (type.isInteger(1))
    return arith::TruncIOp::create(b, b.getI1Type(), element);
  return widen(b, b.getLoc(), element);
}

/// The opposite of `load`.
static Value store(ImplicitLocOpBuilder &b, Value element, Type type) {
  if (type.isInteger(1))
    return arith::ExtUIOp::create(b, b.getI8Type(), element);
  return roundTo(b, b.getLoc(), element, type);
}

static Type storageType(Type type) {
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

static SmallVector<Value> lowerActivation(ir::ActivationOp op, ir::ActivationOp::Adaptor operands,
                                          Emitter &emit) {
  Type type = op.getX().getType().getElementType();
  Value result = emit.map(operands.getX(), type, [&](ImplicitLocOpBuilder &b, ValueRange elements) {
    return store(b, activate(b, op.getKind(), load(b, elements[0], type)), type);
  });
  result.getDefiningOp()->setAttr(kActivationAttr, op.getKindAttr());
  return {result};
}

static SmallVector<Value> lowerBinary(ir::BinaryOp op, ir::BinaryOp::Adaptor operands,
                                      Emitter &emit) {
  Type type = op.getLhs().getType().getElementType();
  Operand lhs{operands.getLhs(), "lhs"}, rhs{operands.getRhs(), "rhs"};
  return {emit.elementwise({lhs.value, rhs.value}, emit.broadcast({lhs, rhs}), type,
                           [&](ImplicitLocOpBuilder &b, ValueRange elements) {
                             Value result = combine(b, op.getKind(), load(b, elements[0], type),
                                                    load(b, elements[1], type));
                             return store(b, result, type);
                           })};
}

static SmallVector<Value> lowerCompare(ir::CompareOp op, ir::CompareOp::Adaptor operands,
                                       Emitter &emit) {
  Type type = op.getLhs().getType().getElementType();
  Operand lhs{operands.getLhs(), "lhs"}, rhs{operands.getRhs(), "rhs"};
  return {emit.elementwise({lhs.value, rhs.value}, emit.broadcast({lhs, rhs}), emit.getI8Type(),
                           [&](ImplicitLocOpBuilder &b, ValueRange elements) {
                             Value result = compare(b, op.getKind(), load(b, elements[0], type),
                                                    load(b, elements[1], type));
                             return store(b, result, b.getI1Type());
                           })};
}

static SmallVector<Value> lowerWhere(ir::WhereOp op, ir::WhereOp::Adaptor operands, Emitter &emit) {
  Operand condition{operands.getCondition(), "condition"};
  Operand lhs{operands.getLhs(), "lhs"}, rhs{operands.getRhs(), "rhs"};
  Type type = lhs.type().getElementType();
  return {emit.elementwise(
      {condition.value, lhs.value, rhs.value}, emit.broadcast({condition, lhs, rhs}), type,
      [&](ImplicitLocOpBuilder &b, ValueRange elements) {
        Value chosen = load(b, elements[0], b.getI1Type());
        // Narrow floats are widened here as well: LLVM would do it by library calls.
        Value result = arith::SelectOp::create(b, chosen, widen(b, b.getLoc(), elements[1]),
                                               widen(b, b.getLoc(), elements[2]));
        return roundTo(b, b.getLoc(), result, type);
      })};
}

static SmallVector<Value> lowerCast(ir::CastOp op, ir::CastOp::Adaptor operands, Emitter &emit) {
  Type from = op.getX().getType().getElementType();
  Type to = op.getType().getElementType();
  return {
      emit.map(operands.getX(), storageType(to), [&](ImplicitLocOpBuilder &b, ValueRange elements) {
        Value x = elements[0];
        if (from.isInteger(1))
          x = load(b, x, from);
        Value result = convert(b, x, to);
        return to.isInteger(1) ? store(b, result, to) : result;
      })};
}

void populateElementwiseLowerings(const TypeConverter &converter, RewritePatternSet &patterns) {
  addLowering<ir::ActivationOp>(converter, patterns, lowerActivation);
  addLowering<ir::BinaryOp>(converter, patterns, lowerBinary);
  addLowering<ir::CompareOp>(converter, patterns, lowerCompare);
  addLowering<ir::WhereOp>(converter, patterns, lowerWhere);
  addLowering<ir::CastOp>(converter, patterns, lowerCast);
}

} // namespace rlx
