//===- TileAndFuse.cpp - parallel tiles with their producers --------------===//
//
// Groups the structured ops of a function into regions that compute tile by tile
// what would otherwise go through memory, and makes each region one scf.forall.
//
// Regions grow backwards from a root, the op whose result the tiles cover. A
// producer joins while every tile of the region needs a tile of it that no other
// tile needs, so nothing is computed twice, and while enough independent tiles are
// left to feed the threads. Cheap elementwise ops are first copied for each of their
// users.
//
//===----------------------------------------------------------------------===//

#include "LoopAccess.h"

#include "rlx/Codegen/Passes.h"

#include "dialects/rlx/Rlx.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace rlx {
#define GEN_PASS_DEF_TILEANDFUSE
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

namespace {

/// Stands for a dynamic size in estimates: few rows, as in a token sequence.
constexpr int64_t kAssumedDynamicSize = 8;
/// Rows of a contraction below which splitting them starves the register tile.
constexpr int64_t kMinRowTile = 12;
/// Queries that attention kernels have in their lanes, or a multiple of them.
constexpr int64_t kQueryUnit = 16;
/// Columns of a contraction, or positions of an image, kept together: a few SIMD panels.
constexpr int64_t kMinColumnTile = 64;

/// For each tiled loop of the root, the loop of a member that it drives.
using LoopMap = SmallVector<std::optional<unsigned>>;

/// Ops that are computed together, tile by tile.
struct Region {
  TilingInterface root;
  /// All members and how the root's loops drive theirs, root first.
  llvm::MapVector<Operation *, LoopMap> members;
  /// The root's loops that are tiled.
  SmallVector<bool> tiled;
};

int64_t known(int64_t size) { return ShapedType::isDynamic(size) ? kAssumedDynamicSize : size; }

/// True for elementwise ops of little arithmetic, which are cheaper to compute
/// again than to write and read back.
bool isCheapElementwise(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumReductionLoops() != 0)
    return false;
  return llvm::none_of(op->getRegion(0).front(), [](Operation &inner) {
    return inner.getDialect()->getNamespace() == "math" || isa<tensor::ExtractOp>(inner);
  });
}

int64_t countElements(RankedTensorType type) {
  int64_t elements = 1;
  for (int64_t size : type.getShape())
    elements *= known(size);
  return elements;
}

/// Whether `value` is in memory in any case: an argument, or what an op reads whole
/// that is a region of its own or close to one.
bool isMaterialized(Value value) {
  return !value.getDefiningOp() || llvm::any_of(value.getUsers(), isComputeHeavy);
}

/// Whether computing `op` again where it is used is cheaper than writing and reading
/// its result. What it reads must be there without it.
bool isWorthCopying(Operation *op) {
  if (!isCheapElementwise(op))
    return false;
  int64_t elements = countElements(cast<RankedTensorType>(op->getResult(0).getType()));
  return llvm::all_of(cast<DestinationStyleOpInterface>(op).getDpsInputs(), [&](Value input) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    return !type || 8 * countElements(type) <= elements || isMaterialized(input);
  });
}

/// True for attention that attends to each chunk of keys by itself.
bool isChunked(Operation *op) {
  auto attention = dyn_cast<ir::OnlineAttentionOp>(op);
  return attention && attention.getKeyChunk();
}

/// Smallest sensible tile of loop `loop` of `op`.
int64_t getMinTile(TilingInterface op, unsigned loop) {
  int64_t size = known(getLoopSizes(op)[loop]);
  LoopOfDim result = getResultLoops(op, 0);
  bool innermost = !result.empty() && result.back() == loop;
  if (auto attention = dyn_cast<ir::OnlineAttentionOp>(op.getOperation())) {
    if (loop == 3)
      return *attention.getKeyChunk();
    return loop == 2 ? std::min<int64_t>(size, 2 * kMinRowTile) : 1;
  }
  if (innermost)
    return std::min(size, kMinColumnTile);
  if (result.size() < 2 || result[result.size() - 2] != loop)
    return 1;
  // The two inner loops of an image [B, C, H, W] walk its positions together.
  if (result.size() == 4 && result.back())
    return std::clamp<int64_t>(
        llvm::divideCeil(kMinColumnTile, known(getLoopSizes(op)[*result.back()])), 1, size);
  return std::min(size, kMinRowTile);
}

