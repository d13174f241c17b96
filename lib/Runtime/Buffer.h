//===- Buffer.h - memory for packed params and workspaces -------*- C++ -*-===//
//
// Aligned for compiled code; large buffers lie on huge pages, which spares a
// run its TLB misses.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_RUNTIME_BUFFER_H
#define RLX_LIB_RUNTIME_BUFFER_H

#include "rlx/Runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace rlx::runtime {

/// An uninitialized buffer that grows and never shrinks. `data` is not null
/// after a successful `reserve`, whatever its size.
class Buffer {
public:
  Buffer() = default;
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  Buffer(Buffer &&other) noexcept { swap(other); }
  Buffer &operator=(Buffer &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer();

  /// Makes room for `size` bytes. The contents are lost if there was too little.
  /// `what` names the buffer in an error.
  Status reserve(uint64_t size, const char *what);

  void *data() const { return memory; }

private:
  void swap(Buffer &other) noexcept {
    std::swap(memory, other.memory);
    std::swap(capacity, other.capacity);
    std::swap(isMapped, other.isMapped);
  }
  void free();

  void *memory = nullptr;
  size_t capacity = 0;
  bool isMapped = false;
};

} // namespace rlx::runtime

#endif // RLX_LIB_RUNTIME_BUFFER_H
