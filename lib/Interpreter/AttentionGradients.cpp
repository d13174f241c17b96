//===- AttentionGradients.cpp - gradients of attention ----------------------===//
//
// A pair of query and key whose weight is 0 is not looked at: what is masked has no
// influence on any gradient.
//
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "Indexing.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace rlx;
using namespace rlx::interp;
using namespace rlx::ir;

namespace {

/// Rows of one head, `stride` elements apart.
template <typename T> struct Rows {
  T *data;
  int64_t stride;
  T *operator[](int64_t row) const { return data + row * stride; }
};

double dot(const double *lhs, const double *rhs, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += lhs[i] * rhs[i];
  return sum;
}

void addScaled(double *target, double factor, const double *source, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    target[i] += factor * source[i];
}

/// One head of attention and where its gradients go.
struct HeadGradients {
  Rows<const double> q, k, v, out, outGradient;
  const double *lse, *lseGradient; // the latter may be null
  Rows<double> dq, dk, dv;
  int64_t queries, keys, keyDim, valueDim;
  double scale;

  /// Adds what one query gives, whose scores are `scores` and which sees `visible`;
  /// calls `onScore(key, gradient)` with the gradients of scores.
  void addQuery(int64_t query, llvm::ArrayRef<double> scores, llvm::ArrayRef<uint8_t> visible,
                llvm::function_ref<void(int64_t, double)> onScore) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (lse[query] == -infinity)
      return;
    const double shift =
        dot(out[query], outGradient[query], valueDim) - (lseGradient ? lseGradient[query] : 0);
    for (int64_t key = 0; key < keys; ++key) {
      const double weight = visible[key] ? std::exp(scores[key] - lse[query]) : 0;
      if (weight == 0)
        continue;
      const double d = weight * (dot(outGradient[query], v[key], valueDim) - shift);
      addScaled(dq[query], scale * d, k[key], keyDim);
      addScaled(dk[key], scale * d, q[query], keyDim);
      addScaled(dv[key], weight, outGradient[query], valueDim);
      onScore(key, d);
    }
  }

  /// Adds what all queries give.
  void add(const Mask &mask, int64_t batch, int64_t head,
           llvm::function_ref<void(int64_t, int64_t, double)> onScore) const {
    std::vector<double> scores(keys);
    std::vector<uint8_t> visible;
    for (int64_t query = 0; query < queries; ++query) {
      for (int64_t key = 0; key < keys; ++key)
        scores[key] = scale * dot(q[query], k[key], keyDim);
      mask.apply(batch, head, query, visible, scores);
      addQuery(query, scores, visible, [&](int64_t key, double d) { onScore(query, key, d); });
    }
  }
};

} // namespace

Result<llvm::SmallVector<Array>> interp::evaluate(AttentionBackwardOp op, Operands operands,
                                                  const Context &) {
  auto next = operands.begin();
  const Array &q = *next++, &k = *next++, &v = *next++;
  const Array *mask = op.getMask() ? &*next++ : nullptr;
  const Array &out = *next++, &lse = *next++, &outGradient = *next++;
  const Array *lseGradient = op.getDLse() ? &*next++ : nullptr;
  const int64_t heads = op.getNumHeads(), keyDim = op.getHeadDim(), valueDim = op.getValueDim();
  const int64_t batch = q.dim(0), queries = q.dim(1), keys = k.dim(1);
  const Shape full = {batch, heads, queries, keys};
  for (Status status :
       {checkSize("batch of k", batch, k.dim(0)), checkSize("batch of v", batch, v.dim(0)),
        checkSize("rows of v", keys, v.dim(1)),
        checkSize("elements of out", batch * queries * heads * valueDim, out.numElements()),
        checkSize("elements of d_out", out.numElements(), outGradient.numElements()),
        checkSize("elements of lse", batch * heads * queries, lse.numElements())})
    if (!status)
      return status;
  if (mask)
    if (Status status = Mask::check(*mask, op.getMask().getType(), full); !status)
      return status;

  const Mask rules(op.getMaskKind(), op.getWindow().value_or(0), mask, full);
  llvm::SmallVector<Array> results;
  for (const Array *operand : {&q, &k, &v})
    results.emplace_back(operand->type(), operand->shape());
  if (op.getDMask())
    results.emplace_back(mask->type(), mask->shape());
  llvm::SmallVector<std::span<double>> targets;
  for (Array &result : results)
    targets.push_back(result.mutableFloats());
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h) {
      auto place = [&](const Array &array, int64_t width) {
        return b * array.dim(1) * array.dim(2) + h * width;
      };
      auto rows = [&](const Array &array, int64_t width) {
        return Rows<const double>{array.floats().data() + place(array, width), array.dim(2)};
      };
      auto sums = [&](int result, const Array &array, int64_t width) {
        return Rows<double>{targets[result].data() + place(array, width), array.dim(2)};
      };
      const int64_t row = (b * heads + h) * queries;
      const HeadGradients head{rows(q, keyDim),
                               rows(k, keyDim),
                               rows(v, valueDim),
                               rows(out, valueDim),
                               rows(outGradient, valueDim),
                               lse.floats().data() + row,
                               lseGradient ? lseGradient->floats().data() + row : nullptr,
                               sums(0, q, keyDim),
                               sums(1, k, keyDim),
                               sums(2, v, valueDim),
                               queries,
                               keys,
                               keyDim,
                               valueDim,
                               op.getScaleValue()};
      head.add(rules, b, h, [&](int64_t query, int64_t key, double d) {
        if (op.getDMask())
          targets[3][rules.offset(b, h, query, key)] += d;
      });
    }
  return results;
}

