//===- RlxShapeOps.cpp - Ops that move and convert data -------------------===//

#include "dialects/rlx/RlxInference.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace rlx::ir {

/// Checks that source and result have the same element type.
static LogicalResult checkResultElementType(Operation *op, RankedTensorType source,
                                            RankedTensorType result) {
  if (source.getElementType() == result.getElementType())
    return success();
  return op->emitOpError() << "result: expected element type " << printType(source.getElementType())
                           << ", found " << printType(result);
}

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

/// The product of a type's static dims.
static int64_t staticProduct(RankedTensorType type) {
  int64_t product = 1;
  for (int64_t dim : type.getShape())
    if (!ShapedType::isDynamic(dim))
      product *= dim;
  return product;
}

/// Whether the result's dynamic dims are the source's, in order.
static bool carriesDynamicDims(RankedTensorType source, RankedTensorType result) {
  return source.getNumDynamicDims() == result.getNumDynamicDims() &&
         staticProduct(source) == staticProduct(result);
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType source = getX().getType(), result = getType();
  if (failed(checkResultElementType(*this, source, result)))
    return failure();
  if (source.hasStaticShape() && result.hasStaticShape() &&
      source.getNumElements() != result.getNumElements())
    return emitOpError() << "result: expected " << source.getNumElements() << " elements, as in "
                         << printType(source) << ", found " << printType(result);
  size_t dynamic = result.getNumDynamicDims();
  if (dynamic > 1 && dynamic != source.getNumDynamicDims())
    return emitOpError() << "result: expected at most one dynamic dim, or those of "
                         << printType(source) << ", found " << printType(result);
  if (dynamic > 1 && !carriesDynamicDims(source, result))
    return emitOpError() << "result: expected static dims of product " << staticProduct(source)
                         << ", as in " << printType(source) << ", found " << printType(result);
  if (dynamic == 1 && !carriesDynamicDims(source, result) && staticProduct(result) == 0)
    return emitOpError() << "result: expected static dims other than 0 beside the dynamic one, "
                            "found "
                         << printType(result);
  return success();
}

LogicalResult ReshapeOp::reifyResultShapes(OpBuilder &builder,
                                           ReifiedRankedShapedTypeDims &result) {
  return reifyResult(*this, builder, result, [&](SizeBuilder &sizes) {
    RankedTensorType source = getX().getType(), type = getType();
    SmallVector<OpFoldResult> dynamic;
    if (carriesDynamicDims(source, type)) {
      for (int64_t i = 0; i < source.getRank(); ++i)
        if (source.isDynamicDim(i))
          dynamic.push_back(sizes.dim(getX(), i));
    } else if (type.getNumDynamicDims() == 1) {
      OpFoldResult elements = sizes.product(sizes.dims(getX()));
      int64_t divisor = staticProduct(type);
      dynamic.push_back(sizes.apply(
          [&](ArrayRef<AffineExpr> total) { return total[0].floorDiv(divisor); }, elements));
    }
    SmallVector<OpFoldResult> dims;
    unsigned next = 0;
    for (int64_t dim : type.getShape())
      dims.push_back(ShapedType::isDynamic(dim) ? dynamic[next++] : sizes.constant(dim));
    return dims;
  });
}

//===----------------------------------------------------------------------===//
// TransposeOp
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  NamedOperand x("x", adaptor.getX());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (static_cast<int64_t>(permutation.size()) != x.rank() || !isPermutationVector(permutation))
    return TypeErrors::of<TransposeOp>(location)("permutation: expected a permutation of ",
                                                 x.rank(), " dims, found ", printDims(permutation));
  SmallVector<int64_t> dims;
  for (int64_t source : permutation)
    dims.push_back(x.dim(source));
  types.push_back(RankedTensorType::get(dims, x.type.getElementType()));
  return success();
}

LogicalResult TransposeOp::reifyResultShapes(OpBuilder &builder,
                                             ReifiedRankedShapedTypeDims &result) {
  return reifyResult(*this, builder, result, [&](SizeBuilder &sizes) {
    SmallVector<OpFoldResult> dims;
    for (int64_t source : getPermutation())
      dims.push_back(sizes.dim(getX(), source));
    return dims;
  });
}

//===----------------------------------------------------------------------===//
// NarrowOp
//===----------------------------------------------------------------------===//

LogicalResult NarrowOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<NarrowOp>(location);
  NamedOperand x("x", adaptor.getX());
  if (failed(checkAxis(errors, adaptor.getAxis(), x.rank())))
    return failure();
  int64_t axis = normalizeAxis(adaptor.getAxis(), x.type);
  int64_t start = adaptor.getStart(), length = adaptor.getLength();
  if (failed(checkAtLeast(errors, "start", start, 0)) ||
      failed(checkAtLeast(errors, "length", length, 0)))
    return failure();
  if (!ShapedType::isDynamic(x.dim(axis)) && (start > x.dim(axis) || length > x.dim(axis) - start))
    return errors("operand 'x': expected at least ", start, " + ", length, " elements along axis ",
                  axis, ", found ", x.type);
  SmallVector<int64_t> dims(x.type.getShape());
  dims[axis] = length;
  types.push_back(RankedTensorType::get(dims, x.type.getElementType()));
  return success();
}

LogicalResult NarrowOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &result) {
  return reifyResult(*this, builder, result, [&](SizeBuilder &sizes) {
    SmallVector<OpFoldResult> dims = sizes.dims(getX());
    dims[normalizedAxis()] = sizes.constant(getLength());
    return dims;
  });
}

