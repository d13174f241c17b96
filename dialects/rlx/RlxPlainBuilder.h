//===- RlxPlainBuilder.h - Builds plain ops ---------------------*- C++ -*-===//
//
// What decompositions and gradients are built with.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_DIALECTS_RLX_RLXPLAINBUILDER_H
#define RLX_DIALECTS_RLX_RLXPLAINBUILDER_H

#include "dialects/rlx/Rlx.h"

namespace rlx::ir {

/// Builds plain ops at one location.
class PlainBuilder {
public:
  PlainBuilder(mlir::OpBuilder &builder, mlir::Operation *op)
      : builder(builder), loc(op->getLoc()) {}

  template <typename OpT, typename... Args> OpT create(Args &&...args) {
    return OpT::create(builder, loc, std::forward<Args>(args)...);
  }

  mlir::Value binary(BinaryKind kind, mlir::Value lhs, mlir::Value rhs) {
    return create<BinaryOp>(kind, lhs, rhs);
  }
  mlir::Value add(mlir::Value lhs, mlir::Value rhs) { return binary(BinaryKind::Add, lhs, rhs); }
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs) { return binary(BinaryKind::Sub, lhs, rhs); }
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs) { return binary(BinaryKind::Mul, lhs, rhs); }
  mlir::Value div(mlir::Value lhs, mlir::Value rhs) { return binary(BinaryKind::Div, lhs, rhs); }
  mlir::Value compare(CompareKind kind, mlir::Value lhs, mlir::Value rhs) {
    return create<CompareOp>(kind, lhs, rhs);
  }
  mlir::Value where(mlir::Value condition, mlir::Value lhs, mlir::Value rhs) {
    return create<WhereOp>(condition, lhs, rhs);
  }
  mlir::Value activation(ActivationKind kind, mlir::Value x) {
    return create<ActivationOp>(kind, x);
  }
  mlir::Value reduce(ReduceKind kind, mlir::Value x, llvm::ArrayRef<int64_t> axes,
                     bool keepDims = true) {
    return create<ReduceOp>(kind, x, axes, keepDims);
  }
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation) {
    return create<TransposeOp>(x, permutation);
  }
  mlir::Value narrow(mlir::Value x, int64_t axis, int64_t start, int64_t length) {
    return create<NarrowOp>(x, axis, start, length);
  }

  /// A scalar of the element type of `like`.
  mlir::Value scalar(mlir::Value like, double value);

  /// The tensor with elements of another type.
  mlir::Value convert(mlir::Value x, mlir::Type element);

  /// The tensor under a type that may differ in element type and dynamic dims.
  mlir::Value asType(mlir::Value x, mlir::Type type);

  /// `x` with its last two dims exchanged.
  mlir::Value transposeMatrix(mlir::Value x);

  /// A tensor of the type of `x` whose elements all are `value`.
  mlir::Value filledLike(mlir::Value x, double value);
  mlir::Value zerosLike(mlir::Value x) { return filledLike(x, 0); }

  /// `x`, whose dims broadcast to those of `like`, with the dims of `like`.
  mlir::Value broadcastLike(mlir::Value x, mlir::Value like);

  /// The sum of `x` over what an operand of type `type` was broadcast to its dims by.
  mlir::Value sumTo(mlir::Value x, mlir::Type type);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace rlx::ir

#endif // RLX_DIALECTS_RLX_RLXPLAINBUILDER_H
