//===- Cases.cpp - graphs of single ops and what to run them on -----------===//

#include "Cases.h"

#include "Support/Generator.h"
#include "rlx/Interpreter/Array.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>

namespace rlx::test {

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// A case that can't be read ends the program: the names of tests depend on it.
[[noreturn]] static void refuse(const std::string &what) {
  std::cerr << "error: " << what << '\n';
  std::exit(1);
}

/// `n = 1, 7; m = 2, 5` as one map for each position.
static std::vector<DimSizes> parseSizes(const std::string &text) {
  std::vector<DimSizes> runs;
  std::istringstream dims(text);
  for (std::string dim; std::getline(dims, dim, ';');) {
    std::istringstream stream(dim);
    std::string name, sizes;
    stream >> name;
    stream.ignore(std::numeric_limits<std::streamsize>::max(), '=');
    std::vector<int64_t> values;
    for (std::string size; std::getline(stream, size, ',');)
      values.push_back(std::stoll(size));
    if (!runs.empty() && runs.size() != values.size())
      refuse("sizes: expected " + std::to_string(runs.size()) + " of '" + name + "', found " +
             std::to_string(values.size()));
    runs.resize(values.size());
    for (size_t i = 0; i < values.size(); ++i)
      runs[i][name] = values[i];
  }
  return runs;
}

static Values parseValues(const std::string &text) {
  std::istringstream stream(text);
  std::string kind;
  Values values;
  stream >> kind >> values.bound;
  if (kind == "positive")
    values.kind = Values::Positive;
  else if (kind == "index")
    values.kind = Values::Index;
  else if (kind == "special")
    values.kind = Values::Special;
  else if (kind == "nonfinite")
    values.kind = Values::NonFinite;
  else
    refuse("values: expected positive, index, special or nonfinite, found '" + kind + "'");
  return values;
}

/// `f32, i8` as a list.
static std::vector<std::string> parseTypes(const std::string &text) {
  std::vector<std::string> types;
  std::istringstream stream(text);
  for (std::string type; std::getline(stream >> std::ws, type, ',');)
    types.push_back(type);
  return types;
}

static std::string replaceAll(std::string text, const std::string &what, const std::string &by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// Adds the case of a text, or one for each of its types.
static void parseCases(const std::string &text, std::vector<Case> &cases) {
  Case result;
  std::vector<std::string> types;
  std::istringstream lines(text);
  const std::string sizes = "// sizes:", values = "// values:", typeList = "// types:";
  const std::string graph = "rlx.graph @";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(sizes))
      result.runs = parseSizes(line.substr(sizes.size()));
    else if (line.starts_with(values))
      result.values = parseValues(line.substr(values.size()));
    else if (line.starts_with(typeList))
      types = parseTypes(line.substr(typeList.size()));
    else if (line.starts_with(graph))
      result.name = line.substr(graph.size(), line.find('(') - graph.size());
  }
  if (result.name.empty())
    refuse("expected a graph, found:\n" + text);
  if (result.runs.empty())
    result.runs.emplace_back();
  if (types.empty()) {
    result.text = text;
    return cases.push_back(result);
  }
  for (const std::string &type : types) {
    Case &typed = cases.emplace_back(result);
    typed.name += "_" + type;
    typed.text = replaceAll(text, "TYPE", type);
  }
}

std::vector<Case> readCases(const std::string &folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".mlir")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());

  std::vector<Case> cases;
  for (const std::filesystem::path &path : paths) {
    std::ifstream file(path);
    std::string text, line;
    while (std::getline(file, line)) {
      if (line != "// -----") {
        text += line + '\n';
        continue;
      }
      parseCases(text, cases);
      text.clear();
    }
    parseCases(text, cases);
  }
  return cases;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Element `i` of a float tensor, from 24 random bits.
static double makeFloat(const Values &values, int64_t bits, int64_t i) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double specials[] = {std::numeric_limits<double>::quiet_NaN(),
                             infinity,
                             -infinity,
                             0.0,
                             -0.0,
                             0.5,
                             -0.5,
                             1.5,
                             2.5,
                             -2.5,
                             127.0,
                             128.0,
                             -128.0,
                             -129.0,
                             255.5,
                             65504.0,
                             70000.0,
                             2147483520.0,
                             2147483648.0,
                             -2147483648.0,
                             -2147483904.0,
                             9.2e18,
                             9.3e18,
                             -9.3e18,
                             1e-8,
                             3e38};
  const double unit = static_cast<double>(bits) / (1 << 24);
  switch (values.kind) {
  case Values::Special:
    if (static_cast<size_t>(i) < std::size(specials))
      return specials[i];
    return unit * 4 - 2;
  case Values::NonFinite:
    if (i % 17 == 5)
      return specials[i / 17 % 3];
    [[fallthrough]];
  case Values::Centered:
  case Values::Index:
    return unit * 4 - 2;
  case Values::Positive:
    return unit * 4 + 0.25;
  }
  std::abort();
}

/// Element `i` of an integer tensor, from 24 random bits.
static int64_t makeInteger(const Values &values, DType type, int64_t bits, int64_t i) {
  const auto [least, largest] = integerRange(type);
  const int64_t specials[] = {least, largest, 0, -1, 1, least + 1, largest - 1};
  switch (values.kind) {
  case Values::Special:
    if (static_cast<size_t>(i) < std::size(specials))
      return specials[i];
    [[fallthrough]];
  case Values::Centered:
  case Values::NonFinite:
    return bits % 13 - 6;
  case Values::Positive:
    return bits % 12 + 1;
  case Values::Index:
    return bits % values.bound;
  }
  std::abort();
}

std::vector<Tensor> makeTensors(const std::vector<TensorSpec> &specs, const DimSizes &sizes,
                                const Values &values) {
  std::vector<Tensor> tensors;
  for (const TensorSpec &spec : specs) {
    const DType type = spec.type.dtype;
    Array::Shape shape;
    int64_t count = 1;
    for (const Dim &dim : spec.type.dims) {
      if (dim.isDynamic() && !sizes.contains(dim.name()))
        refuse("'" + spec.name + "': expected a size for '" + dim.name() + "', found none");
      shape.push_back(dim.isDynamic() ? sizes.at(dim.name()) : dim.size());
      count *= shape.back();
    }
    const std::vector<int64_t> bits = randomBits(/*seed=*/1, spec.name, count);
    if (isFloat(type)) {
      std::vector<double> elements(count);
      for (int64_t i = 0; i < count; ++i)
        elements[i] = makeFloat(values, bits[i], i);
      tensors.push_back(Array(type, shape, std::move(elements)).toTensor(spec.name));
      continue;
    }
    std::vector<int64_t> elements(count);
    for (int64_t i = 0; i < count; ++i)
      elements[i] = type == DType::Bool ? bits[i] >> 23 : makeInteger(values, type, bits[i], i);
    tensors.push_back(Array(type, shape, std::move(elements)).toTensor(spec.name));
  }
  return tensors;
}

} // namespace rlx::test
