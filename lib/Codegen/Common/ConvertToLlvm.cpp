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
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace rlx {
#define GEN_PASS_DEF_CONVERTTOLLVM
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;

namespace {

/// `type` with 16-bit integers in place of 16-bit floats, or null for other vectors.
VectorType asIntegers(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || !isa<BFloat16Type, Float16Type>(vector.getElementType()))
    return nullptr;
  return vector.clone(IntegerType::get(type.getContext(), 16));
}

/// Moves 16-bit floats as integers in masked accesses. Targets without such accesses
/// take their vectors apart, and LLVM would convert each float on the way.
void moveAsIntegers(Operation *root) {
  root->walk([](LLVM::MaskedLoadOp load) {
    VectorType integers = asIntegers(load.getType());
    if (!integers)
      return;
    OpBuilder builder(load);
    Value passThrough = load.getPassThru();
    if (passThrough)
      passThrough = LLVM::BitcastOp::create(builder, load.getLoc(), integers, passThrough);
    Value loaded = LLVM::MaskedLoadOp::create(builder, load.getLoc(), integers, load.getData(),
                                              load.getMask(), passThrough, load.getAlignment());
    load.replaceAllUsesWith(
        LLVM::BitcastOp::create(builder, load.getLoc(), load.getType(), loaded).getResult());
    load.erase();
  });
  root->walk([](LLVM::MaskedStoreOp store) {
    VectorType integers = asIntegers(store.getValue().getType());
    if (!integers)
      return;
    OpBuilder builder(store);
    store.getValueMutable().assign(
        LLVM::BitcastOp::create(builder, store.getLoc(), integers, store.getValue()));
  });
}

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
      return signalPassFailure();
    moveAsIntegers(getOperation());
  }
};

} // namespace
