// Sessions on several threads share a module and its params. Meaningful under the
// thread sanitizer, and right without it.

#include "Toy.h"

#include <atomic>
#include <thread>

using namespace rlx;
using namespace rlx::test;

TEST(Concurrency, SessionsShareModuleAndParams) {
  std::vector<uint8_t> file = sealedModule();
  Module module = expect(Module::loadMemory(file));
  ToyData weights(1);
  Params params = expect(Params::bind(module, weights.params()));

  std::atomic<int> right{0};
  auto work = [&](float seed) {
    Session session = expect(Session::create(module, params));
    for (int round = 0; round < 100; ++round) {
      ToyData data(64 + round % 3, seed);
      if (session.call(data.inputs(), data.outputs()).ok() && data.isRight())
        ++right;
    }
  };
  std::thread first(work, 1.0f), second(work, 50.0f);
  first.join();
  second.join();
  EXPECT_EQ(right, 200);
}

TEST(Concurrency, RebindsWaitForNoOneAndBreakNothing) {
  Module module = linkedToy();
  ToyData weights(1);
  Params params = expect(Params::bind(module, weights.params()));

  std::atomic<bool> isDone{false};
  std::atomic<int> wrong{0}, rebinds{0};
  std::thread rebinder([&] {
    while (!isDone) {
      Status status = params.rebind(weights.params());
      rebinds += status.ok();
      if (!status.ok() && status.code() != ErrorCode::Busy)
        ++wrong;
      std::this_thread::yield();
    }
  });
  auto work = [&](float seed) {
    Session session = expect(Session::create(module, params));
    ToyData data(64, seed);
    for (int round = 0; round < 200;) {
      Status status = session.call(data.inputs(), data.outputs());
      if (status.ok() ? !data.isRight() : status.code() != ErrorCode::Busy)
        ++wrong;
      round += status.ok();
    }
  };
  std::thread first(work, 1.0f), second(work, 50.0f);
  first.join();
  second.join();
  isDone = true;
  rebinder.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Concurrency, OneSessionRunsOnceAtATime) {
  Module module = linkedToy();
  ToyData weights(1);
  Params params = expect(Params::bind(module, weights.params()));
  Session session = expect(Session::create(module, params));
  std::atomic<int> wrong{0};
  auto work = [&](float seed) {
    ToyData data(256, seed);
    for (int round = 0; round < 100; ++round) {
      Status status = session.call(data.inputs(), data.outputs());
      if (status.ok() ? !data.isRight() : status.code() != ErrorCode::Busy)
        ++wrong;
    }
  };
  std::thread first(work, 1.0f), second(work, 50.0f);
  first.join();
  second.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Concurrency, ModulesLoadAndLeaveOnManyThreads) {
  std::vector<uint8_t> file = sealedModule();
  auto work = [&] {
    for (int round = 0; round < 20; ++round) {
      Module module = expect(Module::loadMemory(file));
      EXPECT_STREQ(module.info().name, "toy");
    }
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
}
