//===- RlxGradientOps.cpp - Gradients of ops as ops -----------------------===//

#include "dialects/rlx/RlxInference.h"

#include <cmath>

using namespace mlir;

namespace rlx::ir {

/// Implements `reifyResultShapes` of an op whose one result has the dims of `tensor`.
static LogicalResult reifyLike(Operation *op, Value tensor, OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &result) {
  return reifyResult(op, builder, result, [&](SizeBuilder &sizes) { return sizes.dims(tensor); });
}

/// The sizes of tensors, one list for each.
static LogicalResult reifyLikeEach(Operation *op, ValueRange tensors, OpBuilder &builder,
                                   ReifiedRankedShapedTypeDims &result) {
  SizeBuilder sizes(builder, op->getLoc());
  for (auto [tensor, like] : llvm::zip(op->getResults(), tensors))
    result.push_back(sizes.finish(tensor.getType(), sizes.dims(like)));
  return success();
}

//===----------------------------------------------------------------------===//
// ActivationBackwardOp
//===----------------------------------------------------------------------===//

LogicalResult ActivationBackwardOp::inferReturnTypes(MLIRContext *,
                                                     std::optional<Location> location,
                                                     Adaptor adaptor,
                                                     SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<ActivationBackwardOp>(location);
  NamedOperand x("x", adaptor.getX()), d("d", adaptor.getD());
  if (failed(checkSameElementType(errors, {x, d})) ||
      failed(checkDims(errors, d, x.type.getShape())))
    return failure();
  SmallVector<int64_t> dims;
  for (auto [lhs, rhs] : llvm::zip(x.type.getShape(), d.type.getShape()))
    dims.push_back(mergeDims(lhs, rhs));
  types.push_back(RankedTensorType::get(dims, x.type.getElementType()));
  return success();
}

LogicalResult ActivationBackwardOp::reifyResultShapes(OpBuilder &builder,
                                                      ReifiedRankedShapedTypeDims &result) {
  return reifyLike(*this, getX(), builder, result);
}

//===----------------------------------------------------------------------===//
// AttentionBackwardOp
//===----------------------------------------------------------------------===//

/// Checks the row log-sum-exp and its gradient, of the dims given.
static LogicalResult checkStatistics(TypeErrors errors, Value lse, Value lseGradient,
                                     ArrayRef<int64_t> dims, Type element) {
  SmallVector<NamedOperand> operands = {{"lse", lse}};
  if (lseGradient)
    operands.emplace_back("d_lse", lseGradient);
  for (const NamedOperand &operand : operands) {
    if (failed(checkDims(errors, operand, dims)))
      return failure();
    if (operand.type.getElementType() != statisticsType(element))
      return errors("operand '", operand.name, "': expected elements of type ",
                    statisticsType(element), ", found ", operand.type);
  }
  return success();
}

LogicalResult AttentionBackwardOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<AttentionBackwardOp>(location);
  NamedOperand q("q", adaptor.getQ()), k("k", adaptor.getK()), v("v", adaptor.getV()),
      out("out", adaptor.getOut()), gradient("d_out", adaptor.getDOut());
  for (const NamedOperand &operand : {q, k, v, out, gradient})
    if (failed(checkRank(errors, operand, 3)))
      return failure();
  int64_t heads = adaptor.getNumHeads(), headDim = adaptor.getHeadDim();
  if (failed(checkSameElementType(errors, {q, k, v, out, gradient})) ||
      failed(checkAtLeast(errors, "num_heads", heads, 1)) ||
      failed(checkAtLeast(errors, "head_dim", headDim, 1)))
    return failure();
  int64_t batch = q.dim(0), rows = q.dim(1);
  for (const NamedOperand &operand : {k, v, out, gradient})
    batch = mergeDims(batch, operand.dim(0));
  int64_t keys = mergeDims(k.dim(1), v.dim(1));
  for (const NamedOperand &operand : {q, k, v})
    if (failed(checkDim(errors, operand, 0, batch, "batches")))
      return failure();
  if (failed(checkDim(errors, v, 1, k.dim(1), "rows")) ||
      failed(checkDim(errors, q, 2, heads * headDim, "channels")) ||
      failed(checkDim(errors, k, 2, heads * headDim, "channels")))
    return failure();
  if (ShapedType::isDynamic(v.dim(2)) || v.dim(2) % heads != 0)
    return errors("operand 'v': expected a multiple of ", heads, " channels, found ", v.type);
  for (const NamedOperand &operand : {out, gradient})
    if (failed(checkDims(errors, operand, {batch, rows, v.dim(2)})))
      return failure();
  Type element = q.type.getElementType();
  if (failed(checkStatistics(errors, adaptor.getLse(), adaptor.getDLse(), {batch, heads, rows},
                             element)))
    return failure();

