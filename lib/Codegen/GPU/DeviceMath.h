//===- DeviceMath.h - elementary functions in double precision -*- C++ -*-===//
//
// A GPU has no libm. Emits scalar f64 code for the functions that rlx-expand-math leaves;
// depends on the arith, math and scf dialects.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_CODEGEN_GPU_DEVICEMATH_H
#define RLX_LIB_CODEGEN_GPU_DEVICEMATH_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace rlx::gpu {

/// The value of the math op `op` on f64 `operands`; null if it is not exp, log, tanh, erf,
/// sin, cos or powf. Every function is within 4 ulp, erf within 4 of its value near 1, and
/// treats NaN, infinities and zeros as C's does.
mlir::Value emitDouble(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op,
                       mlir::ValueRange operands);

} // namespace rlx::gpu

#endif // RLX_LIB_CODEGEN_GPU_DEVICEMATH_H
