//===- ObjectEmission.h - LLVM dialect to machine code ---------*- C++ -*-===//
//
// From the module that buildHostLoweringPipeline leaves to an object file, and
// from that to a shared module or to code in this process. Depends on LLVM and,
// for sealing and loading, on the runtime.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_CODEGEN_OBJECTEMISSION_H
#define RLX_CODEGEN_OBJECTEMISSION_H

#include "rlx/Codegen/Target.h"
#include "rlx/Runtime/Runtime.h"
#include "rlx/Runtime/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace rlx {

/// Adds to `registry` what translating to LLVM IR needs.
void registerObjectEmissionDialects(mlir::DialectRegistry &registry);

/// Turns a module of the LLVM dialect into machine code for one target. The steps
/// are apart so that each result can be looked at.
class ObjectEmitter {
public:
  /// `optLevel` is 0 to 3, as in -O3.
  static Result<ObjectEmitter> create(const CpuTarget &target, unsigned optLevel);
  ObjectEmitter(ObjectEmitter &&);
  ~ObjectEmitter();

  /// Translates to LLVM IR for the target.
  Result<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp module,
                                                  llvm::LLVMContext &context) const;

  /// Runs LLVM's optimizer.
  void optimize(llvm::Module &module) const;

  /// Emits an object file. That it needs nothing but libc's memory functions and
  /// libm is checked.
  Result<std::vector<uint8_t>> emitObject(llvm::Module &module) const;

  /// Emits assembly text.
  Result<std::string> emitAssembly(llvm::Module &module) const;

private:
  ObjectEmitter(const CpuTarget &target, unsigned optLevel,
                std::unique_ptr<llvm::TargetMachine> machine);

  CpuTarget target;
  unsigned optLevel;
  std::unique_ptr<llvm::TargetMachine> machine;
};

/// Links an object file to a sealed shared module.
Result<std::vector<uint8_t>> linkSharedModule(std::span<const uint8_t> object,
                                              const CpuTarget &target);

/// Loads an object file for this machine into the process. Its code is the same as
/// that of the shared module, and lives as long as the result.
Result<Module> loadObject(std::span<const uint8_t> object,
                          const std::string &querySymbol = RLX_MODULE_QUERY_SYMBOL);

} // namespace rlx

#endif // RLX_CODEGEN_OBJECTEMISSION_H
