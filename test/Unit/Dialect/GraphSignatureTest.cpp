//===- GraphSignatureTest.cpp ---------------------------------------------===//

#include "ParseGraph.h"

#include "dialects/rlx/GraphSignature.h"

using namespace rlx;
using ir::GraphSignature;
using ir::SignatureDim;

namespace {

class GraphSignatureTest : public test::GraphTest {};

std::vector<std::string> names(const auto &tensors) {
  std::vector<std::string> result;
  for (const auto &tensor : tensors)
    result.push_back(tensor.name);
  return result;
}

TEST_F(GraphSignatureTest, NamesFollowAttributesAndDefaults) {
  ir::GraphOp graph = parse(R"(
    rlx.graph @f(%a: tensor<4xf32> {rlx.name = "x"}, %b: tensor<4xf32>)
        -> (tensor<4xf32>, tensor<4xf32> {rlx.name = "y"}) {
      rlx.output %a, %b : tensor<4xf32>, tensor<4xf32>
    })");
  ASSERT_TRUE(graph);
  GraphSignature signature = GraphSignature::of(graph);
  EXPECT_EQ(signature.name, "f");
  EXPECT_EQ(names(signature.inputs), (std::vector<std::string>{"x", "arg1"}));
  EXPECT_EQ(names(signature.outputs), (std::vector<std::string>{"out0", "y"}));
  EXPECT_TRUE(signature.symbols.empty());
  EXPECT_TRUE(signature.params.empty());
}

TEST_F(GraphSignatureTest, DimsOfEqualNamesAreOneSymbol) {
  ir::GraphOp graph = parse(R"(
    rlx.graph @f(%a: tensor<?x?x4xf32> {rlx.name = "x", rlx.dims = ["batch", "", ""]},
                 %b: tensor<?xf32> {rlx.dims = ["batch"]}, %c: tensor<?xf32>) {
      rlx.output
    })");
  ASSERT_TRUE(graph);
  GraphSignature signature = GraphSignature::of(graph);
  EXPECT_EQ(std::vector(signature.symbols.begin(), signature.symbols.end()),
            (std::vector<std::string>{"batch", "x.1", "arg2.0"}));
  EXPECT_EQ(signature.inputs[0].dims[0], SignatureDim::dynamic(0));
  EXPECT_EQ(signature.inputs[0].dims[1], SignatureDim::dynamic(1));
  EXPECT_EQ(signature.inputs[0].dims[2], SignatureDim::fixed(4));
  EXPECT_EQ(signature.inputs[1].dims[0], SignatureDim::dynamic(0));
  EXPECT_EQ(signature.inputs[2].dims[0], SignatureDim::dynamic(2));
}

TEST_F(GraphSignatureTest, ParamsAreInOrderOfFirstUse) {
  ir::GraphOp graph = parse(R"(
    rlx.graph @f() {
      %a = rlx.param "z" : tensor<4xf32>
      %b = rlx.param "a" : tensor<2x3xi8>
      %c = rlx.param "z" : tensor<4xf32>
      rlx.output
    })");
  ASSERT_TRUE(graph);
  GraphSignature signature = GraphSignature::of(graph);
  EXPECT_EQ(names(signature.params), (std::vector<std::string>{"z", "a"}));
  EXPECT_EQ(signature.params[1].type.getShape(), (llvm::ArrayRef<int64_t>{2, 3}));
}

} // namespace
