//===- ExpandMath.cpp - the math dialect as code for a CPU ----------------===//

#include "../Common/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace rlx {
#define GEN_PASS_DECL_EXPANDMATH
#define GEN_PASS_DEF_EXPANDMATH
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

namespace {

struct ExpandMathPass : public rlx::impl::ExpandMathBase<ExpandMathPass> {
  using ExpandMathBase::ExpandMathBase;

  LogicalResult initialize(MLIRContext *context) override {
    llvm::Expected<CpuTarget> described = CpuTarget::get(triple, cpu, features);
    if (!described)
      return emitError(UnknownLoc::get(context)) << llvm::toString(described.takeError());
    target = *described;
    return success();
  }

  void runOnOperation() override { expandMath(getOperation(), target); }

private:
  MathTarget target;
};

} // namespace
