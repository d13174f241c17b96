//===- OptionsTest.cpp - compile options and their JSON -------------------===//

#include "rlx/Compiler/Options.h"

#include <gtest/gtest.h>

using namespace rlx;

TEST(CompileOptions, JsonRoundTrip) {
  CompileOptions options;
  options.targetTriple = "x86_64-unknown-linux-gnu";
  options.targetCpu = "x86-64-v3";
  options.targetFeatures = "-fma";
  options.optLevel = 2;
  options.disable = {"rlx-hoist-params"};
  CompileOptions copy;
  ASSERT_TRUE(copy.readJson(options.toJson(), "options"));
  EXPECT_EQ(copy.toJson(), options.toJson());
  EXPECT_EQ(copy.targetCpu, "x86-64-v3");
  EXPECT_EQ(copy.optLevel, 2u);
  EXPECT_FALSE(copy.isEnabled("rlx-hoist-params"));
}

TEST(CompileOptions, JsonKeepsWhatItDoesNotMention) {
  CompileOptions options;
  options.targetCpu = "x86-64";
  ASSERT_TRUE(options.readJson(R"({"emit": "obj", "opt-level": 1})", "options"));
  EXPECT_EQ(options.emit, EmitKind::Obj);
  EXPECT_EQ(options.optLevel, 1u);
  EXPECT_EQ(options.targetCpu, "x86-64");
}

TEST(CompileOptions, ErrorsNameTheSourceAndTheKey) {
  auto messageOf = [](const char *text) {
    CompileOptions options;
    Status status = options.readJson(text, "o.json");
    EXPECT_FALSE(status);
    EXPECT_EQ(options.toJson(), CompileOptions().toJson()) << "changed by a refused text";
    return status.message();
  };
  EXPECT_EQ(messageOf("[1"), "o.json: expected a JSON object");
  EXPECT_EQ(messageOf(R"({"opt-level": "high"})"),
            "o.json: opt-level: expected a number from 0 to 1024, found \"high\"");
  EXPECT_EQ(messageOf(R"({"opt-level": 1, "precision": "f8"})"),
            "o.json: precision: expected one of f32, bf16, f16, found 'f8'");
  EXPECT_NE(messageOf(R"({"optlevel": 1})").find("o.json: 'optlevel': expected one of"),
            std::string::npos);
  EXPECT_NE(messageOf(R"({"preset": "fast"})").find("o.json: preset: expected one of"),
            std::string::npos);
}

TEST(CompileOptions, Presets) {
  CompileOptions options;
  ASSERT_TRUE(options.readJson(R"({"preset": "unfused", "target-cpu": "x86-64"})", "o.json"));
  for (const SwitchablePass &pass : switchablePasses())
    EXPECT_FALSE(options.isEnabled(pass.name));
  EXPECT_EQ(options.targetCpu, "x86-64");
  EXPECT_TRUE(options.check());
  Result<CompileOptions> preset = CompileOptions::preset("two-way-transformer");
  ASSERT_TRUE(preset);
  EXPECT_TRUE(preset->disable.empty());
}

TEST(CompileOptions, Check) {
  CompileOptions options;
  options.disable = {"rlx-no-such-pass"};
  EXPECT_NE(options.check().message().find("found 'rlx-no-such-pass'"), std::string::npos);
  options = {};
  options.device = "tpu";
  EXPECT_EQ(options.check().message(), "target: expected cpu or cuda, found 'tpu'");
  options.device = "cuda";
  EXPECT_TRUE(options.check());
  options.cudaArch = "sm_75";
  EXPECT_EQ(options.check().message(),
            "cuda-arch: expected one of sm_80, sm_86, sm_87, sm_89, sm_90, found 'sm_75'");
  options = {};
  options.emit = EmitKind::Ptx;
  EXPECT_EQ(options.check().message(), "emit: 'ptx' is of target cuda, found target 'cpu'");
  options = {};
  options.optLevel = 4;
  EXPECT_EQ(options.check().message(), "opt-level: expected 0 to 3, found 4");
}
