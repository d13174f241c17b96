//===- OpCost.h - what an op on buffers computes and touches ---*- C++ -*-===//
#ifndef RLX_LIB_CODEGEN_COMMON_OPCOST_H
#define RLX_LIB_CODEGEN_COMMON_OPCOST_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace rlx {

/// Floating-point operations of an op: so many at each point of the space that its
/// loops span. A loop runs over a dim of a memref, or as often as `factor` says.
struct OpFlops {
  /// A dim of a memref that a loop runs over.
  struct Extent {
    mlir::Value memref;
    int64_t dim;
  };
  int64_t factor = 0; ///< operations at a point, times the loops of known size; 0 for none
  llvm::SmallVector<Extent> extents;
};

/// Counts what `op`, a linalg or rlx structured op on buffers, computes. Additions and
/// exponentials alike are one operation, a multiply-add is two; comparisons, selections
/// and conversions are none. Other ops have no operations.
OpFlops countFlops(mlir::Operation *op);

/// A memref that an op reads or writes.
struct BufferAccess {
  mlir::Value memref;
  bool isWrite;
};

/// What `op` reads, then what it writes, ops nested in it not included but for the
/// loads in the body of a linalg op. A destination whose old values do not matter is
/// not read.
llvm::SmallVector<BufferAccess> getBufferAccesses(mlir::Operation *op);

} // namespace rlx

#endif // RLX_LIB_CODEGEN_COMMON_OPCOST_H
