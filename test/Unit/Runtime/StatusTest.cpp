#include "rlx/Runtime/Status.h"

#include <gtest/gtest.h>
#include <memory>

using namespace rlx;

TEST(Status, SuccessHasNoMessage) {
  Status status;
  EXPECT_TRUE(status);
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.message(), "");
  EXPECT_TRUE(status.withContext("file").ok());
  EXPECT_LE(sizeof(Status), 2 * sizeof(void *));
}

TEST(Status, ErrorKeepsCodeAndMessage) {
  Status status(ErrorCode::Mismatch, "bad");
  Status copy = status;
  EXPECT_FALSE(copy);
  EXPECT_EQ(copy.code(), ErrorCode::Mismatch);
  EXPECT_EQ(copy.message(), "bad");
}

TEST(Status, ContextGoesBeforeEachLine) {
  Status status = Status(ErrorCode::Io, "one\ntwo").withContext("f");
  EXPECT_EQ(status.message(), "f: one\nf: two");
  EXPECT_EQ(status.code(), ErrorCode::Io);
}

TEST(Result, HoldsMoveOnlyValues) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result.status().ok());
  EXPECT_EQ(**result, 7);
  std::unique_ptr<int> taken = std::move(*result);
  EXPECT_EQ(*taken, 7);
}

TEST(Result, HoldsErrors) {
  Result<int> result(ErrorCode::Io, "gone");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.status().code(), ErrorCode::Io);
  EXPECT_EQ(result.message(), "gone");
}