//===----------------------------------------------------------------------===//
// Position-sensitive attention
//===----------------------------------------------------------------------===//

Result<Array> interp::evaluate(PsaPackQkvBackwardOp op, Operands operands, const Context &) {
  const Array &d = operands[0], &into = operands[1];
  const int64_t heads = op.getNumHeads(), keyDim = op.getKeyDim();
  const int64_t batch = into.dim(0), pixels = into.dim(2) * into.dim(3);
  if (d.shape() != Shape{batch, 4, heads, pixels, keyDim})
    return mismatch("dims of d", formatShape(Shape{batch, 4, heads, pixels, keyDim}),
                    formatShape(d.shape()));
  std::vector<double> sum(into.floats().begin(), into.floats().end());
  int64_t from = 0;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t s = 0; s < 4; ++s)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t n = 0; n < pixels; ++n)
          for (int64_t e = 0; e < keyDim; ++e)
            sum[(((b * heads + h) * 4 + s) * keyDim + e) * pixels + n] += d.floats()[from++];
  return Array(into.type(), into.shape(), std::move(sum));
}

Result<Array> interp::evaluate(PsaExtractVBackwardOp op, Operands operands, const Context &) {
  const Array &d = operands[0], &into = operands[1];
  const int64_t values = 2 * static_cast<int64_t>(op.getKeyDim());
  const Shape expected = {into.dim(0), static_cast<int64_t>(op.getNumHeads()) * values, into.dim(2),
                          into.dim(3)};
  if (d.shape() != expected)
    return mismatch("dims of d", formatShape(expected), formatShape(d.shape()));
  const int64_t block = values * into.dim(2) * into.dim(3);
  std::vector<double> sum(into.floats().begin(), into.floats().end());
  for (int64_t i = 0; i < d.numElements(); ++i) // blocks of one head's values
    sum[(i / block * 2 + 1) * block + i % block] += d.floats()[i];
  return Array(into.type(), into.shape(), std::move(sum));
}

Result<std::pair<Array, Array>> interp::evaluate(PsaMergeAttnBackwardOp op, Operands operands,
                                                 const Context &) {
  const Array &d = operands[0];
  const int64_t heads = op.getNumHeads(), keyDim = d.dim(1) / (2 * heads);
  const int64_t pixels = d.dim(2) * d.dim(3);
  const Shape shape = {d.dim(0), heads, pixels, keyDim};
  std::vector<double> halves[2];
  for (int64_t half = 0; half < 2; ++half)
    for (int64_t i = 0; i < d.dim(0) * heads; ++i) // over batch and heads
      for (int64_t n = 0; n < pixels; ++n)
        for (int64_t e = 0; e < keyDim; ++e)
          halves[half].push_back(d.floats()[((i * 2 + half) * keyDim + e) * pixels + n]);
  return std::pair(Array(d.type(), shape, std::move(halves[0])),
                   Array(d.type(), shape, std::move(halves[1])));
}

Result<Array> interp::evaluate(PsaFlashAttentionBackwardOp op, Operands operands, const Context &) {
  const Array &packed = operands[0], &out = operands[1], &lse = operands[2],
              &outGradient = operands[3], &into = operands.back();
  const Array *lseGradient = op.getDLse() ? &operands[4] : nullptr;
  const int64_t batch = packed.dim(0), heads = packed.dim(2), pixels = packed.dim(3),
                keyDim = packed.dim(4), plane = pixels * keyDim;
  const Shape shape = {batch, heads, pixels, keyDim};
  if (packed.dim(1) != 4 || packed.shape() != into.shape())
    return mismatch("dims of into", formatShape(packed.shape()), formatShape(into.shape()));
  for (const Array *array : {&out, &outGradient})
    if (array->shape() != shape)
      return mismatch("dims of an output", formatShape(shape), formatShape(array->shape()));
  std::vector<double> sum(into.floats().begin(), into.floats().end());
  const int64_t values = op.getSection() == PsaSection::Lo ? 2 : 3;
  const Mask everything(MaskKind::None, 0, nullptr, {batch, heads, pixels, pixels});
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h) {
      auto place = [&](int64_t section) { return ((b * 4 + section) * heads + h) * plane; };
      auto rows = [&](int64_t section) {
        return Rows<const double>{packed.floats().data() + place(section), keyDim};
      };
      auto sums = [&](int64_t section) {
        return Rows<double>{sum.data() + place(section), keyDim};
      };
      const int64_t row = (b * heads + h) * pixels;
      const HeadGradients head{rows(0),
                               rows(1),
                               rows(values),
                               {out.floats().data() + row * keyDim, keyDim},
                               {outGradient.floats().data() + row * keyDim, keyDim},
                               lse.floats().data() + row,
                               lseGradient ? lseGradient->floats().data() + row : nullptr,
                               sums(0),
                               sums(1),
                               sums(values),
                               pixels,
                               pixels,
                               keyDim,
                               keyDim,
                               1 / std::sqrt(static_cast<double>(keyDim))};
      head.add(everything, b, h, [](int64_t, int64_t, double) {});
    }
  return Array(into.type(), into.shape(), std::move(sum));
}
