//===- CompileModule.h - the compiler for those who know MLIR --*- C++ -*-===//
#ifndef RLX_COMPILER_COMPILEMODULE_H
#define RLX_COMPILER_COMPILEMODULE_H

#include "rlx/Compiler/CompileReport.h"
#include "rlx/Compiler/Compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <string>

namespace rlx {

/// What a tool adds to a compilation.
struct CompileHooks {
  PhaseCallback onPhase;
  /// Called on the pass manager before it runs, for timing, printing, reproducers.
  std::function<mlir::LogicalResult(mlir::PassManager &)> configure;
  /// If not null, filled in with what the compilation does.
  CompileReport *report = nullptr;
};

/// Adds all dialects, interfaces and translations that a compilation uses.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// Registers every pass and pipeline of the project, for textual pipelines.
void registerCompilerPasses();

/// Reads a module from a file, text or bytecode. Unlike Graph::load, takes what an
/// earlier compilation has emitted, and does not ask for a graph.
Result<mlir::OwningOpRef<mlir::ModuleOp>> parseModule(const std::string &path,
                                                      mlir::MLIRContext &context);

/// Makes the one graph of a module its gradient graph; see Gradient.h.
Status differentiate(mlir::ModuleOp module, const std::vector<std::string> &wrt = {});

/// Compiles a module in place; it ends in the lowest form of MLIR that
/// `options.emit` needs. The module holds a graph, or what an earlier compilation
/// emitted: it is taken up at the phase where that stopped. Its context knows the
/// dialects above.
Result<std::vector<uint8_t>> compile(mlir::ModuleOp module, const CompileOptions &options,
                                     const CompileHooks &hooks = {});

} // namespace rlx

#endif // RLX_COMPILER_COMPILEMODULE_H