/// How many tiles the loops in `tiled` can be cut into.
int64_t countTiles(TilingInterface op, ArrayRef<bool> tiled) {
  int64_t tiles = 1;
  SmallVector<int64_t> sizes = getLoopSizes(op);
  for (auto [loop, size] : llvm::enumerate(sizes))
    if (tiled[loop])
      tiles *= llvm::divideCeil(known(size), getMinTile(op, loop));
  return tiles;
}

/// The loop map of the op that produces `operand` of a member. Loops of the root that
/// do not reach the producer are left out.
LoopMap mapProducer(TilingInterface member, const LoopMap &memberMap, OpOperand &operand) {
  auto result = cast<OpResult>(operand.get());
  auto producer = cast<TilingInterface>(result.getOwner());
  LoopOfDim operandLoops = getOperandLoops(member, operand);
  LoopOfDim resultLoops = getResultLoops(producer, result.getResultNumber());
  SmallVector<utils::IteratorType> iterators = producer.getLoopIteratorTypes();
  LoopMap map(memberMap.size());
  for (auto [rootLoop, memberLoop] : llvm::enumerate(memberMap)) {
    if (!memberLoop)
      continue;
    if (llvm::count(operandLoops, memberLoop) != 1)
      continue;
    unsigned dim = llvm::find(operandLoops, memberLoop) - operandLoops.begin();
    std::optional<unsigned> loop = resultLoops[dim];
    if (loop && iterators[*loop] == utils::IteratorType::parallel)
      map[rootLoop] = loop;
  }
  return map;
}

/// Chooses the ops that join the region of a root.
class RegionBuilder {
public:
  RegionBuilder(const llvm::DenseSet<Operation *> &taken, int64_t minTiles, int64_t minFlops)
      : taken(taken), minTiles(minTiles), minFlops(minFlops) {}

  Region build(TilingInterface root) {
    Region region;
    region.root = root;
    LoopMap identity;
    region.tiled = getTileableLoops(root);
    for (auto [loop, tiled] : llvm::enumerate(region.tiled))
      identity.push_back(tiled ? std::optional<unsigned>(loop) : std::nullopt);
    region.members.insert({root, identity});
    flops = estimateFlops(root, kAssumedDynamicSize);
    for (Operation *op = root->getPrevNode(); op; op = op->getPrevNode())
      if (isTileableOp(op) && !taken.contains(op))
        tryJoin(region, cast<TilingInterface>(op));
    return region;
  }

private:
  void tryJoin(Region &region, TilingInterface producer) {
    // Chunks of keys are for a region of their own.
    if (producer->getNumResults() != 1 && !isa<linalg::LinalgOp>(producer.getOperation()))
      return;
    bool isPad = isa<tensor::PadOp>(producer.getOperation()); // has no destination to yield to
    std::optional<LoopMap> map;
    bool usedBeforeRoot = false;
    for (OpOperand &use : producer->getUses()) {
      Operation *user = use.getOwner();
      auto *member = region.members.find(user);
      if (member == region.members.end()) {
        usedBeforeRoot |=
            user->getBlock() != region.root->getBlock() || user->isBeforeInBlock(region.root);
        continue;
      }
      LoopMap useMap = mapProducer(cast<TilingInterface>(user), member->second, use);
      if (map && *map != useMap)
        return;
      map = useMap;
    }
    if (!map || usedBeforeRoot)
      return;

    SmallVector<bool> tiled = region.tiled;
    for (auto [loop, isTiled] : llvm::enumerate(tiled))
      isTiled = isTiled && (*map)[loop].has_value();
    if (isChunked(region.root) && !tiled[3])
      return;
    int64_t joined = flops + estimateFlops(producer, kAssumedDynamicSize);
    // Work that could feed the threads is not to wait for those of a small region.
    int64_t possible = std::max(countTiles(region.root, region.tiled),
                                countTiles(producer, getTileableLoops(producer)));
    if (joined >= minFlops && countTiles(region.root, tiled) < std::min(minTiles, possible))
      return;
    if (llvm::none_of(tiled, [](bool isTiled) { return isTiled; }) && joined >= minFlops)
      return;

    region.tiled = tiled;
    region.members.insert({producer, *map});
    flops = joined;
  }

  const llvm::DenseSet<Operation *> &taken;
  int64_t minTiles, minFlops;
  int64_t flops = 0;
};

