//===- TileAndFuse.cpp - parallel tiles with their producers --------------===//
//
// Groups the structured ops of a function into regions that compute tile by tile
// what would otherwise go through memory, and makes each region one scf.forall.
//
// Cheap elementwise ops are first copied for each of their users.
//
//===----------------------------------------------------------------------===//

#include "FusionRegion.h"
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
  RegionEmitter(IRRewriter &rewriter, const FusionRegion &region, ArrayRef<int64_t> tileSizes)
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
  const FusionRegion &region;
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
    const TileLimits limits{cacheBytes, maxTiles, minTiles, minFlops};
    SmallVector<FusionRegion> regions;
    for (TilingInterface root : roots) {
      if (taken.contains(root) || root->use_empty())
        continue;
      FusionRegion region = buildRegion(root, taken, limits);
      taken.insert_range(llvm::make_first_range(region.members));
      if (isWorthTiling(region))
        regions.push_back(std::move(region));
    }
    for (const FusionRegion &region : regions) {
      SmallVector<int64_t> tileSizes = chooseTileSizes(region, limits);
      if (failed(RegionEmitter(rewriter, region, tileSizes).emit()))
        return signalPassFailure();
      ++numRegions;
      numFused += region.members.size() - 1;
    }
  }

private:
  /// A region with little work runs on the calling thread as it stands.
  bool isWorthTiling(const FusionRegion &region) {
    if (llvm::none_of(region.tiled, [](bool isTiled) { return isTiled; }))
      return false;
    return estimateFlops(region) >= 2 * minFlops;
  }
};

} // namespace
