//===- Buffer.cpp - memory for packed params and workspaces ---------------===//

#include "Buffer.h"

#include "rlx/Runtime/abi.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace rlx;
using namespace rlx::runtime;

static constexpr size_t hugePage = size_t(2) << 20;

/// Maps `size` bytes, a multiple of the page, at a multiple of the huge page. What is left
/// over at the end is not worth a huge one.
static void *mapHugePages(size_t size) {
  size_t reserved = size + hugePage;
  void *start = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED)
    return nullptr;
  size_t before = -reinterpret_cast<uintptr_t>(start) % hugePage;
  char *memory = static_cast<char *>(start) + before;
  if (before > 0)
    munmap(start, before);
  if (size_t after = reserved - before - size)
    munmap(memory + size, after);
  // A kernel without huge pages refuses, and small pages serve as well.
  (void)madvise(memory, size, MADV_HUGEPAGE);
  return memory;
}

void Buffer::free() {
  if (isMapped)
    munmap(memory, capacity);
  else
    std::free(memory);
  memory = nullptr;
  capacity = 0;
}

Buffer::~Buffer() { free(); }

Status Buffer::reserve(uint64_t size, const char *what) {
  if (memory && size <= capacity)
    return {};
  auto outOfMemory = [&]() -> Status {
    return {ErrorCode::OutOfMemory, fmt::format("no memory for the {} of {} bytes", what, size)};
  };
  if (size > uint64_t(1) << 46)
    return outOfMemory();

  bool map = size >= hugePage;
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t unit = map ? page : RLX_BUFFER_ALIGNMENT;
  size_t rounded = (std::max<uint64_t>(size, 1) + unit - 1) / unit * unit;
  void *fresh = map ? mapHugePages(rounded) : std::aligned_alloc(RLX_BUFFER_ALIGNMENT, rounded);
  if (!fresh)
    return outOfMemory();
  free();
  memory = fresh;
  capacity = rounded;
  isMapped = map;
  return {};
}
