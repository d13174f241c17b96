//===- RlxAssembly.h - Parts of the ops' assembly ---------------*- C++ -*-===//
//
// Directives of the declarative formats. Private to the dialect's sources.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_DIALECTS_RLX_RLXASSEMBLY_H
#define RLX_DIALECTS_RLX_RLXASSEMBLY_H

#include "mlir/IR/OpImplementation.h"

namespace rlx::ir {

/// Parses `type` or `(types) -> type` into `types`: the operands' and then the result's.
mlir::ParseResult parseSameTypes(mlir::OpAsmParser &parser, llvm::ArrayRef<mlir::Type *> types);

/// Prints one type if all are equal, else the operands' and the result's.
void printSameTypes(mlir::OpAsmPrinter &printer, llvm::ArrayRef<mlir::Type> types);

// The directive `custom<SameTypes>(type($operand), ..., type($result))`.

inline mlir::ParseResult parseSameTypes(mlir::OpAsmParser &parser, mlir::Type &operand,
                                        mlir::Type &result) {
  return parseSameTypes(parser, {&operand, &result});
}

inline mlir::ParseResult parseSameTypes(mlir::OpAsmParser &parser, mlir::Type &lhs, mlir::Type &rhs,
                                        mlir::Type &result) {
  return parseSameTypes(parser, {&lhs, &rhs, &result});
}

inline void printSameTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type operand,
                           mlir::Type result) {
  printSameTypes(printer, {operand, result});
}

inline void printSameTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type lhs,
                           mlir::Type rhs, mlir::Type result) {
  printSameTypes(printer, {lhs, rhs, result});
}

} // namespace rlx::ir

#endif // RLX_DIALECTS_RLX_RLXASSEMBLY_H
