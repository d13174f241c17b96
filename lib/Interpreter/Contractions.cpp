//===- Contractions.cpp - matrix products and convolutions ------------------===//
//
// Sums run over the contracted index in order, in blocks that are summed first, so
// that the error grows with the block size plus the number of blocks.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"

#include <algorithm>

using namespace rlx;
using namespace rlx::interp;
using namespace rlx::ir;

namespace {

constexpr int64_t kRowsPerTile = 4;
constexpr int64_t kColumnsPerTile = 8;
constexpr int64_t kBlock = 128; // of the contracted index

/// result[Rows, columns] = x[Rows, k] * w[k, columns], columns <= kColumnsPerTile.
/// `ldw` is the row length of w and of the result, k that of x.
template <int64_t Rows>
void multiplyTile(const double *x, const double *w, double *result, int64_t columns, int64_t k,
                  int64_t ldw) {
  double total[Rows][kColumnsPerTile] = {};
  for (int64_t begin = 0; begin < k; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, k);
    double sum[Rows][kColumnsPerTile] = {};
    if (columns == kColumnsPerTile) {
      for (int64_t i = begin; i < end; ++i)
        for (int64_t row = 0; row < Rows; ++row)
          for (int64_t column = 0; column < kColumnsPerTile; ++column)
            sum[row][column] += x[row * k + i] * w[i * ldw + column];
    } else {
      for (int64_t i = begin; i < end; ++i)
        for (int64_t row = 0; row < Rows; ++row)
          for (int64_t column = 0; column < columns; ++column)
            sum[row][column] += x[row * k + i] * w[i * ldw + column];
    }
    for (int64_t row = 0; row < Rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        total[row][column] += sum[row][column];
  }
  for (int64_t row = 0; row < Rows; ++row)
    std::copy_n(total[row], columns, result + row * ldw);
}

/// result[m, n] = x[m, k] * w[k, n].
void multiply(const double *x, const double *w, double *result, int64_t m, int64_t n, int64_t k) {
  for (int64_t column = 0; column < n; column += kColumnsPerTile) {
    const int64_t columns = std::min(kColumnsPerTile, n - column);
    int64_t row = 0;
    for (; row + kRowsPerTile <= m; row += kRowsPerTile)
      multiplyTile<kRowsPerTile>(x + row * k, w + column, result + row * n + column, columns, k, n);
    for (; row < m; ++row)
      multiplyTile<1>(x + row * k, w + column, result + row * n + column, columns, k, n);
  }
}

/// A convolution's sizes and attributes, and the values it reads.
struct Convolution {
  const double *image, *filter;
  int64_t channels, height, width;   // of one group of the image
  int64_t filterHeight, filterWidth; // of the filter
  int64_t outHeight, outWidth;       // of the result
  llvm::ArrayRef<int64_t> stride, padding, dilation;

  /// The results [first, last) along one dim for which the filter's tap at `offset`
  /// lies within the image.
  static std::pair<int64_t, int64_t> inside(int64_t offset, int64_t stride, int64_t size,
                                            int64_t results) {
    const int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
    const int64_t last = size <= offset ? 0 : (size - offset - 1) / stride + 1;
    return {first, std::min(last, results)};
  }

  /// Adds to a plane what one tap of the filter gives, without looking at elements
  /// in the padding.
  void addTap(const double *plane, double weight, int64_t kh, int64_t kw, double *sum) const {
    const int64_t top = kh * dilation[0] - padding[0], left = kw * dilation[1] - padding[1];
    auto [firstRow, lastRow] = inside(top, stride[0], height, outHeight);
    auto [firstColumn, lastColumn] = inside(left, stride[1], width, outWidth);
    for (int64_t row = firstRow; row < lastRow; ++row) {
      const double *source = plane + (row * stride[0] + top) * width + left;
      double *target = sum + row * outWidth;
      if (stride[1] == 1)
        for (int64_t column = firstColumn; column < lastColumn; ++column)
          target[column] += weight * source[column];
      else
        for (int64_t column = firstColumn; column < lastColumn; ++column)
          target[column] += weight * source[column * stride[1]];
    }
  }

