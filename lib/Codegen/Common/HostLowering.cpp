//===- HostLowering.cpp - from memrefs to the LLVM dialect ----------------===//
//
// The pipeline that ends every CPU compilation; see docs/architecture.md.
//
//===----------------------------------------------------------------------===//

#include "rlx/Codegen/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace rlx {

/// f16 and bf16 become storage types: they are widened to f32 for arithmetic.
static void addFloatLegalization(OpPassManager &manager, const CpuTarget &target) {
  math::MathExtendToSupportedTypesOptions math;
  manager.addPass(math::createMathExtendToSupportedTypes(math));
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"f16", "bf16"};
  emulate.targetTypeStr = "f32";
  manager.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  LegalizeFloatsOptions legalize;
  legalize.nativeF16 = target.hasF16Conversion;
  manager.addPass(createLegalizeFloats(legalize));
}

void buildHostLoweringPipeline(OpPassManager &manager, const CpuTarget &target,
                               llvm::StringRef querySymbol) {
  manager.addPass(createVerifySelfContained());
  manager.addPass(createOutlineParallel());
  manager.addPass(func::createDuplicateFunctionEliminationPass());

  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createConvertVectorToSCFPass());
  addFloatLegalization(functions, target);
  functions.addPass(createLowerAffinePass());
  functions.addPass(createSCFToControlFlowPass());
  functions.addPass(memref::createExpandStridedMetadataPass());
  functions.addPass(createLowerAffinePass());
  functions.addPass(arith::createArithExpandOpsPass());
  // Not canonicalized here: that would turn vectors built by insertion into
  // scalar code.
  functions.addPass(createCSEPass());

  EmitHostAbiOptions abi;
  abi.triple = target.triple;
  abi.cpu = target.cpu;
  abi.features = target.features;
  abi.querySymbol = querySymbol.str();
  manager.addPass(createEmitHostAbi(abi));

  // Math first: what libm computes leaves vectors taken apart and put together. Passes
  // that add nothing to the module run on its functions in parallel.
  manager.nestAny().addPass(createConvertMathToLLVMPass());
  manager.addPass(createConvertMathToLibmPass());
  OpPassManager &bodies = manager.nestAny();
  ConvertVectorToLLVMPassOptions vector;
  vector.reassociateFPReductions = true; // a tree of fixed shape
  bodies.addPass(createConvertVectorToLLVMPass(vector));
  bodies.addPass(createConvertToLlvm());
  FinalizeMemRefToLLVMConversionPassOptions globals;
  globals.useGenericFunctions = false;
  manager.addPass(createFinalizeMemRefToLLVMConversionPass(globals));
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  // Descriptors of memrefs fold away here faster than in LLVM.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

namespace {
struct LowerToLlvmOptions : public PassPipelineOptions<LowerToLlvmOptions> {
  Option<std::string> triple{*this, "triple", llvm::cl::desc("LLVM target triple"),
                             llvm::cl::init("")};
  Option<std::string> cpu{*this, "cpu", llvm::cl::desc("LLVM CPU name"), llvm::cl::init("host")};
};
} // namespace

void registerCodegenPassesAndPipelines() {
  registerRlxCodegenPasses();
  PassPipelineRegistration<LowerToLlvmOptions>(
      "rlx-lower-to-llvm", "Lower a module of loops on memrefs to the LLVM dialect",
      [](OpPassManager &manager, const LowerToLlvmOptions &options) {
        llvm::Expected<CpuTarget> target = CpuTarget::get(options.triple, options.cpu);
        if (!target)
          llvm::report_fatal_error(target.takeError(), /*gen_crash_diag=*/false);
        buildHostLoweringPipeline(manager, *target);
      });
}

} // namespace rlx
