#include "Indexing.h"

#include <algorithm>
#include <thread>

using namespace rlx;
using namespace rlx::interp;

Status interp::mismatch(const std::string &what, const std::string &expected,
                        const std::string &found) {
  return {ErrorCode::Mismatch, what + ": expected " + expected + ", found " + found};
}

Status interp::checkSize(const std::string &what, int64_t expected, int64_t found) {
  if (expected == found)
    return {};
  return mismatch(what, std::to_string(expected), std::to_string(found));
}

std::string interp::formatShape(std::span<const int64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t dim : shape)
    text += (text.empty() ? "" : "x") + std::to_string(dim);
  return text;
}

int64_t interp::countElements(std::span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

Shape interp::stridesOf(std::span<const int64_t> shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i])
    strides[i] = stride;
  return strides;
}

Result<Shape> interp::broadcastShapes(mlir::TypeRange types, Operands operands, int64_t trailing) {
  int64_t rank = 0;
  for (const Array &operand : operands)
    rank = std::max(rank, operand.rank() - trailing);
  Shape result(rank, 1);
  for (int64_t axis = 0; axis < rank; ++axis) {
    bool known = false;
    for (auto [type, operand] : llvm::zip_equal(types, operands)) {
      const int64_t own = axis - (rank - (operand.rank() - trailing));
      if (own < 0 || mlir::cast<mlir::ShapedType>(type).getDimSize(own) == 1)
        continue;
      if (known && operand.dim(own) != result[axis])
        return mismatch("broadcast dim " + std::to_string(axis), std::to_string(result[axis]),
                        std::to_string(operand.dim(own)));
      result[axis] = operand.dim(own);
      known = true;
    }
  }
  return result;
}

Shape interp::broadcastStrides(std::span<const int64_t> shape, std::span<const int64_t> result) {
  Shape own = stridesOf(shape);
  Shape strides(result.size(), 0);
  const size_t added = result.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != 1)
      strides[added + i] = own[i];
  return strides;
}

std::vector<int64_t> interp::offsetsOf(std::span<const int64_t> shape,
                                       std::span<const int64_t> strides) {
  std::vector<int64_t> offsets(countElements(shape));
  forEachIndex<1>(shape, {Shape(strides.begin(), strides.end())},
                  [&](int64_t i, const std::array<int64_t, 1> &at) { offsets[i] = at[0]; });
  return offsets;
}

void interp::parallelFor(unsigned threads, int64_t count, int64_t grain,
                         llvm::function_ref<void(int64_t, int64_t)> body) {
  const int64_t parts =
      std::clamp<int64_t>(count / std::max<int64_t>(grain, 1), 1, std::max(threads, 1u));
  std::vector<std::thread> others;
  others.reserve(parts - 1);
  for (int64_t part = 1; part < parts; ++part)
    others.emplace_back(body, count * part / parts, count * (part + 1) / parts);
  body(0, count / parts);
  for (std::thread &thread : others)
    thread.join();
}

Array interp::gatherStrided(const Array &x, Shape shape, const Shape &strides, int64_t base) {
  Array result(x.type(), std::move(shape));
  auto fill = [&](auto target, auto source) {
    forEachIndex<1>(result.shape(), {strides}, [&](int64_t i, const std::array<int64_t, 1> &at) {
      target[i] = source[base + at[0]];
    });
  };
  if (isFloat(x.type()))
    fill(result.mutableFloats(), x.floats());
  else
    fill(result.mutableInts(), x.ints());
  return result;
}
