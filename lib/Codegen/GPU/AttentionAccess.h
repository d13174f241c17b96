//===- AttentionAccess.h - operands of attention kernels --------*- C++ -*-===//
//
// Where the row at hand of an rlx.online_attention on buffers finds its operands, which
// keys it sees, and what scores it gives them.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_CODEGEN_GPU_ATTENTIONACCESS_H
#define RLX_LIB_CODEGEN_GPU_ATTENTIONACCESS_H

#include "Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace rlx::gpu {

class AttentionAccess {
protected:
  AttentionAccess(mlir::ImplicitLocOpBuilder &b, ir::OnlineAttentionOp op);

  static mlir::Type elementTypeOf(mlir::Value value) {
    return mlir::getElementTypeOrSelf(value.getType());
  }
  mlir::Value sizeOf(mlir::Value memref, int64_t dim) {
    return b.createOrFold<mlir::memref::DimOp>(memref, dim);
  }
  mlir::Value constant(double value) {
    return mlir::arith::ConstantOp::create(b, b.getFloatAttr(statistics, value));
  }
  mlir::Value isLess(mlir::Value lhs, mlir::Value rhs) {
    return mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::ult, lhs, rhs);
  }

  /// The score of `key` for the row, from the product of its vectors: -inf where hidden.
  mlir::Value emitMaskedScore(mlir::Value dot, mlir::Value key);
  /// Whether the row sees the key; null if it sees all.
  mlir::Value emitIsVisible(mlir::Value key);
  /// Where the mask has the element of the row and `key`; its first three dims may be 1.
  llvm::SmallVector<mlir::Value> maskIndices(mlir::Value key);
  /// An element as a statistic.
  mlir::Value loadAsStatistic(mlir::Value memref, mlir::ValueRange indices);
  /// Where an operand of the layout has a channel of `position`, of the head at hand.
  llvm::SmallVector<mlir::Value> indicesOf(mlir::Value operand, mlir::Value position,
                                           mlir::Value channel);

  mlir::ImplicitLocOpBuilder &b;
  ir::OnlineAttentionOp op;
  mlir::Type statistics; ///< of scores, maxima and sums
  int64_t keySize, valueSize;
  bool sharesQueries;
  mlir::Value chunk, batch, head, query; ///< of the row at hand
  mlir::Value numKeys;
};

} // namespace rlx::gpu

#endif // RLX_LIB_CODEGEN_GPU_ATTENTIONACCESS_H
