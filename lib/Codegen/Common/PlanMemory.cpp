//===- PlanMemory.cpp - places buffers in one workspace -------------------===//
//
// After bufferization every intermediate is a memref.alloc. Those of a function
// become views of one workspace argument, those inside a parallel loop views of one
// stack buffer of the task. Buffers that are never live together share memory:
// largest first, each at the lowest offset free for its whole life ("greedy by
// size", Pisarchyk and Lee, "Efficient memory management for deep neural net
// inference", 2020). Buffers whose size depends on dynamic dims follow the static
// ones; they share memory by whole slots, since their order of sizes is unknown.
//
//===----------------------------------------------------------------------===//

#include "SizeCloner.h"

#include "rlx/Codegen/Passes.h"
#include "rlx/Codegen/Signature.h"
#include "rlx/Runtime/abi.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace rlx {
#define GEN_PASS_DEF_PLANMEMORY
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

namespace {

/// A buffer and the span of ops of its scope's block during which it is live.
struct Buffer {
  memref::AllocOp alloc;
  unsigned first = 0, last = 0;
  std::optional<int64_t> bytes; ///< nothing if it depends on dynamic dims
  int64_t offset = 0;           ///< assigned, or the slot's number if dynamic

  bool overlaps(const Buffer &other) const { return first <= other.last && other.first <= last; }
};

int64_t alignBytes(int64_t bytes) { return llvm::alignTo(bytes, RLX_BUFFER_ALIGNMENT); }

int64_t getElementBytes(MemRefType type) {
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// All users of a buffer, through views of it and values of loops and branches.
void collectUsers(Value buffer, llvm::SetVector<Operation *> &users) {
  SmallVector<Value> worklist = {buffer};
  llvm::DenseSet<Value> seen = {buffer};
  while (!worklist.empty()) {
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      users.insert(user);
      for (Value result : user->getResults())
        if (isa<MemRefType>(result.getType()) && seen.insert(result).second)
          worklist.push_back(result);
    }
  }
}

/// The buffers that live in `block` or in ops nested in it, other than in a nested
/// parallel loop, which is a scope of its own.
SmallVector<Buffer> collectBuffers(Block &block) {
  llvm::DenseMap<Operation *, unsigned> order;
  for (auto [index, op] : llvm::enumerate(block))
    order[&op] = index;
  SmallVector<Buffer> buffers;
  for (Operation &op : block)
    op.walk<WalkOrder::PreOrder>([&](Operation *inner) {
      if (isa<scf::ForallOp>(inner))
        return WalkResult::skip();
      auto alloc = dyn_cast<memref::AllocOp>(inner);
      if (!alloc)
        return WalkResult::advance();
      Buffer buffer{alloc, order[&op], order[&op], std::nullopt, 0};
      llvm::SetVector<Operation *> users;
      collectUsers(alloc, users);
      buffer.first = ~0u;
      for (Operation *user : users) {
        unsigned position = order[block.findAncestorOpInBlock(*user)];
        // A view is not a use: what counts is who reads or writes through it.
        if (isa<ViewLikeOpInterface>(user) && user->getBlock() == &block)
          continue;
        buffer.first = std::min(buffer.first, position);
        buffer.last = std::max(buffer.last, position);
      }
      buffer.first = std::min(buffer.first, buffer.last);
      buffers.push_back(buffer);
      return WalkResult::advance();
    });
  return buffers;
}

/// Assigns offsets to buffers of static size; returns the bytes they take together.
int64_t placeStatic(MutableArrayRef<Buffer *> buffers) {
  llvm::stable_sort(buffers, [](Buffer *a, Buffer *b) { return *a->bytes > *b->bytes; });
  SmallVector<Buffer *> placed; // by offset
  int64_t total = 0;
  for (Buffer *buffer : buffers) {
    int64_t size = alignBytes(*buffer->bytes), best = -1, bestGap = INT64_MAX, end = 0;
    for (Buffer *other : placed) {
      if (!buffer->overlaps(*other))
        continue;
      int64_t gap = other->offset - end;
      if (gap >= size && gap < bestGap) {
        best = end;
        bestGap = gap;
      }
      end = std::max(end, other->offset + alignBytes(*other->bytes));
    }
    buffer->offset = best >= 0 ? best : end;
    total = std::max(total, buffer->offset + size);
    placed.insert(llvm::upper_bound(placed, buffer,
                                    [](Buffer *a, Buffer *b) { return a->offset < b->offset; }),
                  buffer);
  }
  return total;
}

/// The most bytes that are live at a time, which no placement can do with less than.
int64_t getLowerBound(ArrayRef<Buffer *> buffers) {
  int64_t most = 0;
  for (Buffer *moment : buffers) { // live bytes grow only where a buffer begins
    int64_t live = 0;
    for (Buffer *buffer : buffers)
      if (buffer->first <= moment->first && moment->first <= buffer->last)
        live += *buffer->bytes;
    most = std::max(most, live);
  }
  return most;
}

/// Assigns buffers of dynamic size to slots; returns the number of slots.
unsigned placeDynamic(MutableArrayRef<Buffer *> buffers) {
  unsigned slots = 0;
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    int64_t slot = 0;
    while (llvm::any_of(buffers.take_front(index), [&](Buffer *other) {
      return other->offset == slot && buffer->overlaps(*other);
    }))
      ++slot;
    buffer->offset = slot;
    slots = std::max<unsigned>(slots, slot + 1);
  }
  return slots;
}

