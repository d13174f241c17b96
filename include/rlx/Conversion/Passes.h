//===- Passes.h - conversions out of the rlx dialect ------------*- C++ -*-===//
//
// From graphs to functions over linalg on tensors and the structured ops of the
// dialect. Depends on the dialect; what happens to the result is code generation's.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_CONVERSION_PASSES_H
#define RLX_CONVERSION_PASSES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

#include <memory>

namespace rlx {

#define GEN_PASS_DECL
#include "rlx/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "rlx/Conversion/Passes.h.inc"

/// The types that lowered ops work on: boolean tensors become tensors of i8.
mlir::TypeConverter makeLinalgTypeConverter();

/// The lowering of every computing op of the dialect. `converter` must outlive the
/// patterns.
void populateRlxToLinalgPatterns(const mlir::TypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);

/// Registers the passes of this folder.
void registerConversionPasses();

} // namespace rlx

#endif // RLX_CONVERSION_PASSES_H
