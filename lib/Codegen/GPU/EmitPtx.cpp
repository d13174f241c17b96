//===- EmitPtx.cpp - kernels become PTX, launches calls of the host -------===//

#include "rlx/Codegen/PtxEmission.h"

#include "rlx/Codegen/Passes.h"
#include "rlx/Codegen/Signature.h"

namespace rlx {
#define GEN_PASS_DEF_EMITPTX
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

namespace {

struct EmitPtxPass : public rlx::impl::EmitPtxBase<EmitPtxPass> {
  using EmitPtxBase::EmitPtxBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto kernels = llvm::to_vector(module.getOps<mlir::gpu::GPUModuleOp>());
    if (kernels.size() > 1) {
      kernels[1].emitError("expected one gpu.module");
      return signalPassFailure();
    }
    std::string ptx;
    if (!kernels.empty()) {
      FailureOr<std::string> emitted = rlx::gpu::emitPtx(kernels[0], arch, optLevel);
      if (failed(emitted))
        return signalPassFailure();
      ptx = *emitted;
    }
    Builder builder(&getContext());
    replaceLaunches(module);
    module->setAttr(hostabi::kPtx, builder.getStringAttr(ptx));
    module->setAttr(hostabi::kGpuArch, builder.getStringAttr(arch));
    module->setAttr(hostabi::kKernels, builder.getStrArrayAttr(names.getArrayRef()));
    module->removeAttr(mlir::gpu::GPUDialect::getContainerModuleAttrName());
    for (mlir::gpu::GPUModuleOp op : kernels)
      op.erase();
  }

private:
  void replaceLaunches(ModuleOp module) {
    names.clear();
    SmallVector<mlir::gpu::LaunchFuncOp> launches;
    module.walk([&](mlir::gpu::LaunchFuncOp launch) { launches.push_back(launch); });
    for (mlir::gpu::LaunchFuncOp launch : launches) {
      names.insert(launch.getKernelName().getValue());
      auto position = llvm::find(names, launch.getKernelName().getValue()) - names.begin();
      OpBuilder builder(launch);
      host::LaunchOp::create(builder, launch.getLoc(), static_cast<uint32_t>(position),
                             launch.getGridSizeX(), launch.getGridSizeY(), launch.getGridSizeZ(),
                             launch.getBlockSizeX(), launch.getBlockSizeY(), launch.getBlockSizeZ(),
                             /*shared_bytes=*/0, launch.getKernelOperands());
      launch.erase();
    }
  }

  llvm::SetVector<StringRef> names; ///< of kernels, in the order of their first launches
};

} // namespace
