//===- GraphModule.h - The IR behind a graph --------------------*- C++ -*-===//
//
// For the compiler, the interpreter and the tools, which know MLIR. Users of the
// builder include Graph.h alone.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_GRAPH_GRAPHMODULE_H
#define RLX_GRAPH_GRAPHMODULE_H

#include "dialects/rlx/Rlx.h"
#include "rlx/Graph/Graph.h"
#include "rlx/Runtime/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace rlx {

/// Access to the module that a graph holds. The graph owns it; a caller that
/// transforms it works on a clone.
struct GraphModule {
  /// The module of a complete graph, which has exactly one `rlx.graph`, or the
  /// graph's first error.
  static Result<mlir::ModuleOp> get(const Graph &graph);

  /// The context that the module lives in, shared.
  static std::shared_ptr<mlir::MLIRContext> context(const Graph &graph);

  /// The one graph of a module of this library's making.
  static Result<ir::GraphOp> find(mlir::ModuleOp module);

  /// A graph over a module that was made otherwise. Fails unless the module
  /// verifies and has exactly one `rlx.graph`.
  static Result<Graph> adopt(std::shared_ptr<mlir::MLIRContext> context,
                             mlir::OwningOpRef<mlir::ModuleOp> module);
};

} // namespace rlx

#endif // RLX_GRAPH_GRAPHMODULE_H
