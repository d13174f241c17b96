//===- LowerStructured.cpp - the pass around the kernel emitters ----------===//

#include "LowerStructured.h"

#include "rlx/Codegen/Passes.h"
#include "rlx/Runtime/abi.h"

namespace rlx {
#define GEN_PASS_DEF_LOWERSTRUCTURED
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

Value cpu::createScratch(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape,
                         Type elementType) {
  OpBuilder::InsertionGuard guard(builder);
  Operation *scope = builder.getInsertionBlock()->getParentOp();
  while (!isa<scf::ForallOp, func::FuncOp>(scope))
    scope = scope->getParentOp();
  builder.setInsertionPointToStart(&scope->getRegion(0).front());
  return memref::AllocaOp::create(builder, loc, MemRefType::get(shape, elementType),
                                  builder.getI64IntegerAttr(RLX_BUFFER_ALIGNMENT));
}

namespace {

class LowerStructuredPass : public rlx::impl::LowerStructuredBase<LowerStructuredPass> {
public:
  using LowerStructuredBase::LowerStructuredBase;

  void runOnOperation() override {
    llvm::Expected<CpuTarget> target = CpuTarget::get(triple, cpu, features);
    if (!target) {
      getOperation().emitError(llvm::toString(target.takeError()));
      return signalPassFailure();
    }
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<ir::PackedMatmulOp, ir::OnlineAttentionOp, ir::CombineChunksOp, linalg::LinalgOp>(op))
        ops.push_back(op);
    });
    OpBuilder builder(&getContext());
    for (Operation *op : ops) {
      if (auto matmul = dyn_cast<ir::PackedMatmulOp>(op))
        cpu::lowerPackedMatmul(builder, matmul, *target);
      else if (auto attention = dyn_cast<ir::OnlineAttentionOp>(op))
        cpu::lowerOnlineAttention(builder, attention, *target);
      else if (auto combine = dyn_cast<ir::CombineChunksOp>(op))
        cpu::lowerCombineChunks(builder, combine, *target);
      else
        cpu::lowerContraction(builder, cast<linalg::LinalgOp>(op), *target);
    }
  }
};

} // namespace
