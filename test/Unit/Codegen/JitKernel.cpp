//===- JitKernel.cpp - runs functions of a module in this process ---------===//

#include "JitKernel.h"

#include "rlx/Codegen/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

namespace rlx::test {

std::vector<CpuTarget> runnableTargets() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  CpuTarget target;
  target.triple = llvm::sys::getDefaultTargetTriple();
  std::vector<CpuTarget> targets;
  auto append = [&](StringRef cpu, unsigned vectorBits, bool hasFma) {
    target.cpu = cpu.str();
    target.vectorBits = vectorBits;
    target.hasFma = hasFma;
    targets.push_back(target);
  };
  append("x86-64", 128, false);
  if (features.lookup("avx2") && features.lookup("fma"))
    append("x86-64-v3", 256, true);
  if (features.lookup("avx512vl") && features.lookup("avx512bw"))
    append("x86-64-v4", 512, true);
  return targets;
}

std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

static LogicalResult lowerToLlvm(ModuleOp module) {
  for (func::FuncOp func : module.getOps<func::FuncOp>())
    func->setAttr("llvm.emit_c_interface", UnitAttr::get(module.getContext()));
  PassManager pm(module.getContext());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addNestedPass<func::FuncOp>(rlx::createConvertToLlvm());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(module);
}

llvm::Expected<std::unique_ptr<ExecutionEngine>> compile(ModuleOp module, const CpuTarget &target) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  if (failed(lowerToLlvm(module)))
    return llvm::createStringError("lowering to llvm failed");

  std::string error;
  llvm::Triple triple(target.triple);
  const llvm::Target *llvmTarget = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!llvmTarget)
    return llvm::createStringError(error);
  std::unique_ptr<llvm::TargetMachine> machine(llvmTarget->createTargetMachine(
      triple, target.cpu, target.features, llvm::TargetOptions(), llvm::Reloc::PIC_));
  auto optimize = makeOptimizingTransformer(/*optLevel=*/1, /*sizeLevel=*/0, machine.get());
  ExecutionEngineOptions options;
  options.transformer = optimize;
  return ExecutionEngine::create(module, options, std::move(machine));
}

} // namespace rlx::test
