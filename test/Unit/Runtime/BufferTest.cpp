#include "Buffer.h"

#include "Toy.h"

#include <cstring>

using namespace rlx;
using namespace rlx::test;
using rlx::runtime::Buffer;

static uintptr_t addressOf(const Buffer &buffer) {
  return reinterpret_cast<uintptr_t>(buffer.data());
}

TEST(Buffer, IsAlignedWhateverItsSize) {
  constexpr size_t huge = size_t(2) << 20;
  for (size_t size : {size_t(0), size_t(1), size_t(100), huge - 1, huge, huge + 1, 5 * huge}) {
    Buffer buffer;
    ASSERT_TRUE(buffer.reserve(size, "test").ok());
    ASSERT_NE(buffer.data(), nullptr);
    EXPECT_EQ(addressOf(buffer) % (size < huge ? RLX_BUFFER_ALIGNMENT : huge), 0u) << size;
    std::memset(buffer.data(), 1, size);
  }
}

TEST(Buffer, GrowsAndNeverShrinks) {
  Buffer buffer;
  ASSERT_TRUE(buffer.reserve(100, "test").ok());
  ASSERT_TRUE(buffer.reserve(3 << 20, "test").ok());
  void *large = buffer.data();
  ASSERT_TRUE(buffer.reserve(10, "test").ok());
  EXPECT_EQ(buffer.data(), large);
  Buffer moved = std::move(buffer);
  EXPECT_EQ(moved.data(), large);
}

TEST(Buffer, SaysWhatThereIsNoMemoryFor) {
  Buffer buffer;
  ASSERT_TRUE(buffer.reserve(100, "test").ok());
  void *before = buffer.data();
  for (uint64_t size : {(uint64_t(1) << 46) + 1, ~uint64_t(0)})
    expectError(buffer.reserve(size, "workspace"), ErrorCode::OutOfMemory,
                "no memory for the workspace of " + std::to_string(size) + " bytes");
  EXPECT_EQ(buffer.data(), before);
}