/// Bytes of all members' results for one tile of the root.
int64_t getTileBytes(const Region &region, ArrayRef<int64_t> tileSizes) {
  int64_t bytes = 0;
  for (const auto &[op, map] : region.members) {
    auto member = cast<TilingInterface>(op);
    SmallVector<int64_t> loopSizes = getLoopSizes(member);
    for (auto [rootLoop, memberLoop] : llvm::enumerate(map))
      if (memberLoop && tileSizes[rootLoop] != 0)
        loopSizes[*memberLoop] = tileSizes[rootLoop];
    for (OpResult result : op->getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      LoopOfDim loops = getResultLoops(member, result.getResultNumber());
      int64_t elements = 1;
      for (auto [dim, loop] : llvm::enumerate(loops))
        elements *= known(loop ? loopSizes[*loop] : type.getDimSize(dim));
      bytes += elements * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    }
  }
  return bytes;
}

/// A tile of about `tile`, at least `minTile`: equal tiles have static sizes, so a
/// divisor of `size`, of those in multiples of `unit` if there are.
int64_t preferDivisor(int64_t size, int64_t tile, int64_t minTile, int64_t unit) {
  if (ShapedType::isDynamic(size) || tile >= size)
    return tile;
  auto search = [&](int64_t step) -> std::optional<int64_t> {
    for (int64_t distance = 0; distance <= tile && distance < size; ++distance)
      for (int64_t candidate : {tile - distance, tile + distance})
        if (candidate >= minTile && candidate % step == 0 && size % candidate == 0)
          return candidate;
    return std::nullopt;
  };
  if (std::optional<int64_t> divisor = search(unit))
    return *divisor;
  return search(1).value_or(std::max(tile, minTile));
}

/// The extent along a loop that kernels work on at a time: a group of attention's
/// queries, 1 elsewhere.
int64_t getUnit(TilingInterface op, unsigned loop) {
  auto attention = dyn_cast<ir::OnlineAttentionOp>(op.getOperation());
  return attention && loop == 2 ? kQueryUnit : 1;
}

/// Whether a tile along `loop` needs a part of `operand` alone.
bool isWalkedBy(TilingInterface op, OpOperand &operand, unsigned loop) {
  auto matmul = dyn_cast<ir::PackedMatmulOp>(op.getOperation());
  if (matmul && operand.get() == matmul.getPacked())
    return loop + 1 == matmul.getInitType().getRank(); // panels of columns
  return llvm::is_contained(getOperandLoops(op, operand), std::optional<unsigned>(loop));
}

/// The root's loops in the order in which cutting them costs least: each tile along a
/// loop reads again what the heaviest member reads without moving along that loop.
SmallVector<unsigned> getCuttingOrder(const Region &region) {
  const auto *heaviest = llvm::max_element(region.members, [](const auto &a, const auto &b) {
    return estimateFlops(cast<TilingInterface>(a.first), kAssumedDynamicSize) <
           estimateFlops(cast<TilingInterface>(b.first), kAssumedDynamicSize);
  });
  auto member = cast<TilingInterface>(heaviest->first);
  SmallVector<int64_t> elementsReadAgain;
  for (std::optional<unsigned> loop : heaviest->second) {
    int64_t elements = 0;
    for (OpOperand *input :
         cast<DestinationStyleOpInterface>(heaviest->first).getDpsInputOperands()) {
      auto type = dyn_cast<RankedTensorType>(input->get().getType());
      if (type && (!loop || !isWalkedBy(member, *input, *loop)))
        elements += countElements(type);
    }
    elementsReadAgain.push_back(elements);
  }
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, region.tiled.size()));
  llvm::stable_sort(
      order, [&](unsigned a, unsigned b) { return elementsReadAgain[a] < elementsReadAgain[b]; });
  return order;
}

