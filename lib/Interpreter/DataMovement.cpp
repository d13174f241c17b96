//===- DataMovement.cpp - ops that only move elements -----------------------===//

#include "Indexing.h"

#include <algorithm>

using namespace rlx;
using namespace rlx::interp;
using namespace rlx::ir;

namespace {

/// Copies `count` elements of equal type from one array to another.
void copyElements(const Array &source, int64_t from, Array &target, int64_t to, int64_t count) {
  if (isFloat(source.type()))
    std::copy_n(source.floats().begin() + from, count, target.mutableFloats().begin() + to);
  else
    std::copy_n(source.ints().begin() + from, count, target.mutableInts().begin() + to);
}

/// The products of the dims before and after an axis.
std::pair<int64_t, int64_t> around(const Shape &shape, int64_t axis) {
  std::span<const int64_t> dims(shape);
  return {countElements(dims.first(axis)), countElements(dims.subspan(axis + 1))};
}

} // namespace

Result<Array> interp::evaluate(ReshapeOp op, Operands operands, const Context &) {
  const Array &x = operands[0];
  mlir::ShapedType source = op.getX().getType(), target = op.getType();
  Shape shape(target.getShape().begin(), target.getShape().end());

  if (target.getNumDynamicDims() == 1) {
    int64_t others = 1;
    for (int64_t dim : shape)
      others *= mlir::ShapedType::isDynamic(dim) ? 1 : dim;
    if (others == 0 || x.numElements() % others != 0)
      return mismatch("number of elements", "a multiple of " + std::to_string(others),
                      std::to_string(x.numElements()));
    *llvm::find_if(shape, mlir::ShapedType::isDynamic) = x.numElements() / others;
  } else {
    // The source's dynamic dims, in order.
    int64_t next = 0;
    for (int64_t &dim : shape) {
      if (!mlir::ShapedType::isDynamic(dim))
        continue;
      while (next < source.getRank() && !source.isDynamicDim(next))
        ++next;
      if (next == source.getRank())
        return Status(ErrorCode::InvalidArgument, "result has more dynamic dims than the source");
      dim = x.dim(next++);
    }
  }
  if (countElements(shape) != x.numElements())
    return mismatch("number of elements", std::to_string(countElements(shape)),
                    std::to_string(x.numElements()));
  return x.reshaped(shape);
}

Result<Array> interp::evaluate(TransposeOp op, Operands operands, const Context &) {
  const Array &x = operands[0];
  const Shape own = stridesOf(x.shape());
  Shape shape, strides;
  for (int64_t axis : op.getPermutation()) {
    shape.push_back(x.dim(axis));
    strides.push_back(own[axis]);
  }
  return gatherStrided(x, shape, strides);
}

Result<Array> interp::evaluate(NarrowOp op, Operands operands, const Context &) {
  const Array &x = operands[0];
  const int64_t axis = op.normalizedAxis(), start = op.getStart(), length = op.getLength();
  if (start > x.dim(axis) || length > x.dim(axis) - start)
    return mismatch("dim " + std::to_string(axis) + " of x",
                    "at least " + std::to_string(start + length), std::to_string(x.dim(axis)));
  Shape shape = x.shape();
  shape[axis] = length;
  const Shape strides = stridesOf(x.shape());
  return gatherStrided(x, shape, strides, start * strides[axis]);
}

Result<Array> interp::evaluate(ConcatOp op, Operands operands, const Context &) {
  const int64_t axis = op.normalizedAxis();
  Shape shape = operands[0].shape();
  shape[axis] = 0;
  for (auto [i, x] : llvm::enumerate(operands)) {
    for (int64_t other = 0; other < x.rank(); ++other)
      if (other != axis && x.dim(other) != shape[other])
        return mismatch("dim " + std::to_string(other) + " of input " + std::to_string(i),
                        std::to_string(shape[other]), std::to_string(x.dim(other)));
    shape[axis] += x.dim(axis);
  }
  auto [outer, inner] = around(shape, axis);
  Array result(operands[0].type(), shape);
  int64_t start = 0;
  for (const Array &x : operands) {
    const int64_t run = x.dim(axis) * inner;
    for (int64_t i = 0; i < outer; ++i)
      copyElements(x, i * run, result, i * shape[axis] * inner + start, run);
    start += run;
  }
  return result;
}

Result<Array> interp::evaluate(ExpandOp op, Operands operands, const Context &) {
  const Array &x = operands[0];
  mlir::ShapedType source = op.getX().getType(), target = op.getType();
  const int64_t added = target.getRank() - x.rank();
  Shape shape(target.getShape().begin(), target.getShape().end());
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    int64_t &dim = shape[added + axis];
    if (mlir::ShapedType::isDynamic(dim))
      dim = x.dim(axis);
    if (source.getDimSize(axis) == 1)
      continue;
    if (Status status = checkSize("dim " + std::to_string(axis) + " of x", dim, x.dim(axis));
        !status)
      return status;
  }
  return gatherStrided(x, shape, broadcastStrides(x.shape(), shape));
}

Result<Array> interp::evaluate(GatherOp op, Operands operands, const Context &) {
  const Array &x = operands[0], &indices = operands[1];
  const int64_t axis = op.normalizedAxis(), size = x.dim(axis);
  Shape shape(x.shape().begin(), x.shape().begin() + axis);
  shape.insert(shape.end(), indices.shape().begin(), indices.shape().end());
  shape.insert(shape.end(), x.shape().begin() + axis + 1, x.shape().end());

  for (int64_t i = 0; i < indices.numElements(); ++i)
    if (const int64_t index = indices.ints()[i]; index < 0 || index >= size)
      return mismatch("element " + std::to_string(i) + " of indices",
                      "an index in [0, " + std::to_string(size) + ")", std::to_string(index));

  auto [outer, inner] = around(x.shape(), axis);
  Array result(x.type(), shape);
  int64_t to = 0;
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t index : indices.ints()) {
      copyElements(x, (i * size + index) * inner, result, to, inner);
      to += inner;
    }
  return result;
}
