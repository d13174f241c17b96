//===- TensorFile.h - reads and writes safetensors and npy ------*- C++ -*-===//
//
// Params, inputs and outputs on disk. Files are read through a mapping and not
// trusted: any sequence of bytes gives tensors or an error. Files are written
// under a temporary name in their folder and renamed when they are complete.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_RUNTIME_TENSORFILE_H
#define RLX_RUNTIME_TENSORFILE_H

#include "rlx/Runtime/Status.h"
#include "rlx/Runtime/Tensor.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rlx {

/// Free-form text that goes with the tensors of a safetensors file.
using TensorMetadata = std::vector<std::pair<std::string, std::string>>;

/// The tensors of a file, in the order of their data. Copies share the mapping,
/// and views are valid as long as one copy is.
class TensorFile {
public:
  /// Opens a `.safetensors` file, or a `.npy` file whose one tensor gets the name
  /// of the file without its folder and suffix. The suffix decides.
  static Result<TensorFile> open(const std::string &path);

  /// Reads safetensors from memory, which `owner` keeps alive, or the caller.
  static Result<TensorFile> parseSafetensors(std::span<const uint8_t> bytes,
                                             std::shared_ptr<const void> owner = nullptr);

  /// Reads npy from memory, which `owner` keeps alive, or the caller.
  static Result<TensorFile> parseNpy(std::span<const uint8_t> bytes, std::string name,
                                     std::shared_ptr<const void> owner = nullptr);

  std::span<const TensorView> tensors() const;

  /// The tensor of that name, or null.
  const TensorView *find(std::string_view name) const;

  /// The `__metadata__` of a safetensors file.
  const TensorMetadata &metadata() const;

private:
  struct Contents;
  explicit TensorFile(std::shared_ptr<const Contents> contents) : contents(std::move(contents)) {}

  std::shared_ptr<const Contents> contents;
};

/// Writes tensors, whose names are unique, to a safetensors file.
Status writeSafetensors(const std::string &path, std::span<const TensorView> tensors,
                        const TensorMetadata &metadata = {});

/// Writes one tensor, except bf16 for which the format has no type, to an npy file.
Status writeNpy(const std::string &path, const TensorView &tensor);

/// Writes tensors in the format that the path's suffix says; `.npy` takes one.
Status writeTensors(const std::string &path, std::span<const TensorView> tensors);

/// Writes a whole file under a temporary name in the same folder, then renames
/// it, so that `path` is never half-written and is left alone on failure.
Status writeFileAtomically(const std::string &path,
                           std::span<const std::span<const uint8_t>> parts);

} // namespace rlx

#endif // RLX_RUNTIME_TENSORFILE_H
