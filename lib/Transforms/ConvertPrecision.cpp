//===- ConvertPrecision.cpp - products in a narrower float type -----------===//

#include "rlx/Transforms/Passes.h"

#include "dialects/rlx/Rlx.h"
#include "mlir/IR/PatternMatch.h"

namespace rlx {
#define GEN_PASS_DEF_CONVERTPRECISION
#include "rlx/Transforms/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

namespace {

class ConvertPrecisionPass : public rlx::impl::ConvertPrecisionBase<ConvertPrecisionPass> {
public:
  using ConvertPrecisionBase::ConvertPrecisionBase;

  void runOnOperation() override {
    Builder builder(&getContext());
    Type narrow = llvm::StringSwitch<Type>(to)
                      .Case("bf16", builder.getBF16Type())
                      .Case("f16", builder.getF16Type())
                      .Default(Type());
    if (!narrow) {
      getOperation()->emitError("rlx-convert-precision: to: expected bf16 or f16, found '")
          << to << "'";
      return signalPassFailure();
    }
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<ir::MatmulOp, ir::FusedMatmulBiasActOp, ir::Conv2dOp, ir::AttentionOp,
              ir::PsaAttentionOp, ir::PsaFlashAttentionOp>(op) &&
          llvm::all_of(op->getResultTypes(), isF32))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops)
      convert(rewriter, op, narrow);
    numConverted += ops.size();
  }

private:
  static bool isF32(Type type) { return getElementTypeOrSelf(type).isF32(); }

  /// Log-sum-exps stay in f32.
  static bool isStatistics(Value result) {
    if (auto attention = result.getDefiningOp<ir::AttentionOp>())
      return result == attention.getLse();
    auto half = result.getDefiningOp<ir::PsaFlashAttentionOp>();
    return half && result == half.getLse();
  }

  static RankedTensorType withElementType(Type type, Type elementType) {
    return cast<RankedTensorType>(cast<RankedTensorType>(type).clone(elementType));
  }

  /// Casts the operands of `op` to `narrow` and its results back.
  static void convert(IRRewriter &rewriter, Operation *op, Type narrow) {
    rewriter.setInsertionPoint(op);
    auto attention = dyn_cast<ir::AttentionOp>(op);
    SmallVector<Value> operands;
    // What is added to or decides on scores stays as it is.
    for (Value operand : op->getOperands())
      operands.push_back(isF32(operand.getType()) && !(attention && operand == attention.getMask())
                             ? ir::CastOp::create(rewriter, op->getLoc(),
                                                  withElementType(operand.getType(), narrow),
                                                  operand)
                                   .getResult()
                             : operand);
    SmallVector<Type> types;
    for (Value result : op->getResults())
      types.push_back(isStatistics(result) ? result.getType()
                                           : withElementType(result.getType(), narrow));
    Operation *narrowOp = mlir::clone(rewriter, op, types, operands);
    SmallVector<Value> results;
    for (auto [result, type] : llvm::zip(narrowOp->getResults(), op->getResultTypes()))
      results.push_back(result.getType() == type
                            ? Value(result)
                            : ir::CastOp::create(rewriter, op->getLoc(), type, result));
    rewriter.replaceOp(op, results);
  }
};

} // namespace
