#include "Support/Golden.h"

#include "Support/Generator.h"
#include "rlx/Runtime/TensorFile.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

using namespace rlx;
using namespace rlx::test;
using nlohmann::ordered_json;

static std::string goldenPath(const std::string &file) {
  return std::string(RLX_GOLDEN_DIR "/") + file;
}

/// Ends the program: without its data a test can neither pass nor fail.
[[noreturn]] static void fail(const std::string &message) {
  std::fprintf(stderr, "golden data: %s\n", message.c_str());
  std::abort();
}

static ordered_json readCases(const char *file) {
  std::ifstream stream(goldenPath(file));
  ordered_json json = ordered_json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || json.value("format", "") != "rlx-golden-1")
    fail(std::string(file) + ": expected format rlx-golden-1");
  return json["cases"];
}

/// A file's tensors, which stay open for the rest of the program.
static const TensorFile &openTensors(const std::string &file) {
  static std::map<std::string, TensorFile> files;
  auto it = files.find(file);
  if (it != files.end())
    return it->second;
  Result<TensorFile> opened = TensorFile::open(goldenPath(file));
  if (!opened)
    fail(opened.message());
  return files.emplace(file, *std::move(opened)).first->second;
}

static const TensorView &findTensor(const std::string &file, const std::string &name) {
  const TensorView *tensor = openTensors(file).find(name);
  if (!tensor)
    fail(file + ": no tensor '" + name + "'");
  return *tensor;
}

/// The tensor that an entry's rule gives, except `stored`.
static Tensor generateTensor(uint64_t seed, const std::string &name, const ordered_json &spec) {
  auto shape = spec["shape"].get<std::vector<int64_t>>();
  const std::string rule = spec["rule"];
  if (rule == "uniform")
    return uniform(seed, name, shape, spec["center"], spec["scale"]);
  if (rule == "integers")
    return integers(seed, name, shape, spec["low"], spec["high"]);
  if (rule == "booleans")
    return booleans(seed, name, shape);
  if (rule == "prefix_mask")
    return prefixMask(name, shape, spec["rows"], spec["columns"]);
  fail("tensor '" + name + "': unknown rule '" + rule + "'");
}

Difference GoldenOutput::compare(std::span<const double> found) const {
  int64_t rows = 1;
  for (int64_t dim : shape)
    rows *= dim;
  if (static_cast<int64_t>(found.size()) < rows)
    return {std::numeric_limits<double>::infinity(), found.size()};
  std::vector<double> sample;
  for (int64_t i = 0; i < rows; i += sampleStride)
    sample.push_back(found[i]);
  return test::compare(sample, expected, absMax);
}

std::vector<Tensor> ModelCase::generate(const char *group) const {
  std::vector<Tensor> tensors;
  for (const auto &[tensor, spec] : entry[group].items())
    tensors.push_back(generateTensor(entry["seed"], tensor, spec));
  return tensors;
}

std::vector<GoldenOutput> ModelCase::outputs() const {
  std::vector<GoldenOutput> outputs;
  for (const auto &[output, spec] : entry["outputs"].items())
    outputs.push_back({output, spec["shape"], spec["abs_max"], spec["sample_stride"],
                       toDoubles(findTensor(entry["file"], "expected." + output))});
  return outputs;
}

std::vector<ModelCase> test::modelCases() {
  std::vector<ModelCase> cases;
  for (ordered_json &entry : readCases("cases.json")) {
    ModelCase golden;
    golden.name = entry["name"];
    golden.builtin = entry["builtin"];
    golden.gradient = entry["gradient"];
    if (entry.contains("active"))
      golden.active = entry["active"].get<int64_t>();
    golden.entry = std::move(entry);
    cases.push_back(std::move(golden));
  }
  return cases;
}

std::vector<Tensor> OpCase::inputs() const {
  std::vector<Tensor> tensors;
  for (const auto &[input, spec] : entry["inputs"].items()) {
    if (spec["rule"] != "stored") {
      tensors.push_back(generateTensor(entry["seed"], input, spec));
      continue;
    }
    TensorView view = findTensor("ops.safetensors", name + ".in." + input);
    view.name = input.c_str();
    tensors.push_back(Tensor(view));
  }
  return tensors;
}

std::vector<double> OpCase::expected() const {
  return toDoubles(findTensor("ops.safetensors", name + ".out"));
}

std::vector<OpCase> test::opCases() {
  std::vector<OpCase> cases;
  for (ordered_json &entry : readCases("ops.json")) {
    OpCase golden;
    golden.name = entry["name"];
    golden.op = entry["op"];
    golden.attrs = entry["attrs"];
    golden.shape = entry["shape"].get<std::vector<int64_t>>();
    golden.entry = std::move(entry);
    cases.push_back(std::move(golden));
  }
  return cases;
}

std::string test::testName(const std::string &name) {
  std::string result = name;
  for (char &c : result)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return result;
}
