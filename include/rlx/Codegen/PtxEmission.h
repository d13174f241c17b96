//===- PtxEmission.h - from a gpu.module to PTX ----------------*- C++ -*-===//
#ifndef RLX_CODEGEN_PTXEMISSION_H
#define RLX_CODEGEN_PTXEMISSION_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <string>

namespace rlx::gpu {

/// The PTX of a module of the LLVM dialect for an architecture as in "sm_90". What is
/// wrong is diagnosed.
mlir::FailureOr<std::string> emitPtx(mlir::gpu::GPUModuleOp module, llvm::StringRef arch,
                                     unsigned optLevel);

} // namespace rlx::gpu

#endif // RLX_CODEGEN_PTXEMISSION_H
