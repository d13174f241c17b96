//===- RlxElementwiseOps.cpp - Elementwise ops, norms and reductions ------===//

#include "dialects/rlx/RlxInference.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace rlx::ir {

/// Sizes of an op whose result has the dims of its operand.
static LogicalResult reifyAs(Operation *op, Value operand, OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &result) {
  return reifyResult(op, builder, result, [&](SizeBuilder &sizes) { return sizes.dims(operand); });
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// (C1) to (C4) of both norms.
static LogicalResult checkNorm(TypeErrors errors, const NamedOperand &x, const NamedOperand &gamma,
                               const NamedOperand &beta, int64_t axis, const APFloat &epsilon) {
  if (failed(checkAxis(errors, axis, x.rank())) ||
      failed(checkSameElementType(errors, {x, gamma, beta})))
    return failure();
  ArrayRef<int64_t> normalized = x.type.getShape().drop_front(normalizeAxis(axis, x.type));
  for (const NamedOperand &operand : {gamma, beta})
    if (!areCompatibleShapes(operand.type.getShape(), normalized))
      return errors("operand '", operand.name, "': expected dims ", printDims(normalized),
                    ", found ", operand.type);
  if (epsilon.isNaN() || (epsilon.isNegative() && !epsilon.isZero()))
    return errors("epsilon: expected at least 0, found ", epsilon.convertToDouble());
  return success();
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  NamedOperand x("x", adaptor.getX());
  if (failed(checkNorm(
          TypeErrors::of<LayerNormOp>(location), x, NamedOperand("gamma", adaptor.getGamma()),
          NamedOperand("beta", adaptor.getBeta()), adaptor.getAxis(), adaptor.getEpsilon())))
    return failure();
  types.push_back(x.type);
  return success();
}

LogicalResult LayerNormOp::reifyResultShapes(OpBuilder &builder,
                                             ReifiedRankedShapedTypeDims &result) {
  return reifyAs(*this, getX(), builder, result);
}

LogicalResult FusedResidualLayerNormOp::inferReturnTypes(MLIRContext *,
                                                         std::optional<Location> location,
                                                         Adaptor adaptor,
                                                         SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<FusedResidualLayerNormOp>(location);
  NamedOperand x("x", adaptor.getX()), residual("residual", adaptor.getResidual());
  if (failed(checkSameElementType(errors, {x, residual})) ||
      failed(checkNorm(errors, x, NamedOperand("gamma", adaptor.getGamma()),
                       NamedOperand("beta", adaptor.getBeta()), adaptor.getAxis(),
                       adaptor.getEpsilon())))
    return failure();
  if (!areCompatibleShapes(x.type.getShape(), residual.type.getShape()))
    return errors("operand 'residual': expected dims ", printDims(x.type.getShape()), ", found ",
                  residual.type);
  SmallVector<int64_t> dims;
  for (auto [lhs, rhs] : llvm::zip_equal(x.type.getShape(), residual.type.getShape()))
    dims.push_back(mergeDims(lhs, rhs));
  types.push_back(RankedTensorType::get(dims, x.type.getElementType()));
  return success();
}

LogicalResult FusedResidualLayerNormOp::reifyResultShapes(OpBuilder &builder,
                                                          ReifiedRankedShapedTypeDims &result) {
  return reifyAs(*this, getX(), builder, result);
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

LogicalResult ActivationOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                             Adaptor adaptor, SmallVectorImpl<Type> &types) {
  NamedOperand x("x", adaptor.getX());
  ActivationKind kind = adaptor.getKind();
  bool takesIntegers =
      kind == ActivationKind::Relu || kind == ActivationKind::Neg || kind == ActivationKind::Abs;
  if (!takesIntegers && !isa<FloatType>(x.type.getElementType()))
    return TypeErrors::of<ActivationOp>(location)(
        "operand 'x': expected floats for ", stringifyActivationKind(kind), ", found ", x.type);
  types.push_back(x.type);
  return success();
}

LogicalResult ActivationOp::reifyResultShapes(OpBuilder &builder,
                                              ReifiedRankedShapedTypeDims &result) {
  return reifyAs(*this, getX(), builder, result);
}

LogicalResult BinaryOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<BinaryOp>(location);
  NamedOperand lhs("lhs", adaptor.getLhs()), rhs("rhs", adaptor.getRhs());
  if (failed(checkSameElementType(errors, {lhs, rhs})))
    return failure();
  FailureOr<SmallVector<int64_t>> dims = checkBroadcast(errors, {lhs, rhs});
  if (failed(dims))
    return failure();
  if (adaptor.getKind() == BinaryKind::Pow && !isa<FloatType>(lhs.type.getElementType()))
    return errors("operand 'lhs': expected floats for pow, found ", lhs.type);
  types.push_back(RankedTensorType::get(*dims, lhs.type.getElementType()));
  return success();
}

