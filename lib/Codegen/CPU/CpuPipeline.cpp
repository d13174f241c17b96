//===- CpuPipeline.cpp - from linalg on tensors to vector loops -----------===//
//
// The middle of a CPU compilation; see docs/architecture.md.
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"

#include "rlx/Codegen/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace rlx;

/// The options by which kernel passes name their target.
template <typename Options> static Options forTarget(const CpuTarget &target) {
  Options options;
  options.triple = target.triple;
  options.cpu = target.cpu;
  options.features = target.features;
  return options;
}

static void addCleanup(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void rlx::buildCpuCodegenPipeline(OpPassManager &manager, const CpuTarget &target,
                                  const CpuCodegenOptions &options) {
  auto enabled = [&](llvm::StringRef pass) {
    return !llvm::is_contained(options.disabledPasses, pass);
  };
  if (enabled("rlx-pack-weights")) {
    PackWeightsOptions pack;
    pack.panelWidth = cpu::RegisterTile::get(target, 32).columns();
    manager.addNestedPass<func::FuncOp>(createPackWeights(pack));
  }
  if (enabled("rlx-split-keys")) {
    SplitKeysOptions split;
    split.cacheBytes = target.l2Bytes / 2;
    manager.addNestedPass<func::FuncOp>(createSplitKeys(split));
  }
  if (enabled("rlx-hoist-params"))
    manager.addPass(createHoistParams());
  addCleanup(manager);
  if (enabled("rlx-tile-and-fuse")) {
    TileAndFuseOptions tile;
    tile.cacheBytes = target.l2Bytes / 2;
    manager.addNestedPass<func::FuncOp>(createTileAndFuse(tile));
    addCleanup(manager);
  }

  manager.addPass(createBufferize());
  addCleanup(manager);
  manager.addPass(createCanonicalizerPass()); // copies that CSE showed to be of itself
  manager.addPass(createMarkRegions());
  manager.addPass(createPlanMemory());
  // Tasks before kernels: layers of one shape share their tasks, and what is left is
  // lowered in parallel.
  manager.addPass(createOutlineParallel());
  manager.addPass(func::createDuplicateFunctionEliminationPass());

  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createLowerStructured(forTarget<LowerStructuredOptions>(target)));
  functions.addPass(createVectorizeLoops(forTarget<VectorizeLoopsOptions>(target)));
  functions.addPass(createExpandMath(forTarget<ExpandMathOptions>(target)));
  functions.addPass(createCSEPass());
}
