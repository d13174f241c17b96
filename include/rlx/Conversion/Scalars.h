//===- Scalars.h - Functions of single elements -----------------*- C++ -*-===//
//
// The arithmetic of elementwise ops on scalars, over arith and math. Floats come and
// go in the type that is computed in, f32 or f64, booleans as i1. `activate` takes
// vectors as well.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_CONVERSION_SCALARS_H
#define RLX_CONVERSION_SCALARS_H

#include "dialects/rlx/Rlx.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace rlx {

/// On an elementwise linalg op of one input: the activation that its body computes.
inline constexpr llvm::StringLiteral kActivationAttr = "rlx.activation";

/// The constant `value` of an integer or float type, or a vector of them.
mlir::Value scalarConstant(mlir::ImplicitLocOpBuilder &b, mlir::Type type, double value);

mlir::Value activate(mlir::ImplicitLocOpBuilder &b, ir::ActivationKind kind, mlir::Value x);
mlir::Value combine(mlir::ImplicitLocOpBuilder &b, ir::BinaryKind kind, mlir::Value lhs,
                    mlir::Value rhs);
/// The i1 that says whether `lhs` and `rhs` are so related.
mlir::Value compare(mlir::ImplicitLocOpBuilder &b, ir::CompareKind kind, mlir::Value lhs,
                    mlir::Value rhs);
/// Converts an element to `type` as `rlx.cast` does. Here floats may be narrow.
mlir::Value convert(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Type type);

} // namespace rlx

#endif // RLX_CONVERSION_SCALARS_H
