// rlx-run as a user meets it: exit codes, messages, and files that are there or not.

#include "Toy.h"

#include <cstdio>
#include <limits>
#include <sys/wait.h>

using namespace rlx;
using namespace rlx::test;

namespace {

/// What a command has printed, and how it ended.
struct Outcome {
  int code;
  std::string text;
};

class RlxRun : public testing::Test {
protected:
  void SetUp() override {
    std::vector<uint8_t> module = sealedModule();
    std::span<const uint8_t> part = module;
    ASSERT_TRUE(writeFileAtomically(folder / "toy.so", {&part, 1}).ok());
    ASSERT_TRUE(writeSafetensors(folder / "p.safetensors", data.params()).ok());
    ASSERT_TRUE(writeSafetensors(folder / "i.safetensors", data.inputs()).ok());
  }

  /// Runs rlx-run in the folder.
  Outcome run(const std::string &arguments) {
    std::string command = "cd '" + (folder / "") + "' && '" RLX_RUN "' " + arguments + " 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    std::string text;
    char chunk[4096];
    while (size_t count = fread(chunk, 1, sizeof(chunk), pipe))
      text.append(chunk, count);
    int status = pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
  }

  /// Expects exit code 1, exactly this text on stderr, and no output file.
  void expectUserError(const std::string &arguments, const std::string &text) {
    Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 1) << arguments;
    EXPECT_EQ(outcome.text, text) << arguments;
    EXPECT_FALSE(std::filesystem::exists(folder / "o.safetensors"));
  }

  static constexpr const char *files =
      " --params p.safetensors --inputs i.safetensors --outputs o.safetensors ";
  TemporaryFolder folder;
  ToyData data{6};
};

} // namespace

TEST_F(RlxRun, WritesOutputs) {
  Outcome outcome = run(std::string("toy.so") + files);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.text, "");
  TensorFile file = expect(TensorFile::open(folder / "o.safetensors"));
  EXPECT_TRUE(data.isRight(file.find("y")->values<const float>(),
                           file.find("sums")->values<const float>()));
}

TEST_F(RlxRun, TakesNpyInputs) {
  ASSERT_TRUE(writeNpy(folder / "x.npy", data.x).ok());
  ASSERT_TRUE(writeNpy(folder / "shift.npy", data.shift).ok());
  Outcome outcome = run("toy.so --params p.safetensors --inputs x.npy --inputs shift.npy "
                        "--outputs o.safetensors --threads 1");
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  TensorFile file = expect(TensorFile::open(folder / "o.safetensors"));
  EXPECT_TRUE(data.isRight(file.find("y")->values<const float>(),
                           file.find("sums")->values<const float>()));
}

TEST_F(RlxRun, PrintsInfo) {
  Outcome outcome = run("toy.so --info");
  EXPECT_EQ(outcome.code, 0);
  for (const char *line : {"module toy\n", "device: cpu\n", "  x: f32 [N, 4]\n",
                           "  count: i64 []\n", "  sums: f32 [?]\n", "packed params: 16 bytes\n"})
    EXPECT_NE(outcome.text.find(line), std::string::npos) << outcome.text;
}

TEST_F(RlxRun, BenchmarksAndTraces) {
  Outcome outcome =
      run("toy.so --params p.safetensors --inputs i.safetensors --benchmark --warmup 1 "
          "--iterations 7 --trace t.json");
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  for (const char *word : {"runs 7 ", " p50 ", " p90 ", " p99 ", " min "})
    EXPECT_NE(outcome.text.find(word), std::string::npos) << outcome.text;
  std::vector<uint8_t> bytes = expect(runtime::readFile(folder / "t.json"));
  std::string trace(bytes.begin(), bytes.end());
  for (const char *phase : {"\"load\"", "\"bind\"", "\"warmup\"", "\"run\""})
    EXPECT_NE(trace.find(phase), std::string::npos) << trace;
}

TEST_F(RlxRun, ReportsUserErrors) {
  expectUserError(std::string("none.so") + files,
                  "rlx-run: error: none.so: cannot open: No such file or directory\n");
  expectUserError(std::string("p.safetensors") + files,
                  "rlx-run: error: p.safetensors: not an ELF file\n");
  expectUserError("toy.so --params p.safetensors --outputs o.safetensors",
                  "rlx-run: error: input 'x': missing, expected tensor<?x4xf32>\n"
                  "rlx-run: error: input 'shift': missing, expected tensor<?xf32>\n");
  expectUserError("toy.so --inputs i.safetensors --params i.safetensors",
                  "rlx-run: error: param 'x': no such param, found tensor<6x4xf32>\n"
                  "rlx-run: error: param 'shift': no such param, found tensor<6xf32>\n"
                  "rlx-run: error: param 'w': missing, expected tensor<4xf32>\n"
                  "rlx-run: error: param 'b': missing, expected tensor<4xf32>\n"
                  "rlx-run: error: param 'count': missing, expected tensor<i64>\n");
  expectUserError("toy.so --device cuda --params p.safetensors --inputs i.safetensors",
                  "rlx-run: error: module for device cpu, asked to run on cuda\n");
}

TEST_F(RlxRun, WritesNothingAfterAFailure) {
  data.x.values<float>()[4] = std::numeric_limits<float>::quiet_NaN();
  ASSERT_TRUE(writeSafetensors(folder / "i.safetensors", data.inputs()).ok());
  expectUserError(std::string("toy.so") + files, "rlx-run: error: a row of x begins with a NaN\n");
  EXPECT_EQ(folder.list().size(), 3u);
}

TEST_F(RlxRun, ExitCodes) {
  EXPECT_EQ(run("--help").code, 0);
  EXPECT_EQ(run("--version").code, 0);
  EXPECT_EQ(run("--params p.safetensors --inputs i.safetensors toy.so").code, 0);
  EXPECT_EQ(run("").code, 1);
  EXPECT_EQ(run("toy.so --nonsense").code, 1);
  EXPECT_EQ(run("toy.so --threads minus").code, 1);
}
