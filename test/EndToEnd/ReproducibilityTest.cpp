//===- ReproducibilityTest.cpp - the same bits, however a graph is run ----===//
//
// Linked modules are compared with loaded ones in test/Unit/Runtime/CompiledModuleTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "Support/Golden.h"
#include "rlx/Compiler/Compiler.h"
#include "rlx/Models/Builtin.h"

#include <gtest/gtest.h>

#include <thread>

namespace rlx::test {
namespace {

/// A model that is large enough for several tasks of each of its parallel loops.
class ReproducibilityTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    Result<Graph> built = models::buildBuiltin(GetParam());
    ASSERT_TRUE(built) << built.message();
    graph.emplace(std::move(*built));
    inputs = makeModelTensors(graph->inputs());
    params = makeModelTensors(graph->params());
    Result<Module> compiled = compileInProcess(*graph);
    ASSERT_TRUE(compiled) << compiled.message();
    module.emplace(std::move(*compiled));
  }

  std::vector<std::byte> run(const Module &module, uint32_t threads) const {
    Result<std::vector<Tensor>> outputs = runModule(module, inputs, params, threads);
    EXPECT_TRUE(outputs) << outputs.message();
    return outputs ? bytesOf(*outputs) : std::vector<std::byte>();
  }

  std::optional<Graph> graph;
  std::vector<Tensor> inputs, params;
  std::optional<Module> module;
};

TEST_P(ReproducibilityTest, LoadedIsInProcess) {
  Result<std::vector<uint8_t>> file = compile(*graph);
  ASSERT_TRUE(file) << file.message();
  Result<Module> loaded = Module::loadMemory(*file);
  ASSERT_TRUE(loaded) << loaded.message();
  EXPECT_EQ(run(*loaded, 2), run(*module, 2));
}

TEST_P(ReproducibilityTest, AnyNumberOfThreads) {
  const std::vector<std::byte> one = run(*module, 1);
  ASSERT_FALSE(one.empty());
  for (uint32_t threads : {2, 3})
    EXPECT_EQ(run(*module, threads), one) << threads << " threads";
}

TEST_P(ReproducibilityTest, EveryRunOfASession) {
  const std::vector<TensorView> views(params.begin(), params.end());
  Result<Params> bound = Params::bind(*module, views);
  ASSERT_TRUE(bound) << bound.message();
  Result<Session> session = Session::create(*module, *bound);
  ASSERT_TRUE(session) << session.message();
  const std::vector<std::byte> expected = run(*module, 0);
  for (int i = 0; i < 3; ++i) {
    const Status status = session->call(std::vector<TensorView>(inputs.begin(), inputs.end()));
    ASSERT_TRUE(status) << status.message();
    std::vector<Tensor> outputs;
    for (const rlx_tensor_info &info : module->outputs())
      outputs.emplace_back(*session->output(info.name));
    EXPECT_EQ(bytesOf(outputs), expected) << "run " << i;
  }
}

TEST_P(ReproducibilityTest, SessionsAtTheSameTime) {
  const std::vector<TensorView> views(params.begin(), params.end());
  Result<Params> bound = Params::bind(*module, views);
  ASSERT_TRUE(bound) << bound.message();
  std::vector<std::byte> found[2];
  auto work = [&](std::vector<std::byte> &result) {
    Result<Session> session = Session::create(*module, *bound);
    ASSERT_TRUE(session) << session.message();
    for (int i = 0; i < 5; ++i) {
      const Status status = session->call(std::vector<TensorView>(inputs.begin(), inputs.end()));
      ASSERT_TRUE(status) << status.message();
    }
    std::vector<Tensor> outputs;
    for (const rlx_tensor_info &info : module->outputs())
      outputs.emplace_back(*session->output(info.name));
    result = bytesOf(outputs);
  };
  {
    std::jthread first(work, std::ref(found[0])), second(work, std::ref(found[1]));
  }
  const std::vector<std::byte> expected = run(*module, 1);
  EXPECT_EQ(found[0], expected);
  EXPECT_EQ(found[1], expected);
}

INSTANTIATE_TEST_SUITE_P(Models, ReproducibilityTest,
                         testing::Values("builtin:two-way-transformer?q_n=9&k_n=397&embed_dim=96"
                                         "&num_heads=3&internal_dim=48&mlp_dim=256",
                                         "builtin:psa-block?c=96&heads=3&h=12&w=20&batch=3"),
                         [](const auto &info) {
                           return std::string(info.index == 0 ? "two_way" : "psa");
                         });

} // namespace
} // namespace rlx::test