/// Tile sizes of the root's loops, 0 for loops that stay whole: cut until a tile fits
/// in the core's own cache and there are enough of them for the threads and the amount
/// of work.
SmallVector<int64_t> chooseTileSizes(const Region &region, int64_t cacheBytes, int64_t maxTiles,
                                     int64_t minFlops) {
  TilingInterface root = region.root;
  SmallVector<int64_t> sizes = getLoopSizes(root), tiles;
  int64_t flops = 0;
  for (const auto &[op, map] : region.members)
    flops += estimateFlops(cast<TilingInterface>(op), kAssumedDynamicSize);
  int64_t wanted = std::clamp<int64_t>(flops / minFlops, 1, maxTiles);
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    if (!region.tiled[loop])
      tiles.push_back(0);
    else if (ShapedType::isDynamic(size)) // unbounded: batches one by one, rows in blocks
      tiles.push_back(loop == 0 && sizes.size() > 2 ? 1 : 4 * kMinRowTile);
    else
      tiles.push_back(std::max<int64_t>(size, 1));
  }
  if (isChunked(root))
    tiles[3] = getMinTile(root, 3);
  auto numTiles = [&] {
    int64_t count = 1;
    for (auto [size, tile] : llvm::zip(sizes, tiles))
      count *= tile ? llvm::divideCeil(known(size), tile) : 1;
    return count;
  };
  for (unsigned loop : getCuttingOrder(region)) {
    int64_t &tile = tiles[loop];
    if (!tile)
      continue;
    int64_t minTile = getMinTile(root, loop);
    while (tile > minTile) {
      int64_t half = std::max(minTile, (tile + 1) / 2), size = known(sizes[loop]);
      bool feeds = llvm::divideCeil(size, half) > llvm::divideCeil(size, tile);
      if (!(feeds && numTiles() < wanted) && getTileBytes(region, tiles) <= cacheBytes)
        break;
      tile = half;
    }
    tile = preferDivisor(sizes[loop], tile, minTile, getUnit(root, loop));
    auto matmul = dyn_cast<ir::PackedMatmulOp>(root.getOperation());
    if (matmul && loop + 1 == tiles.size() && tile < known(sizes[loop]))
      tile = llvm::alignTo(tile, matmul.getPanelWidth());
  }
  return tiles;
}

/// Gives each user of a cheap elementwise op a copy of its own.
void copyForUsers(IRRewriter &rewriter, Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (!isTileableOp(&op) || op.getNumResults() != 1 || !isWorthCopying(&op))
      continue;
    llvm::SetVector<Operation *> users(op.user_begin(), op.user_end());
    for (Operation *user : users) {
      if (user == users.front() || user->getBlock() != &block)
        continue;
      rewriter.setInsertionPoint(user);
      Operation *copy = rewriter.clone(op);
      user->replaceUsesOfWith(op.getResult(0), copy->getResult(0));
    }
  }
}

/// Writes a region as one scf.forall.
class RegionEmitter {
public:
  RegionEmitter(IRRewriter &rewriter, const Region &region, ArrayRef<int64_t> tileSizes)
      : rewriter(rewriter), region(region), tileSizes(tileSizes) {}

  LogicalResult emit() {
    Location loc = region.root->getLoc();
    rewriter.setInsertionPoint(region.root);
    collectYields();
    SmallVector<Value> destinations;
    for (OpResult result : yields)
      destinations.push_back(createEmpty(loc, result));

    SmallVector<OpFoldResult> lowerBounds, upperBounds, steps;
    SmallVector<Range> domain = TilingInterface(region.root).getIterationDomain(rewriter);
    for (auto [loop, tile] : llvm::enumerate(tileSizes)) {
      if (!tile)
        continue;
      loops.push_back(loop);
      lowerBounds.push_back(rewriter.getIndexAttr(0));
      upperBounds.push_back(domain[loop].size);
      steps.push_back(rewriter.getIndexAttr(tile));
    }
    auto forall = scf::ForallOp::create(rewriter, loc, lowerBounds, upperBounds, steps,
                                        destinations, std::nullopt);
    rewriter.setInsertionPoint(forall.getTerminator());
    setTiles(loc, domain, forall.getInductionVars());
    for (Operation *member : llvm::reverse(llvm::make_first_range(region.members)))
      if (failed(emitMember(cast<TilingInterface>(member))))
        return member->emitError("cannot tile this op");
    yieldTiles(loc, forall);

    for (auto [result, replacement] : llvm::zip(yields, forall.getResults()))
      rewriter.replaceUsesWithIf(result, replacement, [&](OpOperand &use) {
        return !region.members.contains(use.getOwner());
      });
    for (Operation *member : llvm::make_first_range(region.members)) {
      takeSizesFromDestinations(member);
      rewriter.eraseOp(member);
    }
    return success();
  }

private:
  /// Results that something outside the region needs.
  void collectYields() {
    for (Operation *member : llvm::reverse(llvm::make_first_range(region.members))) {
      for (OpResult result : member->getResults())
        if (llvm::any_of(result.getUsers(),
                         [&](Operation *user) { return !region.members.contains(user); }))
          yields.push_back(result);
    }
  }

  /// The value at the end of the result's chain of destinations: it has the result's
  /// type, is available before any member, and outlives them.
  Value getDestination(OpResult result) {
    auto dps = cast<DestinationStyleOpInterface>(result.getOwner());
    Value init = dps.getTiedOpOperand(result)->get();
    while (Operation *definer = init.getDefiningOp()) {
      auto inner = dyn_cast<DestinationStyleOpInterface>(definer);
      if (!inner || !region.members.contains(definer))
        break;
      init = inner.getTiedOpOperand(cast<OpResult>(init))->get();
    }
    return init;
  }

