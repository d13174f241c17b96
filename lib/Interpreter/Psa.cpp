//===- Psa.cpp - position-sensitive attention -------------------------------===//
//
// KD is the key size, H the number of heads, N the number of pixels. Head h of a QKV
// image owns the channels h*4*KD + [Q | K | V_lo | V_hi], each KD wide.
//
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "Indexing.h"

#include <algorithm>
#include <cmath>

using namespace rlx;
using namespace rlx::interp;
using namespace rlx::ir;

namespace {

/// The sections of a packed tensor.
enum Section : int64_t { Queries = 0, Keys = 1, LowValues = 2, HighValues = 3 };

/// [B, H*4*KD, Hs, Ws] -> [B, 4, H, N, KD]
Array packQkv(const Array &qkv, int64_t heads, int64_t keyDim) {
  const int64_t batch = qkv.dim(0), pixels = qkv.dim(2) * qkv.dim(3);
  Array packed(qkv.type(), {batch, 4, heads, pixels, keyDim});
  std::span<double> target = packed.mutableFloats();
  int64_t to = 0;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t s = 0; s < 4; ++s)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t n = 0; n < pixels; ++n)
          for (int64_t d = 0; d < keyDim; ++d)
            target[to++] =
                qkv.floats()[(b * qkv.dim(1) + h * 4 * keyDim + s * keyDim + d) * pixels + n];
  return packed;
}

/// Attention over one section of values: the output [B, H, N, KD] and the row
/// log-sum-exp [B, H, N].
std::pair<Array, Array> attend(const Array &packed, Section section, DType lseType,
                               const Context &context) {
  const int64_t batch = packed.dim(0), heads = packed.dim(2), pixels = packed.dim(3),
                keyDim = packed.dim(4);
  Array out(packed.type(), {batch, heads, pixels, keyDim});
  Array lse(lseType, {batch, heads, pixels});
  std::span<double> outs = out.mutableFloats(), lses = lse.mutableFloats();
  const double scale = 1 / std::sqrt(static_cast<double>(keyDim));
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t h = 0; h < heads; ++h) {
      auto rows = [&](Section s) {
        return packed.floats().data() + ((b * 4 + s) * heads + h) * pixels * keyDim;
      };
      const AttentionHead head(rows(Keys), keyDim, keyDim, rows(section), keyDim, keyDim, pixels);
      const int64_t grain = (1 << 16) / std::max<int64_t>(pixels * keyDim, 1) + 1;
      parallelFor(context.threads, pixels, grain, [&](int64_t begin, int64_t end) {
        AttentionHead::Scratch scratch;
        for (int64_t n = begin; n < end; ++n) {
          const int64_t row = (b * heads + h) * pixels + n;
          head.computeScores(rows(Queries) + n * keyDim, scale, nullptr, scratch);
          lses[row] = head.attend({}, scratch, outs.data() + row * keyDim);
        }
      });
    }
  }
  return {std::move(out), std::move(lse)};
}

/// Both halves [B, H, N, KD] -> [B, H*2*KD, height, width]
Array mergeHalves(const Array &lo, const Array &hi, int64_t height, int64_t width) {
  const int64_t batch = lo.dim(0), heads = lo.dim(1), pixels = lo.dim(2), keyDim = lo.dim(3);
  Array image(lo.type(), {batch, heads * 2 * keyDim, height, width});
  std::span<double> target = image.mutableFloats();
  int64_t to = 0;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (const Array *half : {&lo, &hi})
        for (int64_t d = 0; d < keyDim; ++d)
          for (int64_t n = 0; n < pixels; ++n)
            target[to++] = half->floats()[((b * heads + h) * pixels + n) * keyDim + d];
  return image;
}

Status checkChannels(const Array &qkv, int64_t heads, int64_t keyDim) {
  return checkSize("channels of qkv", heads * 4 * keyDim, qkv.dim(1));
}

} // namespace

Result<Array> interp::evaluate(PsaPackQkvOp op, Operands operands, const Context &) {
  const int64_t heads = op.getNumHeads(), keyDim = op.getKeyDim();
  if (Status status = checkChannels(operands[0], heads, keyDim); !status)
    return status;
  return packQkv(operands[0], heads, keyDim);
}

Result<Array> interp::evaluate(PsaExtractVOp op, Operands operands, const Context &) {
  const Array &qkv = operands[0];
  const int64_t heads = op.getNumHeads(), keyDim = op.getKeyDim();
  if (Status status = checkChannels(qkv, heads, keyDim); !status)
    return status;
  const int64_t pixels = qkv.dim(2) * qkv.dim(3), values = 2 * keyDim;
  Array result(qkv.type(), {qkv.dim(0), heads * values, qkv.dim(2), qkv.dim(3)});
  std::span<double> target = result.mutableFloats();
  for (int64_t i = 0; i < qkv.dim(0) * heads; ++i) // over batch and heads
    std::copy_n(qkv.floats().begin() + (i * 4 * keyDim + 2 * keyDim) * pixels, values * pixels,
                target.begin() + i * values * pixels);
  return result;
}

Result<std::pair<Array, Array>> interp::evaluate(PsaFlashAttentionOp op, Operands operands,
                                                 const Context &context) {
  if (Status status = checkSize("dim 1 of packed", 4, operands[0].dim(1)); !status)
    return status;
  const Section section = op.getSection() == PsaSection::Lo ? LowValues : HighValues;
  return attend(operands[0], section, elementTypeOf(op.getLse().getType()), context);
}

Result<Array> interp::evaluate(PsaMergeAttnOp op, Operands operands, const Context &) {
  const Array &lo = operands[0], &hi = operands[1];
  if (lo.shape() != hi.shape())
    return mismatch("dims of hi", formatShape(lo.shape()), formatShape(hi.shape()));
  if (Status status = checkSize("rows of lo", op.getH() * op.getW(), lo.dim(2)); !status)
    return status;
  return mergeHalves(lo, hi, op.getH(), op.getW());
}

Result<Array> interp::evaluate(PsaAttentionOp op, Operands operands, const Context &context) {
  const Array &qkv = operands[0];
  const int64_t heads = op.getNumHeads(), keyDim = op.getKeyDim();
  if (Status status = checkChannels(qkv, heads, keyDim); !status)
    return status;
  const Array packed = packQkv(qkv, heads, keyDim);
  const Array lo = attend(packed, LowValues, qkv.type(), context).first;
  const Array hi = attend(packed, HighValues, qkv.type(), context).first;
  return mergeHalves(lo, hi, qkv.dim(2), qkv.dim(3));
}
