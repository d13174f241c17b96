//===- HostDialect.cpp - what compiled code asks of its host --------------===//

#include "rlx/Codegen/HostDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace rlx::host;

#include "rlx/Codegen/HostOpsDialect.cpp.inc"

#define GET_OP_CLASSES
#include "rlx/Codegen/HostOps.cpp.inc"

void HostDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "rlx/Codegen/HostOps.cpp.inc"
      >();
}

LogicalResult ParallelForOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto task = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getTaskAttr());
  SmallVector<Type> expected(getCaptures().getTypes());
  expected.push_back(IndexType::get(getContext()));
  if (!task || task.getArgumentTypes() != ArrayRef(expected) || task.getNumResults() != 0)
    return emitOpError("(C1) task '")
           << getTask() << "': expected a function of the captures' types and an index";
  return success();
}
