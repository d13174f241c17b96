//===- RlxPlainBuilder.cpp - Builds plain ops -----------------------------===//

#include "dialects/rlx/RlxPlainBuilder.h"

#include <numeric>

using namespace mlir;

namespace rlx::ir {

static RankedTensorType typeOf(Value x) { return cast<RankedTensorType>(x.getType()); }

Value PlainBuilder::scalar(Value like, double value) {
  auto type = RankedTensorType::get({}, getElementTypeOrSelf(like));
  Attribute element = builder.getFloatAttr(type.getElementType(), value);
  return create<ConstantOp>(cast<ElementsAttr>(DenseElementsAttr::get(type, element)));
}

Value PlainBuilder::convert(Value x, Type element) { return asType(x, typeOf(x).clone(element)); }

Value PlainBuilder::asType(Value x, Type type) {
  return x.getType() == type ? x : create<CastOp>(type, x).getResult();
}

Value PlainBuilder::transposeMatrix(Value x) {
  SmallVector<int64_t> permutation(typeOf(x).getRank());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation.back(), permutation[permutation.size() - 2]);
  return transpose(x, permutation);
}

Value PlainBuilder::filledLike(Value x, double value) {
  RankedTensorType type = typeOf(x);
  if (type.hasStaticShape()) {
    Attribute element = builder.getFloatAttr(type.getElementType(), value);
    return create<ConstantOp>(cast<ElementsAttr>(DenseElementsAttr::get(type, element)));
  }
  // Only another tensor can tell the sizes, so the elements are chosen by one.
  Value element = scalar(x, value);
  return where(compare(CompareKind::Eq, x, x), element, element);
}

Value PlainBuilder::broadcastLike(Value x, Value like) {
  RankedTensorType type = typeOf(like).clone(typeOf(x).getElementType());
  if (type == x.getType())
    return x;
  if (type.hasStaticShape())
    return create<ExpandOp>(type, x);
  Value zeros = convert(zerosLike(like), type.getElementType());
  return add(x, zeros);
}

Value PlainBuilder::sumTo(Value x, Type type) {
  auto target = cast<RankedTensorType>(type);
  int64_t added = typeOf(x).getRank() - target.getRank();
  SmallVector<int64_t> axes(added);
  std::iota(axes.begin(), axes.end(), 0);
  if (added > 0)
    x = reduce(ReduceKind::Sum, x, axes, /*keepDims=*/false);
  axes.clear();
  for (int64_t dim = 0; dim < target.getRank(); ++dim)
    if (target.getDimSize(dim) == 1 && typeOf(x).getDimSize(dim) != 1)
      axes.push_back(dim);
  if (!axes.empty())
    x = reduce(ReduceKind::Sum, x, axes);
  return asType(x, type);
}

} // namespace rlx::ir
