//===- RlxContractionOps.cpp - Matmul, attention and convolution ----------===//

#include "dialects/rlx/RlxInference.h"

#include <cmath>

using namespace mlir;

namespace rlx::ir {

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<MatmulOp>(location);
  NamedOperand x("x", adaptor.getX()), w("w", adaptor.getW());
  for (const NamedOperand &operand : {x, w})
    if (operand.rank() < 2)
      return errors("operand '", operand.name, "': expected rank 2 or more, found ", operand.type);
  if (failed(checkSameElementType(errors, {x, w})) ||
      failed(checkDim(errors, w, -2, x.dim(-1), "rows")))
    return failure();
  FailureOr<SmallVector<int64_t>> dims = checkBroadcast(errors, {x, w}, /*trailing=*/2);
  if (failed(dims))
    return failure();
  dims->append({x.dim(-2), w.dim(-1)});
  types.push_back(RankedTensorType::get(*dims, x.type.getElementType()));
  return success();
}

LogicalResult MatmulOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &result) {
  return reifyResult(*this, builder, result, [&](SizeBuilder &sizes) {
    SmallVector<OpFoldResult> dims = sizes.broadcast(getOperands(), /*trailing=*/2);
    dims.append({sizes.dim(getX(), -2), sizes.dim(getW(), -1)});
    return dims;
  });
}

//===----------------------------------------------------------------------===//
// FusedMatmulBiasActOp
//===----------------------------------------------------------------------===//

LogicalResult FusedMatmulBiasActOp::inferReturnTypes(MLIRContext *,
                                                     std::optional<Location> location,
                                                     Adaptor adaptor,
                                                     SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<FusedMatmulBiasActOp>(location);
  NamedOperand x("x", adaptor.getX()), w("w", adaptor.getW()), bias("bias", adaptor.getBias());
  if (x.rank() < 2)
    return errors("operand 'x': expected rank 2 or more, found ", x.type);
  if (failed(checkRank(errors, w, 2)) || failed(checkRank(errors, bias, 1)) ||
      failed(checkSameElementType(errors, {x, w, bias})) ||
      failed(checkDim(errors, w, 0, x.dim(-1), "rows")) ||
      failed(checkDim(errors, bias, 0, w.dim(1), "elements")))
    return failure();
  SmallVector<int64_t> dims(x.type.getShape());
  dims.back() = mergeDims(w.dim(1), bias.dim(0));
  types.push_back(RankedTensorType::get(dims, x.type.getElementType()));
  return success();
}

LogicalResult FusedMatmulBiasActOp::reifyResultShapes(OpBuilder &builder,
                                                      ReifiedRankedShapedTypeDims &result) {
  return reifyResult(*this, builder, result, [&](SizeBuilder &sizes) {
    SmallVector<OpFoldResult> dims = sizes.dims(getX());
    dims.back() = sizes.dim(getW(), 1);
    return dims;
  });
}

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

/// (C9) and (C10).
LogicalResult checkMask(TypeErrors errors, const NamedOperand &mask, MaskKind kind,
                        ArrayRef<int64_t> full) {
  ArrayRef<int64_t> shape = mask.type.getShape();
  bool fits = false;
  if (shape.size() == 2) {
    fits = areCompatibleShapes(shape, {full.front(), full.back()});
  } else if (shape.size() == 4) {
    fits = areCompatibleDims(shape.back(), full.back()) &&
           llvm::all_of(llvm::seq<unsigned>(0, 3), [&](unsigned i) {
             return shape[i] == 1 || areCompatibleDims(shape[i], full[i]);
           });
  }
  if (!fits)
    return errors("operand 'mask': expected dims ", printDims(full),
                  ", any but the last may be 1, or ", printDims({full.front(), full.back()}),
                  ", found ", mask.type);
  if (kind == MaskKind::Bias && !isa<FloatType>(mask.type.getElementType()))
    return errors("operand 'mask': expected floats for mask kind bias, found ", mask.type);
  return success();
}