  MaskKind kind = adaptor.getMaskKind();
  if (failed(
          checkMaskKind(errors, kind, static_cast<bool>(adaptor.getMask()), adaptor.getWindow())))
    return failure();
  if (adaptor.getMask() && failed(checkMask(errors, NamedOperand("mask", adaptor.getMask()), kind,
                                            {batch, heads, rows, keys})))
    return failure();
  for (const NamedOperand &operand : {q, k, v})
    types.push_back(operand.type);
  if (kind == MaskKind::Bias)
    types.push_back(adaptor.getMask().getType());
  return success();
}

double AttentionBackwardOp::getScaleValue() {
  if (std::optional<APFloat> scale = getScale())
    return scale->convertToDouble();
  return 1 / std::sqrt(static_cast<double>(getHeadDim()));
}

LogicalResult AttentionBackwardOp::reifyResultShapes(OpBuilder &builder,
                                                     ReifiedRankedShapedTypeDims &result) {
  return reifyLikeEach(*this, {getQ(), getK(), getV(), getMask()}, builder, result);
}

//===----------------------------------------------------------------------===//
// Conv2dBackwardInputOp and Conv2dBackwardWeightOp
//===----------------------------------------------------------------------===//

/// Checks the operands of a convolution's gradients.
template <typename OpT>
static LogicalResult checkConvolutionBackward(std::optional<Location> location,
                                              typename OpT::Adaptor adaptor) {
  auto errors = TypeErrors::of<OpT>(location);
  NamedOperand d("d", adaptor.getD()), x("x", adaptor.getX()), w("w", adaptor.getW());
  for (const NamedOperand &operand : {d, x, w})
    if (failed(checkRank(errors, operand, 4)))
      return failure();
  if (failed(checkSameElementType(errors, {d, x, w})))
    return failure();
  FailureOr<SmallVector<int64_t>> dims =
      checkConvolution(errors, x, w,
                       {adaptor.getStride(), adaptor.getPadding(), adaptor.getDilation(),
                        static_cast<int64_t>(adaptor.getGroups())});
  return failed(dims) ? failure() : checkDims(errors, d, *dims);
}

LogicalResult Conv2dBackwardInputOp::inferReturnTypes(MLIRContext *,
                                                      std::optional<Location> location,
                                                      Adaptor adaptor,
                                                      SmallVectorImpl<Type> &types) {
  if (failed(checkConvolutionBackward<Conv2dBackwardInputOp>(location, adaptor)))
    return failure();
  types.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult Conv2dBackwardInputOp::reifyResultShapes(OpBuilder &builder,
                                                       ReifiedRankedShapedTypeDims &result) {
  return reifyLike(*this, getX(), builder, result);
}

LogicalResult Conv2dBackwardWeightOp::inferReturnTypes(MLIRContext *,
                                                       std::optional<Location> location,
                                                       Adaptor adaptor,
                                                       SmallVectorImpl<Type> &types) {
  if (failed(checkConvolutionBackward<Conv2dBackwardWeightOp>(location, adaptor)))
    return failure();
  types.push_back(adaptor.getW().getType());
  return success();
}

LogicalResult Conv2dBackwardWeightOp::reifyResultShapes(OpBuilder &builder,
                                                        ReifiedRankedShapedTypeDims &result) {
  return reifyLike(*this, getW(), builder, result);
}

//===----------------------------------------------------------------------===//
// ScatterAddOp
//===----------------------------------------------------------------------===//

LogicalResult ScatterAddOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                             Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<ScatterAddOp>(location);
  NamedOperand into("into", adaptor.getInto()), indices("indices", adaptor.getIndices()),
      updates("updates", adaptor.getUpdates());
  if (failed(checkAxis(errors, adaptor.getAxis(), into.rank())) ||
      failed(checkSameElementType(errors, {into, updates})))
    return failure();
  int64_t axis = normalizeAxis(adaptor.getAxis(), into.type);
  SmallVector<int64_t> dims(into.type.getShape().take_front(axis));
  llvm::append_range(dims, indices.type.getShape());
  llvm::append_range(dims, into.type.getShape().drop_front(axis + 1));
  if (failed(checkDims(errors, updates, dims)))
    return failure();
  types.push_back(into.type);
  return success();
}

