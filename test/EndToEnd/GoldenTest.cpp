//===- GoldenTest.cpp - compiled graphs against the reference packages ----===//

#include "Run.h"

#include "Support/Golden.h"
#include "rlx/Compiler/Compiler.h"
#include "rlx/Compiler/Gradient.h"
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
  if (graph && golden.gradient)
    graph = differentiate(*graph);
  ASSERT_TRUE(graph) << graph.message();
  Result<Module> module = compileInProcess(*graph);
  ASSERT_TRUE(module) << module.message();
  Result<std::vector<Tensor>> outputs = runModule(*module, golden.inputs(), golden.params());
  ASSERT_TRUE(outputs) << outputs.message();
  const std::vector<GoldenOutput> allExpected = golden.outputs();
  const double largest = std::ranges::max(allExpected, {}, &GoldenOutput::absMax).absMax;
  for (const GoldenOutput &expected : allExpected) {
    auto found = std::ranges::find(*outputs, expected.name, &Tensor::getName);
    ASSERT_NE(found, outputs->end()) << expected.name;
    const Difference difference = expected.compare(found->view());
    // The bias of keys shifts all scores of a row alike: its gradient is zero but for the
    // rounding of terms that are as large as other gradients.
    const double scale = expected.absMax < 1e-12 * largest ? largest : expected.absMax;
    EXPECT_LT(difference.error * expected.absMax, kModelTolerance * scale)
        << expected.name << ": " << difference;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, CompiledGoldenModelTest, testing::ValuesIn(modelCases()),
                         [](const auto &info) { return testName(info.param.name); });

} // namespace
} // namespace rlx::test
