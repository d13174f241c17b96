//===- HoistParams.cpp - work on params alone, to bind time ---------------===//
//
// Splits rlx_run: ops that depend on params alone move to rlx_bind, which runs once
// and leaves what rlx_run needs of them in the packed buffer.
//
//===----------------------------------------------------------------------===//

#include "ParamSlice.h"

#include "rlx/Codegen/Passes.h"
#include "rlx/Codegen/Signature.h"
#include "rlx/Runtime/abi.h"

#include "dialects/rlx/Rlx.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace rlx {
#define GEN_PASS_DEF_HOISTPARAMS
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

//===----------------------------------------------------------------------===//
// ParamSlice
//===----------------------------------------------------------------------===//

/// True for ops such as the broadcast of a bias, whose result is much larger than what
/// it is made of: it is cheaper to make again than to keep and read.
static bool repeatsElements(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumReductionLoops() != 0)
    return false;
  int64_t inputs = 0, results = 0;
  auto count = [](Type type, int64_t &elements) {
    if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && tensor.hasStaticShape())
      elements += tensor.getNumElements();
  };
  for (Value input : linalgOp.getDpsInputs())
    count(input.getType(), inputs);
  for (Type type : op->getResultTypes())
    count(type, results);
  return results > 2 * inputs;
}

ParamSlice::ParamSlice(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), hostabi::kParam))
      params.insert(argument);
  for (Operation &op : function.getBody().front()) {
    if (!isMemoryEffectFree(&op))
      continue;
    bool known = true, usesParam = false;
    llvm::SetVector<Value> captures;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (operand.getParentBlock() == op.getBlock())
          captures.insert(operand);
    });
    for (Value operand : captures) {
      usesParam |= params.contains(operand);
      known &= params.contains(operand) || constants.contains(operand);
    }
    if (!known || (usesParam && repeatsElements(&op)))
      continue;
    for (Value result : op.getResults())
      (usesParam ? params : constants).insert(result);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

/// True for ops that only reinterpret a tensor: recomputing them at run time is free.
bool isView(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp, tensor::CastOp,
             tensor::DimOp>(op);
}

/// True if `value` is a param seen through views.
bool isViewOfParam(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isView(op))
      return false;
    value = op->getOperand(0);
  }
  return true;
}

class HoistParamsPass : public rlx::impl::HoistParamsBase<HoistParamsPass> {
public:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto run = module.lookupSymbol<func::FuncOp>(hostabi::kRun);
    if (!run)
      return;
    SmallVector<Value> frontier = findFrontier(run);
    if (frontier.empty())
      return;
    createBind(module, run, frontier);
    passFrontier(run, frontier);
    numHoisted += frontier.size();
  }

private:
  /// Computed values that stay in the slice, with users outside of it.
  static SmallVector<Value> findFrontier(func::FuncOp run) {
    ParamSlice slice(run);
    SmallVector<Value> frontier;
    for (Operation &op : run.getBody().front())
      for (Value result : op.getResults()) {
        if (!slice.contains(result) || isViewOfParam(result) ||
            !isa<RankedTensorType>(result.getType()))
          continue;
        bool usedOutside = llvm::any_of(result.getUsers(), [&](Operation *user) {
          Operation *ancestor = op.getBlock()->findAncestorOpInBlock(*user);
          return llvm::none_of(ancestor->getResults(),
                               [&](Value value) { return slice.contains(value); });
        });
        if (usedOutside)
          frontier.push_back(result);
      }
    return frontier;
  }

  /// Places each frontier value in the packed buffer and writes rlx_bind.
  void createBind(ModuleOp module, func::FuncOp run, ArrayRef<Value> frontier) {
    OpBuilder builder(run);
    Location loc = run.getLoc();
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attrs;
    SmallVector<Value> params;
    for (BlockArgument argument : run.getArguments())
      if (run.getArgAttr(argument.getArgNumber(), hostabi::kParam)) {
        params.push_back(argument);
        types.push_back(argument.getType());
        attrs.push_back(run.getArgAttrDict(argument.getArgNumber()));
      }
    int64_t size = 0;
    for (Value value : frontier) {
      auto type = cast<RankedTensorType>(value.getType());
      offsets.push_back(builder.getNamedAttr(hostabi::kPacked, builder.getI64IntegerAttr(size)));
      types.push_back(MemRefType::get(type.getShape(), type.getElementType()));
      attrs.push_back(builder.getDictionaryAttr(offsets.back()));
      int64_t bytes = type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      size = llvm::alignTo(size + bytes, RLX_BUFFER_ALIGNMENT);
    }
    module->setAttr(hostabi::kPackedSize, builder.getI64IntegerAttr(size));

    auto bind =
        func::FuncOp::create(builder, loc, hostabi::kBind, builder.getFunctionType(types, {}));
    bind.setAllArgAttrs(attrs);
    Block *entry = bind.addEntryBlock();
    builder.setInsertionPointToEnd(entry);
    IRMapping mapping;
    mapping.map(params, entry->getArguments().take_front(params.size()));
    llvm::SetVector<Operation *> ops;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    for (Value value : frontier)
      (void)getBackwardSlice(value, &ops, options);
    for (Operation &op : run.getBody().front())
      if (ops.contains(&op))
        builder.clone(op, mapping);
    for (auto [value, destination] :
         llvm::zip(frontier, entry->getArguments().drop_front(params.size()))) {
      auto store = bufferization::MaterializeInDestinationOp::create(
          builder, loc, mapping.lookup(value), destination);
      store.setRestrict(true);
      store.setWritable(true);
    }
    func::ReturnOp::create(builder, loc);
  }

  /// Replaces the frontier values by new arguments of rlx_run.
  void passFrontier(func::FuncOp run, ArrayRef<Value> frontier) {
    unsigned position = 0;
    while (position < run.getNumArguments() && !run.getArgAttr(position, hostabi::kOutput))
      ++position;
    for (auto [hoisted, offset] : llvm::zip(frontier, offsets)) {
      Value value = hoisted;
      (void)run.insertArgument(position, value.getType(),
                               DictionaryAttr::get(&getContext(), offset), value.getLoc());
      value.replaceAllUsesWith(run.getArgument(position++));
    }
  }

  SmallVector<NamedAttribute> offsets;
};

} // namespace
