//===- Attention.cpp - Lowering of attention and of the PSA ops -----------===//
//
// All attention becomes rlx.online_attention; operands of other forms are viewed or
// moved to fit one of its layouts.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;

namespace rlx {

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Operands and attributes of `rlx.online_attention`.
struct AttentionParts {
  Value q, k, v, mask, keyBias, positionOffset;
  SmallVector<Value> inits;
  int64_t numHeads = 1;
  double scale = 1;
  ir::MaskKind maskKind = ir::MaskKind::None;
  IntegerAttr window;
  ir::HeadSharing sharing = ir::HeadSharing::None;
};

static ResultRange onlineAttention(Emitter &emit, ir::AttentionLayout layout,
                                   const AttentionParts &parts) {
  auto op = ir::OnlineAttentionOp::create(
      emit, ValueRange(parts.inits).getTypes(), parts.q, parts.k, parts.v, parts.mask,
      parts.keyBias, parts.positionOffset, parts.inits,
      ir::AttentionLayoutAttr::get(emit.getContext(), layout),
      ir::MaskKindAttr::get(emit.getContext(), parts.maskKind),
      emit.getI64IntegerAttr(parts.numHeads), emit.getF64FloatAttr(parts.scale), parts.window,
      ir::HeadSharingAttr::get(emit.getContext(), parts.sharing), IntegerAttr());
  return op->getResults();
}

/// The scale of scores of keys with `keyDim` elements.
static double defaultScale(int64_t keyDim) { return 1 / std::sqrt(static_cast<double>(keyDim)); }

Value fullMask(Emitter &emit, Operand mask, Operand q, Operand k, int64_t numHeads) {
  if (mask.rank() == 2) {
    emit.commonSize(mask, 0, q, 0);
    emit.commonSize(mask, 1, k, 1);
    return emit.insertUnitDims(mask.value, {1, 2});
  }
  auto isGiven = [&](int64_t dim) { return mask.type().getDimSize(dim) != 1; };
  if (isGiven(0))
    emit.commonSize(mask, 0, q, 0);
  if (isGiven(1))
    mask.value = emit.withStaticDim(mask, 1, numHeads);
  if (isGiven(2))
    emit.commonSize(mask, 2, q, 1);
  emit.commonSize(mask, 3, k, 1);
  return mask.value;
}

/// (key, head) pairs up to which heads with shared queries are attended to together.
static constexpr int64_t kMaxPairs = 1024;

/// Attention with shared queries, by a copy of them for each head and a sum over the
/// heads' results. `sizes` are those of the result.
static Value attendBySeparateHeads(Emitter &emit, AttentionParts parts,
                                   ArrayRef<OpFoldResult> sizes, Type elementType) {
  OpFoldResult heads = emit.getIndexAttr(parts.numHeads), keyDim = emit.sizeOf(parts.q, 2);
  auto forward = [](ImplicitLocOpBuilder &, ValueRange elements) { return elements[0]; };
  Value copies = emit.loops(parts.q, emit.empty({sizes[0], sizes[1], heads, keyDim}, elementType),
                            {emit.select(4, {0, 1, 3}), emit.select(4, {0, 1, 2, 3})}, forward);
  parts.q = emit.collapseShape(copies, {{0}, {1}, {2, 3}});
  parts.sharing = ir::HeadSharing::None;
  parts.inits = {emit.empty({sizes[0], sizes[1], emit.product({heads, sizes[2]})}, elementType)};
  Value results = onlineAttention(emit, ir::AttentionLayout::Sequence, parts)[0];
  results = emit.expandShape(results, {{0}, {1}, {2, 3}}, {sizes[0], sizes[1], heads, sizes[2]});
  Value none =
      arith::ConstantOp::create(emit, emit.getFloatAttr(ir::statisticsType(elementType), 0));
  Value sum = emit.reduce(results, {2}, none, [](ImplicitLocOpBuilder &b, ValueRange elements) {
    return arith::AddFOp::create(b, elements[0], elements[1]).getResult();
  });
  return emit.map(sum, elementType, [&](ImplicitLocOpBuilder &b, ValueRange elements) {
    return roundTo(b, b.getLoc(), elements[0], elementType);
  });
}

static SmallVector<Value> lowerAttention(ir::AttentionOp op, ir::AttentionOp::Adaptor operands,
                                         Emitter &emit) {
  int64_t heads = op.getNumHeads(), headDim = op.getHeadDim();
  ir::HeadSharing sharing = op.getSharing();
  Operand q{operands.getQ(), "q"}, k{operands.getK(), "k"}, v{operands.getV(), "v"};
  OpFoldResult batch = emit.commonSize(q, 0, k, 0);
  emit.commonSize(q, 0, v, 0);
  emit.commonSize(k, 1, v, 1);
  q.value =
      emit.withStaticDim(q, 2, sharing == ir::HeadSharing::Queries ? headDim : heads * headDim);
  k.value = emit.withStaticDim(k, 2, sharing == ir::HeadSharing::Keys ? headDim : heads * headDim);

  AttentionParts parts;
  parts.q = q.value;
  parts.k = k.value;
  parts.v = v.value;
  parts.numHeads = heads;
  parts.scale = op.getScaleValue();
  parts.maskKind = op.getMaskKind();
  parts.window = op.getWindowAttr();
  parts.sharing = sharing;
  if (Value mask = operands.getMask())
    parts.mask = fullMask(emit, {mask, "mask"}, q, k, heads);
  if (Value keyBias = operands.getKeyBias()) {
    Operand bias{keyBias, "key_bias"};
    if (bias.type().getDimSize(0) != 1)
      emit.commonSize(bias, 0, q, 0);
    emit.commonSize(bias, 2, k, 1);
    parts.keyBias = emit.withStaticDim(bias, 1, heads);
  }
  OpFoldResult queries = emit.sizeOf(q.value, 1);
  if (op.getMaskKind() == ir::MaskKind::Causal) {
    OpFoldResult offset = emit.apply(emit.getAffineSymbolExpr(0) - emit.getAffineSymbolExpr(1),
                                     {emit.sizeOf(k.value, 1), queries});
    if (!isConstantIntValue(offset, 0))
      parts.positionOffset = getValueOrCreateConstantIndexOp(emit, emit.getLoc(), offset);
  }
  Type elementType = q.type().getElementType();
  OpFoldResult valueDim = emit.getIndexAttr(op.getValueDim());
  int64_t keys = k.type().getDimSize(1);
  if (sharing == ir::HeadSharing::Queries &&
      (ShapedType::isDynamic(keys) || keys * heads > kMaxPairs))
    return {attendBySeparateHeads(emit, parts, {batch, queries, valueDim}, elementType)};
  OpFoldResult channels = emit.getIndexAttr(op.getResult().getType().getDimSize(2));
  parts.inits = {emit.empty({batch, queries, channels}, elementType)};
  if (op.getLse())
    parts.inits.push_back(
        emit.empty({batch, emit.getIndexAttr(heads), queries}, ir::statisticsType(elementType)));
  return llvm::to_vector_of<Value>(onlineAttention(emit, ir::AttentionLayout::Sequence, parts));
}

//===----------------------------------------------------------------------===//
// PSA ops
//===----------------------------------------------------------------------===//

/// The QKV image [B, H*4*KD, Hs, Ws] as [B, H, 4*KD, Hs, Ws].
static Value splitHeads(Emitter &emit, Value qkv, int64_t heads, int64_t keyDim) {
  qkv = emit.withStaticDim({qkv, "qkv"}, 1, heads * 4 * keyDim);
  return emit.expandShape(qkv, {{0}, {1, 2}, {3}, {4}},
                          {emit.sizeOf(qkv, 0), emit.getIndexAttr(heads),
                           emit.getIndexAttr(4 * keyDim), emit.sizeOf(qkv, 2),
                           emit.sizeOf(qkv, 3)});
}

static SmallVector<Value> lowerPackQkv(ir::PsaPackQkvOp op, ir::PsaPackQkvOp::Adaptor operands,
                                       Emitter &emit) {
  int64_t heads = op.getNumHeads(), keyDim = op.getKeyDim();
  Value rows = emit.collapseShape(splitHeads(emit, operands.getQkv(), heads, keyDim),
                                  {{0}, {1}, {2}, {3, 4}});
  Value sections =
      emit.expandShape(rows, {{0}, {1}, {2, 3}, {4}},
                       {emit.sizeOf(rows, 0), emit.getIndexAttr(heads), emit.getIndexAttr(4),
                        emit.getIndexAttr(keyDim), emit.sizeOf(rows, 3)});
  return {emit.transpose(sections, {0, 2, 1, 4, 3})};
}

/// The values of all heads, side by side. They lie apart in `qkv`, so that no view has
/// this shape; unlike a copy, a loop can be fused into what uses it.
static SmallVector<Value> lowerExtractV(ir::PsaExtractVOp op, ir::PsaExtractVOp::Adaptor operands,
                                        Emitter &emit) {
  int64_t heads = op.getNumHeads(), valueDim = 2 * op.getKeyDim();
  Value qkv = emit.withStaticDim({operands.getQkv(), "qkv"}, 1, heads * 2 * valueDim);
  SmallVector<OpFoldResult> sizes = emit.sizesOf(qkv);
  sizes[1] = emit.getIndexAttr(heads * valueDim);
  Type elementType = op.getQkv().getType().getElementType();
  AffineExpr channel = emit.getAffineDimExpr(0);
  AffineExpr source = channel + (channel.floorDiv(valueDim) + 1) * valueDim;
  return {
      emit.elementwise({}, sizes, elementType, [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
        SmallVector<Value> position;
        for (int64_t dim = 0; dim < 4; ++dim)
          position.push_back(linalg::IndexOp::create(b, dim));
        position[1] = affine::AffineApplyOp::create(b, source, position[1]);
        return tensor::ExtractOp::create(b, qkv, position);
      })};
}

static SmallVector<Value> lowerFlashAttention(ir::PsaFlashAttentionOp op,
                                              ir::PsaFlashAttentionOp::Adaptor operands,
                                              Emitter &emit) {
  RankedTensorType type = op.getPacked().getType();
  Type elementType = type.getElementType();
  int64_t heads = type.getDimSize(2), keyDim = type.getDimSize(4);
  Value packed = emit.withStaticDim({operands.getPacked(), "packed"}, 1, 4);
  AttentionParts inner;
  inner.scale = defaultScale(keyDim);
  inner.q = emit.sliceAt(packed, 1, 0);
  inner.k = emit.sliceAt(packed, 1, 1);
  inner.v = emit.sliceAt(packed, 1, op.getSection() == ir::PsaSection::Lo ? 2 : 3);
  SmallVector<OpFoldResult> sizes = emit.sizesOf(inner.q);

  // The structured op wants a static number of heads; others are as good as batches.
  bool asBatches = ShapedType::isDynamic(heads);
  if (asBatches) {
    heads = 1;
    for (Value *operand : {&inner.q, &inner.k, &inner.v})
      *operand = emit.insertUnitDims(emit.collapseShape(*operand, {{0, 1}, {2}, {3}}), {1});
  }
  inner.numHeads = heads;
  SmallVector<OpFoldResult> outSizes = emit.sizesOf(inner.q);
  inner.inits = {emit.empty(outSizes, elementType),
                 emit.empty(ArrayRef(outSizes).drop_back(), ir::statisticsType(elementType))};
  auto results =
      llvm::to_vector_of<Value>(onlineAttention(emit, ir::AttentionLayout::HeadSequence, inner));
  if (asBatches) {
    results[0] = emit.expandShape(emit.collapseShape(results[0], {{0, 1}, {2}, {3}}),
                                  {{0, 1}, {2}, {3}}, sizes);
    results[1] = emit.expandShape(emit.collapseShape(results[1], {{0, 1}, {2}}), {{0, 1}, {2}},
                                  ArrayRef(sizes).drop_back());
  }
  return results;
}

static SmallVector<Value> lowerMergeAttn(ir::PsaMergeAttnOp op,
                                         ir::PsaMergeAttnOp::Adaptor operands, Emitter &emit) {
  Operand lo{operands.getLo(), "lo"}, hi{operands.getHi(), "hi"};
  int64_t rows = op.getH() * op.getW();
  emit.commonSize(lo, 0, hi, 0);
  lo.value = emit.withStaticDim(lo, 2, rows);
  hi.value = emit.withStaticDim(hi, 2, rows);
  int64_t heads = lo.type().getDimSize(1), keyDim = lo.type().getDimSize(3);
  OpFoldResult batch = emit.sizeOf(lo.value, 0), zero = emit.getIndexAttr(0);

  // [B, H, 2, KD, N], one half after the other.
  SmallVector<OpFoldResult> sizes{batch, emit.getIndexAttr(heads), emit.getIndexAttr(2),
                                  emit.getIndexAttr(keyDim), emit.getIndexAttr(rows)};
  SmallVector<OpFoldResult> half = sizes, strides(5, emit.getIndexAttr(1));
  half[2] = emit.getIndexAttr(1);
  Value merged = emit.empty(sizes, lo.type().getElementType());
  Value halves[] = {lo.value, hi.value};
  for (auto [section, value] : llvm::enumerate(halves)) {
    SmallVector<OpFoldResult> offsets{zero, zero, emit.getIndexAttr(section), zero, zero};
    merged = tensor::InsertSliceOp::create(emit, emit.transpose(value, {0, 1, 3, 2}), merged,
                                           offsets, half, strides);
  }
  Value channels = emit.collapseShape(merged, {{0}, {1, 2, 3}, {4}});
  return {emit.expandShape(channels, {{0}, {1}, {2, 3}},
                           {batch, emit.getIndexAttr(heads * 2 * keyDim),
                            emit.getIndexAttr(op.getH()), emit.getIndexAttr(op.getW())})};
}

/// One attention with values of size 2*KD that reads and writes the images in place.
static SmallVector<Value> lowerPsaAttention(ir::PsaAttentionOp op,
                                            ir::PsaAttentionOp::Adaptor operands, Emitter &emit) {
  int64_t heads = op.getNumHeads(), keyDim = op.getKeyDim();
  Value image = splitHeads(emit, operands.getQkv(), heads, keyDim);
  Value rows = emit.collapseShape(image, {{0}, {1}, {2}, {3, 4}});
  AttentionParts inner;
  inner.scale = defaultScale(keyDim);
  inner.q = emit.slice(rows, 2, 0, keyDim);
  inner.k = emit.slice(rows, 2, keyDim, keyDim);
  inner.v = emit.slice(rows, 2, 2 * keyDim, 2 * keyDim);
  inner.inits = {emit.empty(emit.sizesOf(inner.v), op.getQkv().getType().getElementType())};
  inner.numHeads = heads;
  Value out = onlineAttention(emit, ir::AttentionLayout::HeadChannel, inner)[0];
  Value channels = emit.collapseShape(out, {{0}, {1, 2}, {3}});
  return {emit.expandShape(channels, {{0}, {1}, {2, 3}},
                           {emit.sizeOf(image, 0), emit.getIndexAttr(heads * 2 * keyDim),
                            emit.sizeOf(image, 3), emit.sizeOf(image, 4)})};
}

void populateAttentionLowerings(const TypeConverter &converter, RewritePatternSet &patterns) {
  addLowering<ir::AttentionOp>(converter, patterns, lowerAttention);
  addLowering<ir::PsaPackQkvOp>(converter, patterns, lowerPackQkv);
  addLowering<ir::PsaExtractVOp>(converter, patterns, lowerExtractV);
  addLowering<ir::PsaFlashAttentionOp>(converter, patterns, lowerFlashAttention);
  addLowering<ir::PsaMergeAttnOp>(converter, patterns, lowerMergeAttn);
  addLowering<ir::PsaAttentionOp>(converter, patterns, lowerPsaAttention);
}

} // namespace rlx
