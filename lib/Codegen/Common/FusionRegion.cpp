//===- FusionRegion.cpp - ops that are computed tile by tile -------------------===//
//
// Regions grow backwards from a root, the op whose result the tiles cover. A
// producer joins while every tile of the region needs a tile of it that no other
// tile needs, so nothing is computed twice, and while enough independent tiles are
// left to feed the threads.
//
//===----------------------------------------------------------------------===//

#include "FusionRegion.h"

#include "LoopAccess.h"

#include "dialects/rlx/Rlx.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace rlx;

namespace {

/// Stands for a dynamic size in estimates: few rows, as in a token sequence.
constexpr int64_t kAssumedDynamicSize = 8;
/// Rows of a contraction below which splitting them starves the register tile.
constexpr int64_t kMinRowTile = 12;
/// Bytes of intermediate tiles that the stack of a task has room for.
constexpr int64_t kMaxTileBytes = 1 << 20;
/// Queries that attention kernels have in their lanes, or a multiple of them.
constexpr int64_t kQueryUnit = 16;
/// Columns of a contraction, or positions of an image, kept together: a few SIMD panels.
constexpr int64_t kMinColumnTile = 64;

/// A size for estimates, which divide by it: at least 1.
int64_t known(int64_t size) {
  return ShapedType::isDynamic(size) ? kAssumedDynamicSize : std::max<int64_t>(size, 1);
}

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

} // namespace

bool rlx::isWorthCopying(Operation *op) {
  if (!isCheapElementwise(op))
    return false;
  int64_t elements = countElements(cast<RankedTensorType>(op->getResult(0).getType()));
  return llvm::all_of(cast<DestinationStyleOpInterface>(op).getDpsInputs(), [&](Value input) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    return !type || 8 * countElements(type) <= elements || isMaterialized(input);
  });
}

namespace {

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

/// Whether tiles of the member's results fit in a buffer of known size: a dynamic dim
/// has to be walked by a tiled loop.
bool hasBoundedTiles(TilingInterface member, const LoopMap &map, ArrayRef<bool> tiled) {
  return llvm::all_of(member->getOpResults(), [&](OpResult result) {
    auto type = cast<RankedTensorType>(result.getType());
    for (auto [dim, loop] : llvm::enumerate(getResultLoops(member, result.getResultNumber()))) {
      bool isTiled = llvm::any_of(llvm::zip(map, tiled), [&](auto driven) {
        return loop && std::get<1>(driven) && std::get<0>(driven) == loop;
      });
      if (type.isDynamicDim(dim) && !isTiled)
        return false;
    }
    return true;
  });
}

/// Bytes of an op's results for one tile of the root, whose loops `map` takes to the op's.
int64_t getTileBytes(TilingInterface op, const LoopMap &map, ArrayRef<int64_t> tileSizes) {
  SmallVector<int64_t> loopSizes = getLoopSizes(op);
  for (auto [rootLoop, loop] : llvm::enumerate(map))
    if (loop && tileSizes[rootLoop] != 0)
      loopSizes[*loop] = tileSizes[rootLoop];
  int64_t bytes = 0;
  for (OpResult result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    int64_t elements = 1;
    for (auto [dim, loop] : llvm::enumerate(getResultLoops(op, result.getResultNumber()))) {
      bool countsChunks = dim == 0 && isChunked(op); // a tile is of one chunk
      elements *= countsChunks ? 1 : known(loop ? loopSizes[*loop] : type.getDimSize(dim));
    }
    bytes += elements * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }
  return bytes;
}

/// Bytes of all members' results for one tile of the root.
int64_t getTileBytes(const FusionRegion &region, ArrayRef<int64_t> tileSizes) {
  int64_t bytes = 0;
  for (const auto &[op, map] : region.members)
    bytes += getTileBytes(cast<TilingInterface>(op), map, tileSizes);
  return bytes;
}

/// The smallest tiles that the root's tiled loops can be cut into.
SmallVector<int64_t> getSmallestTiles(const FusionRegion &region) {
  SmallVector<int64_t> tiles;
  for (auto [loop, tiled] : llvm::enumerate(region.tiled))
    tiles.push_back(tiled ? getMinTile(region.root, loop) : 0);
  return tiles;
}

/// Chooses the ops that join the region of a root.
class RegionBuilder {
public:
  RegionBuilder(const llvm::DenseSet<Operation *> &taken, const TileLimits &limits)
      : taken(taken), limits(limits) {}

  FusionRegion build(TilingInterface root) {
    FusionRegion region;
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
  /// Bytes of what a smallest tile writes where the root's results go.
  static int64_t getRootBytes(const FusionRegion &region) {
    return getTileBytes(region.root, region.members.find(region.root)->second,
                        getSmallestTiles(region));
  }

  void tryJoin(FusionRegion &region, TilingInterface producer) {
    // Chunks of keys are for a region of their own.
    if (producer->getNumResults() != 1 && !isa<linalg::LinalgOp>(producer.getOperation()))
      return;
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
    if (joined >= limits.minFlops &&
        countTiles(region.root, tiled) < std::min(limits.minTiles, possible))
      return;
    if (llvm::none_of(tiled, [](bool isTiled) { return isTiled; }) && joined >= limits.minFlops)
      return;

    if (!hasBoundedTiles(producer, *map, tiled) ||
        llvm::any_of(region.members, [&](const auto &member) {
          return !hasBoundedTiles(cast<TilingInterface>(member.first), member.second, tiled);
        }))
      return;

    FusionRegion joint = region;
    joint.tiled = tiled;
    joint.members.insert({producer, *map});
    if (getTileBytes(joint, getSmallestTiles(joint)) - getRootBytes(joint) > kMaxTileBytes)
      return;
    region = std::move(joint);
    flops = joined;
  }

  const llvm::DenseSet<Operation *> &taken;
  const TileLimits &limits;
  int64_t flops = 0;
};

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
SmallVector<unsigned> getCuttingOrder(const FusionRegion &region) {
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

} // namespace

FusionRegion rlx::buildRegion(TilingInterface root, const llvm::DenseSet<Operation *> &taken,
                              const TileLimits &limits) {
  return RegionBuilder(taken, limits).build(root);
}

int64_t rlx::estimateFlops(const FusionRegion &region) {
  int64_t flops = 0;
  for (Operation *member : llvm::make_first_range(region.members))
    flops += estimateFlops(cast<TilingInterface>(member), kAssumedDynamicSize);
  return flops;
}

SmallVector<int64_t> rlx::chooseTileSizes(const FusionRegion &region, const TileLimits &limits) {
  TilingInterface root = region.root;
  SmallVector<int64_t> sizes = getLoopSizes(root), tiles;
  int64_t wanted = std::clamp<int64_t>(estimateFlops(region) / limits.minFlops, 1, limits.maxTiles);
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
      if (!(feeds && numTiles() < wanted) && getTileBytes(region, tiles) <= limits.cacheBytes)
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
