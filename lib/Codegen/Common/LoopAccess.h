//===- LoopAccess.h - how loops of an op index its tensors -----*- C++ -*-===//
//
// One view of linalg and rlx structured ops for the passes that decide on tiles:
// which loop walks which tensor dimension, and how much work an op is.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_CODEGEN_COMMON_LOOPACCESS_H
#define RLX_LIB_CODEGEN_COMMON_LOOPACCESS_H

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace rlx {

/// For each dimension of a tensor, the loop that walks it alone with unit step,
/// if there is one; other dimensions are accessed whole.
using LoopOfDim = llvm::SmallVector<std::optional<unsigned>>;

/// True for ops that tiling understands: linalg and rlx structured ops on tensors, and
/// padding with constants, of which dims without padding are tiled.
bool isTileableOp(mlir::Operation *op);

/// Sizes of the loops of `op`; dynamic ones are ShapedType::kDynamic.
llvm::SmallVector<int64_t> getLoopSizes(mlir::TilingInterface op);

/// Which loops of `op` can be cut into tiles that are computed apart.
llvm::SmallVector<bool> getTileableLoops(mlir::TilingInterface op);

/// The loops that walk result `resultNumber` of `op`.
LoopOfDim getResultLoops(mlir::TilingInterface op, unsigned resultNumber);

/// The loops that walk `operand`, an operand of `op`. Loops that move over it in
/// another way (a convolution's window) are left out.
LoopOfDim getOperandLoops(mlir::TilingInterface op, mlir::OpOperand &operand);

/// True for ops with enough arithmetic for each element that they are never worth
/// computing twice: contractions, convolutions, attention.
bool isComputeHeavy(mlir::Operation *op);

/// Rough count of floating-point operations; `dynamicSize` stands for dynamic sizes.
int64_t estimateFlops(mlir::TilingInterface op, int64_t dynamicSize);

} // namespace rlx

#endif // RLX_LIB_CODEGEN_COMMON_LOOPACCESS_H
