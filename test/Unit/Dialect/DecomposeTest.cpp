//===- DecomposeTest.cpp - Plain forms ------------------------------------===//
//
// Which ops a plain form consists of, and that it verifies. That it computes the same
// is the interpreter's test.
//
//===----------------------------------------------------------------------===//

#include "ParseGraph.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

using namespace rlx;

namespace {

class DecomposeTest : public test::GraphTest {
protected:
  /// Replaces the first decomposable op of the graph by its plain form and returns the
  /// names of the ops in the body, or "failed".
  std::vector<std::string> decompose(llvm::StringRef text) {
    ir::GraphOp graph = parse(text);
    if (!graph)
      return {"unparsed"};
    auto ops = graph.getBody().getOps<ir::DecomposableOpInterface>();
    ir::DecomposableOpInterface op = *ops.begin();
    mlir::OpBuilder builder(op);
    size_t before = graph.getBody().front().getOperations().size();
    llvm::FailureOr<llvm::SmallVector<mlir::Value>> values = op.decompose(builder);
    if (failed(values)) {
      EXPECT_EQ(graph.getBody().front().getOperations().size(), before);
      return {"failed"};
    }
    EXPECT_EQ(mlir::TypeRange(mlir::ValueRange(*values)), op->getResultTypes());
    op->replaceAllUsesWith(*values);
    op->erase();
    EXPECT_TRUE(succeeded(mlir::verify(*module)));
    std::vector<std::string> names;
    for (mlir::Operation &plain : graph.getBody().front().without_terminator())
      names.push_back(describe(plain));
    return names;
  }

private:
  static std::string describe(mlir::Operation &op) {
    std::string name = op.getName().stripDialect().str();
    if (auto binary = llvm::dyn_cast<ir::BinaryOp>(op))
      return stringifyBinaryKind(binary.getKind()).str();
    if (auto activation = llvm::dyn_cast<ir::ActivationOp>(op))
      return stringifyActivationKind(activation.getKind()).str();
    if (auto reduce = llvm::dyn_cast<ir::ReduceOp>(op))
      return "reduce_" + stringifyReduceKind(reduce.getKind()).str();
    return name;
  }
};

using Names = std::vector<std::string>;

TEST_F(DecomposeTest, FusedMatmulBiasAct) {
  auto with = [](const std::string &act) {
    std::string types = "(tensor<?x4xf32>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<?x5xf32>";
    return "rlx.graph @f(%x: tensor<?x4xf32>, %w: tensor<4x5xf32>, %b: tensor<5xf32>)\n"
           "    -> tensor<?x5xf32> {\n"
           "  %y = rlx.fused_matmul_bias_act %x, %w, %b " +
           act + " : " + types + "\n  rlx.output %y : tensor<?x5xf32>\n}";
  };
  EXPECT_EQ(decompose(with("")), (Names{"matmul", "add"}));
  EXPECT_EQ(decompose(with("act = gelu")), (Names{"matmul", "add", "gelu"}));
}

TEST_F(DecomposeTest, LayerNorm) {
  EXPECT_EQ(decompose(R"(
    rlx.graph @f(%x: tensor<?x4xf32>, %g: tensor<4xf32>) -> tensor<?x4xf32> {
      %y = rlx.layer_norm %x, %g, %g axis = -1 epsilon = 1.0e-5
          : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
      rlx.output %y : tensor<?x4xf32>
    })"),
            (Names{"reduce_mean", "sub", "mul", "reduce_mean", "constant", "add", "sqrt", "div",
                   "mul", "add"}));
}

TEST_F(DecomposeTest, LayerNormOfNarrowTypesComputesInF32) {
  EXPECT_EQ(decompose(R"(
    rlx.graph @f(%x: tensor<2x4xf16>, %g: tensor<4xf16>) -> tensor<2x4xf16> {
      %y = rlx.layer_norm %x, %g, %g axis = -1 epsilon = 1.0e-5
          : (tensor<2x4xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<2x4xf16>
      rlx.output %y : tensor<2x4xf16>
    })"),
            (Names{"cast", "reduce_mean", "sub", "mul", "reduce_mean", "constant", "add", "sqrt",
                   "div", "cast", "mul", "cast", "add", "cast"}));
}

TEST_F(DecomposeTest, FusedResidualLayerNorm) {
  EXPECT_EQ(decompose(R"(
    rlx.graph @f(%x: tensor<?x4xf32>, %r: tensor<3x4xf32>, %g: tensor<4xf32>) -> tensor<?x4xf32> {
      %y = rlx.fused_residual_layer_norm %x, %r, %g, %g axis = 1 epsilon = 1.0e-5
          : (tensor<?x4xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
      rlx.output %y : tensor<?x4xf32>
    })"),
            // The sum is more static than the result that was written.
            (Names{"add", "layer_norm", "cast"}));
}

TEST_F(DecomposeTest, Activations) {
  auto with = [](const std::string &kind) {
    return "rlx.graph @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
           "  %y = rlx.activation " +
           kind + " %x : tensor<?xf32>\n  rlx.output %y : tensor<?xf32>\n}";
  };
  EXPECT_EQ(decompose(with("silu")), (Names{"sigmoid", "mul"}));
  EXPECT_EQ(decompose(with("gelu_tanh")),
            (Names{"mul", "constant", "mul", "mul", "add", "constant", "mul", "tanh", "constant",
                   "add", "constant", "mul", "mul"}));
  EXPECT_EQ(decompose(with("gelu")), (Names{"failed"}));
}

TEST_F(DecomposeTest, Softmax) {
  EXPECT_EQ(decompose(R"(
    rlx.graph @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %y = rlx.softmax %x axis = 0 : tensor<?x4xf32>
      rlx.output %y : tensor<?x4xf32>
    })"),
            (Names{"reduce_max", "sub", "exp", "reduce_sum", "div"}));
}

TEST_F(DecomposeTest, PsaAttention) {
  EXPECT_EQ(
      decompose(R"(
    rlx.graph @f(%x: tensor<?x32x2x3xf32>) -> tensor<?x16x2x3xf32> {
      %y = rlx.psa_attention %x num_heads = 2 key_dim = 4
          : (tensor<?x32x2x3xf32>) -> tensor<?x16x2x3xf32>
      rlx.output %y : tensor<?x16x2x3xf32>
    })"),
      (Names{"psa_pack_qkv", "psa_flash_attention", "psa_flash_attention", "psa_merge_attn"}));
}

TEST_F(DecomposeTest, PsaAttentionOfDynamicSizeHasNoPlainForm) {
  EXPECT_EQ(decompose(R"(
    rlx.graph @f(%x: tensor<1x32x?x3xf32>) -> tensor<1x16x?x3xf32> {
      %y = rlx.psa_attention %x num_heads = 2 key_dim = 4
          : (tensor<1x32x?x3xf32>) -> tensor<1x16x?x3xf32>
      rlx.output %y : tensor<1x16x?x3xf32>
    })"),
            (Names{"failed"}));
}

} // namespace