/// (C12) and (C13).
static LogicalResult checkScores(TypeErrors errors, AttentionOp::Adaptor op, int64_t batch,
                                 int64_t rows) {
  if (op.getScale() && !op.getScale()->isFinite())
    return errors("scale: expected a finite number, found ", op.getScale()->convertToDouble());
  if (!op.getKeyBias())
    return success();
  NamedOperand bias("key_bias", op.getKeyBias()), q("q", op.getQ());
  if (failed(checkSameElementType(errors, {q, bias})))
    return failure();
  int64_t heads = op.getNumHeads();
  if (bias.rank() != 3 || (bias.dim(0) != 1 && !areCompatibleDims(bias.dim(0), batch)) ||
      !areCompatibleDims(bias.dim(1), heads) || !areCompatibleDims(bias.dim(2), rows))
    return errors("operand 'key_bias': expected dims ", printDims({batch, heads, rows}),
                  ", of which the first may be 1, found ", bias.type);
  return success();
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<AttentionOp>(location);
  NamedOperand q("q", adaptor.getQ()), k("k", adaptor.getK()), v("v", adaptor.getV());
  for (const NamedOperand &operand : {q, k, v})
    if (failed(checkRank(errors, operand, 3)))
      return failure();
  int64_t heads = adaptor.getNumHeads();
  if (failed(checkSameElementType(errors, {q, k, v})) ||
      failed(checkAtLeast(errors, "num_heads", heads, 1)) ||
      failed(checkAtLeast(errors, "head_dim", adaptor.getHeadDim(), 1)))
    return failure();

  int64_t batch = mergeDims(mergeDims(q.dim(0), k.dim(0)), v.dim(0));
  int64_t rows = mergeDims(k.dim(1), v.dim(1));
  HeadSharing sharing = adaptor.getSharing();
  int64_t queryHeads = sharing == HeadSharing::Queries ? 1 : heads;
  int64_t keyHeads = sharing == HeadSharing::Keys ? 1 : heads;
  for (const NamedOperand &operand : {q, k, v})
    if (failed(checkDim(errors, operand, 0, batch, "batches")))
      return failure();
  if (failed(checkDim(errors, v, 1, k.dim(1), "rows")) ||
      failed(checkDim(errors, q, 2, queryHeads * adaptor.getHeadDim(), "channels")) ||
      failed(checkDim(errors, k, 2, keyHeads * adaptor.getHeadDim(), "channels")))
    return failure();
  if (ShapedType::isDynamic(v.dim(2)) || v.dim(2) % keyHeads != 0)
    return errors("operand 'v': expected a multiple of ", keyHeads, " channels, found ", v.type);

  if (failed(checkMaskKind(errors, adaptor.getMaskKind(), static_cast<bool>(adaptor.getMask()),
                           adaptor.getWindow())) ||
      failed(checkScores(errors, adaptor, batch, rows)))
    return failure();
  if (adaptor.getMask() && failed(checkMask(errors, NamedOperand("mask", adaptor.getMask()),
                                            adaptor.getMaskKind(), {batch, heads, q.dim(1), rows})))
    return failure();
  Type element = q.type.getElementType();
  types.push_back(
      RankedTensorType::get({batch, q.dim(1), v.dim(2) / keyHeads * queryHeads}, element));
  if (!adaptor.getWithLse())
    return success();
  if (sharing == HeadSharing::Queries)
    return errors("with_lse: expected heads with queries of their own, found shared queries");
  types.push_back(RankedTensorType::get({batch, heads, q.dim(1)}, statisticsType(element)));
  return success();
}

double AttentionOp::getScaleValue() {
  if (std::optional<APFloat> scale = getScale())
    return scale->convertToDouble();
  return 1 / std::sqrt(static_cast<double>(getHeadDim()));
}

int64_t AttentionOp::getValueDim() {
  int64_t channels = getV().getType().getDimSize(2);
  return getSharing() == HeadSharing::Keys ? channels : channels / getNumHeads();
}

