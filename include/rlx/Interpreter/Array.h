//===- Array.h - tensors as the interpreter holds them ----------*- C++ -*-===//
//
// An Array has a declared element type, like any tensor, but keeps its elements
// wider than that: floats of every type as double, integers and booleans as int64.
// So a float computed by the interpreter carries no rounding of its declared type.
// Depends on the runtime's tensors only.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_INTERPRETER_ARRAY_H
#define RLX_INTERPRETER_ARRAY_H

#include "rlx/Runtime/DType.h"
#include "rlx/Runtime/Tensor.h"

#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rlx {

/// Whether elements of the type are floating-point numbers.
constexpr bool isFloat(DType type) {
  return type == DType::F32 || type == DType::F16 || type == DType::BF16 || type == DType::F64;
}

/// The value of the type that is nearest to `value`; ties go to even.
double roundToFloat(double value, DType type);

/// The value of the float type that is nearest to an integer.
double integerToFloat(int64_t value, DType type);

/// The value of the integer type that equals `value` modulo its range; booleans
/// become 0 or 1.
int64_t wrapToInteger(int64_t value, DType type);

/// `value` rounded toward zero, then clamped to the integer type's range; NaN
/// gives 0. For booleans, whether it is unequal to 0.
int64_t truncateToInteger(double value, DType type);

/// The least and the greatest value of an integer type.
std::pair<int64_t, int64_t> integerRange(DType type);

/// A dense row-major tensor of doubles or 64-bit integers. Copies share the
/// elements, so an array is filled before it is copied and constant afterwards.
class Array {
public:
  using Shape = std::vector<int64_t>;

  /// An array of zeros.
  Array(DType type, Shape shape) : elementType(type), dims(std::move(shape)) {
    if (isFloat(type))
      doubles = std::make_shared<std::vector<double>>(numElements());
    else
      integers = std::make_shared<std::vector<int64_t>>(numElements());
  }

  /// An array of floats; there are as many as the shape says.
  Array(DType type, Shape shape, std::vector<double> elements)
      : elementType(type), dims(std::move(shape)),
        doubles(std::make_shared<std::vector<double>>(std::move(elements))) {
    assert(isFloat(type) && static_cast<int64_t>(doubles->size()) == numElements());
  }

  /// An array of integers or booleans; there are as many as the shape says.
  Array(DType type, Shape shape, std::vector<int64_t> elements)
      : elementType(type), dims(std::move(shape)),
        integers(std::make_shared<std::vector<int64_t>>(std::move(elements))) {
    assert(!isFloat(type) && static_cast<int64_t>(integers->size()) == numElements());
  }

  /// The exact values of a tensor.
  explicit Array(const TensorView &tensor);

  DType type() const { return elementType; }
  const Shape &shape() const { return dims; }
  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  int64_t dim(int64_t index) const { return dims[index]; }

  /// The number of elements.
  int64_t numElements() const {
    int64_t count = 1;
    for (int64_t dim : dims)
      count *= dim;
    return count;
  }

  /// The elements of an array of floats.
  std::span<const double> floats() const {
    assert(doubles && "an array of integers");
    return *doubles;
  }

  /// The elements of an array of integers or booleans.
  std::span<const int64_t> ints() const {
    assert(integers && "an array of floats");
    return *integers;
  }

  /// The same, to be filled.
  std::span<double> mutableFloats() {
    assert(doubles && doubles.use_count() == 1 && "shared arrays are constant");
    return *doubles;
  }
  std::span<int64_t> mutableInts() {
    assert(integers && integers.use_count() == 1 && "shared arrays are constant");
    return *integers;
  }

  /// The same elements under another shape of as many elements.
  Array reshaped(Shape shape) const {
    Array result = *this;
    result.dims = std::move(shape);
    assert(result.numElements() == numElements() && "reshape changes the number of elements");
    return result;
  }

  /// A tensor of the declared type: floats are rounded to nearest even.
  Tensor toTensor(std::string name) const;

private:
  DType elementType;
  Shape dims;
  std::shared_ptr<std::vector<double>> doubles;   // of floats
  std::shared_ptr<std::vector<int64_t>> integers; // of integers and booleans
};

} // namespace rlx

#endif // RLX_INTERPRETER_ARRAY_H