  /// A tensor.empty of the result's shape.
  Value createEmpty(Location loc, OpResult result) {
    Value init = getDestination(result);
    auto type = cast<RankedTensorType>(result.getType());
    return tensor::EmptyOp::create(rewriter, loc, tensor::getMixedSizes(rewriter, loc, init),
                                   type.getElementType());
  }

  /// Bounds of the iteration domain may be sizes of a member's result, which goes.
  void takeSizesFromDestinations(Operation *member) {
    if (auto pad = dyn_cast<tensor::PadOp>(member))
      return takeSizesFromSource(pad);
    for (OpResult result : member->getResults())
      for (OpOperand &use : llvm::make_early_inc_range(result.getUses()))
        if (auto dim = dyn_cast<tensor::DimOp>(use.getOwner()))
          rewriter.modifyOpInPlace(dim, [&] { use.set(getDestination(result)); });
  }

  void takeSizesFromSource(tensor::PadOp pad) {
    for (Operation *user : llvm::make_early_inc_range(pad->getUsers())) {
      auto dim = dyn_cast<tensor::DimOp>(user);
      if (!dim)
        continue;
      rewriter.setInsertionPoint(dim);
      int64_t position = *dim.getConstantIndex();
      AffineExpr sum = rewriter.getAffineSymbolExpr(0) + rewriter.getAffineSymbolExpr(1) +
                       rewriter.getAffineSymbolExpr(2);
      OpFoldResult size = affine::makeComposedFoldedAffineApply(
          rewriter, dim.getLoc(), sum,
          {tensor::getMixedSize(rewriter, dim.getLoc(), pad.getSource(), position),
           pad.getMixedLowPad()[position], pad.getMixedHighPad()[position]});
      rewriter.replaceOp(dim, getValueOrCreateConstantIndexOp(rewriter, dim.getLoc(), size));
    }
  }

  /// Offsets and sizes of the current tile along each loop of the root.
  void setTiles(Location loc, ArrayRef<Range> domain, ValueRange inductionVars) {
    offsets.assign(tileSizes.size(), rewriter.getIndexAttr(0));
    sizes.assign(tileSizes.size(), OpFoldResult());
    for (auto [loop, iv] : llvm::zip(loops, inductionVars)) {
      offsets[loop] = iv;
      int64_t tile = tileSizes[loop];
      std::optional<int64_t> extent = getConstantIntValue(domain[loop].size);
      if (tile == 1 || (extent && *extent % tile == 0)) {
        sizes[loop] = rewriter.getIndexAttr(tile);
        continue;
      }
      AffineExpr d0 = rewriter.getAffineDimExpr(0), d1 = rewriter.getAffineDimExpr(1);
      AffineMap map = AffineMap::get(2, 0, {rewriter.getAffineConstantExpr(tile), d1 - d0},
                                     rewriter.getContext());
      sizes[loop] =
          affine::makeComposedFoldedAffineMin(rewriter, loc, map, {iv, domain[loop].size});
    }
  }

  LogicalResult emitMember(TilingInterface member) {
    const LoopMap &map = region.members.find(member.getOperation())->second;
    SmallVector<OpFoldResult> memberOffsets, memberSizes;
    for (const Range &range : member.getIterationDomain(rewriter)) {
      memberOffsets.push_back(range.offset);
      memberSizes.push_back(range.size);
    }
    for (unsigned loop : loops)
      if (map[loop]) {
        memberOffsets[*map[loop]] = offsets[loop];
        memberSizes[*map[loop]] = sizes[loop];
      }
    // Dims with padding stay whole, so that no tile of it can be all padding.
    auto pad = dyn_cast<tensor::PadOp>(member.getOperation());
    FailureOr<TilingResult> tiled =
        pad ? tensor::bubbleUpPadSlice(rewriter, pad, memberOffsets, memberSizes,
                                       /*generateZeroSliceGuard=*/false)
            : member.getTiledImplementation(rewriter, memberOffsets, memberSizes);
    if (failed(tiled) || tiled->tiledOps.size() != 1)
      return failure();
    for (Operation *slice : tiled->generatedSlices)
      replaceSlice(cast<tensor::ExtractSliceOp>(slice));
    for (auto [result, tile] : llvm::zip(member->getResults(), tiled->tiledValues)) {
      tiles[result] = tile;
      SmallVector<OpFoldResult> resultOffsets, resultSizes;
      if (failed(member.getResultTilePosition(rewriter, cast<OpResult>(result).getResultNumber(),
                                              memberOffsets, memberSizes, resultOffsets,
                                              resultSizes)))
        return failure();
      positions[result] = {resultOffsets, resultSizes};
    }
    return success();
  }

