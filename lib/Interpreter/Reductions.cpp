//===- Reductions.cpp - reductions, softmax and norms -----------------------===//
//
// Sums and products of floats are accumulated in long double.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace rlx;
using namespace rlx::interp;
using namespace rlx::ir;

namespace {

constexpr int64_t kGrain = 1 << 14;

/// The elements x[base + offsets[i]].
template <typename T> struct Selection {
  std::span<const T> x;
  int64_t base;
  std::span<const int64_t> offsets;

  int64_t size() const { return static_cast<int64_t>(offsets.size()); }
  T operator[](int64_t i) const { return x[base + offsets[i]]; }
};

long double sumOf(const Selection<double> &x) {
  long double sum = 0;
  for (int64_t i = 0; i < x.size(); ++i)
    sum += x[i];
  return sum;
}

/// The greatest element, or NaN if there is one; -inf if there are none.
double maximumOf(const Selection<double> &x) {
  double result = -std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < x.size(); ++i)
    result = std::isnan(x[i]) || x[i] > result ? x[i] : result;
  return result;
}

double minimumOf(const Selection<double> &x) {
  double result = std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < x.size(); ++i)
    result = std::isnan(x[i]) || x[i] < result ? x[i] : result;
  return result;
}

double reduce(ReduceKind kind, const Selection<double> &x) {
  switch (kind) {
  case ReduceKind::Sum:
    return static_cast<double>(sumOf(x));
  case ReduceKind::Mean:
    return static_cast<double>(sumOf(x) / x.size());
  case ReduceKind::Max:
    return maximumOf(x);
  case ReduceKind::Min:
    return minimumOf(x);
  case ReduceKind::Prod: {
    long double product = 1;
    for (int64_t i = 0; i < x.size(); ++i)
      product *= x[i];
    return static_cast<double>(product);
  }
  }
  llvm_unreachable("unknown reduce kind");
}

int64_t reduce(ReduceKind kind, const Selection<int64_t> &x, DType type) {
  auto [least, greatest] = integerRange(type);
  uint64_t sum = 0, product = 1; // modulo 2^64
  int64_t maximum = least, minimum = greatest;
  for (int64_t i = 0; i < x.size(); ++i) {
    sum += static_cast<uint64_t>(x[i]);
    product *= static_cast<uint64_t>(x[i]);
    maximum = std::max(maximum, x[i]);
    minimum = std::min(minimum, x[i]);
  }
  switch (kind) {
  case ReduceKind::Sum:
    return wrapToInteger(static_cast<int64_t>(sum), type);
  case ReduceKind::Prod:
    return wrapToInteger(static_cast<int64_t>(product), type);
  case ReduceKind::Max:
    return maximum;
  case ReduceKind::Min:
    return minimum;
  case ReduceKind::Mean:
    break;
  }
  llvm_unreachable("a reduction of floats");
}

} // namespace

Result<Array> interp::evaluate(ReduceOp op, Operands operands, const Context &context) {
  const Array &x = operands[0];
  const llvm::SmallVector<int64_t> axes = op.normalizedAxes();
  const Shape strides = stridesOf(x.shape());
  Shape shape, kept, keptStrides, reduced, reducedStrides;
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    const bool isReduced = llvm::is_contained(axes, axis);
    (isReduced ? reduced : kept).push_back(x.dim(axis));
    (isReduced ? reducedStrides : keptStrides).push_back(strides[axis]);
    if (!isReduced || op.getKeepDims())
      shape.push_back(isReduced ? 1 : x.dim(axis));
  }
  const std::vector<int64_t> bases = offsetsOf(kept, keptStrides);
  const std::vector<int64_t> offsets = offsetsOf(reduced, reducedStrides);

  Array result(x.type(), shape);
  if (!isFloat(x.type())) {
    for (size_t i = 0; i < bases.size(); ++i)
      result.mutableInts()[i] =
          reduce(op.getKind(), Selection<int64_t>{x.ints(), bases[i], offsets}, x.type());
    return result;
  }
  std::span<double> target = result.mutableFloats();
  const int64_t grain = kGrain / std::max<int64_t>(offsets.size(), 1) + 1;
  parallelFor(context.threads, bases.size(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      target[i] = reduce(op.getKind(), Selection<double>{x.floats(), bases[i], offsets});
  });
  return result;
}

Result<Array> interp::evaluate(SoftmaxOp op, Operands operands, const Context &context) {
  const Array &x = operands[0];
  const int64_t axis = op.normalizedAxis(), size = x.dim(axis);
  Shape kept = x.shape(), strides = stridesOf(x.shape());
  kept[axis] = 1;
  const std::vector<int64_t> bases = offsetsOf(kept, strides);
  const std::vector<int64_t> offsets = offsetsOf(std::span(&size, 1), std::span(&strides[axis], 1));

  Array result(x.type(), x.shape());
  std::span<double> target = result.mutableFloats();
  const int64_t grain = kGrain / std::max<int64_t>(size, 1) + 1;
  parallelFor(context.threads, bases.size(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Selection<double> row{x.floats(), bases[i], offsets};
      const double maximum = maximumOf(row);
      long double sum = 0;
      for (int64_t j = 0; j < size; ++j)
        sum += target[bases[i] + offsets[j]] = std::exp(row[j] - maximum);
      for (int64_t j = 0; j < size; ++j) {
        double &element = target[bases[i] + offsets[j]];
        element = static_cast<double>(element / sum);
      }
    }
  });
  return result;
}

Result<Array> interp::evaluate(LayerNormOp op, Operands operands, const Context &context) {
  const Array &x = operands[0], &gamma = operands[1], &beta = operands[2];
  const int64_t axis = op.normalizedAxis();
  const Shape normalized(x.shape().begin() + axis, x.shape().end());
  for (const Array &operand : {gamma, beta})
    if (operand.shape() != normalized)
      return mismatch("dims of gamma and beta", formatShape(normalized),
                      formatShape(operand.shape()));

  const int64_t size = countElements(normalized);
  const int64_t rows = countElements(std::span(x.shape()).first(axis));
  const long double epsilon = op.getEpsilon().convertToDouble();
  Array result(x.type(), x.shape());
  std::span<double> target = result.mutableFloats();
  const int64_t grain = kGrain / std::max<int64_t>(size, 1) + 1;
  parallelFor(context.threads, rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      std::span<const double> elements = x.floats().subspan(row * size, size);
      long double sum = 0, squares = 0;
      for (double element : elements)
        sum += element;
      const long double mean = sum / size;
      for (double element : elements)
        squares += (element - mean) * (element - mean);
      const long double scale = 1 / std::sqrt(squares / size + epsilon);
      for (int64_t i = 0; i < size; ++i)
        target[row * size + i] = static_cast<double>(
            (elements[i] - mean) * scale * gamma.floats()[i] + beta.floats()[i]);
    }
  });
  return result;
}
