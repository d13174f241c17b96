//===- Evaluators.h - one function for each op ------------------*- C++ -*-===//
//
// What each op of the dialect computes. An evaluator gets the op, for its
// attributes and types, and its operands' values. It relies on the op being
// verified, and checks what only the run can show: sizes of dynamic dims that
// contradict each other, and indices.
//
// Fused ops that have a plain form have no evaluator: the interpreter evaluates
// the plain form.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_INTERPRETER_EVALUATORS_H
#define RLX_LIB_INTERPRETER_EVALUATORS_H

#include "dialects/rlx/Rlx.h"
#include "rlx/Interpreter/Array.h"
#include "rlx/Runtime/Status.h"

#include "llvm/ADT/ArrayRef.h"

#include <utility>

namespace rlx::interp {

using Shape = Array::Shape;
using Operands = llvm::ArrayRef<Array>;

/// How to evaluate, the same for all ops.
struct Context {
  unsigned threads = 1;
};

/// The element type of a tensor type of the dialect.
DType elementTypeOf(mlir::Type type);

/// The value of a constant.
Result<Array> evaluateConstant(mlir::ElementsAttr value);

// Contractions.cpp
Result<Array> evaluate(ir::MatmulOp op, Operands operands, const Context &context);
Result<Array> evaluate(ir::Conv2dOp op, Operands operands, const Context &context);

// Attention.cpp
/// The output, and the row log-sum-exp if the op has it.
Result<llvm::SmallVector<Array>> evaluate(ir::AttentionOp op, Operands operands,
                                          const Context &context);

// Elementwise.cpp
Result<Array> evaluate(ir::ActivationOp op, Operands operands, const Context &context);
Result<Array> evaluate(ir::BinaryOp op, Operands operands, const Context &context);
Result<Array> evaluate(ir::CompareOp op, Operands operands, const Context &context);
Result<Array> evaluate(ir::WhereOp op, Operands operands, const Context &context);
Result<Array> evaluate(ir::CastOp op, Operands operands, const Context &context);

// Reductions.cpp
Result<Array> evaluate(ir::ReduceOp op, Operands operands, const Context &context);
Result<Array> evaluate(ir::SoftmaxOp op, Operands operands, const Context &context);
Result<Array> evaluate(ir::LayerNormOp op, Operands operands, const Context &context);

// DataMovement.cpp
Result<Array> evaluate(ir::ReshapeOp op, Operands operands, const Context &context);
Result<Array> evaluate(ir::TransposeOp op, Operands operands, const Context &context);
Result<Array> evaluate(ir::NarrowOp op, Operands operands, const Context &context);
Result<Array> evaluate(ir::ConcatOp op, Operands operands, const Context &context);
Result<Array> evaluate(ir::ExpandOp op, Operands operands, const Context &context);
Result<Array> evaluate(ir::GatherOp op, Operands operands, const Context &context);

// Psa.cpp
Result<Array> evaluate(ir::PsaPackQkvOp op, Operands operands, const Context &context);
Result<Array> evaluate(ir::PsaExtractVOp op, Operands operands, const Context &context);
/// The output and the row log-sum-exp.
Result<std::pair<Array, Array>> evaluate(ir::PsaFlashAttentionOp op, Operands operands,
                                         const Context &context);
Result<Array> evaluate(ir::PsaMergeAttnOp op, Operands operands, const Context &context);
/// Where the op has no plain form because its image size is dynamic.
Result<Array> evaluate(ir::PsaAttentionOp op, Operands operands, const Context &context);

// Gradients.cpp and AttentionGradients.cpp
Result<Array> evaluate(ir::ActivationBackwardOp op, Operands operands, const Context &context);
Result<Array> evaluate(ir::Conv2dBackwardInputOp op, Operands operands, const Context &context);
Result<Array> evaluate(ir::Conv2dBackwardWeightOp op, Operands operands, const Context &context);
Result<Array> evaluate(ir::ScatterAddOp op, Operands operands, const Context &context);
/// The gradients of queries, keys, values and, of kind bias, the mask.
Result<llvm::SmallVector<Array>> evaluate(ir::AttentionBackwardOp op, Operands operands,
                                          const Context &context);
Result<Array> evaluate(ir::PsaPackQkvBackwardOp op, Operands operands, const Context &context);
Result<Array> evaluate(ir::PsaExtractVBackwardOp op, Operands operands, const Context &context);
Result<std::pair<Array, Array>> evaluate(ir::PsaMergeAttnBackwardOp op, Operands operands,
                                         const Context &context);
Result<Array> evaluate(ir::PsaFlashAttentionBackwardOp op, Operands operands,
                       const Context &context);

} // namespace rlx::interp

#endif // RLX_LIB_INTERPRETER_EVALUATORS_H
