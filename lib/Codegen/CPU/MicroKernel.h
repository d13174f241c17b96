//===- MicroKernel.h - register-tiled inner products -----------*- C++ -*-===//
//
// The inner loop that matmul and attention share: a tile of rows x SIMD columns
// held in registers, to which the kernel adds one outer product for each step of
// the reduction. See Goto and van de Geijn, "Anatomy of high-performance matrix
// multiplication", 2008.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_CODEGEN_CPU_MICROKERNEL_H
#define RLX_LIB_CODEGEN_CPU_MICROKERNEL_H

#include "rlx/Codegen/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace rlx::cpu {

/// Rows and SIMD vectors of columns that a kernel keeps in registers.
struct RegisterTile {
  int64_t rows;    ///< most rows of one kernel
  int64_t vectors; ///< vectors of columns
  int64_t lanes;   ///< elements of a vector

  int64_t columns() const { return vectors * lanes; }

  /// The largest tile whose accumulators, one row of columns and one broadcast
  /// element fit in the target's registers, for elements of `bits` bits and
  /// `vectors` vectors of columns (0: the target's best).
  static RegisterTile get(const CpuTarget &target, unsigned bits, int64_t vectors = 0);
};

/// Emits `step` for rows [0, rows) in blocks of at most `maxRows`: as few kernels
/// as possible, of almost equal height if `rows` is static. `step` gets the first
/// row and the number of rows.
void emitRowBlocks(mlir::OpBuilder &builder, mlir::Location loc, mlir::OpFoldResult rows,
                   int64_t maxRows,
                   llvm::function_ref<void(mlir::Value firstRow, int64_t numRows)> step);

/// Accumulators of a kernel, row by row.
using Accumulators = llvm::SmallVector<mlir::Value>;

/// Emits `acc[r][v] += a(k, r) * b(k, v)` for k in [0, depth). `a` returns a scalar,
/// `b` a vector of the accumulators' type. With `skipsZeros`, products with an `a` of
/// zero are left out, so that NaN and Inf in `b` don't matter there.
Accumulators emitKernelLoop(mlir::OpBuilder &builder, mlir::Location loc, const CpuTarget &target,
                            mlir::OpFoldResult depth, int64_t rows, int64_t vectors,
                            Accumulators init,
                            llvm::function_ref<mlir::Value(mlir::Value k, int64_t row)> a,
                            llvm::function_ref<mlir::Value(mlir::Value k, int64_t vector)> b,
                            bool skipsZeros = false);

/// Transposes a square of vectors in registers, log2(n) rounds of shuffles: the
/// vectors are rows of n elements, n a power of two.
llvm::SmallVector<mlir::Value> emitTranspose(mlir::OpBuilder &builder, mlir::Location loc,
                                             llvm::ArrayRef<mlir::Value> rows);

/// `index + offset`, folded where constant.
mlir::Value emitAddIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value index,
                         int64_t offset);

/// Emits a loop over [0, size) in steps of `step`; the body gets the position.
void emitLoop(mlir::OpBuilder &builder, mlir::Location loc, mlir::OpFoldResult size, int64_t step,
              llvm::function_ref<void(mlir::OpBuilder &, mlir::Value)> body);

/// Widens or narrows a scalar or vector of floats to `elementType`.
mlir::Value emitFloatCast(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                          mlir::Type elementType);

} // namespace rlx::cpu

#endif // RLX_LIB_CODEGEN_CPU_MICROKERNEL_H
