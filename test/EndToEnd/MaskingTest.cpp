//===- MaskingTest.cpp - what attention may and may not let through -------===//
//
// NaN and infinities in single keys, values and queries of compiled attention: rows
// that don't see them keep their bits, rows that do are spoilt.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "Support/Generator.h"
#include "Support/Numerics.h"
#include "rlx/Compiler/Compiler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

namespace rlx::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// One attention op. Sizes are chosen so that no vector or block divides them.
struct Attention {
  const char *name;
  const char *kind;           ///< as the op prints it
  const char *mask = nullptr; ///< type of the mask, with `n` and `m` for the sizes
  DType type = DType::F32;    ///< of q, k and v
  int64_t queries = 19, keys = 300;
  bool dynamic = true; ///< whether the graph leaves those sizes open

  static constexpr int64_t batch = 2, heads = 2, keyDim = 16, valueDim = 12, window = 5;

  /// Whether `query` of head `h` in batch `b` sees `key`. Of masks this is the content:
  /// query 3 of those with rows, or head 1 of those without, sees nothing.
  bool sees(int64_t b, int64_t h, int64_t query, int64_t key) const;
};

std::ostream &operator<<(std::ostream &stream, const Attention &attention) {
  return stream << attention.name;
}

bool startsWith(const char *text, std::string_view prefix) {
  return text && std::string_view(text).starts_with(prefix);
}

bool Attention::sees(int64_t b, int64_t h, int64_t query, int64_t key) const {
  const std::string_view rule = kind;
  if (rule == "causal")
    return key <= query + keys - queries;
  if (rule == "sliding_window")
    return query - window <= key && key <= query;
  if (rule == "none")
    return true;
  if (startsWith(mask, "2xm")) // [B, Lk]
    return (key + b) % 5 != 2;
  if (startsWith(mask, "2x1x1xm"))
    return (key + b) % 7 != 3;
  if (startsWith(mask, "1x2x1xm"))
    return h == 0 && key % 3 != 1;
  return query != 3 && (key * 7 + query * 3 + h + b * 11) % 4 != 1; // [2, 2, n, m]
}

class MaskingTest : public testing::TestWithParam<Attention> {
protected:
  void SetUp() override {
    Result<Graph> graph = Graph::parse(text(), GetParam().name);
    ASSERT_TRUE(graph) << graph.message();
    specs = graph->inputs();
    Result<Module> compiled = compileInProcess(*graph);
    ASSERT_TRUE(compiled) << compiled.message();
    module.emplace(std::move(*compiled));
    interpreted = [graph = std::make_shared<Graph>(std::move(*graph))](const auto &inputs) {
      return interpretGraph(*graph, inputs, {});
    };
    for (const TensorSpec &spec : specs)
      arrays.push_back(makeArray(spec));
  }

  //===--- What is tested -------------------------------------------------===//

  void matchesTheInterpreter();
  void hiddenKeysAndValuesDoNotMatter();
  void rowsWithoutKeysAreZeros();
  void nanQueriesStayInTheirRows();
  void largeLogitsAreExact();

  //===--- The graph and its tensors ---------------------------------------===//

