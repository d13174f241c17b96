//===- JitKernel.h - runs functions of a module in this process -*- C++ -*-===//
//
// For tests of code generation: lowers a module of func, memref, scf, vector,
// linalg and math to machine code of a chosen CPU, with upstream's passes down to the
// conversion to LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_TEST_UNIT_CODEGEN_JITKERNEL_H
#define RLX_TEST_UNIT_CODEGEN_JITKERNEL_H

#include "rlx/Codegen/Target.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <memory>
#include <vector>

namespace rlx::test {

/// The x86-64 levels that this machine runs, least first: without FMA and with
/// 128-bit vectors, with FMA and 256-bit vectors, and so on.
std::vector<CpuTarget> runnableTargets();

/// A context with every dialect a kernel may be written in.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Lowers `module` (in place) to LLVM and compiles it for `target`. Functions are
/// looked up by name in the result and take their arguments as the C interface
/// of upstream's ExecutionEngine does.
llvm::Expected<std::unique_ptr<mlir::ExecutionEngine>> compile(mlir::ModuleOp module,
                                                               const CpuTarget &target);

} // namespace rlx::test

#endif // RLX_TEST_UNIT_CODEGEN_JITKERNEL_H
