//===- EvaluateIndex.h - the results of a function of sizes ----*- C++ -*-===//
#ifndef RLX_LIB_CODEGEN_COMMON_EVALUATEINDEX_H
#define RLX_LIB_CODEGEN_COMMON_EVALUATEINDEX_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace rlx {

/// Evaluates a function over index values, of one block of foldable ops and of scf.for
/// loops. Its arguments are unknown, and so is what depends on them.
std::vector<std::optional<int64_t>> evaluateResults(mlir::func::FuncOp function);

} // namespace rlx

#endif // RLX_LIB_CODEGEN_COMMON_EVALUATEINDEX_H
