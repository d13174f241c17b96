//===- TensorType.h - Dims and types of a graph's tensors -------*- C++ -*-===//
//
// Part of Graph/. No MLIR type appears here.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_GRAPH_TENSORTYPE_H
#define RLX_GRAPH_TENSORTYPE_H

#include "rlx/Runtime/DType.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rlx {

/// One dimension of a tensor: a size, or a name for a size that is known at run
/// time. Dims of one name have equal sizes throughout a graph's inputs.
class Dim {
public:
  /// A static size. Not negative, or the graph refuses it.
  Dim(int64_t size) : staticSize(size) {}
  Dim(int size) : staticSize(size) {}

  /// A dynamic dim. An empty name stands for a size of its own.
  Dim(std::string name) : symbol(std::move(name)) {}
  Dim(const char *name) : symbol(name) {}

  /// A dynamic dim without a name.
  static Dim dynamic() { return Dim(std::string()); }

  bool isDynamic() const { return !staticSize; }
  /// The size of a static dim.
  int64_t size() const { return staticSize.value_or(0); }
  /// The name of a dynamic dim; empty if it has none.
  const std::string &name() const { return symbol; }

  /// Equal sizes, or dynamic dims of the same name.
  bool operator==(const Dim &other) const = default;

private:
  std::optional<int64_t> staticSize;
  std::string symbol;
};

/// An element type and dims: `TensorType{DType::F32, {"batch", 7, 256}}`.
struct TensorType {
  DType dtype = DType::F32;
  std::vector<Dim> dims;

  size_t rank() const { return dims.size(); }
  bool operator==(const TensorType &other) const = default;

  /// MLIR's spelling, without names: `tensor<?x7x256xf32>`.
  std::string str() const;
};

/// A named tensor type: an input, a param or an output of a graph.
struct TensorSpec {
  std::string name;
  TensorType type;
  bool operator==(const TensorSpec &other) const = default;
};

} // namespace rlx

#endif // RLX_GRAPH_TENSORTYPE_H
