//===- Options.cpp - how a graph is compiled ------------------------------===//

#include "rlx/Compiler/Options.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace rlx {

using Json = nlohmann::ordered_json;

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

static constexpr std::pair<EmitKind, std::string_view> emitKinds[] = {
    {EmitKind::Rlx, "rlx"},        {EmitKind::Linalg, "linalg"}, {EmitKind::Gpu, "gpu"},
    {EmitKind::Nvvm, "nvvm"},      {EmitKind::Ptx, "ptx"},       {EmitKind::Llvm, "llvm"},
    {EmitKind::LlvmIr, "llvm-ir"}, {EmitKind::Asm, "asm"},       {EmitKind::Obj, "obj"},
    {EmitKind::Shared, "shared"}};

static constexpr std::pair<Precision, std::string_view> precisions[] = {
    {Precision::F32, "f32"}, {Precision::BF16, "bf16"}, {Precision::F16, "f16"}};

/// GPUs with asynchronous copies and tensor cores for bf16 and tf32, and PTX for them in
/// every version from 8.0 on.
static constexpr std::string_view cudaArchs[] = {"sm_80", "sm_86", "sm_87", "sm_89", "sm_90"};

template <typename E, size_t N>
static Result<E> parseEnum(const std::pair<E, std::string_view> (&table)[N], std::string_view what,
                           std::string_view text) {
  std::vector<std::string_view> names;
  for (const auto &[value, name] : table) {
    if (name == text)
      return value;
    names.push_back(name);
  }
  return Status(ErrorCode::InvalidArgument, fmt::format("{}: expected one of {}, found '{}'", what,
                                                        fmt::join(names, ", "), text));
}

template <typename E, size_t N>
static std::string_view spell(const std::pair<E, std::string_view> (&table)[N], E value) {
  return std::find_if(std::begin(table), std::end(table),
                      [&](const auto &entry) { return entry.first == value; })
      ->second;
}

Result<EmitKind> parseEmitKind(std::string_view text) { return parseEnum(emitKinds, "emit", text); }
Result<Precision> parsePrecision(std::string_view text) {
  return parseEnum(precisions, "precision", text);
}
std::string_view toString(EmitKind kind) { return spell(emitKinds, kind); }
std::string_view toString(Precision precision) { return spell(precisions, precision); }

//===----------------------------------------------------------------------===//
// Switchable passes and presets
//===----------------------------------------------------------------------===//

std::span<const SwitchablePass> switchablePasses() {
  static constexpr SwitchablePass passes[] = {
      {"rlx-fuse-matmul-bias-act", "add the bias and apply the activation as a matmul ends"},
      {"rlx-fuse-residual-layer-norm", "add the residual where the sum is normalized"},
      {"rlx-fuse-psa-attention", "compute PSA attention from and to images, without packing"},
      {"rlx-reassociate-attention", "project the short side of attention alone"},
      {"rlx-pack-weights", "lay out weights in panels as wide as the registers"},
      {"rlx-hoist-params", "compute what depends on params alone once, when they are bound"},
      {"rlx-split-keys", "attend to chunks of many keys in parallel where queries are few"},
      {"rlx-tile-and-fuse", "tile for the caches and fuse producers and consumers"},
  };
  return passes;
}

static std::vector<std::string> allSwitchable() {
  std::vector<std::string> names;
  for (const SwitchablePass &pass : switchablePasses())
    names.emplace_back(pass.name);
  return names;
}

Result<CompileOptions> CompileOptions::preset(std::string_view name) {
  CompileOptions options;
  // Both models run best with everything on; their presets are the place where a
  // measured exception goes.
  if (name == "default" || name == "two-way-transformer" || name == "psa-block")
    return options;
  if (name == "unfused") {
    options.disable = allSwitchable();
    return options;
  }
  return Status(ErrorCode::InvalidArgument,
                fmt::format("preset: expected one of default, unfused, two-way-transformer, "
                            "psa-block, found '{}'",
                            name));
}

bool CompileOptions::isEnabled(std::string_view pass) const {
  return std::find(disable.begin(), disable.end(), pass) == disable.end();
}

