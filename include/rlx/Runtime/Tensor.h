//===- Tensor.h - named tensors in memory -----------------------*- C++ -*-===//
//
// `TensorView` names memory that somebody else owns, `Tensor` owns its memory.
// Both are dense and row-major. A TensorView is an `rlx_tensor` with a C++ face,
// so an array of one is an array of the other.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_RUNTIME_TENSOR_H
#define RLX_RUNTIME_TENSOR_H

#include "rlx/Runtime/DType.h"
#include "rlx/Runtime/runtime.h"

#include <cassert>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rlx {

/// A named tensor in memory that outlives the view, as do its name and dims.
struct TensorView : rlx_tensor {
  TensorView() : rlx_tensor{"", RLX_DTYPE_F32, 0, nullptr, nullptr} {}
  TensorView(const rlx_tensor &tensor) : rlx_tensor(tensor) {}
  TensorView(const char *name, DType type, std::span<const int64_t> shape, void *data)
      : rlx_tensor{name, static_cast<uint32_t>(type), static_cast<uint32_t>(shape.size()),
                   shape.data(), data} {}

  /// A view of memory that is only read: an input or a param.
  TensorView(const char *name, DType type, std::span<const int64_t> shape, const void *data)
      : TensorView(name, type, shape, const_cast<void *>(data)) {}

  DType type() const { return static_cast<DType>(dtype); }
  std::span<const int64_t> shape() const { return {dims, rank}; }

  /// The number of elements.
  int64_t numElements() const {
    int64_t count = 1;
    for (int64_t dim : shape())
      count *= dim;
    return count;
  }

  /// The number of bytes.
  size_t numBytes() const { return static_cast<size_t>(numElements()) * sizeOf(type()); }

  /// The elements as a C++ type, which is the tensor's.
  template <typename T> std::span<T> values() const {
    assert(type() == DTypeOf<std::remove_const_t<T>>::value && "values of another type");
    return {static_cast<T *>(data), static_cast<size_t>(numElements())};
  }
};
static_assert(sizeof(TensorView) == sizeof(rlx_tensor), "a TensorView adds no members");

/// The same tensors for the C interface.
inline std::span<const rlx_tensor> asTensors(std::span<const TensorView> views) {
  return {static_cast<const rlx_tensor *>(views.data()), views.size()};
}

/// A named tensor that owns its memory, which is aligned for compiled code.
class Tensor {
public:
  /// A tensor of zeros.
  Tensor(std::string name, DType type, std::vector<int64_t> shape)
      : name(std::move(name)), elementType(type), dims(std::move(shape)) {
    size_t bytes = view().numBytes();
    storage.reset(::operator new(bytes, std::align_val_t{RLX_BUFFER_ALIGNMENT}));
    std::memset(storage.get(), 0, bytes);
  }

  /// A tensor with the given elements; there are as many as the shape says.
  template <typename T>
  Tensor(std::string name, std::vector<int64_t> shape, std::span<const T> elements)
      : Tensor(std::move(name), DTypeOf<T>::value, std::move(shape)) {
    assert(elements.size() == static_cast<size_t>(numElements()) && "shape and elements disagree");
    std::memcpy(storage.get(), elements.data(), elements.size_bytes());
  }

  /// A copy of what a view shows.
  explicit Tensor(const TensorView &view)
      : Tensor(view.name, view.type(), {view.shape().begin(), view.shape().end()}) {
    if (size_t bytes = view.numBytes())
      std::memcpy(storage.get(), view.data, bytes);
  }

  const std::string &getName() const { return name; }
  DType type() const { return elementType; }
  std::span<const int64_t> shape() const { return dims; }
  int64_t numElements() const { return view().numElements(); }
  size_t numBytes() const { return view().numBytes(); }
  void *data() { return storage.get(); }
  const void *data() const { return storage.get(); }

  /// The elements as a C++ type, which is the tensor's.
  template <typename T> std::span<T> values() { return view().values<T>(); }
  template <typename T> std::span<const T> values() const { return view().values<const T>(); }

  /// A view of this tensor, valid as long as the tensor is neither moved nor destroyed.
  TensorView view() const { return {name.c_str(), elementType, dims, storage.get()}; }
  operator TensorView() const { return view(); }

private:
  struct Free {
    void operator()(void *memory) const {
      ::operator delete(memory, std::align_val_t{RLX_BUFFER_ALIGNMENT});
    }
  };

  std::string name;
  DType elementType;
  std::vector<int64_t> dims;
  std::unique_ptr<void, Free> storage;
};

} // namespace rlx

#endif // RLX_RUNTIME_TENSOR_H
