//===- VectorMath.h - elementary functions as vector code ------*- C++ -*-===//
//
// Emits short branch-free code for elementary functions on f32 scalars and
// vectors of any shape, for CPUs and GPUs. Depends on the arith and math dialects
// only; no pass lives here.
//
// Every function keeps NaN, and its accuracy is measured against long double
// over all magnitudes in test/Unit/Codegen/VectorMathTest.cpp. None of them
// reads the rounding mode: they assume round to nearest.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_CODEGEN_COMMON_VECTORMATH_H
#define RLX_LIB_CODEGEN_COMMON_VECTORMATH_H

#include "rlx/Codegen/Target.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace rlx {

/// What the code below needs to know of a target.
struct MathTarget {
  bool hasFma = true;        ///< fused multiply-add is an instruction
  bool roundsByCall = false; ///< math.roundeven would be a call of libm

  MathTarget() = default; ///< a GPU
  MathTarget(const CpuTarget &target);
};

/// `a * b + c`, rounded once where the target has the instruction. Without it a
/// fused operation would be a call for each lane, so it is rounded twice there.
mlir::Value emitFma(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a, mlir::Value b,
                    mlir::Value c, const MathTarget &target);

/// exp(x) of f32, within 1.1 ulp: inf above 88.72, gradual underflow, 0 below -103.97.
mlir::Value emitExp(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                    const MathTarget &target);

/// exp(x) for x <= 0 or NaN, within 1.1 ulp where the result is a normal number and
/// exactly 0 where it is not. x may be -inf. A little over half the cost of emitExp;
/// softmax, which subtracts the row's maximum first, needs no more.
mlir::Value emitExpNonPositive(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                               const MathTarget &target);

/// log(x) of f32, within 1.5 ulp; exact for 0 (-inf), inf and negative numbers (NaN).
mlir::Value emitLog(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                    const MathTarget &target);

/// tanh(x) of f32, within 2 ulp.
mlir::Value emitTanh(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                     const MathTarget &target);

/// erf(x) of f32, within 2 ulp.
mlir::Value emitErf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                    const MathTarget &target);

/// x rounded to an integer, ties to even, without an instruction for it.
mlir::Value emitRoundEven(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                          const MathTarget &target);

/// Replaces the math ops of `root` that these functions emit, `math.rsqrt`, and
/// arithmetic on f16 and bf16, which is done in f32; see rlx-expand-math.
void expandMath(mlir::Operation *root, const MathTarget &target);

} // namespace rlx

#endif // RLX_LIB_CODEGEN_COMMON_VECTORMATH_H
