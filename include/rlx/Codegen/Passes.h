//===- Passes.h - passes and pipelines of the code generator ---*- C++ -*-===//
//
// From linalg on tensors to the LLVM dialect, for CPUs and GPUs. The passes are declared
// and described in Passes.td.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_CODEGEN_PASSES_H
#define RLX_CODEGEN_PASSES_H

#include "rlx/Codegen/HostDialect.h"
#include "rlx/Codegen/Target.h"

#include "dialects/rlx/Rlx.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <memory>
#include <string>

namespace rlx {

#define GEN_PASS_DECL
#include "rlx/Codegen/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "rlx/Codegen/Passes.h.inc"

/// What the pipelines below may be told beyond the target.
struct CpuCodegenOptions {
  /// Passes of the middle end that are switched off, by name.
  std::vector<std::string> disabledPasses;
};

/// Linalg on tensors to loops and vectors on memrefs: tiling, fusion,
/// bufferization, memory plan, vector kernels. Leaves the functions that the host
/// ABI expects (see Signature.h).
void buildCpuCodegenPipeline(mlir::OpPassManager &manager, const CpuTarget &target,
                             const CpuCodegenOptions &options);

/// What the GPU pipelines may be told.
struct GpuCodegenOptions {
  /// Passes of the middle end that are switched off, by name.
  std::vector<std::string> disabledPasses;
  /// Bytes of keys and values of a chunk that one block attends to, where keys are split.
  int64_t chunkBytes = 128 * 1024;
};

/// Linalg on tensors to launches of kernels in the GPU dialect.
void buildGpuCodegenPipeline(mlir::OpPassManager &manager, const GpuCodegenOptions &options);

/// The kernels from the GPU dialect to the NVVM and LLVM dialects.
void buildKernelLoweringPipeline(mlir::OpPassManager &manager);

/// Loops and vectors on memrefs to the LLVM dialect, with the C interface of
/// rlx/Runtime/abi.h under the name `querySymbol`.
void buildHostLoweringPipeline(mlir::OpPassManager &manager, const CpuTarget &target,
                               llvm::StringRef querySymbol = "rlx_module_query");

/// Lets one-shot bufferization handle the structured ops of the rlx dialect.
void registerBufferizableOps(mlir::DialectRegistry &registry);

/// Registers the passes, and the pipeline above as `rlx-lower-to-llvm`.
void registerCodegenPassesAndPipelines();

} // namespace rlx

#endif // RLX_CODEGEN_PASSES_H
