//===- Kernels.h - GPU kernels of structured ops ---------------*- C++ -*-===//
//
// The emitters behind rlx-map-to-kernels. Each puts one gpu.launch before an op on
// buffers; the pass then erases the op. Depends on the dialects, on nothing of the CPU.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_CODEGEN_GPU_KERNELS_H
#define RLX_LIB_CODEGEN_GPU_KERNELS_H

#include "dialects/rlx/Rlx.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace rlx::gpu {

/// Threads of a block where nothing asks for another number.
constexpr int64_t kBlockThreads = 256;

/// Threads of a warp, and the bits in which their numbers differ.
constexpr int64_t kWarpThreads = 32;
constexpr int64_t kWarpDistances[] = {16, 8, 4, 2, 1};

/// A gpu.launch with a grid and blocks of one dimension. `body` emits the kernel; it is
/// given the numbers of block and thread, and the shared arrays.
void emitLaunch(
    mlir::ImplicitLocOpBuilder &b, mlir::Value numBlocks, int64_t numThreads,
    llvm::ArrayRef<mlir::MemRefType> shared,
    llvm::function_ref<void(mlir::Value block, mlir::Value thread, mlir::ValueRange shared)> body);

/// The type of an array that the threads of a block share.
mlir::MemRefType sharedType(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);

/// The product of sizes; 1 of none.
mlir::Value emitProduct(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange sizes);

/// The row-major coordinates of element `index` of a space of the given sizes.
llvm::SmallVector<mlir::Value> emitCoordinates(mlir::ImplicitLocOpBuilder &b, mlir::Value index,
                                               mlir::ValueRange sizes);

/// Arithmetic on index values.
mlir::Value emitIndex(mlir::ImplicitLocOpBuilder &b, int64_t value);
mlir::Value emitAdd(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs, mlir::Value rhs);
mlir::Value emitMul(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs, mlir::Value rhs);
mlir::Value emitCeilDiv(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs, int64_t rhs);

/// A loop from `from` to `to` whose body turns the values carried into new ones.
llvm::SmallVector<mlir::Value> emitLoop(
    mlir::ImplicitLocOpBuilder &b, mlir::Value from, mlir::Value to, int64_t step,
    mlir::ValueRange carried,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value index, mlir::ValueRange carried)>
        body);

/// Emits `body` for threads where `condition` holds.
void emitIf(mlir::ImplicitLocOpBuilder &b, mlir::Value condition, llvm::function_ref<void()> body);

/// Combines the `value`s of the lanes of a warp whose numbers differ in some of the bits
/// `distances`, one bit after another; each lane gets the result.
mlir::Value emitOverLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                          llvm::ArrayRef<int64_t> distances,
                          llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);

/// A kernel for any linalg op on buffers whose results are indexed by parallel loops.
void emitLinalgKernel(mlir::ImplicitLocOpBuilder &b, mlir::linalg::LinalgOp op);

/// A kernel for `op` if it sums products of floats; returns whether it does.
bool emitContractionKernel(mlir::ImplicitLocOpBuilder &b, mlir::linalg::LinalgOp op);

/// A kernel for attention of any form.
void emitAttentionKernel(mlir::ImplicitLocOpBuilder &b, ir::OnlineAttentionOp op);

/// Whether tiles of many rows and keys fit a GPU's registers for `op`.
bool prefersTiledAttention(ir::OnlineAttentionOp op);

/// A kernel for attention in such tiles.
void emitTiledAttentionKernel(mlir::ImplicitLocOpBuilder &b, ir::OnlineAttentionOp op);

/// A kernel for the sum over chunks of keys.
void emitCombineKernel(mlir::ImplicitLocOpBuilder &b, ir::CombineChunksOp op);

} // namespace rlx::gpu

#endif // RLX_LIB_CODEGEN_GPU_KERNELS_H
