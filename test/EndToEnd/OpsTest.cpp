//===- OpsTest.cpp - every op, compiled and interpreted -------------------===//

#include "Cases.h"
#include "Run.h"

#include "Support/Golden.h"
#include "Support/Numerics.h"
#include "rlx/Compiler/Compiler.h"

#include <gtest/gtest.h>

namespace rlx::test {
namespace {

class CompiledOpTest : public testing::TestWithParam<Case> {};

TEST_P(CompiledOpTest, MatchesTheInterpreter) {
  const Case &testCase = GetParam();
  Result<Graph> graph = Graph::parse(testCase.text, testCase.name);
  ASSERT_TRUE(graph) << graph.message();
  Result<Module> module = compileInProcess(*graph);
  ASSERT_TRUE(module) << module.message();

  for (const DimSizes &sizes : testCase.runs) {
    std::string where;
    for (const auto &[name, size] : sizes)
      where += name + " = " + std::to_string(size) + " ";
    SCOPED_TRACE(where);
    const std::vector<Tensor> inputs = makeTensors(graph->inputs(), sizes, testCase.values);
    const std::vector<Tensor> params = makeTensors(graph->params(), sizes, testCase.values);
    Result<std::vector<Tensor>> found = runModule(*module, inputs, params);
    ASSERT_TRUE(found) << found.message();
    Result<std::vector<Tensor>> expected = interpretGraph(*graph, inputs, params);
    ASSERT_TRUE(expected) << expected.message();
    ASSERT_EQ(found->size(), expected->size());
    for (size_t i = 0; i < found->size(); ++i) {
      const Tensor &output = (*found)[i], &reference = (*expected)[i];
      EXPECT_EQ(output.type(), reference.type());
      EXPECT_TRUE(std::ranges::equal(output.shape(), reference.shape()));
      const Difference difference = compare(toDoubles(output), toDoubles(reference));
      EXPECT_LE(difference.error, tolerance(output.type()))
          << output.getName() << ": " << difference;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, CompiledOpTest, testing::ValuesIn(readCases(RLX_CASES_DIR)),
                         [](const auto &info) { return testName(info.param.name); });

/// A graph that refuses what it is run on, with the message.
struct Refusal {
  const char *name, *text, *message;
  std::vector<DimSizes> runs;
  int64_t bound = 1;
};

class RefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(RefusalTest, Fails) {
  const Refusal &refusal = GetParam();
  Result<Graph> graph = Graph::parse(refusal.text, refusal.name);
  ASSERT_TRUE(graph) << graph.message();
  Result<Module> module = compileInProcess(*graph);
  ASSERT_TRUE(module) << module.message();
  const Values values{Values::Index, refusal.bound};
  const std::vector<Tensor> inputs = makeTensors(graph->inputs(), refusal.runs[0], values);
  Result<std::vector<Tensor>> outputs = runModule(*module, inputs, {});
  ASSERT_FALSE(outputs);
  EXPECT_NE(outputs.message().find(refusal.message), std::string::npos) << outputs.message();
}

INSTANTIATE_TEST_SUITE_P(
    Ops, RefusalTest,
    testing::Values(
        Refusal{"binary",
                R"(rlx.graph @g(%x: tensor<?xf32> {rlx.dims = ["n"]},
                                %y: tensor<?xf32> {rlx.dims = ["m"]}) -> tensor<?xf32> {
                     %z = rlx.binary add %x, %y : tensor<?xf32>
                     rlx.output %z : tensor<?xf32>
                   })",
                "'rlx.binary' lhs dim 0 and rhs dim 0: sizes differ at run time",
                {{{"n", 3}, {"m", 4}}}},
        Refusal{"matmul",
                R"(rlx.graph @g(%x: tensor<2x?xf32> {rlx.dims = ["", "n"]},
                                %y: tensor<?x2xf32> {rlx.dims = ["m", ""]}) -> tensor<2x2xf32> {
                     %z = rlx.matmul %x, %y : (tensor<2x?xf32>, tensor<?x2xf32>) -> tensor<2x2xf32>
                     rlx.output %z : tensor<2x2xf32>
                   })",
                "'rlx.matmul' x dim 1 and w dim 0: sizes differ at run time",
                {{{"n", 3}, {"m", 1}}}},
        Refusal{"reshape",
                R"(rlx.graph @g(%x: tensor<?x4xf32> {rlx.dims = ["n", ""]}) -> tensor<?x8xf32> {
                     %z = rlx.reshape %x : (tensor<?x4xf32>) -> tensor<?x8xf32>
                     rlx.output %z : tensor<?x8xf32>
                   })",
                "'rlx.reshape' x: expected a multiple of 8 elements at run time",
                {{{"n", 3}}}},
        Refusal{"narrow",
                R"(rlx.graph @g(%x: tensor<?xf32> {rlx.dims = ["n"]}) -> tensor<3xf32> {
                     %z = rlx.narrow %x axis = 0 start = 2 length = 3
                         : (tensor<?xf32>) -> tensor<3xf32>
                     rlx.output %z : tensor<3xf32>
                   })",
                "'rlx.narrow' x dim 0: expected a size of at least 5 at run time",
                {{{"n", 4}}}},
        Refusal{"output",
                R"(rlx.graph @g(%x: tensor<?xf32> {rlx.dims = ["n"]})
                       -> (tensor<4xf32> {rlx.name = "y"}) {
                     %z = rlx.activation neg %x : tensor<?xf32>
                     rlx.output %z : tensor<?xf32>
                   })",
                "output 'y' dim 0: expected size 4 at run time",
                {{{"n", 5}}}},
        Refusal{"gather",
                R"(rlx.graph @g(%x: tensor<3x4xf32>, %i: tensor<50xi32>) -> tensor<50x4xf32> {
                     %z = rlx.gather %x, %i axis = 0
                         : (tensor<3x4xf32>, tensor<50xi32>) -> tensor<50x4xf32>
                     rlx.output %z : tensor<50x4xf32>
                   })",
                "'rlx.gather' indices: expected each in [0, 3) for x dim 0, found one that is not",
                {{}},
                4}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace rlx::test
