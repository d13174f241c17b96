//===- PrintArray.h - an array as text --------------------------*- C++ -*-===//
#ifndef RLX_TOOLS_RLX_INTERPRET_PRINTARRAY_H
#define RLX_TOOLS_RLX_INTERPRET_PRINTARRAY_H

#include "rlx/Interpreter/Array.h"

#include <string>

namespace rlx::tools {

/// `tensor<2x3xf32> [[1, 2, 3], [4, 5, 6]]`: floats in the fewest digits that give
/// the same double.
std::string formatArray(const Array &array);

} // namespace rlx::tools

#endif // RLX_TOOLS_RLX_INTERPRET_PRINTARRAY_H