class PlanMemoryPass : public rlx::impl::PlanMemoryBase<PlanMemoryPass> {
public:
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      WalkResult result =
          function.walk([&](scf::ForallOp forall) { return WalkResult(planTask(forall)); });
      if (result.wasInterrupted())
        return signalPassFailure();
    }
    if (auto bind = module.lookupSymbol<func::FuncOp>(hostabi::kBind))
      if (failed(planBind(module, bind)))
        return signalPassFailure();
    if (auto run = module.lookupSymbol<func::FuncOp>(hostabi::kRun))
      if (failed(planRun(module, run)))
        return signalPassFailure();
  }

private:
  /// Replaces `buffer` by a view of `arena` at `offset` bytes.
  static void replaceByView(Buffer &buffer, Value arena, Value offset) {
    OpBuilder builder(buffer.alloc);
    Value view = memref::ViewOp::create(builder, buffer.alloc.getLoc(), buffer.alloc.getType(),
                                        arena, offset, buffer.alloc.getDynamicSizes());
    buffer.alloc.replaceAllUsesWith(view);
    buffer.alloc.erase();
  }

  static void replaceStatic(ArrayRef<Buffer *> buffers, Value arena) {
    for (Buffer *buffer : buffers) {
      OpBuilder builder(buffer->alloc);
      Value offset =
          arith::ConstantIndexOp::create(builder, buffer->alloc.getLoc(), buffer->offset);
      replaceByView(*buffer, arena, offset);
    }
  }

  /// Buffers of one task: sizes are bounded by the tile's, so the stack holds them.
  LogicalResult planTask(scf::ForallOp forall) {
    SmallVector<Buffer> buffers = collectBuffers(*forall.getBody());
    if (buffers.empty())
      return success();
    SmallVector<Buffer *> all;
    for (Buffer &buffer : buffers) {
      buffer.bytes = getBoundBytes(buffer.alloc);
      if (!buffer.bytes)
        return buffer.alloc.emitError("internal: cannot bound the size of a task's buffer");
      all.push_back(&buffer);
    }
    int64_t total = placeStatic(all);
    if (total > maxTaskBytes)
      return forall.emitError("internal: a task needs ")
             << total << " bytes of stack, more than " << maxTaskBytes;
    OpBuilder builder = OpBuilder::atBlockBegin(forall.getBody());
    Value arena = memref::AllocaOp::create(builder, forall.getLoc(),
                                           MemRefType::get({total}, builder.getI8Type()),
                                           builder.getI64IntegerAttr(RLX_BUFFER_ALIGNMENT));
    replaceStatic(all, arena);
    return success();
  }

  /// Bytes that the buffer takes at most.
  static std::optional<int64_t> getBoundBytes(memref::AllocOp alloc) {
    int64_t bytes = getElementBytes(alloc.getType());
    for (int64_t dim = 0; dim < alloc.getType().getRank(); ++dim) {
      FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
          presburger::BoundType::UB, {alloc.getMemref(), dim}, /*stopCondition=*/nullptr,
          /*closedUB=*/true);
      if (failed(bound))
        return std::nullopt;
      bytes *= *bound;
    }
    return bytes;
  }

  static std::optional<int64_t> getStaticBytes(memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    if (!type.hasStaticShape())
      return std::nullopt;
    return type.getNumElements() * getElementBytes(type);
  }

  /// rlx_bind has no workspace: its intermediates live behind the packed params,
  /// whose size they enlarge.
  LogicalResult planBind(ModuleOp module, func::FuncOp bind) {
    SmallVector<Buffer> buffers = collectBuffers(bind.getBody().front());
    if (buffers.empty())
      return success();
    SmallVector<Buffer *> all;
    for (Buffer &buffer : buffers) {
      buffer.bytes = getStaticBytes(buffer.alloc);
      if (!buffer.bytes)
        return buffer.alloc.emitError("internal: a bind-time buffer has a dynamic size");
      all.push_back(&buffer);
    }
    int64_t total = placeStatic(all);
    OpBuilder builder(&getContext());
    auto packedSize = module->getAttrOfType<IntegerAttr>(hostabi::kPackedSize);
    int64_t base = packedSize ? packedSize.getInt() : 0;
    auto attrs = builder.getDictionaryAttr(
        builder.getNamedAttr(hostabi::kPacked, builder.getI64IntegerAttr(base)));
    unsigned position = bind.getNumArguments();
    if (failed(bind.insertArgument(position, MemRefType::get({total}, builder.getI8Type()), attrs,
                                   bind.getLoc())))
      return failure();
    replaceStatic(all, bind.getArgument(position));
    module->setAttr(hostabi::kPackedSize, builder.getI64IntegerAttr(base + total));
    return success();
  }

  LogicalResult planRun(ModuleOp module, func::FuncOp run) {
    SmallVector<Buffer> buffers = collectBuffers(run.getBody().front());
    SmallVector<Buffer *> fixed, dynamic;
    for (Buffer &buffer : buffers) {
      buffer.bytes = getStaticBytes(buffer.alloc);
      (buffer.bytes ? fixed : dynamic).push_back(&buffer);
    }
    int64_t total = placeStatic(fixed);
    OpBuilder builder(&getContext());
    auto attrs =
        builder.getDictionaryAttr(builder.getNamedAttr(hostabi::kWorkspace, builder.getUnitAttr()));
    unsigned position = run.getNumArguments();
    auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
    if (failed(run.insertArgument(position, type, attrs, run.getLoc())))
      return failure();
    Value arena = run.getArgument(position);
    if (dynamic.empty())
      module->setAttr(
          hostabi::kWorkspacePlan,
          builder.getDictionaryAttr(
              {builder.getNamedAttr(hostabi::kPlanBytes, builder.getI64IntegerAttr(total)),
               builder.getNamedAttr(hostabi::kPlanLowerBound,
                                    builder.getI64IntegerAttr(getLowerBound(fixed)))}));
    replaceStatic(fixed, arena);
    return placeDynamicBuffers(module, run, dynamic, arena, total);
  }

  /// Computes slot sizes from the symbols, at the start of rlx_run and, for the
  /// host, in rlx_shapes.
  LogicalResult placeDynamicBuffers(ModuleOp module, func::FuncOp run,
                                    MutableArrayRef<Buffer *> buffers, Value arena,
                                    int64_t staticBytes) {
    unsigned numSlots = placeDynamic(buffers);
    auto shapes = module.lookupSymbol<func::FuncOp>(hostabi::kShapes);
    if (!shapes)
      return numSlots == 0 ? success()
                           : run.emitError("internal: dynamic buffers without rlx_shapes");
    FailureOr<ModuleSignature> signature = ModuleSignature::get(module);
    if (failed(signature))
      return failure();

    OpBuilder runBuilder = OpBuilder::atBlockBegin(&run.getBody().front());
    SizeCloner runSizes(runBuilder, run, *signature, getSymbolValues(runBuilder, run, *signature));
    auto ret = cast<func::ReturnOp>(shapes.getBody().back().getTerminator());
    OpBuilder shapesBuilder(ret);
    SizeCloner shapesSizes(shapesBuilder, run, *signature,
                           llvm::to_vector_of<Value>(shapes.getArguments()));

    SmallVector<Value> offsets;
    for (SizeCloner *sizes : {&runSizes, &shapesSizes}) {
      FailureOr<SmallVector<Value>> ends = emitSlotOffsets(*sizes, buffers, numSlots, staticBytes);
      if (failed(ends))
        return failure();
      if (sizes == &runSizes)
        offsets = *ends;
      else
        ret->setOperand(ret->getNumOperands() - 1, ends->back());
    }
    for (Buffer *buffer : buffers)
      replaceByView(*buffer, arena, offsets[buffer->offset]);
    return success();
  }

  /// Emits the start of each slot, and the end of the last one.
  static FailureOr<SmallVector<Value>> emitSlotOffsets(SizeCloner &sizes,
                                                       ArrayRef<Buffer *> buffers,
                                                       unsigned numSlots, int64_t staticBytes) {
    OpBuilder &builder = sizes.getBuilder();
    Location loc = sizes.getLoc();
    SmallVector<Value> offsets = {arith::ConstantIndexOp::create(builder, loc, staticBytes)};
    for (unsigned slot = 0; slot < numSlots; ++slot) {
      Value slotBytes;
      for (Buffer *buffer : buffers) {
        if (buffer->offset != slot)
          continue;
        FailureOr<Value> bytes = emitBytes(sizes, buffer->alloc);
        if (failed(bytes))
          return buffer->alloc.emitError("internal: the size of a buffer depends on more than "
                                         "dynamic dims");
        slotBytes = slotBytes ? arith::MaxSIOp::create(builder, loc, slotBytes, *bytes).getResult()
                              : *bytes;
      }
      AffineExpr s0 = builder.getAffineSymbolExpr(0), s1 = builder.getAffineSymbolExpr(1);
      AffineExpr end = s0 + s1.ceilDiv(RLX_BUFFER_ALIGNMENT) * RLX_BUFFER_ALIGNMENT;
      offsets.push_back(affine::AffineApplyOp::create(builder, loc, AffineMap::get(0, 2, end),
                                                      ValueRange{offsets.back(), slotBytes}));
    }
    return offsets;
  }

  static FailureOr<Value> emitBytes(SizeCloner &sizes, memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    int64_t fixed = getElementBytes(type);
    for (int64_t size : type.getShape())
      fixed *= ShapedType::isDynamic(size) ? 1 : size;
    Value bytes = arith::ConstantIndexOp::create(sizes.getBuilder(), alloc.getLoc(), fixed);
    for (Value size : alloc.getDynamicSizes()) {
      FailureOr<Value> cloned = sizes.clone(size);
      if (failed(cloned))
        return failure();
      bytes = arith::MulIOp::create(sizes.getBuilder(), alloc.getLoc(), bytes, *cloned);
    }
    return bytes;
  }

  /// The symbols of rlx_run as sizes of its inputs.
  static SmallVector<Value> getSymbolValues(OpBuilder &builder, func::FuncOp run,
                                            const ModuleSignature &signature) {
    SmallVector<Value> values(signature.symbols.size());
    for (BlockArgument argument : run.getArguments()) {
      auto input = run.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), hostabi::kInput);
      if (!input)
        continue;
      for (auto [dim, code] : llvm::enumerate(signature.inputs[input.getInt()].dims))
        if (code < 0 && !values[-1 - code])
          values[-1 - code] = memref::DimOp::create(builder, run.getLoc(), argument, dim);
    }
    return values;
  }
};

} // namespace
