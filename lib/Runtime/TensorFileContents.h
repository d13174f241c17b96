//===- TensorFileContents.h - what the tensor file readers fill -*- C++ -*-===//
#ifndef RLX_LIB_RUNTIME_TENSORFILECONTENTS_H
#define RLX_LIB_RUNTIME_TENSORFILECONTENTS_H

#include "rlx/Runtime/TensorFile.h"

#include <deque>

namespace rlx {

/// Views of a file's tensors, and all that they point to.
struct TensorFile::Contents {
  /// Adds a tensor whose elements are `bytes`, which are copied if the file does
  /// not align them for their type.
  void add(std::string name, DType type, std::vector<int64_t> shape,
           std::span<const uint8_t> bytes);

  std::shared_ptr<const void> mapping;
  std::vector<TensorView> views;
  TensorMetadata metadata;

private:
  std::deque<std::string> names; // a deque does not move its elements
  std::deque<std::vector<int64_t>> shapes;
  std::deque<Tensor> copies;
};

namespace runtime {

/// The largest rank of a tensor in a file.
inline constexpr size_t maxFileRank = 32;

/// The bytes of a tensor, or nothing if they cannot be counted.
std::optional<uint64_t> countBytes(DType type, std::span<const uint64_t> shape);

/// Checks that the bytes of a bool tensor are 0 or 1.
bool areBools(std::span<const uint8_t> bytes);

} // namespace runtime
} // namespace rlx

#endif // RLX_LIB_RUNTIME_TENSORFILECONTENTS_H
