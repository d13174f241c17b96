//===- PtxEmission.cpp - from a gpu.module to PTX -------------------------===//

#include "rlx/Codegen/PtxEmission.h"

#include "rlx/Codegen/Target.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

/// The PTX version that the first driver of an architecture's tensor cores knows.
static constexpr llvm::StringLiteral kPtxFeature = "+ptx80";
static constexpr llvm::StringLiteral kTriple = "nvptx64-nvidia-cuda";

static FailureOr<std::unique_ptr<llvm::TargetMachine>> createMachine(Operation *op, StringRef arch,
                                                                     unsigned optLevel) {
  rlx::initializeTargets();
  llvm::Triple triple(kTriple);
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return op->emitError("this LLVM has no code generator for NVIDIA GPUs");
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, arch, kPtxFeature, llvm::TargetOptions(), std::nullopt,
                                  std::nullopt, static_cast<llvm::CodeGenOptLevel>(optLevel)));
  if (!machine)
    return op->emitError("internal error: no machine for '") << arch << "'";
  return machine;
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel) {
  static const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1, llvm::OptimizationLevel::O2,
      llvm::OptimizationLevel::O3};
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::OptimizationLevel level = levels[optLevel];
  llvm::ModulePassManager manager = optLevel == 0 ? builder.buildO0DefaultPipeline(level)
                                                  : builder.buildPerModuleDefaultPipeline(level);
  manager.run(module, modules);
}

/// Checks that kernels call nothing but what the code generator expands.
static LogicalResult checkSelfContained(Operation *op, const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty())
      return op->emitError("internal error: a kernel needs '")
             << function.getName() << "', which no GPU has";
  return success();
}

FailureOr<std::string> rlx::gpu::emitPtx(mlir::gpu::GPUModuleOp gpuModule, StringRef arch,
                                         unsigned optLevel) {
  FailureOr<std::unique_ptr<llvm::TargetMachine>> machine =
      createMachine(gpuModule, arch, optLevel);
  if (failed(machine))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(gpuModule, context, gpuModule.getName());
  if (!module)
    return gpuModule.emitError("internal error: kernels do not translate to LLVM IR");
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  optimize(*module, **machine, optLevel);
  if (failed(checkSelfContained(gpuModule, *module)))
    return failure();

  SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr,
                                      llvm::CodeGenFileType::AssemblyFile))
    return gpuModule.emitError("internal error: LLVM cannot emit PTX");
  passes.run(*module);
  return text.str().str();
}
