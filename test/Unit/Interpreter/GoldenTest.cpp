//===- GoldenTest.cpp - the interpreter against the reference packages ------===//

#include "Support/Golden.h"
#include "Evaluate.h"
#include "rlx/Models/Builtin.h"

#include <gtest/gtest.h>

namespace rlx::test {
namespace {

class GoldenOpTest : public testing::TestWithParam<OpCase> {};

TEST_P(GoldenOpTest, Matches) {
  const OpCase &golden = GetParam();
  Result<Graph> graph = golden.graph();
  ASSERT_TRUE(graph) << graph.message();
  const std::vector<Tensor> inputs = golden.inputs();
  const std::vector<TensorView> views(inputs.begin(), inputs.end());
  Result<std::vector<Array>> outputs = evaluate(*graph, views);
  ASSERT_TRUE(outputs) << outputs.message();
  const Array &out = outputs->front();
  EXPECT_EQ(out.shape(), golden.shape);
  const std::vector<double> found = isFloat(out.type())
                                        ? elementsOf(out)
                                        : std::vector<double>(out.ints().begin(), out.ints().end());
  Difference difference = compare(found, golden.expected());
  // A mean of 4096 around a spread of 1 costs 12 bits, here and in the reference.
  const double tolerance = golden.name == "layer-norm-far-mean" ? 1e-13 * 4096 : 1e-13;
  EXPECT_LT(difference.error, tolerance) << difference;
}

INSTANTIATE_TEST_SUITE_P(Ops, GoldenOpTest, testing::ValuesIn(opCases()),
                         [](const auto &info) { return testName(info.param.name); });

class GoldenModelTest : public testing::TestWithParam<ModelCase> {};

TEST_P(GoldenModelTest, Matches) {
  const ModelCase &golden = GetParam();
  Result<Graph> graph = models::buildBuiltin(golden.builtin);
  ASSERT_TRUE(graph) << graph.message();
  const std::vector<Tensor> inputs = golden.inputs(), params = golden.params();
  const std::vector<TensorView> inputViews(inputs.begin(), inputs.end());
  const std::vector<TensorView> paramViews(params.begin(), params.end());
  Result<std::vector<Array>> outputs = evaluate(*graph, inputViews, paramViews);
  ASSERT_TRUE(outputs) << outputs.message();

  // Expected values of the larger cases are stored in f32.
  constexpr double tolerance = 1e-7;
  const std::vector<GoldenOutput> expected = golden.outputs();
  ASSERT_EQ(outputs->size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(graph->outputs()[i].name, expected[i].name);
    Difference difference = expected[i].compare((*outputs)[i].floats());
    EXPECT_LT(difference.error, tolerance) << expected[i].name << ": " << difference;
  }
}

/// The cases of graphs without a gradient.
std::vector<ModelCase> forwardCases() {
  std::vector<ModelCase> cases = modelCases();
  std::erase_if(cases, [](const ModelCase &golden) { return golden.gradient; });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenModelTest, testing::ValuesIn(forwardCases()),
                         [](const auto &info) { return testName(info.param.name); });

} // namespace
} // namespace rlx::test
