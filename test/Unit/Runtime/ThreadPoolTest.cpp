#include "ThreadPool.h"

#include "Sanitizers.h"
#include "rlx/Runtime/runtime.h"

#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace rlx::runtime;

namespace {

/// Counts how often each index is visited, and by how many threads at once.
struct Visits {
  explicit Visits(size_t count) : counts(count) {}

  static void task(void *context, size_t i) {
    auto *visits = static_cast<Visits *>(context);
    int active = ++visits->active;
    int seen = visits->mostActive;
    while (seen < active && !visits->mostActive.compare_exchange_weak(seen, active)) {
    }
    ++visits->counts[i];
    std::this_thread::yield();
    --visits->active;
  }

  bool isOnceEach() const {
    for (const std::atomic<int> &count : counts)
      if (count != 1)
        return false;
    return true;
  }

  std::vector<std::atomic<int>> counts;
  std::atomic<int> active{0}, mostActive{0};
};

} // namespace

TEST(ThreadPool, VisitsEachIndexOnce) {
  for (uint32_t threads : {0u, 1u, 2u, 3u, 64u})
    for (size_t count : {0u, 1u, 2u, 7u, 1000u}) {
      Visits visits(count);
      parallelFor(Visits::task, &visits, count, threads);
      EXPECT_TRUE(visits.isOnceEach()) << threads << " threads, " << count << " indexes";
      EXPECT_LE(visits.mostActive, int(threads ? threads : poolThreads()));
    }
  parkPool();
  parkPool();
}

TEST(ThreadPool, OneThreadIsTheCallers) {
  std::set<std::thread::id> ids;
  auto task = [](void *context, size_t) {
    static_cast<std::set<std::thread::id> *>(context)->insert(std::this_thread::get_id());
  };
  parallelFor(task, &ids, 100, 1);
  EXPECT_EQ(ids, std::set{std::this_thread::get_id()});
}

TEST(ThreadPool, LoopsMayNest) {
  Visits visits(16);
  auto outer = [](void *context, size_t i) {
    struct Inner {
      Visits *visits;
      size_t base;
    } inner{static_cast<Visits *>(context), i * 4};
    parallelFor(
        [](void *pointer, size_t j) {
          auto *inner = static_cast<Inner *>(pointer);
          Visits::task(inner->visits, inner->base + j);
        },
        &inner, 4, 0);
  };
  parallelFor(outer, &visits, 4, 0);
  EXPECT_TRUE(visits.isOnceEach());
}

TEST(ThreadPool, ServesManyCallers) {
  std::vector<std::thread> callers;
  std::atomic<int> right{0};
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        Visits visits(64);
        parallelFor(Visits::task, &visits, 64, round % 3);
        right += visits.isOnceEach();
        parkPool();
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(right, 200);
}

#if !RLX_HAS_TSAN
TEST(ThreadPool, StartsOverAfterAFork) {
  Visits before(64);
  parallelFor(Visits::task, &before, 64, 0);
  pid_t child = fork();
  if (child == 0) {
    Visits visits(64);
    parallelFor(Visits::task, &visits, 64, 0);
    _exit(visits.isOnceEach() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}
#endif
