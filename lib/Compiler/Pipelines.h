//===- Pipelines.h - the phases of a compilation ---------------*- C++ -*-===//
//
// Private to lib/Compiler. Each phase is a function in Pipelines.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_COMPILER_PIPELINES_H
#define RLX_LIB_COMPILER_PIPELINES_H

#include "rlx/Codegen/Target.h"
#include "rlx/Compiler/CompileModule.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"

namespace rlx {

/// The phases on MLIR, in order. The kernels are a GPU's.
enum class Phase { Input, Graph, Linalg, Codegen, Kernels, Llvm };

/// The phase that takes up a module: of a graph, of what `--emit linalg` wrote, or
/// of functions on memrefs.
Phase findFirstPhase(mlir::ModuleOp module);

/// The last phase on MLIR that `kind` needs.
Phase findLastPhase(EmitKind kind);

/// The module's one gpu.module, or null.
mlir::gpu::GPUModuleOp findKernels(mlir::ModuleOp module);

/// Adds the phases from `first` to `last`, and what reports and dumps them.
void buildPhases(mlir::PassManager &manager, Phase first, Phase last, const CpuTarget &target,
                 const CompileOptions &options, const PhaseCallback &onPhase);

} // namespace rlx

#endif // RLX_LIB_COMPILER_PIPELINES_H