  /// The graph's text.
  std::string text() const {
    const Attention &a = GetParam();
    const std::string element(nameOf(a.type));
    auto rows = [&](int64_t count) { return a.dynamic ? "?" : std::to_string(count); };
    auto tensor = [&](int64_t count, int64_t channels) {
      return "tensor<2x" + rows(count) + "x" + std::to_string(channels) + "x" + element + ">";
    };
    auto argument = [&](const std::string &name, const std::string &type, const std::string &dims) {
      return "%" + name + ": " + type + " {rlx.name = \"" + name + "\"" +
             (a.dynamic ? ", rlx.dims = [" + dims + "]}" : "}");
    };
    const std::string q = tensor(a.queries, a.heads * a.keyDim);
    const std::string k = tensor(a.keys, a.heads * a.keyDim);
    const std::string v = tensor(a.keys, a.heads * a.valueDim);
    const std::string out = tensor(a.queries, a.heads * a.valueDim);
    std::string arguments = argument("q", q, R"("", "n", "")") + ", " +
                            argument("k", k, R"("", "m", "")") + ", " +
                            argument("v", v, R"("", "m", "")");
    std::string operands = "%q, %k, %v", types = q + ", " + k + ", " + v;
    if (a.mask) {
      const auto [type, dims] = maskType();
      arguments += ", " + argument("mask", type, dims);
      operands += ", %mask";
      types += ", " + type;
    }
    const bool isWindow = std::string_view(a.kind) == "sliding_window";
    const std::string window = isWindow ? " window = " + std::to_string(a.window) : "";
    return "rlx.graph @attention(" + arguments + ") -> " + out + " {\n  %y = rlx.attention " +
           a.kind + " " + operands + " num_heads = 2 head_dim = 16" + window + " : (" + types +
           ") -> " + out + "\n  rlx.output %y : " + out + "\n}\n";
  }

  /// The mask's type, and its dims by name.
  std::pair<std::string, std::string> maskType() const {
    const Attention &a = GetParam();
    std::string type, dims;
    std::string_view rest = a.mask;
    for (size_t x; (x = rest.find('x')) != std::string_view::npos; rest.remove_prefix(x + 1)) {
      const std::string size(rest.substr(0, x));
      const bool isNamed = size == "n" || size == "m";
      const int64_t count = size == "n" ? a.queries : a.keys;
      type += (!isNamed ? size : a.dynamic ? "?" : std::to_string(count)) + "x";
      dims += (dims.empty() ? "\"" : ", \"") + (isNamed ? size : "") + "\"";
    }
    return {"tensor<" + type + std::string(rest) + ">", dims};
  }

  /// Ordinary values for q, k and v; for a mask what `sees` says.
  Array makeArray(const TensorSpec &spec) const {
    const Attention &a = GetParam();
    Array::Shape shape;
    for (const Dim &dim : spec.type.dims)
      shape.push_back(!dim.isDynamic() ? dim.size() : dim.name() == "n" ? a.queries : a.keys);
    int64_t count = 1;
    for (int64_t dim : shape)
      count *= dim;
    const std::vector<int64_t> bits = randomBits(1, spec.name, count);
    if (spec.name != "mask") {
      std::vector<double> elements;
      for (int64_t r : bits)
        elements.push_back(roundToFloat(static_cast<double>(r) * 0x1p-22 - 2, spec.type.dtype));
      return {spec.type.dtype, shape, std::move(elements)};
    }
    if (shape.size() == 2)
      shape.insert(shape.begin() + 1, {1, 1});
    std::vector<double> floats;
    std::vector<int64_t> booleans;
    for (int64_t b = 0; b < shape[0]; ++b)
      for (int64_t h = 0; h < shape[1]; ++h)
        for (int64_t query = 0; query < shape[2]; ++query)
          for (int64_t key = 0; key < shape[3]; ++key) {
            const bool visible = a.sees(b, h, query, key);
            // Custom masks of floats attend from 0.5 on; NaN is not that.
            const double hidden = key % 2 ? 0.25 : nan;
            const double some = static_cast<double>(key % 8) / 8;
            booleans.push_back(visible);
            if (std::string_view(a.kind) == "bias")
              floats.push_back(visible ? some : -infinity);
            else
              floats.push_back(visible ? 0.5 + some : hidden);
          }
    if (spec.type.dims.size() == 2)
      shape = {shape[0], shape[3]};
    if (spec.type.dtype == DType::Bool)
      return {DType::Bool, shape, std::move(booleans)};
    return {spec.type.dtype, shape, std::move(floats)};
  }

  std::vector<Tensor> tensors(const std::vector<Array> &values) const {
    std::vector<Tensor> result;
    for (size_t i = 0; i < values.size(); ++i)
      result.push_back(values[i].toTensor(specs[i].name));
    return result;
  }

