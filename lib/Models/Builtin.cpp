//===- Builtin.cpp - Models by name, for the tools ------------------------===//

#include "rlx/Models/Builtin.h"

#include "rlx/Models/PsaBlockGraph.h"
#include "rlx/Models/TwoWayTransformerGraph.h"

#include <charconv>
#include <functional>
#include <vector>

namespace rlx::models {

static constexpr std::string_view builtinScheme = "builtin:";

namespace {

/// The keys of one model: what they may be, and where their values go.
class KeyTable {
public:
  explicit KeyTable(std::string_view model) : label("builtin '" + std::string(model) + "'") {}

  KeyTable &number(const char *name, std::string fallback, std::function<void(int64_t)> set,
                   int64_t most = maxNumber) {
    return add(name, "a number from 1 to " + std::to_string(most), std::move(fallback),
               [set, most](std::string_view text) {
                 std::optional<int64_t> value = parseNumber(text, most);
                 if (value)
                   set(*value);
                 return value.has_value();
               });
  }

  /// A number, or a dynamic dim with the key's name.
  KeyTable &dim(const char *name, Dim &target) {
    return add(name, "a number from 1 to " + std::to_string(maxNumber) + ", or dynamic",
               std::to_string(target.size()), [name, &target](std::string_view text) {
                 std::optional<int64_t> value = parseNumber(text);
                 if (value)
                   target = *value;
                 else if (text == "dynamic")
                   target = Dim(name);
                 else
                   return false;
                 return true;
               });
  }

  KeyTable &flag(const char *name, bool &target) {
    return add(name, "true or false", target ? "true" : "false", [&target](std::string_view text) {
      target = text == "true";
      return target || text == "false";
    });
  }

  KeyTable &dtype(DType &target) {
    return add("dtype", "f32 or f64", "f32", [&target](std::string_view text) {
      target = text == "f64" ? DType::F64 : DType::F32;
      return text == "f32" || text == "f64";
    });
  }

  /// Reads `key=value&...`.
  Status read(std::string_view query);

  /// One line for each key.
  std::string describe() const;

private:
  /// Far more than a model has, and little enough that products of three fit into 64 bits.
  static constexpr int64_t maxNumber = 1 << 20;

  struct Key {
    const char *name;
    std::string expected, fallback;
    std::function<bool(std::string_view)> parse;
    bool seen = false;
  };

  KeyTable &add(const char *name, std::string expected, std::string fallback,
                std::function<bool(std::string_view)> parse) {
    keys.push_back({name, std::move(expected), std::move(fallback), std::move(parse)});
    return *this;
  }

  static std::optional<int64_t> parseNumber(std::string_view text, int64_t most = maxNumber) {
    int64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > most)
      return std::nullopt;
    return value;
  }

  /// An error that lists the keys.
  Status error(const std::string &text) const;

  std::string label;
  std::vector<Key> keys;
};

/// A model that can be named.
struct BuiltinModel {
  std::string_view name;
  /// Builds the graph for `key=value&...`.
  Result<Graph> (*build)(std::string_view query);
  std::string (*describe)();
};

/// What the keys of the two-way transformer set.
struct TwoWayArguments {
  /// The graph grows with it, unlike with any size.
  static constexpr int64_t maxDepth = 64;

  TwoWaySpec spec;
  TwoWayShape shape{7, 4096};

  KeyTable keys() {
    KeyTable table("two-way-transformer");
    table.dim("q_n", shape.queries)
        .number("k_n", "4096", [this](int64_t value) { shape.keys = value; })
        .number("embed_dim", "256", [this](int64_t value) { spec.embedDim = value; })
        .number("num_heads", "8", [this](int64_t value) { spec.numHeads = value; })
        .number("internal_dim", "128", [this](int64_t value) { spec.internalDim = value; })
        .number("self_internal_dim", "embed_dim",
                [this](int64_t value) { spec.selfInternalDim = value; })
        .number("mlp_dim", "2048", [this](int64_t value) { spec.mlpDim = value; })
        .number(
            "depth", "2", [this](int64_t value) { spec.depth = value; }, maxDepth)
        .flag("skip_first_layer_pe", spec.skipFirstLayerPe)
        .flag("masked", shape.masked)
        .dtype(spec.dtype);
    return table;
  }
};

/// What the keys of the PSA block set.
struct PsaArguments {
  PsaSpec spec;
  Dim batch = 1;

