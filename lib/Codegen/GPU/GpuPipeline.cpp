//===- GpuPipeline.cpp - from linalg on tensors to kernels ----------------===//
//
// The middle of a GPU compilation; see docs/architecture.md.
//
//===----------------------------------------------------------------------===//

#include "rlx/Codegen/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace rlx;

static void addCleanup(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void rlx::buildGpuCodegenPipeline(OpPassManager &manager, const GpuCodegenOptions &options) {
  auto enabled = [&](llvm::StringRef pass) {
    return !llvm::is_contained(options.disabledPasses, pass);
  };
  if (enabled("rlx-split-keys")) {
    // A chunk has as many keys as a block has threads, or a few times that.
    SplitKeysOptions split;
    split.cacheBytes = options.chunkBytes;
    manager.addNestedPass<func::FuncOp>(createSplitKeys(split));
  }
  if (enabled("rlx-hoist-params"))
    manager.addPass(createHoistParams());
  addCleanup(manager);
  manager.addNestedPass<func::FuncOp>(createFuseElementwise());
  addCleanup(manager);
  manager.addPass(createBufferize());
  addCleanup(manager);
  manager.addPass(createCanonicalizerPass()); // copies that CSE showed to be of itself
  manager.addPass(createPlanMemory());
  manager.addNestedPass<func::FuncOp>(createMapToKernels());
  addCleanup(manager);
  manager.addPass(createGpuKernelOutliningPass());
  manager.addPass(createMergeKernels());
}

void rlx::buildKernelLoweringPipeline(OpPassManager &manager) {
  OpPassManager &kernels = manager.nest<mlir::gpu::GPUModuleOp>();
  kernels.addNestedPass<mlir::gpu::GPUFuncOp>(createExpandDeviceMath());
  addCleanup(kernels);
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(arith::createArithExpandOpsPass());
  kernels.addPass(createConvertGpuOpsToNVVMOps());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  addCleanup(kernels);
}