LogicalResult ScatterAddOp::reifyResultShapes(OpBuilder &builder,
                                              ReifiedRankedShapedTypeDims &result) {
  return reifyLike(*this, getInto(), builder, result);
}

//===----------------------------------------------------------------------===//
// PsaPackQkvBackwardOp and PsaExtractVBackwardOp
//===----------------------------------------------------------------------===//

/// Checks an op that adds `d`, whose dims depend on those of the image, to an image.
template <typename OpT>
static LogicalResult
inferImageSum(std::optional<Location> location, typename OpT::Adaptor adaptor,
              SmallVectorImpl<Type> &types,
              llvm::function_ref<SmallVector<int64_t>(const NamedOperand &)> gradientDims) {
  auto errors = TypeErrors::of<OpT>(location);
  NamedOperand d("d", adaptor.getD()), into("into", adaptor.getInto());
  int64_t heads = adaptor.getNumHeads(), keyDim = adaptor.getKeyDim();
  if (failed(checkAtLeast(errors, "num_heads", heads, 1)) ||
      failed(checkAtLeast(errors, "key_dim", keyDim, 1)) || failed(checkRank(errors, into, 4)) ||
      failed(checkDim(errors, into, 1, heads * 4 * keyDim, "channels")) ||
      failed(checkSameElementType(errors, {d, into})) ||
      failed(checkDims(errors, d, gradientDims(into))))
    return failure();
  types.push_back(into.type);
  return success();
}

LogicalResult PsaPackQkvBackwardOp::inferReturnTypes(MLIRContext *,
                                                     std::optional<Location> location,
                                                     Adaptor adaptor,
                                                     SmallVectorImpl<Type> &types) {
  return inferImageSum<PsaPackQkvBackwardOp>(
      location, adaptor, types, [&](const NamedOperand &into) -> SmallVector<int64_t> {
        bool isStatic = !ShapedType::isDynamic(into.dim(2)) && !ShapedType::isDynamic(into.dim(3));
        int64_t pixels = isStatic ? into.dim(2) * into.dim(3) : ShapedType::kDynamic;
        return {into.dim(0), 4, static_cast<int64_t>(adaptor.getNumHeads()), pixels,
                static_cast<int64_t>(adaptor.getKeyDim())};
      });
}

LogicalResult PsaPackQkvBackwardOp::reifyResultShapes(OpBuilder &builder,
                                                      ReifiedRankedShapedTypeDims &result) {
  return reifyLike(*this, getInto(), builder, result);
}

LogicalResult PsaExtractVBackwardOp::inferReturnTypes(MLIRContext *,
                                                      std::optional<Location> location,
                                                      Adaptor adaptor,
                                                      SmallVectorImpl<Type> &types) {
  return inferImageSum<PsaExtractVBackwardOp>(
      location, adaptor, types, [&](const NamedOperand &into) -> SmallVector<int64_t> {
        return {into.dim(0), static_cast<int64_t>(adaptor.getNumHeads() * 2 * adaptor.getKeyDim()),
                into.dim(2), into.dim(3)};
      });
}

