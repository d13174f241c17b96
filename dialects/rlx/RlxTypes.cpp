//===- RlxTypes.cpp - Shape rules shared by the ops -----------------------===//

#include "dialects/rlx/RlxTypes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace rlx::ir {

bool areCompatibleDims(int64_t lhs, int64_t rhs) {
  return lhs == rhs || ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs);
}

bool areCompatibleShapes(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  return lhs.size() == rhs.size() &&
         llvm::all_of(llvm::zip_equal(lhs, rhs), [](std::tuple<int64_t, int64_t> dims) {
           return areCompatibleDims(std::get<0>(dims), std::get<1>(dims));
         });
}

bool areCompatibleTypes(Type lhs, Type rhs) {
  auto lhsTensor = dyn_cast<RankedTensorType>(lhs);
  auto rhsTensor = dyn_cast<RankedTensorType>(rhs);
  if (!lhsTensor || !rhsTensor)
    return lhs == rhs;
  return lhsTensor.getElementType() == rhsTensor.getElementType() &&
         lhsTensor.getEncoding() == rhsTensor.getEncoding() &&
         areCompatibleShapes(lhsTensor.getShape(), rhsTensor.getShape());
}

bool areCompatibleTypes(TypeRange lhs, TypeRange rhs) {
  return lhs.size() == rhs.size() &&
         llvm::all_of(llvm::zip_equal(lhs, rhs), [](std::tuple<Type, Type> types) {
           return areCompatibleTypes(std::get<0>(types), std::get<1>(types));
         });
}

int64_t mergeDims(int64_t lhs, int64_t rhs) { return ShapedType::isDynamic(lhs) ? rhs : lhs; }

std::optional<SmallVector<int64_t>> broadcastShapes(ArrayRef<ArrayRef<int64_t>> shapes) {
  size_t rank = 0;
  for (ArrayRef<int64_t> shape : shapes)
    rank = std::max(rank, shape.size());
  SmallVector<int64_t> result(rank, 1);
  for (ArrayRef<int64_t> shape : shapes) {
    for (auto [dim, size] :
         llvm::zip_equal(MutableArrayRef<int64_t>(result).take_back(shape.size()), shape)) {
      if (size == 1)
        continue;
      if (dim == 1)
        dim = size;
      else if (!areCompatibleDims(dim, size))
        return std::nullopt;
      else
        dim = mergeDims(dim, size);
    }
  }
  return result;
}

bool isValidAxis(int64_t axis, int64_t rank) { return axis >= -rank && axis < rank; }

int64_t normalizeAxis(int64_t axis, ShapedType type) {
  assert(isValidAxis(axis, type.getRank()) && "expected a verified axis");
  return axis < 0 ? axis + type.getRank() : axis;
}

SmallVector<int64_t> normalizeAxes(ArrayRef<int64_t> axes, ShapedType type) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes)
    result.push_back(normalizeAxis(axis, type));
  llvm::sort(result);
  return result;
}

bool isElementType(Type type) {
  return type.isF32() || type.isF16() || type.isBF16() || type.isF64() ||
         type.isSignlessInteger(1) || type.isSignlessInteger(8) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

int64_t convolvedSize(int64_t image, int64_t filter, int64_t stride, int64_t padding,
                      int64_t dilation) {
  if (ShapedType::isDynamic(image))
    return ShapedType::kDynamic;
  int64_t room = image + 2 * padding - dilation * (filter - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

Type statisticsType(Type type) { return type.isF64() ? type : Float32Type::get(type.getContext()); }

} // namespace rlx::ir
