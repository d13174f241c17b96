//===- MapToKernels.cpp - a kernel for each structured op -----------------===//
//
// The pass around the emitters: finds the ops, keeps constants with the kernels that
// read them, and turns checks of tensor data into checks on the device.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "rlx/Codegen/Passes.h"
#include "rlx/Codegen/Signature.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

namespace rlx {
#define GEN_PASS_DEF_MAPTOKERNELS
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

/// The memref that `value` is a view of, by ops that only look at memory otherwise.
static Value findBase(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

/// Clones into the launch the views of constants that it uses, down to their
/// memref.get_global: their memory is the kernel's module's.
static void sinkConstants(mlir::gpu::LaunchOp launch) {
  OpBuilder builder = OpBuilder::atBlockBegin(&launch.getBody().front());
  for (bool changed = true; changed;) {
    changed = false;
    SetVector<Value> used;
    getUsedValuesDefinedAbove(launch.getBody(), used);
    for (Value value : used) {
      if (!isa<MemRefType>(value.getType()) ||
          !findBase(value).getDefiningOp<memref::GetGlobalOp>())
        continue;
      builder.setInsertionPointToStart(&launch.getBody().front());
      Value copy = builder.clone(*value.getDefiningOp())->getResult(0);
      replaceAllUsesInRegionWith(value, copy, launch.getBody());
      changed = true;
    }
  }
}

/// The element that the condition of a check of tensor data is, through conversions.
static Value findFlag(cf::AssertOp check) {
  Value condition = check.getArg();
  while (auto convert = condition.getDefiningOp<arith::TruncIOp>())
    condition = convert.getIn();
  auto load = condition.getDefiningOp<memref::LoadOp>();
  return load && load.getMemRefType().getRank() == 0 ? load.getMemRef() : Value();
}

static LogicalResult replaceDataCheck(OpBuilder &builder, cf::AssertOp check) {
  Value flag = findFlag(check);
  if (!flag)
    return check.emitError("internal error: expected a check of one element of a tensor");
  builder.setInsertionPoint(check);
  host::CheckOp::create(builder, check.getLoc(), flag, check.getMsgAttr());
  SmallVector<Operation *> chain;
  for (Operation *op = check.getArg().getDefiningOp(); op; op = op->getOperand(0).getDefiningOp()) {
    chain.push_back(op);
    if (isa<memref::LoadOp>(op))
      break;
  }
  check.erase();
  for (Operation *op : chain)
    if (op->use_empty())
      op->erase();
  return success();
}

namespace {

struct MapToKernelsPass : public rlx::impl::MapToKernelsBase<MapToKernelsPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SmallVector<Operation *> ops;
    SmallVector<cf::AssertOp> checks;
    function.walk([&](Operation *op) {
      if (isa<linalg::LinalgOp, memref::CopyOp, ir::OnlineAttentionOp, ir::CombineChunksOp>(op))
        ops.push_back(op);
      if (auto check = dyn_cast<cf::AssertOp>(op); check && check->hasAttr(hostabi::kDataCheck))
        checks.push_back(check);
    });
    for (Operation *op : ops)
      map(op);
    OpBuilder builder(&getContext());
    for (cf::AssertOp check : checks)
      if (failed(replaceDataCheck(builder, check)))
        return signalPassFailure();
    function.walk(sinkConstants);
  }

private:
  static void map(Operation *op) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    if (auto attention = dyn_cast<ir::OnlineAttentionOp>(op)) {
      if (rlx::gpu::prefersTiledAttention(attention))
        rlx::gpu::emitTiledAttentionKernel(b, attention);
      else
        rlx::gpu::emitAttentionKernel(b, attention);
    } else if (auto combine = dyn_cast<ir::CombineChunksOp>(op)) {
      rlx::gpu::emitCombineKernel(b, combine);
    } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      auto structured = linalg::CopyOp::create(b, copy.getSource(), copy.getTarget());
      rlx::gpu::emitLinalgKernel(b, structured);
      structured.erase();
    } else if (!rlx::gpu::emitContractionKernel(b, cast<linalg::LinalgOp>(op))) {
      rlx::gpu::emitLinalgKernel(b, cast<linalg::LinalgOp>(op));
    }
    op->erase();
  }
};

} // namespace