  Tensor run(const std::vector<Array> &values) const {
    Result<std::vector<Tensor>> outputs = runModule(*module, tensors(values), {});
    if (!outputs) {
      ADD_FAILURE() << outputs.message();
      std::abort(); // no value to go on with
    }
    return std::move(outputs->front());
  }

  /// A copy of operand `index` with all channels of one head of a row replaced.
  Array spoil(size_t index, int64_t b, int64_t h, int64_t row, double value) const {
    const Array &array = arrays[index];
    std::vector<double> elements(array.floats().begin(), array.floats().end());
    const int64_t width = array.dim(2) / Attention::heads;
    auto first = elements.begin() + ((b * array.dim(1) + row) * array.dim(2) + h * width);
    std::fill_n(first, width, value);
    return {array.type(), array.shape(), std::move(elements)};
  }

  /// The bytes of one head of a row of the output, and its values.
  static std::pair<std::string, std::vector<double>> part(const Tensor &out, int64_t b, int64_t h,
                                                          int64_t query) {
    const size_t size = sizeOf(out.type());
    const int64_t first = (b * out.shape()[1] + query) * out.shape()[2] + h * Attention::valueDim;
    const char *data = static_cast<const char *>(out.data()) + first * size;
    const std::vector<double> all = toDoubles(out);
    return {{data, Attention::valueDim * size},
            {all.begin() + first, all.begin() + first + Attention::valueDim}};
  }

  std::vector<TensorSpec> specs;
  std::vector<Array> arrays; ///< q, k, v and the mask
  std::optional<Module> module;
  std::function<Result<std::vector<Tensor>>(const std::vector<Tensor> &)> interpreted;
};

/// Calls `visit` for each head of each row.
void forEachRow(const Attention &a, const std::function<void(int64_t, int64_t, int64_t)> &visit) {
  for (int64_t b = 0; b < a.batch; ++b)
    for (int64_t h = 0; h < a.heads; ++h)
      for (int64_t query = 0; query < a.queries; ++query)
        visit(b, h, query);
}

void MaskingTest::matchesTheInterpreter() {
  Result<std::vector<Tensor>> expected = interpreted(tensors(arrays));
  ASSERT_TRUE(expected) << expected.message();
  const Difference difference = compare(toDoubles(run(arrays)), toDoubles(expected->front()));
  EXPECT_LE(difference.error, tolerance(GetParam().type)) << difference;
}

void MaskingTest::hiddenKeysAndValuesDoNotMatter() {
  const Attention &a = GetParam();
  const Tensor clean = run(arrays);
  // A key near the start, one in the middle and the last, in different batches and heads.
  const int64_t places[][3] = {{0, 0, 1}, {1, 1, a.keys / 2}, {0, 1, a.keys - 1}, {1, 0, 10}};
  for (size_t operand : {1, 2})
    for (const auto &[b, h, key] : places)
      for (double value : {nan, infinity, -infinity}) {
        std::vector<Array> spoilt = arrays;
        spoilt[operand] = spoil(operand, b, h, key, value);
        const Tensor found = run(spoilt);
        forEachRow(a, [&](int64_t batch, int64_t head, int64_t query) {
          SCOPED_TRACE(specs[operand].name + " of key " + std::to_string(key) + " is " +
                       std::to_string(value) + ", row " + std::to_string(query) + " of head " +
                       std::to_string(head) + " in batch " + std::to_string(batch));
          const auto [bytes, values] = part(found, batch, head, query);
          if (batch != b || head != h || !a.sees(b, h, query, key))
            ASSERT_EQ(bytes, part(clean, batch, head, query).first);
          else if (operand == 2 || std::isnan(value))
            ASSERT_TRUE(std::ranges::none_of(values, [](double x) { return std::isfinite(x); }));
        });
      }
}