LogicalResult PsaExtractVBackwardOp::reifyResultShapes(OpBuilder &builder,
                                                       ReifiedRankedShapedTypeDims &result) {
  return reifyLike(*this, getInto(), builder, result);
}

//===----------------------------------------------------------------------===//
// PsaMergeAttnBackwardOp
//===----------------------------------------------------------------------===//

LogicalResult PsaMergeAttnBackwardOp::inferReturnTypes(MLIRContext *,
                                                       std::optional<Location> location,
                                                       Adaptor adaptor,
                                                       SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<PsaMergeAttnBackwardOp>(location);
  NamedOperand d("d", adaptor.getD());
  int64_t heads = adaptor.getNumHeads();
  if (failed(checkAtLeast(errors, "num_heads", heads, 1)) || failed(checkRank(errors, d, 4)))
    return failure();
  if (ShapedType::isDynamic(d.dim(1)) || d.dim(1) % (2 * heads) != 0)
    return errors("operand 'd': expected a multiple of ", 2 * heads, " channels, found ", d.type);
  bool isStatic = !ShapedType::isDynamic(d.dim(2)) && !ShapedType::isDynamic(d.dim(3));
  int64_t pixels = isStatic ? d.dim(2) * d.dim(3) : ShapedType::kDynamic;
  types.append(2, RankedTensorType::get({d.dim(0), heads, pixels, d.dim(1) / (2 * heads)},
                                        d.type.getElementType()));
  return success();
}

LogicalResult PsaMergeAttnBackwardOp::reifyResultShapes(OpBuilder &builder,
                                                        ReifiedRankedShapedTypeDims &result) {
  SizeBuilder sizes(builder, getLoc());
  int64_t heads = getNumHeads();
  SmallVector<OpFoldResult> dims = {sizes.dim(getD(), 0), sizes.constant(heads),
                                    sizes.product({sizes.dim(getD(), 2), sizes.dim(getD(), 3)}),
                                    sizes.constant(getD().getType().getDimSize(1) / (2 * heads))};
  for (Value half : getResults())
    result.push_back(sizes.finish(half.getType(), dims));
  return success();
}

//===----------------------------------------------------------------------===//
// PsaFlashAttentionBackwardOp
//===----------------------------------------------------------------------===//

LogicalResult PsaFlashAttentionBackwardOp::inferReturnTypes(MLIRContext *,
                                                            std::optional<Location> location,
                                                            Adaptor adaptor,
                                                            SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<PsaFlashAttentionBackwardOp>(location);
  NamedOperand packed("packed", adaptor.getPacked()), into("into", adaptor.getInto()),
      out("out", adaptor.getOut()), gradient("d_out", adaptor.getDOut());
  if (failed(checkRank(errors, packed, 5)) || failed(checkDim(errors, packed, 1, 4, "sections")) ||
      failed(checkSameElementType(errors, {packed, into, out, gradient})) ||
      failed(checkDims(errors, into, packed.type.getShape())))
    return failure();
  if (ShapedType::isDynamic(packed.dim(4)))
    return errors("operand 'packed': expected a static key size, found ", packed.type);
  SmallVector<int64_t> dims = {packed.dim(0), packed.dim(2), packed.dim(3), packed.dim(4)};
  for (const NamedOperand &operand : {out, gradient})
    if (failed(checkDims(errors, operand, dims)))
      return failure();
  if (failed(checkStatistics(errors, adaptor.getLse(), adaptor.getDLse(),
                             ArrayRef(dims).drop_back(), packed.type.getElementType())))
    return failure();
  types.push_back(into.type);
  return success();
}

LogicalResult PsaFlashAttentionBackwardOp::reifyResultShapes(OpBuilder &builder,
                                                             ReifiedRankedShapedTypeDims &result) {
  return reifyLike(*this, getInto(), builder, result);
}

} // namespace rlx::ir
