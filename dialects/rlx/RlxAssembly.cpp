//===- RlxAssembly.cpp - Parts of the ops' assembly -----------------------===//

#include "dialects/rlx/RlxAssembly.h"
#include "dialects/rlx/RlxInference.h"

using namespace mlir;

namespace rlx::ir {

ParseResult parseSameTypes(OpAsmParser &parser, ArrayRef<Type *> types) {
  SMLoc loc = parser.getCurrentLocation();
  Type written;
  if (parser.parseType(written))
    return failure();
  auto function = dyn_cast<FunctionType>(written);
  if (!function) {
    for (Type *type : types)
      *type = written;
    return success();
  }
  if (function.getNumInputs() + 1 != types.size() || function.getNumResults() != 1)
    return parser.emitError(loc) << "expected types of " << types.size() - 1
                                 << " operands and 1 result, found " << printType(function);
  for (auto [type, input] : llvm::zip(types, function.getInputs()))
    *type = input;
  *types.back() = function.getResult(0);
  return success();
}

void printSameTypes(OpAsmPrinter &printer, ArrayRef<Type> types) {
  if (llvm::all_equal(types))
    printer << types.front();
  else
    printer.printFunctionalType(types.drop_back(), types.take_back());
}

} // namespace rlx::ir