void MaskingTest::rowsWithoutKeysAreZeros() {
  const Attention &a = GetParam();
  std::vector<Array> spoilt = arrays;
  for (size_t operand : {0, 1, 2})
    spoilt[operand] = Array(a.type, arrays[operand].shape(),
                            std::vector<double>(arrays[operand].numElements(), nan));
  const Tensor found = run(spoilt);
  forEachRow(a, [&](int64_t b, int64_t h, int64_t query) {
    bool any = false;
    for (int64_t key = 0; key < a.keys; ++key)
      any |= a.sees(b, h, query, key);
    for (double value : part(found, b, h, query).second) {
      if (any)
        ASSERT_TRUE(std::isnan(value));
      else
        ASSERT_EQ(value, 0);
    }
  });
}

void MaskingTest::nanQueriesStayInTheirRows() {
  const Attention &a = GetParam();
  const Tensor clean = run(arrays);
  for (int64_t spoiltQuery : {int64_t(0), int64_t(3), a.queries - 1}) {
    std::vector<Array> spoilt = arrays;
    spoilt[0] = spoil(0, /*b=*/1, /*h=*/0, spoiltQuery, nan);
    const Tensor found = run(spoilt);
    forEachRow(a, [&](int64_t b, int64_t h, int64_t query) {
      const auto [bytes, values] = part(found, b, h, query);
      bool any = false;
      for (int64_t key = 0; key < a.keys; ++key)
        any |= a.sees(b, h, query, key);
      if (b == 1 && h == 0 && query == spoiltQuery && any)
        ASSERT_TRUE(std::ranges::all_of(values, [](double x) { return std::isnan(x); }));
      else
        ASSERT_EQ(bytes, part(clean, b, h, query).first) << "row " << query;
    });
  }
}

void MaskingTest::largeLogitsAreExact() {
  // Scores of 0 and +-7040 and +-14080, which are exact: a third of the keys takes all.
  const Attention &a = GetParam();
  std::vector<Array> values = arrays;
  for (size_t operand : {0, 1}) {
    std::vector<double> elements(arrays[operand].numElements());
    for (size_t i = 0; i < elements.size(); i += a.keyDim) {
      const int64_t row = static_cast<int64_t>(i) / (a.heads * a.keyDim);
      elements[i] = operand == 0 ? (row % 2 ? -160 : 160) : 176.0 * static_cast<double>(row % 3);
    }
    values[operand] = Array(a.type, arrays[operand].shape(), std::move(elements));
  }
  Result<std::vector<Tensor>> expected = interpreted(tensors(values));
  ASSERT_TRUE(expected) << expected.message();
  const Difference difference = compare(toDoubles(run(values)), toDoubles(expected->front()));
  EXPECT_LE(difference.error, tolerance(a.type)) << difference;
}

