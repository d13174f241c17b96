//===- Constants.cpp - types and constants of the IR ------------------------===//

#include "Evaluators.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace rlx;
using namespace rlx::interp;

DType interp::elementTypeOf(mlir::Type type) {
  return llvm::TypeSwitch<mlir::Type, DType>(mlir::getElementTypeOrSelf(type))
      .Case([](mlir::Float32Type) { return DType::F32; })
      .Case([](mlir::Float16Type) { return DType::F16; })
      .Case([](mlir::BFloat16Type) { return DType::BF16; })
      .Case([](mlir::Float64Type) { return DType::F64; })
      .Case([](mlir::IntegerType integer) {
        switch (integer.getWidth()) {
        case 1:
          return DType::Bool;
        case 8:
          return DType::I8;
        case 32:
          return DType::I32;
        default:
          return DType::I64;
        }
      });
}

Result<Array> interp::evaluateConstant(mlir::ElementsAttr value) {
  mlir::ShapedType type = value.getShapedType();
  const DType elementType = elementTypeOf(type);
  Shape shape(type.getShape().begin(), type.getShape().end());

  if (auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(value)) {
    mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    Array array(elementType, shape);
    const size_t expected = array.numElements() * sizeOf(elementType);
    if (!blob || blob->getData().size() != expected)
      return Status(ErrorCode::Format, "resource '" + resource.getRawHandle().getKey().str() +
                                           "': expected " + std::to_string(expected) +
                                           " bytes, found " +
                                           std::to_string(blob ? blob->getData().size() : 0));
    return Array(TensorView("", elementType, shape, blob->getData().data()));
  }

  auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(value);
  if (!dense)
    return Status(ErrorCode::Unsupported, "neither dense elements nor a resource");
  Array array(elementType, shape);
  if (isFloat(elementType))
    for (auto [target, element] :
         llvm::zip_equal(array.mutableFloats(), dense.getValues<llvm::APFloat>()))
      target = element.convertToDouble();
  else
    for (auto [target, element] :
         llvm::zip_equal(array.mutableInts(), dense.getValues<llvm::APInt>()))
      target = elementType == DType::Bool ? element.getBoolValue() : element.getSExtValue();
  return array;
}
