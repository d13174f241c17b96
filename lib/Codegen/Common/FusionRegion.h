//===- FusionRegion.h - ops that are computed tile by tile -----------*- C++ -*-===//
//
// Which structured ops rlx-tile-and-fuse computes together, and in what tiles. The
// pass itself writes them as loops.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_CODEGEN_COMMON_FUSIONREGION_H
#define RLX_LIB_CODEGEN_COMMON_FUSIONREGION_H

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace rlx {

/// For each tiled loop of the root, the loop of a member that it drives.
using LoopMap = llvm::SmallVector<std::optional<unsigned>>;

/// Ops that are computed together, tile by tile.
struct FusionRegion {
  mlir::TilingInterface root;
  /// All members and how the root's loops drive theirs, root first.
  llvm::MapVector<mlir::Operation *, LoopMap> members;
  /// The root's loops that are tiled.
  llvm::SmallVector<bool> tiled;
};

/// What tiles are to be like.
struct TileLimits {
  int64_t cacheBytes; ///< of intermediate tiles, at most
  int64_t maxTiles;   ///< to cut where the cache does not ask for more
  int64_t minTiles;   ///< below which a producer stays outside
  int64_t minFlops;   ///< worth handing to another thread
};

/// The region of `root`, of ops in front of it in its block that are not `taken`.
FusionRegion buildRegion(mlir::TilingInterface root, const llvm::DenseSet<mlir::Operation *> &taken,
                         const TileLimits &limits);

/// Rough count of floating-point operations of all members.
int64_t estimateFlops(const FusionRegion &region);

/// Tile sizes of the root's loops, 0 for loops that stay whole: cut until a tile fits
/// in the core's own cache and there are enough of them for the threads and the amount
/// of work.
llvm::SmallVector<int64_t> chooseTileSizes(const FusionRegion &region, const TileLimits &limits);

/// Whether computing `op` again where it is used is cheaper than writing and reading
/// its result. What it reads must be there without it.
bool isWorthCopying(mlir::Operation *op);

} // namespace rlx

#endif // RLX_LIB_CODEGEN_COMMON_FUSIONREGION_H
