//===- ReportInstrumentation.h - fills in a report -------------*- C++ -*-===//
//
// Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_COMPILER_REPORTINSTRUMENTATION_H
#define RLX_LIB_COMPILER_REPORTINSTRUMENTATION_H

#include "rlx/Compiler/CompileReport.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include <memory>

namespace rlx {

/// Follows the passes of a compilation, and the remarks that they make.
class ReportRecorder {
public:
  ReportRecorder(CompileReport &report, mlir::MLIRContext *context);
  ~ReportRecorder();

  /// Has the passes of `manager` followed.
  void follow(mlir::PassManager &manager);

private:
  class State;
  std::shared_ptr<State> state;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace rlx

#endif // RLX_LIB_COMPILER_REPORTINSTRUMENTATION_H
