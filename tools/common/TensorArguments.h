//===- TensorArguments.h - tensors that come from files ---------*- C++ -*-===//
#ifndef RLX_TOOLS_COMMON_TENSORARGUMENTS_H
#define RLX_TOOLS_COMMON_TENSORARGUMENTS_H

#include "rlx/Runtime/Status.h"
#include "rlx/Runtime/TensorFile.h"

#include <span>
#include <string>
#include <vector>

namespace rlx::tools {

/// The tensors of several files together.
class TensorArguments {
public:
  /// Opens all files. A `.npy` file goes to the only tensor of `expected` if there
  /// is one, and otherwise to the tensor that the file is named after.
  static Result<TensorArguments> open(std::span<const std::string> paths,
                                      std::span<const rlx_tensor_info> expected);

  std::span<const TensorView> views() const { return tensors; }

private:
  std::vector<TensorFile> files;
  std::vector<TensorView> tensors;
};

} // namespace rlx::tools

#endif // RLX_TOOLS_COMMON_TENSORARGUMENTS_H
