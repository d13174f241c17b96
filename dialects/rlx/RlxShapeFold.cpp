//===- RlxShapeFold.cpp - Simplification of ops that move data ------------===//
//
// Chains of one op become one op, what changes nothing goes, and splats move for free.
//
//===----------------------------------------------------------------------===//

#include "dialects/rlx/Rlx.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace rlx::ir {

/// The splat constant under the dims of the result, if the input is a splat and the
/// result static.
static Attribute resizeSplat(Attribute input, RankedTensorType type) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(input);
  if (!splat || !type.hasStaticShape())
    return {};
  return splat.resizeSplat(type);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getType())
    return getX();
  // The result's size does not depend on the dims in between.
  if (auto inner = getX().getDefiningOp<ReshapeOp>()) {
    getXMutable().assign(inner.getX());
    return getResult();
  }
  return resizeSplat(adaptor.getX(), getType());
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (isIdentityPermutation(getPermutation()) && getX().getType() == getType())
    return getX();
  if (auto inner = getX().getDefiningOp<TransposeOp>()) {
    setPermutation(applyPermutation(inner.getPermutation(), getPermutation()));
    getXMutable().assign(inner.getX());
    return getResult();
  }
  return resizeSplat(adaptor.getX(), getType());
}

OpFoldResult NarrowOp::fold(FoldAdaptor adaptor) {
  RankedTensorType source = getX().getType();
  int64_t axis = normalizedAxis();
  if (source == getType() && source.getDimSize(axis) == getLength())
    return getX();
  auto inner = getX().getDefiningOp<NarrowOp>();
  if (inner && inner.normalizedAxis() == axis) {
    setStart(getStart() + inner.getStart());
    getXMutable().assign(inner.getX());
    return getResult();
  }
  return resizeSplat(adaptor.getX(), getType());
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getInputs().size() == 1 && getInputs().front().getType() == getType())
    return getInputs().front();
  return {};
}

OpFoldResult ExpandOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getType())
    return getX();
  if (auto inner = getX().getDefiningOp<ExpandOp>()) {
    // A dim that is 1 in between and dynamic in the source can't be left out.
    RankedTensorType source = inner.getX().getType();
    int64_t added = getType().getRank() - source.getRank();
    bool isLegal = llvm::all_of(llvm::seq<int64_t>(0, source.getRank()), [&](int64_t i) {
      int64_t from = source.getDimSize(i), to = getType().getDimSize(i + added);
      return from == to || (from == 1 && !ShapedType::isDynamic(to));
    });
    if (!isLegal)
      return {};
    getXMutable().assign(inner.getX());
    return getResult();
  }
  return resizeSplat(adaptor.getX(), getType());
}

//===----------------------------------------------------------------------===//
// CastOp
//===----------------------------------------------------------------------===//

/// Whether every value of `from` is a value of `to`.
static bool isLossless(Type from, Type to) {
  if (from == to || from.isInteger(1))
    return true;
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromFloat && toFloat)
    return fromFloat.getFPMantissaWidth() <= toFloat.getFPMantissaWidth() &&
           APFloat::semanticsMaxExponent(fromFloat.getFloatSemantics()) <=
               APFloat::semanticsMaxExponent(toFloat.getFloatSemantics());
  if (from.isInteger() && to.isInteger())
    return from.getIntOrFloatBitWidth() <= to.getIntOrFloatBitWidth() && !to.isInteger(1);
  return from.isInteger() && toFloat &&
         from.getIntOrFloatBitWidth() <= toFloat.getFPMantissaWidth();
}

/// The splat of floats or booleans converted to floats of the result's type.
static Attribute castSplat(Attribute input, RankedTensorType type) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(input);
  auto element = dyn_cast<FloatType>(type.getElementType());
  if (!splat || !element || !type.hasStaticShape())
    return {};
  APFloat value(element.getFloatSemantics());
  if (isa<FloatType>(splat.getElementType())) {
    value = splat.getSplatValue<APFloat>();
    bool losesInfo;
    value.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  } else {
    value.convertFromAPInt(splat.getSplatValue<APInt>(),
                           /*IsSigned=*/!splat.getElementType().isInteger(1),
                           APFloat::rmNearestTiesToEven);
  }
  return DenseElementsAttr::get(type, value);
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getType())
    return getX();
  if (auto inner = getX().getDefiningOp<CastOp>()) {
    Type source = inner.getX().getType().getElementType();
    Type between = getX().getType().getElementType();
    if (isLossless(source, between)) {
      if (inner.getX().getType() == getType())
        return inner.getX();
      getXMutable().assign(inner.getX());
      return getResult();
    }
  }
  return castSplat(adaptor.getX(), getType());
}

} // namespace rlx::ir
