//===- HostDialect.h - what compiled code asks of its host -----*- C++ -*-===//
#ifndef RLX_CODEGEN_HOSTDIALECT_H
#define RLX_CODEGEN_HOSTDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"

#include "rlx/Codegen/HostOpsDialect.h.inc"

#define GET_OP_CLASSES
#include "rlx/Codegen/HostOps.h.inc"

#endif // RLX_CODEGEN_HOSTDIALECT_H
