//===- VectorizeLoopsPlan.h - which loop becomes vectors -------*- C++ -*-===//
//
// Decides how a linalg.generic on memrefs becomes a loop nest: which dimension
// runs along the vector lanes, how every operand is then accessed, and the order
// of the others. Changes no IR.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_CODEGEN_CPU_VECTORIZELOOPSPLAN_H
#define RLX_LIB_CODEGEN_CPU_VECTORIZELOOPSPLAN_H

#include "rlx/Codegen/Target.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace rlx::cpu {

/// What happens to an operand's address as the vector dimension advances by one.
enum class Access {
  Uniform,    ///< it stays: one scalar serves all lanes
  Contiguous, ///< it moves to the next element in memory
  Strided,    ///< anything else: lanes are accessed one by one
};

/// How a linalg.generic on memrefs becomes a loop nest.
///
/// The nest is, from outside in: the outer loops; the vector dimension if it is
/// parallel; the reduction loops, which carry the results in registers; the
/// vector dimension if it is a reduction.
struct LoopPlan {
  llvm::SmallVector<unsigned> outerDims;     ///< parallel dimensions, less the vector one
  llvm::SmallVector<unsigned> reductionDims; ///< reductions, less the vector one
  std::optional<unsigned> vectorDim;         ///< none: all scalar code
  bool vectorIsReduction = false;
  /// Few enough iterations of `reductionDims` to emit them one after another.
  bool unrollsReductions = false;

  int64_t lanes = 1; ///< lanes of a vector
  /// Vectors that one iteration of the main loop handles, to hide the latency of
  /// the operations that carry a reduction.
  int64_t unroll = 1;
  /// Whether what is left after whole vectors is handled by a masked vector; if
  /// not, element by element.
  bool masksTail = false;

  llvm::SmallVector<Access> accesses; ///< of each operand, with a vector dimension
  /// The op that combines each result with the next value, if the vector dimension
  /// is a reduction.
  llvm::SmallVector<mlir::Operation *> combiners;
};

/// Access of an operand of type `type`, indexed with `map`, along loop `dim`.
Access classifyAccess(mlir::AffineMap map, mlir::Type type, unsigned dim);

/// Plans `op`. Fails if the op is beyond what emitLoopNest can do: a result that a
/// reduction moves over or that a parallel loop does not, a loop of another kind.
mlir::FailureOr<LoopPlan> planLoops(mlir::linalg::GenericOp op, const CpuTarget &target);

/// Emits the loop nest of `op` before it. The op itself is left for the caller.
void emitLoopNest(mlir::OpBuilder &builder, mlir::linalg::GenericOp op, const LoopPlan &plan,
                  const CpuTarget &target);

} // namespace rlx::cpu

#endif // RLX_LIB_CODEGEN_CPU_VECTORIZELOOPSPLAN_H
