//===- Indexing.h - walks over arrays ---------------------------*- C++ -*-===//
//
// Strides, broadcasting, and loops over indices and threads, shared by evaluators.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_INTERPRETER_INDEXING_H
#define RLX_LIB_INTERPRETER_INDEXING_H

#include "Evaluators.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <span>
#include <string>

namespace rlx::interp {

/// An error with the text `what: expected ..., found ...`.
Status mismatch(const std::string &what, const std::string &expected, const std::string &found);

/// Success if two sizes agree.
Status checkSize(const std::string &what, int64_t expected, int64_t found);

/// `2x3x4`, or `scalar` for rank 0.
std::string formatShape(std::span<const int64_t> shape);

/// The product of sizes.
int64_t countElements(std::span<const int64_t> shape);

/// The row-major strides of a shape.
Shape stridesOf(std::span<const int64_t> shape);

/// The shape of operands under numpy broadcasting, where only dims that their types
/// say are 1 broadcast. `ranks` first dims of each are taken; the rest is left alone.
Result<Shape> broadcastShapes(mlir::TypeRange types, Operands operands, int64_t trailing = 0);

/// The strides by which an operand of `shape` is walked along the dims of `result`,
/// to which it broadcasts: 0 along repeated dims.
Shape broadcastStrides(std::span<const int64_t> shape, std::span<const int64_t> result);

/// The offsets, under `strides`, of all indices of `shape` in row-major order.
std::vector<int64_t> offsetsOf(std::span<const int64_t> shape, std::span<const int64_t> strides);

/// Calls body(begin, end) for consecutive ranges that cover [0, count), on up to
/// `threads` threads, none with less than `grain` elements unless it is the only one.
void parallelFor(unsigned threads, int64_t count, int64_t grain,
                 llvm::function_ref<void(int64_t begin, int64_t end)> body);

/// Calls body(i, offsets) for the i-th index of `shape`, in row-major order, where
/// offsets[k] is its place under strides[k].
template <size_t N, typename Body>
void forEachIndex(std::span<const int64_t> shape, const std::array<Shape, N> &strides, Body body) {
  const int64_t count = countElements(shape);
  const int64_t rank = static_cast<int64_t>(shape.size());
  const int64_t inner = rank ? shape[rank - 1] : 1;
  Shape index(rank, 0);
  std::array<int64_t, N> row{}, offsets;
  for (int64_t i = 0; i < count;) {
    offsets = row;
    for (int64_t j = 0; j < inner; ++j, ++i) {
      body(i, offsets);
      if (rank)
        for (size_t k = 0; k < N; ++k)
          offsets[k] += strides[k][rank - 1];
    }
    for (int64_t axis = rank - 2; axis >= 0; --axis) {
      for (size_t k = 0; k < N; ++k)
        row[k] += strides[k][axis];
      if (++index[axis] < shape[axis])
        break;
      for (size_t k = 0; k < N; ++k)
        row[k] -= strides[k][axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

/// An array of `shape` whose i-th element is the one of `x` at the i-th offset that
/// `strides` and `base` give.
Array gatherStrided(const Array &x, Shape shape, const Shape &strides, int64_t base = 0);

} // namespace rlx::interp

#endif // RLX_LIB_INTERPRETER_INDEXING_H
