//===- TensorType.cpp - Dims and types of a graph's tensors ---------------===//

#include "rlx/Graph/TensorType.h"

namespace rlx {

std::string TensorType::str() const {
  std::string text = "tensor<";
  for (const Dim &dim : dims)
    text.append(dim.isDynamic() ? "?" : std::to_string(dim.size())).append("x");
  // MLIR spells booleans i1.
  return text.append(dtype == DType::Bool ? "i1" : nameOf(dtype)).append(">");
}

} // namespace rlx
