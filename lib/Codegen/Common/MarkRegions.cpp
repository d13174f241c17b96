//===- MarkRegions.cpp - pieces of a run and what they cost ---------------===//
//
// Cuts rlx_run into regions, marks where each begins, and writes rlx_costs. Costs are
// computed by loops like those of the run, with counts in place of the work; where no
// dynamic dim is involved, they are computed here and now.
//
//===----------------------------------------------------------------------===//

#include "EvaluateIndex.h"
#include "LoopAccess.h"
#include "OpCost.h"
#include "SizeCloner.h"

#include "rlx/Codegen/Passes.h"
#include "rlx/Codegen/Signature.h"

#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

namespace rlx {
#define GEN_PASS_DEF_MARKREGIONS
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

namespace {

/// Ops of rlx_run's block, one after another but for what is free.
struct Region {
  SmallVector<Operation *> ops;
  bool isParallel = false;
};

//===----------------------------------------------------------------------===//
// Which ops are a region
//===----------------------------------------------------------------------===//

/// Whether `op`, at the top of rlx_run, takes time.
bool isWork(Operation &op) {
  return !isMemoryEffectFree(&op) && !isa<memref::AllocOp, cf::AssertOp>(op);
}

/// Whether `op` is a loop that the host will run in parallel.
bool isParallelLoop(Operation *op) {
  auto loop = dyn_cast<scf::ForallOp>(op);
  if (!loop)
    return false;
  std::optional<SmallVector<int64_t>> lower = getConstantIntValues(loop.getMixedLowerBound());
  std::optional<SmallVector<int64_t>> upper = getConstantIntValues(loop.getMixedUpperBound());
  std::optional<SmallVector<int64_t>> step = getConstantIntValues(loop.getMixedStep());
  if (!lower || !upper || !step)
    return true;
  return llvm::any_of(llvm::zip_equal(*lower, *upper, *step), [](auto loop) {
    auto [low, high, by] = loop;
    return high - low > by;
  });
}

SmallVector<Region> findRegions(Block &block) {
  SmallVector<Region> regions;
  bool isOpen = false; // whether the last region may grow
  for (Operation &op : block.without_terminator()) {
    if (!isWork(op))
      continue;
    bool isParallel = isParallelLoop(&op);
    if (!isOpen || isParallel || isComputeHeavy(&op))
      regions.push_back({{}, isParallel});
    regions.back().ops.push_back(&op);
    isOpen = !isParallel;
  }
  return regions;
}

/// Calls `function` for each op in the region that computes or copies.
void walkWork(const Region &region, function_ref<void(Operation *)> function) {
  for (Operation *top : region.ops)
    top->walk([&](Operation *op) {
      if (isa<DestinationStyleOpInterface, memref::CopyOp>(op) && !isa<LoopLikeOpInterface>(op))
        function(op);
    });
}

/// What a user knows `op` by: the node of a graph, or a line of a file.
std::string getSourceName(Operation *op) {
  if (auto name = op->getLoc()->findInstanceOf<NameLoc>())
    return name.getName().str();
  if (auto file = op->getLoc()->findInstanceOf<FileLineColLoc>())
    return (llvm::sys::path::filename(file.getFilename()) + ":" + Twine(file.getLine())).str();
  return op->getName().stripDialect().str();
}

/// The sources of all ops that are more than copies and constants, if there are any.
std::string nameRegion(const Region &region) {
  SmallVector<std::string> names, all;
  walkWork(region, [&](Operation *op) {
    std::string name = getSourceName(op);
    if (!llvm::is_contained(all, name))
      all.push_back(name);
    if (!isa<linalg::FillOp, memref::CopyOp>(op) && !llvm::is_contained(names, name))
      names.push_back(name);
  });
  return llvm::join(names.empty() ? all : names, " + ");
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Emits the costs of regions into rlx_costs.
class CostEmitter {
public:
  explicit CostEmitter(const SizeCloner &sizes) : sizes(sizes) {}

  FailureOr<Value> emitFlops(const Region &region) {
    SizeCloner scope = sizes;
    Value total = scope.constant(0);
    for (Operation *op : region.ops)
      if (failed(addFlops(op, scope, total)))
        return failure();
    return total;
  }

  FailureOr<Value> emitBytes(const Region &region) {
    llvm::SetVector<Value> reads, writes;
    walkWork(region, [&](Operation *op) {
      for (const BufferAccess &access : getBufferAccesses(op)) {
        Value buffer = findBuffer(access.memref);
        if (!buffer)
          continue;
        if (access.isWrite)
          writes.insert(buffer);
        else if (!writes.contains(buffer))
          reads.insert(buffer);
      }
    });
    SizeCloner scope = sizes;
    Value total = scope.constant(0);
    for (const llvm::SetVector<Value> &buffers : {reads, writes})
      for (Value buffer : buffers) {
        FailureOr<Value> bytes = emitSize(buffer, scope);
        if (failed(bytes))
          return failure();
        total = add(total, *bytes);
      }
    return total;
  }

private:
  Value add(Value a, Value b) {
    return arith::AddIOp::create(sizes.getBuilder(), sizes.getLoc(), a, b);
  }
  Value multiply(Value a, Value b) {
    return arith::MulIOp::create(sizes.getBuilder(), sizes.getLoc(), a, b);
  }

  /// Adds to `total` the operations of `op` and of the ops nested in it.
  LogicalResult addFlops(Operation *op, SizeCloner &scope, Value &total) {
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      return addLoopFlops(loop, scope, total);
    OpFlops flops = countFlops(op);
    if (flops.factor == 0)
      return success();
    Value count = scope.constant(flops.factor);
    for (const OpFlops::Extent &extent : flops.extents) {
      FailureOr<Value> size = scope.getSize(extent.memref, extent.dim);
      if (failed(size))
        return op->emitError("internal error: cannot compute the size of a loop");
      count = multiply(count, *size);
    }
    total = add(total, count);
    return success();
  }

  /// Adds up the operations of all iterations.
  LogicalResult addLoopFlops(LoopLikeOpInterface loop, const SizeCloner &outer, Value &total) {
    SizeCloner scope = outer;
    OpBuilder &builder = scope.getBuilder();
    OpBuilder::InsertionGuard guard(builder);
    std::optional<SmallVector<OpFoldResult>> bounds[] = {
        loop.getLoopLowerBounds(), loop.getLoopUpperBounds(), loop.getLoopSteps()};
    std::optional<SmallVector<Value>> variables = loop.getLoopInductionVars();
    if (!variables || !llvm::all_of(bounds, [](const auto &bound) { return bound.has_value(); }))
      return loop.emitError("internal error: cannot count the iterations of a loop");
    SmallVector<scf::ForOp> nest;
    for (auto [dim, variable] : llvm::enumerate(*variables)) {
      SmallVector<Value> range;
      for (const auto &bound : bounds) {
        FailureOr<Value> value = scope.materialize((*bound)[dim]);
        if (failed(value))
          return loop.emitError("internal error: cannot count the iterations of a loop");
        range.push_back(*value);
      }
      auto copy = scf::ForOp::create(builder, scope.getLoc(), range[0], range[1], range[2],
                                     ValueRange{total});
      scope.map(variable, copy.getInductionVar());
      nest.push_back(copy);
      builder.setInsertionPointToStart(copy.getBody());
      total = copy.getRegionIterArg(0);
    }
    for (Operation &op : loop.getLoopRegions().front()->front().without_terminator())
      if (failed(addFlops(&op, scope, total)))
        return failure();
    for (scf::ForOp copy : llvm::reverse(nest)) {
      builder.setInsertionPointToEnd(copy.getBody());
      scf::YieldOp::create(builder, scope.getLoc(), total);
      total = copy.getResult(0);
    }
    return success();
  }

  /// The whole of what is accessed through `memref`, as rlx_run sees it from outside the
  /// region; null for buffers of the region's own.
  static Value findBuffer(Value memref) {
    auto isInLoop = [](Operation *op) { return op->getParentOfType<LoopLikeOpInterface>(); };
    for (;;) {
      Operation *op = memref.getDefiningOp();
      if (!op)
        return memref;
      bool keepsElements = isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(op);
      auto view = dyn_cast<ViewLikeOpInterface>(op);
      if (!view || !(isInLoop(op) || keepsElements))
        return isInLoop(op) ? nullptr : memref;
      memref = view.getViewSource();
    }
  }

  FailureOr<Value> emitSize(Value buffer, SizeCloner &scope) {
    auto type = cast<MemRefType>(buffer.getType());
    Value bytes = scope.constant(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      FailureOr<Value> size = scope.getSize(buffer, dim);
      if (failed(size))
        return emitError(buffer.getLoc(), "internal error: cannot compute the size of a buffer");
      bytes = multiply(bytes, *size);
    }
    return bytes;
  }

  const SizeCloner &sizes;
};

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

struct MarkRegionsPass : public rlx::impl::MarkRegionsBase<MarkRegionsPass> {
  using MarkRegionsBase::MarkRegionsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto run = module.lookupSymbol<func::FuncOp>(hostabi::kRun);
    if (!run || run.isDeclaration())
      return;
    SmallVector<Region> regions = findRegions(run.getBody().front());
    numRegions += regions.size();
    OpBuilder builder(&getContext());
    SmallVector<Attribute> table;
    for (auto [index, region] : llvm::enumerate(regions)) {
      builder.setInsertionPoint(region.ops.front());
      host::BeginRegionOp::create(builder, region.ops.front()->getLoc(), index);
      table.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr(hostabi::kRegionName, builder.getStringAttr(nameRegion(region))),
           builder.getNamedAttr(hostabi::kRegionParallel,
                                builder.getBoolAttr(region.isParallel))}));
    }
    if (regions.empty())
      return;
    module->setAttr(hostabi::kRegions, builder.getArrayAttr(table));
    if (failed(emitCosts(module, run, regions)))
      signalPassFailure();
  }

  static LogicalResult emitCosts(ModuleOp module, func::FuncOp run, ArrayRef<Region> regions) {
    FailureOr<ModuleSignature> signature = ModuleSignature::get(module);
    if (failed(signature))
      return failure();
    OpBuilder builder(run);
    Type index = builder.getIndexType();
    SmallVector<Type> arguments(signature->symbols.size(), index);
    SmallVector<Type> results(2 * regions.size(), index);
    auto function = func::FuncOp::create(builder, run.getLoc(), hostabi::kCosts,
                                         builder.getFunctionType(arguments, results));
    builder.setInsertionPointToStart(function.addEntryBlock());
    SizeCloner sizes(builder, run, *signature, llvm::to_vector_of<Value>(function.getArguments()));
    auto shapes = module.lookupSymbol<func::FuncOp>(hostabi::kShapes);
    if (shapes && shapes.getNumArguments() == function.getNumArguments())
      sizes.setOutputDims(cloneShapes(builder, shapes, function));
    CostEmitter costs(sizes);
    SmallVector<Value> values;
    for (const Region &region : regions) {
      FailureOr<Value> flops = costs.emitFlops(region), bytes = costs.emitBytes(region);
      if (failed(flops) || failed(bytes))
        return failure();
      values.append({*flops, *bytes});
    }
    auto terminator = func::ReturnOp::create(builder, run.getLoc(), values);
    builder.setInsertionPoint(terminator);
    std::vector<std::optional<int64_t>> known = evaluateResults(function);
    for (auto [operand, value] : llvm::zip_equal(terminator->getOpOperands(), known))
      if (value)
        operand.set(arith::ConstantIndexOp::create(builder, run.getLoc(), *value));
    IRRewriter rewriter(builder);
    eraseUnusedOps(rewriter, function);
    return success();
  }

  /// Computes in `function` what rlx_shapes does of the same symbols.
  static SmallVector<Value> cloneShapes(OpBuilder &builder, func::FuncOp shapes,
                                        func::FuncOp function) {
    IRMapping mapping;
    mapping.map(shapes.getArguments(), function.getArguments());
    Block &block = shapes.getBody().front();
    for (Operation &op : block.without_terminator())
      if (!isa<cf::AssertOp>(op)) // the host has called rlx_shapes before
        builder.clone(op, mapping);
    return llvm::map_to_vector(block.getTerminator()->getOperands(),
                               [&](Value value) { return mapping.lookup(value); });
  }

  /// Erases what nothing uses any more, last first.
  static void eraseUnusedOps(IRRewriter &rewriter, func::FuncOp function) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
      if (isOpTriviallyDead(&op))
        rewriter.eraseOp(&op);
  }
};

} // namespace
