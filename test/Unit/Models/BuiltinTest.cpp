//===- BuiltinTest.cpp - Models by name -----------------------------------===//

#include "rlx/Models/Builtin.h"

#include <gtest/gtest.h>

namespace rlx::models {
namespace {

/// The type of the input with that name.
std::string inputType(const std::string &builtin, const std::string &input) {
  Result<Graph> graph = buildBuiltin(builtin);
  EXPECT_TRUE(graph) << graph.message();
  if (graph)
    for (const TensorSpec &spec : graph->inputs())
      if (spec.name == input)
        return spec.type.str();
  return "none";
}

/// The type of the param with that name.
std::string paramType(const std::string &builtin, const std::string &param) {
  Result<Graph> graph = buildBuiltin(builtin);
  EXPECT_TRUE(graph) << graph.message();
  if (graph)
    for (const TensorSpec &spec : graph->params())
      if (spec.name == param)
        return spec.type.str();
  return "none";
}

std::string errorOf(const std::string &builtin) { return buildBuiltin(builtin).message(); }

const char *const twoWayKeys = "; the keys are q_n, k_n, embed_dim, num_heads, internal_dim, "
                               "self_internal_dim, mlp_dim, depth, skip_first_layer_pe, masked, "
                               "dtype";
const char *const psaKeys = "; the keys are c, heads, h, w, batch, dtype";

TEST(Builtin, IsToldFromAFile) {
  EXPECT_TRUE(isBuiltin("builtin:psa-block"));
  EXPECT_FALSE(isBuiltin("psa-block.mlir"));
}

TEST(Builtin, Defaults) {
  EXPECT_EQ(inputType("builtin:two-way-transformer", "tokens"), "tensor<1x7x256xf32>");
  EXPECT_EQ(inputType("builtin:two-way-transformer", "image_pe"), "tensor<1x4096x256xf32>");
  EXPECT_EQ(inputType("builtin:two-way-transformer?", "mask_L0_self"), "none");
  EXPECT_EQ(inputType("builtin:psa-block", "x"), "tensor<1x128x20x20xf32>");
}

TEST(Builtin, EveryKeyOfTheTwoWayTransformer) {
  std::string all = "builtin:two-way-transformer?q_n=5&k_n=59&embed_dim=24&num_heads=3&"
                    "internal_dim=12&self_internal_dim=18&mlp_dim=40&depth=3&"
                    "skip_first_layer_pe=false&masked=true&dtype=f64";
  EXPECT_EQ(inputType(all, "tokens"), "tensor<1x5x24xf64>");
  EXPECT_EQ(inputType(all, "mask_L2_i2t"), "tensor<1x3x59x5xf64>");
  EXPECT_EQ(paramType(all, "L0.t2i.q.w"), "tensor<24x12xf64>");
  EXPECT_EQ(paramType(all, "L2.self.q.w"), "tensor<24x18xf64>");
  EXPECT_EQ(paramType(all, "L1.mlp1.w"), "tensor<24x40xf64>");
}

TEST(Builtin, SelfAttentionIsAsWideAsTheEmbedding) {
  EXPECT_EQ(paramType("builtin:two-way-transformer?embed_dim=64", "L0.self.q.w"),
            "tensor<64x64xf32>");
}

TEST(Builtin, SkippingChangesTheGraph) {
  Result<Graph> skips = buildBuiltin("builtin:two-way-transformer?skip_first_layer_pe=true");
  Result<Graph> keeps = buildBuiltin("builtin:two-way-transformer?skip_first_layer_pe=false");
  ASSERT_TRUE(skips && keeps);
  EXPECT_NE(*skips->print(), *keeps->print());
}

TEST(Builtin, EveryKeyOfThePsaBlock) {
  std::string all = "builtin:psa-block?c=48&heads=6&h=7&w=9&batch=dynamic&dtype=f64";
  EXPECT_EQ(inputType(all, "x"), "tensor<?x48x7x9xf64>");
  EXPECT_EQ(inputType("builtin:psa-block?batch=64", "x"), "tensor<64x128x20x20xf32>");
}

TEST(Builtin, DynamicDimsHaveTheKeysName) {
  Result<Graph> graph = buildBuiltin("builtin:two-way-transformer?q_n=dynamic");
  ASSERT_TRUE(graph) << graph.message();
  EXPECT_EQ(graph->inputs()[0].type, (TensorType{DType::F32, {1, "q_n", 256}}));
}

TEST(Builtin, UnknownName) {
  EXPECT_EQ(errorOf("builtin:decoder?q_n=7"),
            "unknown builtin 'decoder'; the builtins are two-way-transformer, psa-block");
  EXPECT_EQ(errorOf("builtin:"),
            "unknown builtin ''; the builtins are two-way-transformer, psa-block");
}

TEST(Builtin, UnknownKey) {
  EXPECT_EQ(errorOf("builtin:two-way-transformer?tokens=7"),
            std::string("builtin 'two-way-transformer': unknown key 'tokens'") + twoWayKeys);
  EXPECT_EQ(errorOf("builtin:psa-block?q_n=7"),
            std::string("builtin 'psa-block': unknown key 'q_n'") + psaKeys);
}

TEST(Builtin, BadValues) {
  for (const char *value : {"0", "-1", "many", "", "7x", "1048577", "99999999999999999999"})
    EXPECT_EQ(errorOf("builtin:two-way-transformer?q_n=" + std::string(value)),
              "builtin 'two-way-transformer': key 'q_n': expected a number from 1 to 1048576, "
              "or dynamic, found '" +
                  std::string(value) + "'" + twoWayKeys);
  EXPECT_EQ(errorOf("builtin:psa-block?c=dynamic"),
            std::string("builtin 'psa-block': key 'c': expected a number from 1 to 1048576, "
                        "found 'dynamic'") +
                psaKeys);
  EXPECT_EQ(errorOf("builtin:two-way-transformer?depth=65"),
            std::string("builtin 'two-way-transformer': key 'depth': expected a number from 1 to "
                        "64, found '65'") +
                twoWayKeys);
  EXPECT_EQ(errorOf("builtin:two-way-transformer?masked=yes"),
            std::string("builtin 'two-way-transformer': key 'masked': expected true or false, "
                        "found 'yes'") +
                twoWayKeys);
  EXPECT_EQ(errorOf("builtin:psa-block?dtype=i8"),
            std::string("builtin 'psa-block': key 'dtype': expected f32 or f64, found 'i8'") +
                psaKeys);
}

TEST(Builtin, MalformedQuery) {
  EXPECT_EQ(errorOf("builtin:psa-block?c"),
            std::string("builtin 'psa-block': expected key=value, found 'c'") + psaKeys);
  EXPECT_EQ(errorOf("builtin:psa-block?c=64&c=128"),
            std::string("builtin 'psa-block': key 'c' is given twice") + psaKeys);
}

TEST(Builtin, SizesThatDoNotFit) {
  EXPECT_EQ(errorOf("builtin:psa-block?c=100&heads=3"),
            "psa block: c: expected a multiple of 2 * heads = 6, found 100");
}

TEST(Builtin, HelpNamesEveryKey) {
  std::string help = describeBuiltins();
  for (const char *part : {"builtin:two-way-transformer", "builtin:psa-block", "q_n=7", "k_n=4096",
                           "self_internal_dim=embed_dim", "batch=1", "dtype=f32"})
    EXPECT_NE(help.find(part), std::string::npos) << part;
}

} // namespace
} // namespace rlx::models