LogicalResult AttentionOp::reifyResultShapes(OpBuilder &builder,
                                             ReifiedRankedShapedTypeDims &result) {
  SizeBuilder sizes(builder, getLoc());
  OpFoldResult batch = sizes.dim(getQ(), 0), rows = sizes.dim(getQ(), 1);
  RankedTensorType type = getResult().getType();
  result.push_back(sizes.finish(type, {batch, rows, sizes.constant(type.getDimSize(2))}));
  if (getLse())
    result.push_back(
        sizes.finish(getLse().getType(), {batch, sizes.constant(getNumHeads()), rows}));
  return success();
}

//===----------------------------------------------------------------------===//
// Conv2dOp
//===----------------------------------------------------------------------===//

/// (C3).
static LogicalResult checkWindow(TypeErrors errors, const ConvolutionWindow &window) {
  auto checkPair = [&](StringRef name, ArrayRef<int64_t> values, int64_t least) {
    if (values.size() == 2 && values[0] >= least && values[1] >= least)
      return success();
    return errors(name, ": expected two elements of at least ", least, ", found ",
                  printDims(values));
  };
  return success(succeeded(checkPair("stride", window.stride, 1)) &&
                 succeeded(checkPair("padding", window.padding, 0)) &&
                 succeeded(checkPair("dilation", window.dilation, 1)) &&
                 succeeded(checkAtLeast(errors, "groups", window.groups, 1)));
}

FailureOr<SmallVector<int64_t>> checkConvolution(TypeErrors errors, const NamedOperand &x,
                                                 const NamedOperand &w,
                                                 const ConvolutionWindow &window) {
  if (failed(checkWindow(errors, window)))
    return failure();
  int64_t groups = window.groups;
  if (!w.type.hasStaticShape() || w.dim(0) % groups != 0)
    return errors("operand 'w': expected a static type with a multiple of ", groups,
                  " output channels, found ", w.type);
  if (failed(checkDim(errors, x, 1, groups * w.dim(1), "channels")))
    return failure();
  SmallVector<int64_t> dims = {x.dim(0), w.dim(0)};
  for (unsigned i = 0; i < 2; ++i) {
    dims.push_back(convolvedSize(x.dim(2 + i), w.dim(2 + i), window.stride[i], window.padding[i],
                                 window.dilation[i]));
    if (dims.back() == 0)
      return errors("operand 'x': expected an image that holds the dilated filter of ", w.type,
                    ", found ", x.type);
  }
  return dims;
}

LogicalResult Conv2dOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<Conv2dOp>(location);
  NamedOperand x("x", adaptor.getX()), w("w", adaptor.getW());
  SmallVector<NamedOperand> operands = {x, w};
  if (adaptor.getBias())
    operands.emplace_back("bias", adaptor.getBias());
  for (auto [operand, rank] : llvm::zip(operands, ArrayRef<int64_t>{4, 4, 1}))
    if (failed(checkRank(errors, operand, rank)))
      return failure();
  if (failed(checkSameElementType(errors, operands)))
    return failure();
  FailureOr<SmallVector<int64_t>> dims =
      checkConvolution(errors, x, w,
                       {adaptor.getStride(), adaptor.getPadding(), adaptor.getDilation(),
                        static_cast<int64_t>(adaptor.getGroups())});
  if (failed(dims))
    return failure();
  if (adaptor.getBias() && failed(checkDim(errors, operands[2], 0, w.dim(0), "elements")))
    return failure();
  types.push_back(RankedTensorType::get(*dims, x.type.getElementType()));
  return success();
}

LogicalResult Conv2dOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &result) {
  return reifyResult(*this, builder, result, [&](SizeBuilder &sizes) {
    SmallVector<OpFoldResult> dims = {sizes.dim(getX(), 0), sizes.dim(getW(), 0)};
    for (unsigned i = 0; i < 2; ++i) {
      int64_t filter = getDilation()[i] * (getW().getType().getDimSize(2 + i) - 1) + 1;
      int64_t room = 2 * getPadding()[i] - filter;
      dims.push_back(sizes.apply(
          [&](ArrayRef<AffineExpr> image) {
            return (image[0] + room).floorDiv(getStride()[i]) + 1;
          },
          sizes.dim(getX(), 2 + i)));
    }
    return dims;
  });
}

} // namespace rlx::ir
