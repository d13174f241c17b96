//===- RlxDialect.cpp - The rlx dialect -----------------------------------===//

#include "dialects/rlx/Rlx.h"
#include "dialects/rlx/RlxAssembly.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/rlx/RlxDialect.cpp.inc"

#include "dialects/rlx/RlxEnums.cpp.inc"

#include "dialects/rlx/RlxInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/rlx/RlxAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/rlx/RlxOps.cpp.inc"

namespace rlx::ir {

void RlxDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/rlx/RlxAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/rlx/RlxOps.cpp.inc"
      >();
}

Operation *RlxDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                           Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getShapedType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

} // namespace rlx::ir
