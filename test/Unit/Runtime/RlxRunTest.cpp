// rlx-run as a user meets it: exit codes, messages, and files that are there or not.

#include "Toy.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
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

  /// Replaces a file of the folder.
  void write(const std::string &name, std::string_view bytes) {
    std::span part(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
    ASSERT_TRUE(writeFileAtomically(folder / name, {&part, 1}));
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
  for (const char *word : {"runs 7 ", " p50 ", " p90 ", " p99 ", " min ", "\n9.6e-08 GFLOP ",
                           " GFLOP/s at p50 ", "% of the f32 FMA peak, "})
    EXPECT_NE(outcome.text.find(word), std::string::npos) << outcome.text;
  std::vector<uint8_t> bytes = expect(runtime::readFile(folder / "t.json"));
  std::string trace(bytes.begin(), bytes.end());
  for (const char *event :
       {"\"load\"", "\"bind\"", "\"warmup\"", "\"run\"", "\"rows\"", "\"count\"", "\"flops\": 96.0",
        "\"bytes\": 12.0", "\"cat\": \"parallel\""})
    EXPECT_NE(trace.find(event), std::string::npos) << trace;
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

TEST_F(RlxRun, ReportsAllMismatchesAtOnce) {
  const Tensor narrow("x", DType::F32, {6, 3}), half("shift", DType::F16, {6});
  const Tensor flat("w", DType::F32, {}), wide("b", DType::F64, {4}),
      deep("count", DType::I64, {1});
  ASSERT_TRUE(writeSafetensors(folder / "i.safetensors", std::vector<TensorView>{narrow, half}));
  ASSERT_TRUE(
      writeSafetensors(folder / "p.safetensors", std::vector<TensorView>{flat, wide, deep}));
  expectUserError(std::string("toy.so") + files,
                  "rlx-run: error: param 'w': expected tensor<4xf32>, found tensor<f32>\n"
                  "rlx-run: error: param 'b': expected tensor<4xf32>, found tensor<4xf64>\n"
                  "rlx-run: error: param 'count': expected tensor<i64>, found tensor<1xi64>\n");
  ASSERT_TRUE(writeSafetensors(folder / "p.safetensors", data.params()));
  expectUserError(std::string("toy.so") + files,
                  "rlx-run: error: input 'x': expected tensor<?x4xf32>, found tensor<6x3xf32>\n"
                  "rlx-run: error: input 'shift': expected tensor<?xf32>, found tensor<6xf16>\n");
}

TEST_F(RlxRun, RefusesHostileTensorFiles) {
  const auto header = [](std::string_view text) {
    std::string file(8, '\0');
    file[0] = static_cast<char>(text.size());
    return file.append(text).append(8, '\0');
  };
  const std::string one = R"("w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  const std::string two = R"("b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]})";
  const std::pair<std::string, const char *> hostile[] = {
      {std::string("\0\0\0\0\0\0\0\x80{}", 10), "not a safetensors file: a header of "},
      {header("{" + one + "," + two + "}"), "tensor 'b': data begin at 2, expected 4: "},
      {header("{" + one + "," + one + "}"), "tensor 'w' is given twice"},
      {header("{" + one).substr(0, 20), "truncated: expected a header of "},
      {"", "truncated: expected at least 8 bytes, found 0"}};
  for (const auto &[bytes, message] : hostile)
    for (const char *name : {"p.safetensors", "i.safetensors"}) {
      std::vector<uint8_t> whole = expect(runtime::readFile(folder / name));
      write(name, bytes);
      const Outcome outcome = run(std::string("toy.so") + files);
      EXPECT_EQ(outcome.code, 1);
      EXPECT_TRUE(outcome.text.starts_with(std::string("rlx-run: error: ") + name + ": "))
          << outcome.text;
      EXPECT_NE(outcome.text.find(message), std::string::npos) << outcome.text;
      EXPECT_EQ(std::ranges::count(outcome.text, '\n'), 1) << outcome.text;
      EXPECT_FALSE(std::filesystem::exists(folder / "o.safetensors"));
      write(name, {reinterpret_cast<const char *>(whole.data()), whole.size()});
    }
}

TEST_F(RlxRun, RefusesHostileModules) {
  const std::vector<uint8_t> good = sealedModule();
  // The metadata is found by its magic; what it is made to say is sealed again.
  const auto expectRefused = [&](const std::function<void(rlx_module_meta &)> &change,
                                 const std::string &message) {
    std::vector<uint8_t> file = good;
    uint64_t magic = RLX_META_MAGIC;
    const auto *first = reinterpret_cast<const uint8_t *>(&magic);
    auto place = std::search(file.begin(), file.end(), first, first + sizeof(magic));
    ASSERT_NE(place, file.end());
    change(*reinterpret_cast<rlx_module_meta *>(&*place));
    ASSERT_TRUE(sealModule(file));
    write("bad.so", {reinterpret_cast<const char *>(file.data()), file.size()});
    const Outcome outcome = run(std::string("bad.so") + files);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(outcome.text.starts_with("rlx-run: error: bad.so: " + message)) << outcome.text;
    EXPECT_EQ(std::ranges::count(outcome.text, '\n'), 1) << outcome.text;
    EXPECT_FALSE(std::filesystem::exists(folder / "o.safetensors"));
  };
  expectRefused([](rlx_module_meta &meta) { meta.abi_version = 7u << 16; },
                "module of ABI version 7.0, expected major version 1");
  expectRefused([](rlx_module_meta &meta) { std::strcpy(meta.features, "sse9"); },
                "module needs CPU features that this runtime does not know: sse9");
#if defined(__x86_64__)
  // No CPU has AMD's XOP and Intel's AMX.
  expectRefused([](rlx_module_meta &meta) { std::strcpy(meta.features, "xop,amx-tile"); },
                "module needs CPU features that this machine lacks: ");
#endif
  write("bad.so", {reinterpret_cast<const char *>(good.data()), good.size() / 2});
  const Outcome outcome = run(std::string("bad.so") + files);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.text.starts_with("rlx-run: error: bad.so: ELF segment ")) << outcome.text;
  EXPECT_FALSE(std::filesystem::exists(folder / "o.safetensors"));
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
