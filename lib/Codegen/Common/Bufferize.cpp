//===- Bufferize.cpp - tensors to buffers ---------------------------------===//
//
// One-shot bufferization, set up for functions whose inputs are read-only, and the
// models by which it handles rlx structured ops.
//
//===----------------------------------------------------------------------===//

#include "rlx/Codegen/Passes.h"
#include "rlx/Codegen/Signature.h"

#include "dialects/rlx/Rlx.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace rlx {
#define GEN_PASS_DEF_BUFFERIZE
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace mlir::bufferization;
using namespace rlx;

namespace {

/// A structured op bufferizes as linalg ops do: the same op on buffers, writing to
/// its destinations, which nothing reads.
template <typename OpTy>
struct StructuredOpModel : DstBufferizableOpInterfaceExternalModel<StructuredOpModel<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  bool bufferizesToElementwiseAccess(Operation *, const AnalysisState &,
                                     ArrayRef<OpOperand *>) const {
    return false;
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options, BufferizationState &state) const {
    auto dps = cast<DestinationStyleOpInterface>(op);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> operands, results;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (isa<TensorType>(value.getType())) {
        FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
        if (failed(buffer))
          return failure();
        value = *buffer;
      }
      operands.push_back(value);
      if (dps.isDpsInit(&operand))
        results.push_back(value);
    }
    clone(rewriter, op, /*newResultTypes=*/TypeRange(), operands);
    replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};

} // namespace

void rlx::registerBufferizableOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ir::RlxDialect *) {
    ir::PackedMatmulOp::attachInterface<StructuredOpModel<ir::PackedMatmulOp>>(*context);
    ir::OnlineAttentionOp::attachInterface<StructuredOpModel<ir::OnlineAttentionOp>>(*context);
    ir::CombineChunksOp::attachInterface<StructuredOpModel<ir::CombineChunksOp>>(*context);
  });
}

namespace {

/// Gives each op that accumulates onto a fill or broadcast one of its own: made again in
/// the place of the result, it needs no copy.
void separateInits(ModuleOp module, RewriterBase &rewriter) {
  SmallVector<Operation *> inits;
  module.walk([&](Operation *op) {
    if (isa<linalg::FillOp, linalg::BroadcastOp>(op) && op->getNumResults() == 1)
      inits.push_back(op);
  });
  for (Operation *init : inits)
    for (OpOperand &use : llvm::make_early_inc_range(init->getUses())) {
      auto user = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
      if (!user || !user.isDpsInit(&use) || init->hasOneUse())
        continue;
      rewriter.setInsertionPoint(init);
      Value own = rewriter.clone(*init)->getResult(0);
      rewriter.modifyOpInPlace(user, [&] { use.set(own); });
    }
}

/// Whether what `user` makes of `empty` becomes the source of `op` step by step, and no
/// step is needed for anything else.
bool leadsOnlyTo(MaterializeInDestinationOp op, tensor::EmptyOp empty, Operation *user,
                 const AnalysisState &state) {
  OpOperand *use =
      llvm::find_singleton<OpOperand>(user->getOpOperands(), [&](OpOperand &operand, bool) {
        return operand.get() == empty ? &operand : nullptr;
      });
  while (use) {
    AliasingValueList steps = state.getAliasingValues(*use);
    if (steps.getNumAliases() != 1)
      return false;
    Value step = steps.begin()->value;
    if (step == op.getSource())
      return true;
    use = step.hasOneUse() ? &*step.use_begin() : nullptr;
  }
  return false;
}

/// Lets results be computed in outputs. The analysis does not see that writing an output
/// changes other tensors there, so there are to be none.
LogicalResult eliminateEmpties(ModuleOp module, RewriterBase &rewriter) {
  OneShotBufferizationOptions options;
  options.allowReturnAllocsFromLoops = true;
  options.bufferizeFunctionBoundaries = true;
  OneShotAnalysisState state(module, options);
  if (failed(analyzeModuleOp(module, state)))
    return failure();
  return eliminateEmptyTensors(rewriter, module, state,
                               [&](RewriterBase &rewriter, SubsetInsertionOpInterface op,
                                   tensor::EmptyOp empty, Operation *user) {
                                 auto output =
                                     dyn_cast<MaterializeInDestinationOp>(op.getOperation());
                                 if (output && isa<BaseMemRefType>(output.getDest().getType()) &&
                                     !leadsOnlyTo(output, empty, user, state))
                                   return Value();
                                 return buildSubsetExtraction(rewriter, op, empty, user);
                               });
}

class BufferizePass : public rlx::impl::BufferizeBase<BufferizePass> {
public:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    markReadOnly(module);
    RewritePatternSet patterns(&getContext());
    patterns.add<linalg::DecomposePadOpPattern>(&getContext());
    if (failed(applyPatternsGreedily(module, std::move(patterns))))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    separateInits(module, rewriter);
    if (failed(eliminateEmpties(module, rewriter)))
      return signalPassFailure();

    OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.setFunctionBoundaryTypeConversion(LayoutMapOption::IdentityLayoutMap);
    BufferizationState state;
    if (failed(runOneShotModuleBufferize(module, options, state)))
      return signalPassFailure();
  }

private:
  /// Inputs, params and packed params belong to the caller: nothing is computed in place.
  static void markReadOnly(ModuleOp module) {
    Builder builder(module.getContext());
    for (auto function : module.getOps<func::FuncOp>())
      for (BlockArgument argument : function.getArguments())
        if (isa<TensorType>(argument.getType()))
          function.setArgAttr(argument.getArgNumber(), BufferizationDialect::kWritableAttrName,
                              builder.getBoolAttr(false));
  }
};

} // namespace
