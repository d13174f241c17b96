//===- LowerStructured.h - kernels of contractions and attention -*- C++ -*-===//
//
// The emitters behind rlx-lower-structured. Each replaces one op on buffers.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_CODEGEN_CPU_LOWERSTRUCTURED_H
#define RLX_LIB_CODEGEN_CPU_LOWERSTRUCTURED_H

#include "rlx/Codegen/Target.h"

#include "dialects/rlx/Rlx.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace rlx::cpu {

/// Expands a matmul on packed panels.
void lowerPackedMatmul(mlir::OpBuilder &builder, ir::PackedMatmulOp op, const CpuTarget &target);

/// Expands `op` if it is a contraction of floats that has SIMD columns: a loop that is
/// contiguous in the result and in one operand. Returns whether it did.
bool lowerContraction(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op, const CpuTarget &target);

/// Expands attention of any form.
void lowerOnlineAttention(mlir::OpBuilder &builder, ir::OnlineAttentionOp op,
                          const CpuTarget &target);

/// Expands attention whose heads share the queries; it has a static number of keys.
void lowerSharedQueries(mlir::OpBuilder &builder, ir::OnlineAttentionOp op,
                        const CpuTarget &target);

/// Expands attention whose values are wide; see prefersWideAttention.
void lowerWideAttention(mlir::OpBuilder &builder, ir::OnlineAttentionOp op,
                        const CpuTarget &target);

/// Whether the rows and value channels of `op` are enough for a matrix product of their
/// own, in which panels of the values are copied and serve many rows.
bool prefersWideAttention(ir::OnlineAttentionOp op, const CpuTarget &target);

/// Expands the sum over chunks of keys.
void lowerCombineChunks(mlir::OpBuilder &builder, ir::CombineChunksOp op, const CpuTarget &target);

/// A stack buffer for the whole task (or function) that the builder is in.
mlir::Value createScratch(mlir::OpBuilder &builder, mlir::Location loc,
                          llvm::ArrayRef<int64_t> shape, mlir::Type elementType);

} // namespace rlx::cpu

#endif // RLX_LIB_CODEGEN_CPU_LOWERSTRUCTURED_H
