//===- ParamSlice.h - what depends on params alone -------------*- C++ -*-===//
#ifndef RLX_LIB_CODEGEN_COMMON_PARAMSLICE_H
#define RLX_LIB_CODEGEN_COMMON_PARAMSLICE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace rlx {

/// The values of a function's top-level block that depend on params and constants
/// alone, so that they can be computed once, when params are bound.
class ParamSlice {
public:
  explicit ParamSlice(mlir::func::FuncOp function);

  /// True if `value` depends on at least one param and on nothing given later.
  bool contains(mlir::Value value) const { return params.contains(value); }

  /// True if `value` depends on constants alone.
  bool isConstant(mlir::Value value) const { return constants.contains(value); }

private:
  llvm::DenseSet<mlir::Value> params, constants;
};

} // namespace rlx

#endif // RLX_LIB_CODEGEN_COMMON_PARAMSLICE_H