// One test, since compiling takes most of the time.
TEST_P(MaskingTest, LetsThroughWhatIsSeen) {
  matchesTheInterpreter();
  hiddenKeysAndValuesDoNotMatter();
  rowsWithoutKeysAreZeros();
  nanQueriesStayInTheirRows();
  largeLogitsAreExact();
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, MaskingTest,
    testing::Values(
        Attention{"none", "none"}, Attention{"causal", "causal"},
        Attention{"window", "sliding_window"}, Attention{"custom_bool", "custom", "2x2xnxmxi1"},
        Attention{"custom_f32", "custom", "2x2xnxmxf32"},
        Attention{"custom_keys_bool", "custom", "2xmxi1"},
        Attention{"custom_keys_f32", "custom", "2xmxf32"},
        Attention{"custom_heads_bool", "custom", "1x2x1xmxi1"},
        Attention{"bias", "bias", "2x2xnxmxf32"}, Attention{"bias_batches", "bias", "2x1x1xmxf32"},
        Attention{"bias_heads", "bias", "1x2x1xmxf32"},
        // All keys in one block, and sizes that are known.
        Attention{"none_small", "none", nullptr, DType::F32, 7, 21, false},
        Attention{"causal_small", "causal", nullptr, DType::F32, 37, 21, false},
        Attention{"window_small", "sliding_window", nullptr, DType::F32, 37, 21, false},
        Attention{"custom_bool_small", "custom", "2x2xnxmxi1", DType::F32, 7, 21, false},
        Attention{"custom_f32_small", "custom", "2x2xnxmxf32", DType::F32, 7, 21, false},
        Attention{"bias_small", "bias", "2x2xnxmxf32", DType::F32, 7, 21, false},
        // Few queries, whose keys are split into chunks.
        Attention{"none_split", "none", nullptr, DType::F32, 5, 600, false},
        Attention{"causal_split", "causal", nullptr, DType::F32, 5, 600, false},
        Attention{"window_split", "sliding_window", nullptr, DType::F32, 5, 600, false},
        Attention{"custom_bool_split", "custom", "2x2xnxmxi1", DType::F32, 5, 600, false},
        Attention{"custom_keys_split", "custom", "2xmxf32", DType::F32, 5, 600, false},
        Attention{"bias_split", "bias", "2x2xnxmxf32", DType::F32, 5, 600, false},
        // Other types of products and of masks.
        Attention{"causal_f64", "causal", nullptr, DType::F64},
        Attention{"custom_f64", "custom", "2x2xnxmxf64", DType::F64},
        Attention{"bias_f64", "bias", "2x2xnxmxf64", DType::F64},
        Attention{"custom_bf16", "custom", "2x2xnxmxbf16", DType::BF16},
        Attention{"bias_bf16", "bias", "2x2xnxmxbf16", DType::BF16},
        Attention{"custom_f16", "custom", "2x2xnxmxf16", DType::F16},
        Attention{"bias_f16", "bias", "2x2xnxmxf16", DType::F16}),
    [](const auto &info) { return std::string(info.param.name); });

//===----------------------------------------------------------------------===//
// Scores of -inf
//===----------------------------------------------------------------------===//

TEST(InfiniteScores, WeighNothing) {
  // Keys of -inf give scores of -inf with the first and the last query, and of +inf with
  // the second one.
  const char *text = R"(
rlx.graph @scores(%q: tensor<1x3x4xf32> {rlx.name = "q"}, %k: tensor<1x2x4xf32> {rlx.name = "k"},
                  %v: tensor<1x2x4xf32> {rlx.name = "v"}) -> tensor<1x3x4xf32> {
  %y = rlx.attention none %q, %k, %v num_heads = 1 head_dim = 4
      : (tensor<1x3x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x3x4xf32>
  rlx.output %y : tensor<1x3x4xf32>
})";
  Result<Graph> graph = Graph::parse(text, "scores");
  ASSERT_TRUE(graph) << graph.message();
  Result<Module> module = compileInProcess(*graph);
  ASSERT_TRUE(module) << module.message();
  const Array q = f32({1, 3, 4}, {1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 0.5, 0.5, 0.5, 0.5});
  const Array v = f32({1, 2, 4}, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0});
  for (double second : {-infinity, 1.0}) {
    std::vector<double> keys(4, -infinity);
    keys.insert(keys.end(), 4, second);
    std::vector<Tensor> inputs;
    inputs.push_back(q.toTensor("q"));
    inputs.push_back(f32({1, 2, 4}, keys).toTensor("k"));
    inputs.push_back(v.toTensor("v"));
    auto check = [&](const Result<std::vector<Tensor>> &outputs) {
      ASSERT_TRUE(outputs) << outputs.message();
      const std::vector<double> y = toDoubles(outputs->front());
      for (int64_t d = 0; d < 4; ++d) {
        const double expected = std::isinf(second) ? 0.0 : static_cast<double>(d + 5);
        EXPECT_EQ(y[d], expected);
        EXPECT_TRUE(std::isnan(y[4 + d]));
        EXPECT_EQ(y[8 + d], expected);
      }
    };
    check(runModule(*module, inputs, {}));
    check(interpretGraph(*graph, inputs, {}));
  }
}

} // namespace
} // namespace rlx::test