  /// Computes one plane of the result: `planes` are those of its group.
  void computePlane(const double *planes, const double *weights, double bias,
                    double *result) const {
    std::vector<double> sum(outHeight * outWidth);
    for (int64_t channel = 0; channel < channels; ++channel)
      for (int64_t kh = 0; kh < filterHeight; ++kh)
        for (int64_t kw = 0; kw < filterWidth; ++kw)
          addTap(planes + channel * height * width,
                 weights[(channel * filterHeight + kh) * filterWidth + kw], kh, kw, sum.data());
    for (size_t i = 0; i < sum.size(); ++i)
      result[i] = sum[i] + bias;
  }
};

} // namespace

Result<Array> interp::evaluate(MatmulOp op, Operands operands, const Context &context) {
  const Array &x = operands[0], &w = operands[1];
  const int64_t m = x.dim(x.rank() - 2), k = x.dim(x.rank() - 1), n = w.dim(w.rank() - 1);
  if (Status status = checkSize("rows of w", k, w.dim(w.rank() - 2)); !status)
    return status;
  Result<Shape> batch = broadcastShapes(op->getOperandTypes(), operands, /*trailing=*/2);
  if (!batch)
    return batch.status();

  auto offsets = [&](const Array &array) {
    std::span<const int64_t> leading(array.shape().data(), array.rank() - 2);
    Shape strides = broadcastStrides(leading, *batch);
    return offsetsOf(*batch, strides);
  };
  const std::vector<int64_t> xBatch = offsets(x), wBatch = offsets(w);

  Shape shape = *batch;
  shape.insert(shape.end(), {m, n});
  Array result(x.type(), shape);
  std::span<double> target = result.mutableFloats();
  const double *xs = x.floats().data(), *ws = w.floats().data();
  const int64_t rows = static_cast<int64_t>(xBatch.size()) * m;
  const int64_t grain = (1 << 16) / std::max<int64_t>(n * k, 1) + 1;
  parallelFor(context.threads, rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end;) {
      const int64_t matrix = row / m, first = row % m;
      const int64_t count = std::min(m - first, end - row);
      multiply(xs + (xBatch[matrix] * m + first) * k, ws + wBatch[matrix] * k * n,
               target.data() + row * n, count, n, k);
      row += count;
    }
  });
  return result;
}

Result<Array> interp::evaluate(Conv2dOp op, Operands operands, const Context &context) {
  const Array &x = operands[0], &w = operands[1];
  const int64_t groups = op.getGroups(), outChannels = w.dim(0);
  Convolution conv{x.floats().data(), w.floats().data(), w.dim(1), x.dim(2), x.dim(3),
                   w.dim(2),          w.dim(3),          0,        0,        op.getStride(),
                   op.getPadding(),   op.getDilation()};
  if (Status status = checkSize("channels of x", groups * conv.channels, x.dim(1)); !status)
    return status;

  auto outSize = [&](int axis, int64_t size, int64_t filter) -> Result<int64_t> {
    const int64_t reach = conv.dilation[axis] * (filter - 1) + 1;
    const int64_t padded = size + 2 * conv.padding[axis];
    if (padded < reach)
      return mismatch("padded size of x", "at least " + std::to_string(reach),
                      std::to_string(padded));
    return (padded - reach) / conv.stride[axis] + 1;
  };
  Result<int64_t> outHeight = outSize(0, conv.height, conv.filterHeight);
  Result<int64_t> outWidth = outSize(1, conv.width, conv.filterWidth);
  if (!outHeight || !outWidth)
    return outHeight ? outWidth.status() : outHeight.status();
  conv.outHeight = *outHeight;
  conv.outWidth = *outWidth;

  const int64_t outPlane = conv.outHeight * conv.outWidth;
  const int64_t weights = conv.channels * conv.filterHeight * conv.filterWidth;
  Array result(x.type(), {x.dim(0), outChannels, conv.outHeight, conv.outWidth});
  std::span<double> target = result.mutableFloats();
  const int64_t grain = (1 << 16) / std::max<int64_t>(outPlane * weights, 1) + 1;
  parallelFor(context.threads, x.dim(0) * outChannels, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t image = i / outChannels, channel = i % outChannels;
      const int64_t group = channel / (outChannels / groups);
      const double *planes =
          conv.image + (image * groups + group) * conv.channels * conv.height * conv.width;
      const double bias = operands.size() > 2 ? operands[2].floats()[channel] : 0;
      conv.computePlane(planes, conv.filter + channel * weights, bias,
                        target.data() + i * outPlane);
    }
  });
  return result;
}