LogicalResult BinaryOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &result) {
  return reifyResult(*this, builder, result,
                     [&](SizeBuilder &sizes) { return sizes.broadcast(getOperands()); });
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<CompareOp>(location);
  NamedOperand lhs("lhs", adaptor.getLhs()), rhs("rhs", adaptor.getRhs());
  if (failed(checkSameElementType(errors, {lhs, rhs})))
    return failure();
  FailureOr<SmallVector<int64_t>> dims = checkBroadcast(errors, {lhs, rhs});
  if (failed(dims))
    return failure();
  CompareKind kind = adaptor.getKind();
  if (lhs.type.getElementType().isInteger(1) && kind != CompareKind::Eq && kind != CompareKind::Ne)
    return errors("operand 'lhs': expected numbers for ", stringifyCompareKind(kind), ", found ",
                  lhs.type);
  types.push_back(RankedTensorType::get(*dims, IntegerType::get(context, 1)));
  return success();
}

LogicalResult CompareOp::reifyResultShapes(OpBuilder &builder,
                                           ReifiedRankedShapedTypeDims &result) {
  return reifyResult(*this, builder, result,
                     [&](SizeBuilder &sizes) { return sizes.broadcast(getOperands()); });
}

LogicalResult WhereOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                        Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<WhereOp>(location);
  NamedOperand condition("condition", adaptor.getCondition());
  NamedOperand lhs("lhs", adaptor.getLhs()), rhs("rhs", adaptor.getRhs());
  if (failed(checkSameElementType(errors, {lhs, rhs})))
    return failure();
  FailureOr<SmallVector<int64_t>> dims = checkBroadcast(errors, {condition, lhs, rhs});
  if (failed(dims))
    return failure();
  types.push_back(RankedTensorType::get(*dims, lhs.type.getElementType()));
  return success();
}

LogicalResult WhereOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &result) {
  return reifyResult(*this, builder, result,
                     [&](SizeBuilder &sizes) { return sizes.broadcast(getOperands()); });
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<ReduceOp>(location);
  NamedOperand x("x", adaptor.getX());
  llvm::SmallSet<int64_t, 8> reduced;
  for (int64_t axis : adaptor.getAxes()) {
    if (failed(checkAxis(errors, axis, x.rank())))
      return failure();
    if (!reduced.insert(normalizeAxis(axis, x.type)).second)
      return errors("axes: expected each axis once, found ", printDims(adaptor.getAxes()));
  }
  if (adaptor.getKind() == ReduceKind::Mean && !isa<FloatType>(x.type.getElementType()))
    return errors("operand 'x': expected floats for mean, found ", x.type);
  SmallVector<int64_t> dims;
  for (auto [i, dim] : llvm::enumerate(x.type.getShape())) {
    if (!reduced.contains(i))
      dims.push_back(dim);
    else if (adaptor.getKeepDims())
      dims.push_back(1);
  }
  types.push_back(RankedTensorType::get(dims, x.type.getElementType()));
  return success();
}

LogicalResult ReduceOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &result) {
  return reifyResult(*this, builder, result, [&](SizeBuilder &sizes) {
    SmallVector<int64_t> reduced = normalizedAxes();
    SmallVector<OpFoldResult> dims;
    for (int64_t i = 0, e = getX().getType().getRank(); i < e; ++i) {
      if (!llvm::is_contained(reduced, i))
        dims.push_back(sizes.dim(getX(), i));
      else if (getKeepDims())
        dims.push_back(sizes.constant(1));
    }
    return dims;
  });
}

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  NamedOperand x("x", adaptor.getX());
  if (failed(checkAxis(TypeErrors::of<SoftmaxOp>(location), adaptor.getAxis(), x.rank())))
    return failure();
  types.push_back(x.type);
  return success();
}

LogicalResult SoftmaxOp::reifyResultShapes(OpBuilder &builder,
                                           ReifiedRankedShapedTypeDims &result) {
  return reifyAs(*this, getX(), builder, result);
}

} // namespace rlx::ir
