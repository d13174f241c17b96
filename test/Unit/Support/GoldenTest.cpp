#include "Support/Golden.h"

#include <gtest/gtest.h>

#include <set>

namespace rlx::test {
namespace {

TEST(GoldenTest, ModelCasesAreComplete) {
  std::vector<ModelCase> cases = modelCases();
  ASSERT_FALSE(cases.empty());
  for (const ModelCase &golden : cases) {
    SCOPED_TRACE(golden.name);
    for (const GoldenOutput &output : golden.outputs()) {
      int64_t count = 1;
      for (int64_t dim : output.shape)
        count *= dim;
      EXPECT_EQ(static_cast<int64_t>(output.expected.size()),
                (count + output.sampleStride - 1) / output.sampleStride);
    }
  }
}

TEST(GoldenTest, OutputIsComparedWhereItWasSampled) {
  GoldenOutput output{"y", {5}, 4, 2, {1, 2, 4}};
  EXPECT_EQ(output.compare(std::vector<double>{1, 0, 2, 0, 4}).error, 0);
  EXPECT_EQ(output.compare(std::vector<double>{1, 0, 3, 0, 4}).error, 0.25);
  EXPECT_EQ(output.compare(std::vector<double>{1, 0, 2, 0, 4, 9}).error, 0);
  EXPECT_FALSE(std::isfinite(output.compare(std::vector<double>{1, 0, 2, 0}).error));
}

TEST(GoldenTest, EveryOpCaseHasAGraphOfItsShape) {
  for (const OpCase &golden : opCases()) {
    SCOPED_TRACE(golden.name);
    Result<Graph> graph = golden.graph();
    ASSERT_TRUE(graph) << graph.message();
    const std::vector<Dim> expected(golden.shape.begin(), golden.shape.end());
    EXPECT_EQ(graph->outputs()[0].type.dims, expected);
  }
}

} // namespace
} // namespace rlx::test
