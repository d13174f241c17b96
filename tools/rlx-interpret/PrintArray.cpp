#include "PrintArray.h"

#include "rlx/Runtime/Binding.h"

#include <fmt/format.h>

#include <cmath>

using namespace rlx;

static std::string formatElement(const Array &array, int64_t i) {
  if (isFloat(array.type())) {
    const double value = array.floats()[i];
    return std::isnan(value) ? "nan" : fmt::format("{}", value); // a NaN's sign says nothing
  }
  if (array.type() == DType::Bool)
    return array.ints()[i] ? "true" : "false";
  return fmt::format("{}", array.ints()[i]);
}

/// Formats the dims from `axis` on; `next` is the first element and is moved on.
static std::string formatDims(const Array &array, int64_t axis, int64_t &next) {
  if (axis == array.rank())
    return formatElement(array, next++);
  std::string text = "[";
  for (int64_t i = 0; i < array.dim(axis); ++i)
    text += (i == 0 ? "" : ", ") + formatDims(array, axis + 1, next);
  return text += ']';
}

std::string tools::formatArray(const Array &array) {
  int64_t next = 0;
  return formatTensorType(static_cast<uint32_t>(array.type()), array.shape()) + " " +
         formatDims(array, 0, next);
}
