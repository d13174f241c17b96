//===- Pipelines.cpp - the phases of a compilation ------------------------===//

#include "Pipelines.h"

#include "dialects/rlx/Rlx.h"
#include "rlx/Codegen/ObjectEmission.h"
#include "rlx/Codegen/Passes.h"
#include "rlx/Codegen/Signature.h"
#include "rlx/Conversion/Passes.h"
#include "rlx/Transforms/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace rlx {

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

/// What a user wrote, in normal form.
static void buildInputPhase(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

/// Improvements on graphs.
static void buildGraphPhase(OpPassManager &manager, const CompileOptions &options) {
  if (options.isEnabled("rlx-fuse-matmul-bias-act"))
    manager.addPass(createFuseMatmulBiasAct());
  if (options.isEnabled("rlx-reassociate-attention"))
    manager.addPass(createReassociateAttention());
  if (options.isEnabled("rlx-fuse-residual-layer-norm"))
    manager.addPass(createFuseResidualLayerNorm());
  if (options.isEnabled("rlx-fuse-psa-attention"))
    manager.addPass(createFusePsaAttention());
  if (options.precision != Precision::F32) {
    ConvertPrecisionOptions precision;
    precision.to = toString(options.precision);
    manager.addPass(createConvertPrecision(precision));
  }
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

/// From a graph to functions.
static void buildLinalgPhase(OpPassManager &manager) {
  manager.addPass(createConvertToLinalg());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

/// From tensors to loops and vectors on memrefs.
static void buildCodegenPhase(OpPassManager &manager, const CpuTarget &target,
                              const CompileOptions &options) {
  if (options.device == "cuda") {
    GpuCodegenOptions codegen;
    codegen.disabledPasses = options.disable;
    return buildGpuCodegenPipeline(manager, codegen);
  }
  CpuCodegenOptions codegen;
  codegen.disabledPasses = options.disable;
  buildCpuCodegenPipeline(manager, target, codegen);
}

/// To the LLVM dialect, with the C interface of a module.
static void buildLlvmPhase(OpPassManager &manager, const CpuTarget &target,
                           const CompileOptions &options) {
  if (options.device == "cuda") {
    EmitPtxOptions ptx;
    ptx.arch = options.cudaArch;
    ptx.optLevel = options.optLevel;
    manager.addPass(createEmitPtx(ptx));
  }
  buildHostLoweringPipeline(manager, target, options.querySymbol);
}

static StringRef getName(Phase phase) {
  switch (phase) {
  case Phase::Input:
    return "input";
  case Phase::Graph:
    return "graph";
  case Phase::Linalg:
    return "linalg";
  case Phase::Codegen:
    return "codegen";
  case Phase::Kernels:
    return "kernels";
  case Phase::Llvm:
    return "llvm";
  }
  llvm_unreachable("all phases have names");
}

Phase findFirstPhase(ModuleOp module) {
  auto run = module.lookupSymbol<func::FuncOp>(hostabi::kRun);
  if (!run || !module->hasAttr(hostabi::kSignature))
    return Phase::Input;
  auto isTensor = [](Type type) { return isa<mlir::TensorType>(type); };
  WalkResult walk = run.walk([&](Operation *op) {
    bool onTensors = llvm::any_of(op->getOperandTypes(), isTensor) ||
                     llvm::any_of(op->getResultTypes(), isTensor);
    return onTensors ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return Phase::Codegen;
  mlir::gpu::GPUModuleOp kernels = findKernels(module);
  bool areLowered = !kernels || kernels.getOps<mlir::gpu::GPUFuncOp>().empty();
  return areLowered ? Phase::Llvm : Phase::Kernels;
}

mlir::gpu::GPUModuleOp findKernels(ModuleOp module) {
  auto kernels = module.getOps<mlir::gpu::GPUModuleOp>();
  return kernels.empty() ? mlir::gpu::GPUModuleOp() : *kernels.begin();
}

Phase findLastPhase(EmitKind kind) {
  switch (kind) {
  case EmitKind::Rlx:
    return Phase::Graph;
  case EmitKind::Linalg:
    return Phase::Linalg;
  case EmitKind::Gpu:
    return Phase::Codegen;
  case EmitKind::Nvvm:
  case EmitKind::Ptx:
    return Phase::Kernels;
  default:
    return Phase::Llvm;
  }
}

//===----------------------------------------------------------------------===//
// Between phases
//===----------------------------------------------------------------------===//

namespace {

/// Follows the phases of a pass manager. Not a pass, so that a reproducer of a failed
/// compilation holds passes that rlx-opt knows.
class PhaseInstrumentation : public PassInstrumentation {
public:
  PhaseInstrumentation(PhaseCallback onPhase, StringRef folder)
      : onPhase(std::move(onPhase)), folder(folder) {}

  /// Adds the phase of this number, from its first pass to its last.
  void add(Phase phase, int number, const Pass &first, const Pass &last) {
    firstPasses[&first] = phase;
    lastPasses[&last] = {phase, number};
  }

  void runBeforePass(Pass *pass, Operation *) override {
    auto phase = firstPasses.find(pass);
    if (phase != firstPasses.end() && onPhase)
      onPhase(std::string_view(getName(phase->second)));
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    auto phase = lastPasses.find(pass);
    if (phase != lastPasses.end() && !folder.empty())
      dump(phase->second.first, phase->second.second, op);
  }

private:
  /// Writes FOLDER/NN-PHASE.mlir; what goes wrong is a warning, for the compilation
  /// itself is fine.
  void dump(Phase phase, int number, Operation *op) const {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, "0" + Twine(number) + "-" + getName(phase) + ".mlir");
    std::error_code error = llvm::sys::fs::create_directories(folder);
    if (!error) {
      llvm::raw_fd_ostream stream(path, error);
      if (!error)
        op->print(stream);
      stream.close();
      if (stream.has_error())
        error = stream.error();
      stream.clear_error();
    }
    if (error)
      emitWarning(op->getLoc()) << "dump-phases: " << path << ": " << error.message();
  }

  PhaseCallback onPhase;
  std::string folder;
  llvm::SmallDenseMap<const Pass *, Phase> firstPasses;
  llvm::SmallDenseMap<const Pass *, std::pair<Phase, int>> lastPasses;
};

} // namespace

void buildPhases(PassManager &manager, Phase first, Phase last, const CpuTarget &target,
                 const CompileOptions &options, const PhaseCallback &onPhase) {
  auto phases = std::make_unique<PhaseInstrumentation>(onPhase, options.dumpPhases);
  for (int index = static_cast<int>(first); index <= static_cast<int>(last); ++index) {
    Phase phase = static_cast<Phase>(index);
    bool isGpu = options.device == "cuda";
    if (phase == Phase::Kernels && !isGpu)
      continue;
    size_t before = manager.size();
    switch (phase) {
    case Phase::Input:
      buildInputPhase(manager);
      break;
    case Phase::Graph:
      buildGraphPhase(manager, options);
      break;
    case Phase::Linalg:
      buildLinalgPhase(manager);
      break;
    case Phase::Codegen:
      buildCodegenPhase(manager, target, options);
      break;
    case Phase::Kernels:
      buildKernelLoweringPipeline(manager);
      break;
    case Phase::Llvm:
      buildLlvmPhase(manager, target, options);
      break;
    }
    int number = phase > Phase::Kernels && !isGpu ? index - 1 : index;
    phases->add(phase, number, *std::next(manager.begin(), before), *std::prev(manager.end()));
  }
  manager.addInstrumentation(std::move(phases));
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

void registerCompilerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registry.insert<ir::RlxDialect, host::HostDialect>();
  registerBufferizableOps(registry);
  registerObjectEmissionDialects(registry);
}

void registerCompilerPasses() {
  registerTransformsPasses();
  registerConversionPasses();
  registerCodegenPassesAndPipelines();
}

} // namespace rlx
