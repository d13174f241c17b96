//===- Binding.h - matches tensors to what a module declares ----*- C++ -*-===//
//
// One way to say what does not fit, for modules and for the interpreter:
//
//   param 'L0.self.q.w': expected tensor<256x256xf32>, found tensor<256x128xf32>
//
//===----------------------------------------------------------------------===//
#ifndef RLX_RUNTIME_BINDING_H
#define RLX_RUNTIME_BINDING_H

#include "rlx/Runtime/Status.h"
#include "rlx/Runtime/abi.h"
#include "rlx/Runtime/runtime.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rlx {

/// A tensor type in MLIR's spelling: `tensor<1x?x256xf32>`. Dims that are not
/// sizes are printed as `?`, an element type that is none as `invalid`.
std::string formatTensorType(uint32_t dtype, std::span<const int64_t> dims);

/// Collects what does not fit, to report all of it at once.
class MismatchList {
public:
  /// Adds the line `kind 'name': text`.
  void add(std::string_view kind, std::string_view name, std::string_view text);

  /// Success if nothing was added, otherwise one error with all lines.
  Status status() const;
  bool empty() const { return text.empty(); }

private:
  std::string text;
};

/// Checks one tensor against the declared type of the same name: element type,
/// rank, static dims, alignment. Adds at most one line. Allocates only then.
bool checkTensor(std::string_view kind, const rlx_tensor_info &expected, const rlx_tensor &found,
                 MismatchList &mismatches);

/// Finds for each declared tensor the given one of its name and checks it:
/// `matched[i]` belongs to `expected[i]`, null where there is none. Missing (if
/// all are `required`), extra, repeated and misfitting tensors are all added to
/// `mismatches`. `kind` is "param", "input" or "output".
void matchTensors(std::string_view kind, std::span<const rlx_tensor_info> expected,
                  std::span<const rlx_tensor> found, std::span<const rlx_tensor *> matched,
                  MismatchList &mismatches, bool required = true);

/// Gives each dynamic dim the size that the inputs' shapes say, and adds a line
/// naming both inputs where two disagree. `shapes[i]` are the dims of `inputs[i]`.
void resolveSymbols(std::span<const rlx_tensor_info> inputs, std::span<const int64_t *const> shapes,
                    std::span<const char *const> names, std::span<int64_t> sizes,
                    MismatchList &mismatches);

} // namespace rlx

#endif // RLX_RUNTIME_BINDING_H