  KeyTable keys() {
    KeyTable table("psa-block");
    table.number("c", "128", [this](int64_t value) { spec.channels = value; })
        .number("heads", "2", [this](int64_t value) { spec.numHeads = value; })
        .number("h", "20", [this](int64_t value) { spec.height = value; })
        .number("w", "20", [this](int64_t value) { spec.width = value; })
        .dim("batch", batch)
        .dtype(spec.dtype);
    return table;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

Status KeyTable::error(const std::string &text) const {
  std::string message = label + ": " + text + "; the keys are ";
  for (const Key &key : keys)
    message.append(&key == &keys.front() ? "" : ", ").append(key.name);
  return {ErrorCode::InvalidArgument, message};
}

Status KeyTable::read(std::string_view query) {
  while (!query.empty()) {
    std::string_view entry = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), entry.size() + 1));
    size_t equals = entry.find('=');
    if (equals == std::string_view::npos)
      return error("expected key=value, found '" + std::string(entry) + "'");
    std::string_view name = entry.substr(0, equals), value = entry.substr(equals + 1);

    auto key = std::find_if(keys.begin(), keys.end(),
                            [name](const Key &candidate) { return candidate.name == name; });
    if (key == keys.end())
      return error("unknown key '" + std::string(name) + "'");
    if (std::exchange(key->seen, true))
      return error("key '" + std::string(name) + "' is given twice");
    if (!key->parse(value))
      return error("key '" + std::string(name) + "': expected " + key->expected + ", found '" +
                   std::string(value) + "'");
  }
  return {};
}

std::string KeyTable::describe() const {
  std::string text;
  for (const Key &key : keys)
    text.append("  ")
        .append(key.name)
        .append("=")
        .append(key.fallback)
        .append("  ")
        .append(key.expected + "\n");
  return text;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

static constexpr BuiltinModel builtinModels[] = {
    {"two-way-transformer",
     [](std::string_view query) -> Result<Graph> {
       TwoWayArguments arguments;
       if (Status status = arguments.keys().read(query); !status)
         return status;
       return buildTwoWayTransformer(arguments.spec, arguments.shape);
     },
     [] { return TwoWayArguments().keys().describe(); }},
    {"psa-block",
     [](std::string_view query) -> Result<Graph> {
       PsaArguments arguments;
       if (Status status = arguments.keys().read(query); !status)
         return status;
       return buildPsaBlock(arguments.spec, arguments.batch);
     },
     [] { return PsaArguments().keys().describe(); }},
};

bool isBuiltin(std::string_view input) { return input.starts_with(builtinScheme); }

Result<Graph> buildBuiltin(std::string_view input) {
  if (!isBuiltin(input))
    return Status(ErrorCode::InvalidArgument,
                  "expected builtin:NAME, found '" + std::string(input) + "'");
  input.remove_prefix(builtinScheme.size());
  std::string_view name = input.substr(0, input.find('?'));
  std::string_view query = input.substr(std::min(input.size(), name.size() + 1));
  std::string known;
  for (const BuiltinModel &model : builtinModels) {
    if (model.name == name)
      return model.build(query);
    known.append(known.empty() ? "" : ", ").append(model.name);
  }
  return Status(ErrorCode::InvalidArgument,
                "unknown builtin '" + std::string(name) + "'; the builtins are " + known);
}

std::string describeBuiltins() {
  std::string text;
  for (const BuiltinModel &model : builtinModels)
    text.append(builtinScheme).append(model.name).append("\n").append(model.describe());
  return text;
}

} // namespace rlx::models
