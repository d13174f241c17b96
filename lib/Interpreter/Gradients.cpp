//===- Gradients.cpp - gradients that are ops of their own ------------------===//

#include "Indexing.h"

#include <cmath>
#include <numbers>

using namespace rlx;
using namespace rlx::interp;
using namespace rlx::ir;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static double derivativeOfGeluTanh(double x) {
  const double factor = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  const double tanh = std::tanh(factor * (x + 0.044715 * x * x * x));
  const double inner = factor * (1 + 3 * 0.044715 * x * x);
  return 0.5 * (1 + tanh) + 0.5 * x * (1 - tanh * tanh) * inner;
}

static double derivative(ActivationKind kind, double x) {
  auto sigmoid = [](double value) { return 1 / (1 + std::exp(-value)); };
  switch (kind) {
  case ActivationKind::Relu:
    return x > 0 ? 1 : 0;
  case ActivationKind::Gelu:
    return 0.5 * std::erfc(-x / std::numbers::sqrt2) +
           x * std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  case ActivationKind::GeluTanh:
    return derivativeOfGeluTanh(x);
  case ActivationKind::Silu:
    return sigmoid(x) * (1 + x * (1 - sigmoid(x)));
  case ActivationKind::Sigmoid:
    return sigmoid(x) * (1 - sigmoid(x));
  case ActivationKind::Tanh:
    return 1 - std::tanh(x) * std::tanh(x);
  case ActivationKind::Exp:
    return std::exp(x);
  case ActivationKind::Log:
    return 1 / x;
  case ActivationKind::Sqrt:
    return 0.5 / std::sqrt(x);
  case ActivationKind::Rsqrt:
    return -0.5 / (x * std::sqrt(x));
  case ActivationKind::Neg:
    return -1;
  case ActivationKind::Abs:
    return x > 0 ? 1 : x < 0 ? -1 : 0;
  case ActivationKind::Sin:
    return std::cos(x);
  case ActivationKind::Cos:
    return -std::sin(x);
  case ActivationKind::Round:
    return 0;
  }
  llvm_unreachable("unknown activation");
}

Result<Array> interp::evaluate(ActivationBackwardOp op, Operands operands, const Context &) {
  const Array &x = operands[0], &d = operands[1];
  if (x.shape() != d.shape())
    return mismatch("dims of d", formatShape(x.shape()), formatShape(d.shape()));
  std::vector<double> result(x.numElements());
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = d.floats()[i] * derivative(op.getKind(), x.floats()[i]);
  return Array(x.type(), x.shape(), std::move(result));
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {

/// Calls `body(d, x, w)` with the places of the elements that each product of a
/// convolution of `x` with `w` involves, `d` being that of the result.
template <typename OpT, typename Body>
Status forEachProduct(OpT op, const Array &d, const Array &x, const Array &w, Body body) {
  const int64_t groups = op.getGroups(), outs = w.dim(0) / groups, channels = w.dim(1);
  if (Status status = checkSize("channels of x", groups * channels, x.dim(1)); !status)
    return status;
  Shape expected = {x.dim(0), w.dim(0)};
  for (int64_t i = 0; i < 2; ++i)
    expected.push_back(
        (x.dim(2 + i) + 2 * op.getPadding()[i] - op.getDilation()[i] * (w.dim(2 + i) - 1) - 1) /
            op.getStride()[i] +
        1);
  if (d.shape() != expected)
    return mismatch("dims of d", formatShape(expected), formatShape(d.shape()));
  auto position = [&](int64_t i, int64_t out, int64_t tap) {
    return out * op.getStride()[i] + tap * op.getDilation()[i] - op.getPadding()[i];
  };
  for (int64_t b = 0; b < x.dim(0); ++b)
    for (int64_t o = 0; o < w.dim(0); ++o)
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t kh = 0; kh < w.dim(2); ++kh)
          for (int64_t kw = 0; kw < w.dim(3); ++kw)
            for (int64_t row = 0; row < d.dim(2); ++row)
              for (int64_t column = 0; column < d.dim(3); ++column) {
                const int64_t y = position(0, row, kh), z = position(1, column, kw);
                if (y < 0 || y >= x.dim(2) || z < 0 || z >= x.dim(3))
                  continue;
                const int64_t channel = o / outs * channels + c;
                body(((b * d.dim(1) + o) * d.dim(2) + row) * d.dim(3) + column,
                     ((b * x.dim(1) + channel) * x.dim(2) + y) * x.dim(3) + z,
                     ((o * channels + c) * w.dim(2) + kh) * w.dim(3) + kw);
              }
  return {};
}

} // namespace

Result<Array> interp::evaluate(Conv2dBackwardInputOp op, Operands operands, const Context &) {
  const Array &d = operands[0], &w = operands[1], &x = operands[2];
  Array result(x.type(), x.shape());
  std::span<double> sum = result.mutableFloats();
  Status status = forEachProduct(op, d, x, w, [&](int64_t from, int64_t to, int64_t tap) {
    sum[to] += d.floats()[from] * w.floats()[tap];
  });
  if (!status)
    return status;
  return result;
}

Result<Array> interp::evaluate(Conv2dBackwardWeightOp op, Operands operands, const Context &) {
  const Array &d = operands[0], &x = operands[1], &w = operands[2];
  Array result(w.type(), w.shape());
  std::span<double> sum = result.mutableFloats();
  Status status = forEachProduct(op, d, x, w, [&](int64_t from, int64_t at, int64_t tap) {
    sum[tap] += d.floats()[from] * x.floats()[at];
  });
  if (!status)
    return status;
  return result;
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

Result<Array> interp::evaluate(ScatterAddOp op, Operands operands, const Context &) {
  const Array &into = operands[0], &indices = operands[1], &updates = operands[2];
  const int64_t axis = op.normalizedAxis(), size = into.dim(axis), count = indices.numElements();
  for (int64_t i = 0; i < count; ++i)
    if (const int64_t index = indices.ints()[i]; index < 0 || index >= size)
      return mismatch("element " + std::to_string(i) + " of indices",
                      "an index in [0, " + std::to_string(size) + ")", std::to_string(index));
  std::span<const int64_t> dims(into.shape());
  const int64_t outer = countElements(dims.first(axis)),
                inner = countElements(dims.subspan(axis + 1));
  if (Status status =
          checkSize("elements of updates", outer * count * inner, updates.numElements());
      !status)
    return status;
  std::vector<double> sum(into.floats().begin(), into.floats().end());
  int64_t from = 0;
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t index : indices.ints())
      for (int64_t j = 0; j < inner; ++j)
        sum[(i * size + index) * inner + j] += updates.floats()[from++];
  return Array(into.type(), into.shape(), std::move(sum));
}