//===----------------------------------------------------------------------===//
// ConcatOp
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<ConcatOp>(location);
  if (adaptor.getInputs().empty())
    return errors("expected at least 1 input, found 0");
  auto first = cast<RankedTensorType>(adaptor.getInputs().front().getType());
  if (failed(checkAxis(errors, adaptor.getAxis(), first.getRank())))
    return failure();
  int64_t axis = normalizeAxis(adaptor.getAxis(), first);
  SmallVector<int64_t> dims(first.getShape());
  for (auto [i, input] : llvm::enumerate(adaptor.getInputs().drop_front())) {
    auto type = cast<RankedTensorType>(input.getType());
    if (type.getElementType() != first.getElementType() || type.getRank() != first.getRank())
      return errors("input ", i + 1, ": expected rank ", first.getRank(), " and element type ",
                    first.getElementType(), ", found ", type);
    for (int64_t d = 0; d < first.getRank(); ++d) {
      int64_t dim = type.getDimSize(d);
      if (d == axis) {
        bool dynamic = ShapedType::isDynamic(dims[d]) || ShapedType::isDynamic(dim);
        dims[d] = dynamic ? ShapedType::kDynamic : dims[d] + dim;
      } else if (areCompatibleDims(dims[d], dim)) {
        dims[d] = mergeDims(dims[d], dim);
      } else {
        return errors("input ", i + 1, ": expected ", dims[d], " elements along axis ", d,
                      ", found ", type);
      }
    }
  }
  types.push_back(RankedTensorType::get(dims, first.getElementType()));
  return success();
}

LogicalResult ConcatOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &result) {
  return reifyResult(*this, builder, result, [&](SizeBuilder &sizes) {
    int64_t axis = normalizedAxis();
    SmallVector<OpFoldResult> dims = sizes.dims(getInputs().front());
    SmallVector<OpFoldResult> lengths;
    for (Value input : getInputs())
      lengths.push_back(sizes.dim(input, axis));
    dims[axis] = sizes.add(lengths);
    return dims;
  });
}

//===----------------------------------------------------------------------===//
// ExpandOp
//===----------------------------------------------------------------------===//

LogicalResult ExpandOp::verify() {
  RankedTensorType source = getX().getType(), result = getType();
  if (failed(checkResultElementType(*this, source, result)))
    return failure();
  if (result.getRank() < source.getRank())
    return emitOpError() << "result: expected rank " << source.getRank() << " or more, found "
                         << printType(result);
  int64_t added = result.getRank() - source.getRank();
  for (int64_t i = 0; i < result.getRank(); ++i) {
    int64_t from = i < added ? 1 : source.getDimSize(i - added);
    int64_t to = result.getDimSize(i);
    if (from != 1 && !areCompatibleDims(from, to))
      return emitOpError() << "result: expected " << from << " elements along axis " << i
                           << ", found " << printType(result);
    if (ShapedType::isDynamic(to) && from == 1)
      return emitOpError() << "result: expected a static size along axis " << i
                           << ", where the source has 1, found " << printType(result);
  }
  return success();
}

LogicalResult ExpandOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &result) {
  return reifyResult(*this, builder, result, [&](SizeBuilder &sizes) {
    RankedTensorType type = getType();
    int64_t added = type.getRank() - getX().getType().getRank();
    SmallVector<OpFoldResult> dims;
    for (int64_t i = 0; i < type.getRank(); ++i)
      dims.push_back(type.isDynamicDim(i) ? sizes.dim(getX(), i - added)
                                          : sizes.constant(type.getDimSize(i)));
    return dims;
  });
}

//===----------------------------------------------------------------------===//
// GatherOp
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  NamedOperand x("x", adaptor.getX()), indices("indices", adaptor.getIndices());
  if (failed(checkAxis(TypeErrors::of<GatherOp>(location), adaptor.getAxis(), x.rank())))
    return failure();
  int64_t axis = normalizeAxis(adaptor.getAxis(), x.type);
  SmallVector<int64_t> dims(x.type.getShape().take_front(axis));
  llvm::append_range(dims, indices.type.getShape());
  llvm::append_range(dims, x.type.getShape().drop_front(axis + 1));
  types.push_back(RankedTensorType::get(dims, x.type.getElementType()));
  return success();
}

LogicalResult GatherOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &result) {
  return reifyResult(*this, builder, result, [&](SizeBuilder &sizes) {
    int64_t axis = normalizedAxis();
    SmallVector<OpFoldResult> source = sizes.dims(getX());
    SmallVector<OpFoldResult> dims(ArrayRef<OpFoldResult>(source).take_front(axis));
    llvm::append_range(dims, sizes.dims(getIndices()));
    llvm::append_range(dims, ArrayRef<OpFoldResult>(source).drop_front(axis + 1));
    return dims;
  });
}

//===----------------------------------------------------------------------===//
// CastOp
//===----------------------------------------------------------------------===//

LogicalResult CastOp::verify() {
  if (areCompatibleShapes(getX().getType().getShape(), getType().getShape()))
    return success();
  return emitOpError() << "result: expected dims " << printDims(getX().getType().getShape())
                       << ", found " << printType(getType());
}

LogicalResult CastOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &result) {
  return reifyResult(*this, builder, result,
                     [&](SizeBuilder &sizes) { return sizes.dims(getX()); });
}

} // namespace rlx::ir
