//===- ConvertToLlvm.cpp - scalar and memory ops to the LLVM dialect ------===//
//
// One conversion instead of upstream's five passes: each would walk all of the code
// and match its casts.
//
//===----------------------------------------------------------------------===//

#include "rlx/Codegen/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace rlx {
#define GEN_PASS_DEF_CONVERTTOLLVM
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;

namespace {

struct ConvertToLlvmPass : public rlx::impl::ConvertToLlvmBase<ConvertToLlvmPass> {
  void runOnOperation() override {
    if (isa<memref::GlobalOp>(getOperation()))
      return;
    LLVMTypeConverter converter(&getContext());
    RewritePatternSet patterns(&getContext());
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(getContext());
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
