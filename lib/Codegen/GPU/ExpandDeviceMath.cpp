//===- ExpandDeviceMath.cpp - the math dialect as code for a GPU ----------===//

#include "../Common/VectorMath.h"
#include "DeviceMath.h"

#include "rlx/Codegen/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

namespace rlx {
#define GEN_PASS_DEF_EXPANDDEVICEMATH
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

namespace {

struct ExpandDeviceMathPass : public rlx::impl::ExpandDeviceMathBase<ExpandDeviceMathPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    ExpandDeviceMathBase::getDependentDialects(registry);
    registry.insert<LLVM::LLVMDialect, scf::SCFDialect>();
  }

  void runOnOperation() override {
    expandMath(getOperation(), MathTarget());
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_nonnull<math::MathDialect>(op->getDialect()) && op->getNumResults() == 1)
        ops.push_back(op);
    });
    for (Operation *op : ops)
      expand(op);
    getOperation()->walk(replaceByIntrinsic);
  }

private:
  /// Calls LLVM's intrinsic for what the GPU has an instruction for. Upstream's conversion
  /// for NVVM would call CUDA's library instead.
  static void replaceByIntrinsic(Operation *op) {
    StringRef name = llvm::TypeSwitch<Operation *, StringRef>(op)
                         .Case([](math::SqrtOp) { return "llvm.sqrt"; })
                         .Case([](math::AbsFOp) { return "llvm.fabs"; })
                         .Case([](math::CopySignOp) { return "llvm.copysign"; })
                         .Case([](math::RoundEvenOp) { return "llvm.roundeven"; })
                         .Case([](math::FmaOp) { return "llvm.fma"; })
                         .Default([](Operation *) { return ""; });
    if (name.empty())
      return;
    OpBuilder builder(op);
    auto call = LLVM::CallIntrinsicOp::create(builder, op->getLoc(), op->getResult(0).getType(),
                                              builder.getStringAttr(name), op->getOperands());
    op->getResult(0).replaceAllUsesWith(call.getResults());
    op->erase();
  }

  /// Computes `op` in f64, and rounds the result where it is f32.
  static void expand(Operation *op) {
    Type type = op->getResult(0).getType();
    if (!type.isF32() && !type.isF64())
      return;
    // On f32 these are instructions, or done.
    if (type.isF32() && !isa<math::SinOp, math::CosOp, math::PowFOp>(op))
      return;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    SmallVector<Value> operands(op->getOperands());
    if (type.isF32())
      for (Value &operand : operands)
        operand = arith::ExtFOp::create(b, b.getF64Type(), operand);
    Value result = rlx::gpu::emitDouble(b, op, operands);
    if (!result)
      return;
    if (type.isF32())
      result = arith::TruncFOp::create(b, type, result);
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
};

} // namespace
