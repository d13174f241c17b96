//===- Contraction.h - loops around the micro-kernel ------------*- C++ -*-===//
//
// Sums of products of a row operand and a column operand of any layout, in loops
// around the micro-kernel. Panels of SIMD columns are the outer loop, so that a
// panel stays in the first-level cache while the rows pass over it.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_CODEGEN_CPU_CONTRACTION_H
#define RLX_LIB_CODEGEN_CPU_CONTRACTION_H

#include "MicroKernel.h"

#include <functional>

namespace rlx::cpu {

/// How a contraction reads its operands and writes its result, whatever their layout.
/// Rows, columns and the reduction are counted by the three indices m, n and k.
struct Contraction {
  mlir::OpFoldResult rows, columns, depth;
  mlir::Type elementType; ///< of the accumulators
  /// Element (k, m) of the operand that is broadcast.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Value k, mlir::Value m)> loadRow;
  /// `lanes` elements from (k, n) on of the other operand; `mask` is null or selects lanes.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Value k, mlir::Value n, mlir::VectorType,
                            mlir::Value mask)>
      loadColumns;
  /// The vector that the sum of (m, n...) starts from.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Value m, mlir::Value n, mlir::VectorType,
                            mlir::Value mask)>
      loadInit;
  /// Stores a finished vector of (m, n...).
  std::function<void(mlir::OpBuilder &, mlir::Value value, mlir::Value m, mlir::Value n,
                     mlir::Value mask)>
      store;
  /// Where to copy a panel of columns before the rows pass over it, memref<depth x
  /// columns of a tile>; null where they are read in place.
  mlir::Value panel;
  /// Vectors of columns in a register tile; 0 for the target's best.
  int64_t vectors = 0;
  /// Leave products out whose row element is zero, whatever the column element is.
  bool skipsZeros = false;
};

/// Emits the contraction at the builder's insertion point.
void emitContraction(mlir::OpBuilder &builder, mlir::Location loc, const CpuTarget &target,
                     const Contraction &contraction);

/// Loads a vector of `type` from consecutive elements, widening where the memref is
/// narrower; masked-off lanes are zero.
mlir::Value loadVector(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memref,
                       mlir::ValueRange indices, mlir::VectorType type, mlir::Value mask = {});

/// Stores a vector to consecutive elements, narrowing where the memref is narrower.
void storeVector(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                 mlir::Value memref, mlir::ValueRange indices, mlir::Value mask = {});

} // namespace rlx::cpu

#endif // RLX_LIB_CODEGEN_CPU_CONTRACTION_H
