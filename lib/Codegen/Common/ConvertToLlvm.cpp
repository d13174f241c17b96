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

/// `type` with 16-bit integers in place of 16-bit floats, or null for other types.
Type asIntegers(Type type) {
  if (!isa<BFloat16Type, Float16Type>(getElementTypeOrSelf(type)))
    return nullptr;
  Type integer = IntegerType::get(type.getContext(), 16);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(integer);
  return integer;
}

Value castTo(OpBuilder &builder, Type type, Value value) {
  return LLVM::BitcastOp::create(builder, value.getLoc(), type, value);
}

/// Makes a load's result integers.
void loadIntegers(Operation *load) {
  Value result = load->getResult(0);
  Type type = result.getType(), integers = asIntegers(type);
  if (!integers)
    return;
  OpBuilder builder(load->getContext());
  builder.setInsertionPointAfter(load);
  result.setType(integers);
  Value floats = castTo(builder, type, result);
  result.replaceAllUsesExcept(floats, floats.getDefiningOp());
}

/// Makes an operand integers.
void takeIntegers(OpOperand &operand) {
  Type integers = asIntegers(operand.get().getType());
  if (!integers)
    return;
  OpBuilder builder(operand.getOwner());
  operand.set(castTo(builder, integers, operand.get()));
}

/// Moves 16-bit floats from and to memory as integers. Where a target can't compute with
/// these floats, LLVM would convert them to f32 and back, by calls, to carry them from
/// block to block and to take masked accesses apart.
void moveAsIntegers(Operation *root) {
  root->walk([](Operation *op) {
    if (auto load = dyn_cast<LLVM::MaskedLoadOp>(op))
      for (OpOperand &passThrough : load.getPassThruMutable())
        takeIntegers(passThrough);
    if (isa<LLVM::LoadOp, LLVM::MaskedLoadOp>(op))
      loadIntegers(op);
    else if (auto store = dyn_cast<LLVM::StoreOp>(op))
      takeIntegers(store.getValueMutable());
    else if (auto store = dyn_cast<LLVM::MaskedStoreOp>(op))
      takeIntegers(store.getValueMutable());
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
