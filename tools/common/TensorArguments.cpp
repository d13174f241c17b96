//===- TensorArguments.cpp - tensors that come from files -----------------===//

#include "TensorArguments.h"

#include <utility>

using namespace rlx;
using namespace rlx::tools;

Result<TensorArguments> TensorArguments::open(std::span<const std::string> paths,
                                              std::span<const rlx_tensor_info> expected) {
  TensorArguments arguments;
  for (const std::string &path : paths) {
    Result<TensorFile> file = TensorFile::open(path);
    if (!file)
      return file.status();
    for (TensorView view : file->tensors()) {
      if (path.ends_with(".npy") && expected.size() == 1)
        view.name = expected[0].name;
      arguments.tensors.push_back(view);
    }
    arguments.files.push_back(std::move(*file));
  }
  return arguments;
}
