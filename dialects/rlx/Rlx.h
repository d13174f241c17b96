//===- Rlx.h - The rlx dialect ----------------------------------*- C++ -*-===//
//
// Everything generated from Rlx.td: the dialect, its enum attributes, interfaces
// and ops. Depends on upstream MLIR only; passes, conversions and code generation
// build on this header and stay out of it.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_DIALECTS_RLX_RLX_H
#define RLX_DIALECTS_RLX_RLX_H

#include "dialects/rlx/RlxTypes.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

#include "dialects/rlx/RlxDialect.h.inc"

#include "dialects/rlx/RlxEnums.h.inc"

#include "dialects/rlx/RlxInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/rlx/RlxAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/rlx/RlxOps.h.inc"

#endif // RLX_DIALECTS_RLX_RLX_H
