//===- RlxPsaOps.cpp - Position-sensitive attention of YOLO ---------------===//

#include "dialects/rlx/RlxInference.h"

using namespace mlir;

namespace rlx::ir {

/// (C1) to (C3) of the ops on the QKV image.
static LogicalResult checkQkv(TypeErrors errors, const NamedOperand &qkv, int64_t heads,
                              int64_t keyDim) {
  if (failed(checkAtLeast(errors, "num_heads", heads, 1)) ||
      failed(checkAtLeast(errors, "key_dim", keyDim, 1)) || failed(checkRank(errors, qkv, 4)))
    return failure();
  return checkDim(errors, qkv, 1, heads * 4 * keyDim, "channels");
}

/// The product of two dims, dynamic if one of them is.
static int64_t multiplyDims(int64_t lhs, int64_t rhs) {
  return ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs) ? ShapedType::kDynamic
                                                                  : lhs * rhs;
}

//===----------------------------------------------------------------------===//
// PsaPackQkvOp
//===----------------------------------------------------------------------===//

LogicalResult PsaPackQkvOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                             Adaptor adaptor, SmallVectorImpl<Type> &types) {
  NamedOperand qkv("qkv", adaptor.getQkv());
  int64_t heads = adaptor.getNumHeads(), keyDim = adaptor.getKeyDim();
  if (failed(checkQkv(TypeErrors::of<PsaPackQkvOp>(location), qkv, heads, keyDim)))
    return failure();
  types.push_back(
      RankedTensorType::get({qkv.dim(0), 4, heads, multiplyDims(qkv.dim(2), qkv.dim(3)), keyDim},
                            qkv.type.getElementType()));
  return success();
}

LogicalResult PsaPackQkvOp::reifyResultShapes(OpBuilder &builder,
                                              ReifiedRankedShapedTypeDims &result) {
  return reifyResult(*this, builder, result, [&](SizeBuilder &sizes) {
    return SmallVector<OpFoldResult>{
        sizes.dim(getQkv(), 0), sizes.constant(4), sizes.constant(getNumHeads()),
        sizes.product({sizes.dim(getQkv(), 2), sizes.dim(getQkv(), 3)}),
        sizes.constant(getKeyDim())};
  });
}

//===----------------------------------------------------------------------===//
// PsaExtractVOp and PsaAttentionOp
//===----------------------------------------------------------------------===//

/// The type of an op that takes the QKV image to the image of values.
template <typename OpT>
static LogicalResult inferValueImage(std::optional<Location> location,
                                     typename OpT::Adaptor adaptor, SmallVectorImpl<Type> &types) {
  NamedOperand qkv("qkv", adaptor.getQkv());
  int64_t heads = adaptor.getNumHeads(), keyDim = adaptor.getKeyDim();
  if (failed(checkQkv(TypeErrors::of<OpT>(location), qkv, heads, keyDim)))
    return failure();
  types.push_back(RankedTensorType::get({qkv.dim(0), heads * 2 * keyDim, qkv.dim(2), qkv.dim(3)},
                                        qkv.type.getElementType()));
  return success();
}

template <typename OpT>
static LogicalResult reifyValueImage(OpT op, OpBuilder &builder,
                                     ReifiedRankedShapedTypeDims &result) {
  return reifyResult(op, builder, result, [&](SizeBuilder &sizes) {
    SmallVector<OpFoldResult> dims = sizes.dims(op.getQkv());
    dims[1] = sizes.constant(op.getNumHeads() * 2 * op.getKeyDim());
    return dims;
  });
}

LogicalResult PsaExtractVOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                              Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return inferValueImage<PsaExtractVOp>(location, adaptor, types);
}

LogicalResult PsaExtractVOp::reifyResultShapes(OpBuilder &builder,
                                               ReifiedRankedShapedTypeDims &result) {
  return reifyValueImage(*this, builder, result);
}

LogicalResult PsaAttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                               Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return inferValueImage<PsaAttentionOp>(location, adaptor, types);
}

LogicalResult PsaAttentionOp::reifyResultShapes(OpBuilder &builder,
                                                ReifiedRankedShapedTypeDims &result) {
  return reifyValueImage(*this, builder, result);
}

//===----------------------------------------------------------------------===//
// PsaFlashAttentionOp
//===----------------------------------------------------------------------===//

LogicalResult PsaFlashAttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<PsaFlashAttentionOp>(location);
  NamedOperand packed("packed", adaptor.getPacked());
  if (failed(checkRank(errors, packed, 5)) || failed(checkDim(errors, packed, 1, 4, "sections")))
    return failure();
  if (ShapedType::isDynamic(packed.dim(4)))
    return errors("operand 'packed': expected a static key size, found ", packed.type);
  Type element = packed.type.getElementType();
  types.push_back(
      RankedTensorType::get({packed.dim(0), packed.dim(2), packed.dim(3), packed.dim(4)}, element));
  types.push_back(RankedTensorType::get({packed.dim(0), packed.dim(2), packed.dim(3)},
                                        statisticsType(element)));
  return success();
}

LogicalResult PsaFlashAttentionOp::reifyResultShapes(OpBuilder &builder,
                                                     ReifiedRankedShapedTypeDims &result) {
  SizeBuilder sizes(builder, getLoc());
  SmallVector<OpFoldResult> dims = sizes.dims(getPacked());
  dims.erase(dims.begin() + 1);
  result.push_back(sizes.finish(getOut().getType(), dims));
  dims.pop_back();
  result.push_back(sizes.finish(getLse().getType(), dims));
  return success();
}

//===----------------------------------------------------------------------===//
// PsaMergeAttnOp
//===----------------------------------------------------------------------===//

LogicalResult PsaMergeAttnOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                               Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto errors = TypeErrors::of<PsaMergeAttnOp>(location);
  NamedOperand lo("lo", adaptor.getLo()), hi("hi", adaptor.getHi());
  int64_t h = adaptor.getH(), w = adaptor.getW();
  if (failed(checkAtLeast(errors, "h", h, 1)) || failed(checkAtLeast(errors, "w", w, 1)) ||
      failed(checkRank(errors, lo, 4)) || failed(checkRank(errors, hi, 4)))
    return failure();
  if (!areCompatibleTypes(lo.type, hi.type))
    return errors("operand 'hi': expected ", lo.type, ", found ", hi.type);
  for (const NamedOperand &operand : {lo, hi})
    if (failed(checkDim(errors, operand, 2, h * w, "rows")))
      return failure();
  if (ShapedType::isDynamic(lo.dim(1)) || ShapedType::isDynamic(lo.dim(3)))
    return errors("operand 'lo': expected a static head count and key size, found ", lo.type);
  types.push_back(
      RankedTensorType::get({mergeDims(lo.dim(0), hi.dim(0)), lo.dim(1) * 2 * lo.dim(3), h, w},
                            lo.type.getElementType()));
  return success();
}

LogicalResult PsaMergeAttnOp::reifyResultShapes(OpBuilder &builder,
                                                ReifiedRankedShapedTypeDims &result) {
  return reifyResult(*this, builder, result, [&](SizeBuilder &sizes) {
    RankedTensorType lo = getLo().getType();
    return SmallVector<OpFoldResult>{sizes.dim(getLo(), 0),
                                     sizes.constant(lo.getDimSize(1) * 2 * lo.getDimSize(3)),
                                     sizes.constant(getH()), sizes.constant(getW())};
  });
}

} // namespace rlx::ir
