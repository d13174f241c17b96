//===- ParseGraph.h - Graphs of the tests, from text ------------*- C++ -*-===//
#ifndef RLX_TEST_UNIT_DIALECT_PARSEGRAPH_H
#define RLX_TEST_UNIT_DIALECT_PARSEGRAPH_H

#include "dialects/rlx/Rlx.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace rlx::test {

/// Parses and verifies one graph.
class GraphTest : public ::testing::Test {
protected:
  GraphTest() { context.loadDialect<ir::RlxDialect>(); }

  /// The graph of the text; the test fails if there is none.
  ir::GraphOp parse(llvm::StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module || module->getOps<ir::GraphOp>().empty()) {
      ADD_FAILURE() << "expected a graph, found\n" << text.str();
      return {};
    }
    return *module->getOps<ir::GraphOp>().begin();
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace rlx::test

#endif // RLX_TEST_UNIT_DIALECT_PARSEGRAPH_H