Status CompileOptions::check() const {
  auto invalid = [](std::string message) {
    return Status(ErrorCode::InvalidArgument, std::move(message));
  };
  if (device != "cpu" && device != "cuda")
    return invalid(fmt::format("target: expected cpu or cuda, found '{}'", device));
  bool emitsKernels = emit == EmitKind::Gpu || emit == EmitKind::Nvvm || emit == EmitKind::Ptx;
  if (emitsKernels && device != "cuda")
    return invalid(
        fmt::format("emit: '{}' is of target cuda, found target '{}'", toString(emit), device));
  std::vector<std::string_view> archs(std::begin(cudaArchs), std::end(cudaArchs));
  if (std::find(archs.begin(), archs.end(), cudaArch) == archs.end())
    return invalid(
        fmt::format("cuda-arch: expected one of {}, found '{}'", fmt::join(archs, ", "), cudaArch));
  if (optLevel > 3)
    return invalid(fmt::format("opt-level: expected 0 to 3, found {}", optLevel));
  if (querySymbol.empty())
    return invalid("query-symbol: expected a name");
  std::vector<std::string> known = allSwitchable();
  for (const std::string &name : disable)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return invalid(fmt::format("disable: expected names among {}, found '{}'",
                                 fmt::join(known, ", "), name));
  return {};
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// Sets one option from its value; an error lacks the source.
static Status setOption(CompileOptions &options, const std::string &key, const Json &value) {
  auto mistyped = [&](std::string_view expected) {
    return Status(ErrorCode::InvalidArgument,
                  fmt::format("{}: expected {}, found {}", key, expected, value.dump()));
  };
  std::pair<std::string_view, std::string *> strings[] = {
      {"target", &options.device},
      {"cuda-arch", &options.cudaArch},
      {"target-triple", &options.targetTriple},
      {"target-cpu", &options.targetCpu},
      {"target-features", &options.targetFeatures},
      {"query-symbol", &options.querySymbol}};
  for (auto [name, target] : strings)
    if (key == name) {
      if (!value.is_string())
        return mistyped("a string");
      *target = value.get<std::string>();
      return {};
    }
  std::pair<std::string_view, unsigned *> numbers[] = {{"opt-level", &options.optLevel},
                                                       {"threads", &options.threads}};
  for (auto [name, target] : numbers)
    if (key == name) {
      if (!value.is_number_unsigned() || value.get<uint64_t>() > 1024)
        return mistyped("a number from 0 to 1024");
      *target = value.get<unsigned>();
      return {};
    }
  if (key == "precision" || key == "emit") {
    if (!value.is_string())
      return mistyped("a string");
    if (key == "emit") {
      Result<EmitKind> kind = parseEmitKind(value.get<std::string>());
      if (kind)
        options.emit = *kind;
      return kind.status();
    }
    Result<Precision> precision = parsePrecision(value.get<std::string>());
    if (precision)
      options.precision = *precision;
    return precision.status();
  }
  if (key == "verify") {
    if (!value.is_boolean())
      return mistyped("true or false");
    options.verify = value.get<bool>();
    return {};
  }
  if (key == "disable") {
    auto isString = [](const Json &entry) { return entry.is_string(); };
    if (!value.is_array() || !std::all_of(value.begin(), value.end(), isString))
      return mistyped("an array of strings");
    options.disable = value.get<std::vector<std::string>>();
    return {};
  }
  return {ErrorCode::InvalidArgument,
          fmt::format(
              "'{}': expected one of preset, emit, target, cuda-arch, target-triple, target-cpu, "
              "target-features, precision, disable, opt-level, threads, verify, "
              "query-symbol",
              key)};
}

Status CompileOptions::readJson(std::string_view text, std::string_view source) {
  Json root = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded() || !root.is_object())
    return {ErrorCode::InvalidArgument, fmt::format("{}: expected a JSON object", source)};
  CompileOptions result = *this;
  if (auto name = root.find("preset"); name != root.end()) {
    if (!name->is_string())
      return {ErrorCode::InvalidArgument,
              fmt::format("{}: preset: expected a string, found {}", source, name->dump())};
    Result<CompileOptions> base = preset(name->get<std::string>());
    if (!base)
      return base.status().withContext(source);
    // A preset is about what the code does; where it goes stays as it was.
    base->emit = emit;
    base->dumpPhases = dumpPhases;
    result = *base;
    root.erase("preset");
  }
  for (const auto &[key, value] : root.items())
    if (Status status = setOption(result, key, value); !status)
      return status.withContext(source);
  *this = result;
  return {};
}

std::string CompileOptions::toJson() const {
  Json root;
  root["target"] = device;
  if (device == "cuda")
    root["cuda-arch"] = cudaArch;
  root["target-triple"] = targetTriple;
  root["target-cpu"] = targetCpu;
  root["target-features"] = targetFeatures;
  root["precision"] = std::string(toString(precision));
  root["disable"] = disable;
  root["opt-level"] = optLevel;
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace rlx
