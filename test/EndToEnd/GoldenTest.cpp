//===- GoldenTest.cpp - compiled graphs against the reference packages ----===//

#include "Run.h"

#include "Support/Golden.h"
#include "rlx/Compiler/Compiler.h"
#include "rlx/Models/Builtin.h"

#include <gtest/gtest.h>

namespace rlx::test {
namespace {

class CompiledGoldenOpTest : public testing::TestWithParam<OpCase> {};

TEST_P(CompiledGoldenOpTest, Matches) {
  const OpCase &golden = GetParam();
  Result<Graph> graph = golden.graph();
  ASSERT_TRUE(graph) << graph.message();
  Result<Module> module = compileInProcess(*graph);
  ASSERT_TRUE(module) << module.message();
  const std::vector<Tensor> inputs = golden.inputs();
  Result<std::vector<Tensor>> outputs = runModule(*module, inputs, {});
  ASSERT_TRUE(outputs) << outputs.message();
  const Tensor &out = outputs->front();
  EXPECT_TRUE(std::ranges::equal(out.shape(), golden.shape));
  const Difference difference = compare(toDoubles(out), golden.expected());
  // A mean of 4096 around a spread of 1 costs 12 bits, here and in the reference.
  const double limit =
      golden.name == "layer-norm-far-mean" ? tolerance(out.type()) * 4096 : tolerance(out.type());
  EXPECT_LE(difference.error, limit) << difference;
}

INSTANTIATE_TEST_SUITE_P(Ops, CompiledGoldenOpTest, testing::ValuesIn(opCases()),
                         [](const auto &info) { return testName(info.param.name); });

class CompiledGoldenModelTest : public testing::TestWithParam<ModelCase> {};

TEST_P(CompiledGoldenModelTest, Matches) {
  const ModelCase &golden = GetParam();
  Result<Graph> graph = models::buildBuiltin(golden.builtin);
  ASSERT_TRUE(graph) << graph.message();
  Result<Module> module = compileInProcess(*graph);
  ASSERT_TRUE(module) << module.message();
  Result<std::vector<Tensor>> outputs = runModule(*module, golden.inputs(), golden.params());
  ASSERT_TRUE(outputs) << outputs.message();
  for (const GoldenOutput &expected : golden.outputs()) {
    auto found = std::ranges::find(*outputs, expected.name, &Tensor::getName);
    ASSERT_NE(found, outputs->end()) << expected.name;
    const Difference difference = expected.compare(found->view());
    EXPECT_LT(difference.error, kModelTolerance) << expected.name << ": " << difference;
  }
}

/// The cases of graphs without a gradient.
std::vector<ModelCase> forwardCases() {
  std::vector<ModelCase> cases = modelCases();
  std::erase_if(cases, [](const ModelCase &golden) { return golden.gradient; });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Models, CompiledGoldenModelTest, testing::ValuesIn(forwardCases()),
                         [](const auto &info) { return testName(info.param.name); });

} // namespace
} // namespace rlx::test
