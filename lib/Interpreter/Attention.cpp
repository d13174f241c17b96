//===- Attention.cpp - softmax attention ------------------------------------===//

#include "Attention.h"

#include "Indexing.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace rlx;
using namespace rlx::interp;
using namespace rlx::ir;

AttentionHead::AttentionHead(const double *keys, int64_t keyStride, int64_t keyDim,
                             const double *values, int64_t valueStride, int64_t valueDim,
                             int64_t numKeys)
    : transposedKeys(keyDim * numKeys), values(values), keyDim(keyDim), valueStride(valueStride),
      valueDim(valueDim), numKeys(numKeys) {
  for (int64_t key = 0; key < numKeys; ++key)
    for (int64_t d = 0; d < keyDim; ++d)
      transposedKeys[d * numKeys + key] = keys[key * keyStride + d];
}

void AttentionHead::computeScores(const double *query, double scale, const double *keyBias,
                                  Scratch &scratch) const {
  scratch.scores.assign(numKeys, 0);
  if (keyBias)
    std::copy_n(keyBias, numKeys, scratch.scores.begin());
  double *scores = scratch.scores.data();
  for (int64_t d = 0; d < keyDim; ++d) {
    const double element = query[d];
    const double *row = transposedKeys.data() + d * numKeys;
    for (int64_t key = 0; key < numKeys; ++key)
      scores[key] += element * row[key];
  }
  for (int64_t key = 0; key < numKeys; ++key)
    scores[key] *= scale;
}

double AttentionHead::attend(std::span<const uint8_t> visible, Scratch &scratch,
                             double *result) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto sees = [&](int64_t key) { return visible.empty() || visible[key]; };
  std::vector<double> &scores = scratch.scores;

  // A NaN never replaces the maximum, but it reaches the sum below.
  double maximum = -infinity;
  for (int64_t key = 0; key < numKeys; ++key)
    if (sees(key))
      maximum = std::max(maximum, scores[key]);

  // Scores of -inf have the weight zero even if there are no others.
  const double shift = maximum == -infinity ? 0 : maximum;
  long double sum = 0;
  for (int64_t key = 0; key < numKeys; ++key) {
    if (!sees(key))
      continue;
    scores[key] = std::exp(scores[key] - shift);
    sum += scores[key];
  }
  std::fill_n(result, valueDim, 0.0);
  for (int64_t key = 0; key < numKeys; ++key) {
    if (!sees(key))
      continue;
    const double *row = values + key * valueStride;
    for (int64_t d = 0; d < valueDim; ++d)
      result[d] += scores[key] * row[d];
  }
  const long double divisor = sum == 0 ? 1 : sum;
  for (int64_t d = 0; d < valueDim; ++d)
    result[d] = static_cast<double>(result[d] / divisor);
  return static_cast<double>(maximum + std::log(sum));
}

/// The dims of a mask with those of heads and queries.
static Shape alignedShape(const Array &mask) {
  if (mask.rank() == 2)
    return {mask.dim(0), 1, 1, mask.dim(1)};
  return mask.shape();
}

Mask::Mask(MaskKind kind, int64_t window, const Array *mask, const Shape &full)
    : kind(kind), window(window), mask(mask), queries(full[2]), keys(full[3]) {
  if (mask)
    strides = broadcastStrides(alignedShape(*mask), full);
}

void Mask::apply(int64_t batch, int64_t head, int64_t query, std::vector<uint8_t> &visible,
                 std::vector<double> &scores) const {
  visible.assign(keys, 1);
  for (int64_t key = 0; key < keys; ++key) {
    switch (kind) {
    case MaskKind::None:
      break;
    case MaskKind::Causal:
      visible[key] = key <= query + keys - queries;
      break;
    case MaskKind::SlidingWindow:
      visible[key] = query - window <= key && key <= query;
      break;
    case MaskKind::Custom: {
      const int64_t place = offset(batch, head, query, key);
      visible[key] = isFloat(mask->type()) ? mask->floats()[place] >= 0.5 : mask->ints()[place];
      break;
    }
    case MaskKind::Bias: {
      // Negative infinity is how a bias hides a key.
      const double bias = mask->floats()[offset(batch, head, query, key)];
      visible[key] = bias != -std::numeric_limits<double>::infinity();
      scores[key] += bias;
      break;
    }
    }
  }
}