  /// A slice of a member's result is the member's tile; one of an empty tensor is
  /// a smaller empty tensor.
  void replaceSlice(tensor::ExtractSliceOp slice) {
    rewriter.setInsertionPoint(slice);
    Value replacement;
    if (auto tile = tiles.find(slice.getSource()); tile != tiles.end()) {
      replacement = tile->second;
      if (replacement.getType() != slice.getType())
        replacement =
            tensor::CastOp::create(rewriter, slice.getLoc(), slice.getType(), replacement);
    } else if (auto empty = slice.getSource().getDefiningOp<tensor::EmptyOp>()) {
      llvm::SmallBitVector dropped = slice.getDroppedDims();
      SmallVector<OpFoldResult> kept;
      for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes()))
        if (!dropped[dim])
          kept.push_back(size);
      replacement =
          tensor::EmptyOp::create(rewriter, slice.getLoc(), kept, slice.getType().getElementType());
    } else {
      restoreInsertionPoint(slice);
      return;
    }
    rewriter.replaceOp(slice, replacement);
    restoreInsertionPoint(replacement.getDefiningOp());
  }

  void restoreInsertionPoint(Operation *op) {
    rewriter.setInsertionPoint(op->getBlock()->getTerminator());
  }

  void yieldTiles(Location loc, scf::ForallOp forall) {
    for (auto [result, dest] : llvm::zip(yields, forall.getRegionIterArgs())) {
      auto &[resultOffsets, resultSizes] = positions[result];
      SmallVector<OpFoldResult> strides(resultOffsets.size(), rewriter.getIndexAttr(1));
      rewriter.setInsertionPointToEnd(forall.getTerminator().getBody());
      tensor::ParallelInsertSliceOp::create(rewriter, loc, tiles[result], dest, resultOffsets,
                                            resultSizes, strides);
    }
  }

  IRRewriter &rewriter;
  const Region &region;
  ArrayRef<int64_t> tileSizes;
  SmallVector<unsigned> loops;
  SmallVector<OpResult> yields;
  SmallVector<OpFoldResult> offsets, sizes;
  llvm::DenseMap<Value, Value> tiles;
  llvm::DenseMap<Value, std::pair<SmallVector<OpFoldResult>, SmallVector<OpFoldResult>>> positions;
};

class TileAndFusePass : public rlx::impl::TileAndFuseBase<TileAndFusePass> {
public:
  using TileAndFuseBase::TileAndFuseBase;

  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    IRRewriter rewriter(&getContext());
    copyForUsers(rewriter, getOperation().getBody().front());
    llvm::DenseSet<Operation *> taken;
    SmallVector<TilingInterface> roots;
    for (Operation &op : llvm::reverse(getOperation().getBody().front()))
      if (isTileableOp(&op) && !isa<tensor::PadOp>(op))
        roots.push_back(cast<TilingInterface>(op));
    SmallVector<Region> regions;
    for (TilingInterface root : roots) {
      if (taken.contains(root) || root->use_empty())
        continue;
      Region region = RegionBuilder(taken, minTiles, minFlops).build(root);
      taken.insert_range(llvm::make_first_range(region.members));
      if (isWorthTiling(region))
        regions.push_back(std::move(region));
    }
    for (const Region &region : regions) {
      SmallVector<int64_t> tileSizes = chooseTileSizes(region, cacheBytes, maxTiles, minFlops);
      if (failed(RegionEmitter(rewriter, region, tileSizes).emit()))
        return signalPassFailure();
      ++numRegions;
      numFused += region.members.size() - 1;
    }
  }

private:
  /// A region with little work runs on the calling thread as it stands.
  bool isWorthTiling(const Region &region) {
    if (llvm::none_of(region.tiled, [](bool isTiled) { return isTiled; }))
      return false;
    int64_t flops = 0;
    for (Operation *member : llvm::make_first_range(region.members))
      flops += estimateFlops(cast<TilingInterface>(member), kAssumedDynamicSize);
    return flops >= 2 * minFlops;
  }
};

} // namespace
