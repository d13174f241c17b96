//===- RlxInterfaces.td - Interfaces of the rlx dialect ---------*- tablegen -*-===//
#ifndef RLX_INTERFACES_TD
#define RLX_INTERFACES_TD

include "mlir/IR/OpBase.td"

def RLX_DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let cppNamespace = "::rlx::ir";
  let description = [{
    An op that simpler ops of the dialect can express. The interpreter, the
    autodiff and backends without a fast path for the op use its plain form.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the plain form at the builder's insertion point and returns one
      value for each result of the op, of the result's type. The op itself is
      left in place. Fails, without a diagnostic and without having built any
      op, where this instance of the op has no plain form.
    }],
    "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "decompose",
    (ins "::mlir::OpBuilder &":$builder)>
  ];
}

def RLX_DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::rlx::ir";
  let description = [{
    An op whose gradient other ops of the dialect can express. The autodiff takes
    ops without it apart, if they are decomposable.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the gradients of the op's operands at the builder's insertion point, from
      those of its results. A null value stands for a gradient of zero, of a result as
      of an operand; at least one result has another. A gradient has the type of its
      tensor. Fails with a diagnostic where this instance of the op has no gradient.
    }],
    "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "buildGradient",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$gradients)>
  ];
}
def RLX_Differentiable : DeclareOpInterfaceMethods<RLX_DifferentiableOpInterface>;

#endif // RLX_INTERFACES_TD