Status Mask::check(const Array &mask, mlir::ShapedType declared, const Shape &full) {
  if (mask.rank() == 2) {
    if (Status status = checkSize("dim 0 of mask", full[0], mask.dim(0)); !status)
      return status;
    return checkSize("dim 1 of mask", full[3], mask.dim(1));
  }
  for (int64_t axis = 0; axis < 4; ++axis) {
    if (axis < 3 && declared.getDimSize(axis) == 1)
      continue;
    if (Status status =
            checkSize("dim " + std::to_string(axis) + " of mask", full[axis], mask.dim(axis));
        !status)
      return status;
  }
  return {};
}

Result<llvm::SmallVector<Array>> interp::evaluate(AttentionOp op, Operands operands,
                                                  const Context &context) {
  const Array &q = operands[0], &k = operands[1], &v = operands[2];
  const Array *mask = op.getMask() ? &operands[3] : nullptr;
  const Array *keyBias = op.getKeyBias() ? &operands.back() : nullptr;
  const HeadSharing sharing = op.getSharing();
  const int64_t heads = op.getNumHeads(), keyDim = op.getHeadDim(), valueDim = op.getValueDim();
  const int64_t batch = q.dim(0), queries = q.dim(1), keys = k.dim(1);
  const int64_t queryHeads = sharing == HeadSharing::Queries ? 1 : heads;
  const int64_t keyHeads = sharing == HeadSharing::Keys ? 1 : heads;
  for (Status status :
       {checkSize("batch of k", batch, k.dim(0)), checkSize("batch of v", batch, v.dim(0)),
        checkSize("rows of v", keys, v.dim(1)),
        checkSize("channels of q", queryHeads * keyDim, q.dim(2)),
        checkSize("channels of k", keyHeads * keyDim, k.dim(2))})
    if (!status)
      return status;
  if (mask)
    if (Status status = Mask::check(*mask, op.getMask().getType(), {batch, heads, queries, keys});
        !status)
      return status;
  if (keyBias)
    for (Status status : {checkSize("heads of key_bias", heads, keyBias->dim(1)),
                          checkSize("keys of key_bias", keys, keyBias->dim(2))})
      if (!status)
        return status;

  Array result(q.type(), {batch, queries, queryHeads * valueDim});
  std::vector<double> lse(op.getLse() ? batch * heads * queries : 0);
  const Mask rules(op.getMaskKind(), op.getWindow().value_or(0), mask,
                   {batch, heads, queries, keys});
  double *target = result.mutableFloats().data();
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t h = 0; h < heads; ++h) {
      const int64_t queryHead = queryHeads == 1 ? 0 : h, keyHead = keyHeads == 1 ? 0 : h;
      const AttentionHead head(k.floats().data() + b * keys * k.dim(2) + keyHead * keyDim, k.dim(2),
                               keyDim, v.floats().data() + b * keys * v.dim(2) + keyHead * valueDim,
                               v.dim(2), valueDim, keys);
      const double *bias =
          keyBias ? keyBias->floats().data() + ((keyBias->dim(0) == 1 ? 0 : b) * heads + h) * keys
                  : nullptr;
      const int64_t grain = (1 << 16) / std::max<int64_t>(keys * (keyDim + valueDim), 1) + 1;
      parallelFor(context.threads, queries, grain, [&](int64_t begin, int64_t end) {
        AttentionHead::Scratch scratch;
        std::vector<uint8_t> visible;
        std::vector<double> row(valueDim);
        for (int64_t query = begin; query < end; ++query) {
          const int64_t index = b * queries + query;
          head.computeScores(q.floats().data() + index * q.dim(2) + queryHead * keyDim,
                             op.getScaleValue(), bias, scratch);
          rules.apply(b, h, query, visible, scratch.scores);
          const double logSumExp = head.attend(visible, scratch, row.data());
          if (!lse.empty())
            lse[(b * heads + h) * queries + query] = logSumExp;
          // The heads of shared queries add up; others have a place of their own.
          double *place = target + index * queryHeads * valueDim + queryHead * valueDim;
          for (int64_t d = 0; d < valueDim; ++d)
            place[d] += row[d];
        }
      });
    }
  }
  llvm::SmallVector<Array> results{std::move(result)};
  if (op.getLse())
    results.emplace_back(elementTypeOf(op.getLse().getType()), Shape{batch, heads, queries},
                         std::move(lse));
  return results;
}
