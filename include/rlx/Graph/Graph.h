//===- Graph.h - Builds and reads graphs ------------------------*- C++ -*-===//
//
// The builder that models are written with. Every call checks its operands; the
// first error sticks, and calls after it do nothing, so a model is written without
// a check on every line:
//
//   Graph graph("linear");
//   Value x = graph.input("x", {DType::F32, {"batch", 4}});
//   Value w = graph.param("w", {DType::F32, {4, 2}});
//   Value b = graph.param("b", {DType::F32, {2}});
//   Value y = graph.fusedMatmulBiasAct(x, w, b, ActivationKind::Relu);
//   if (Status status = graph.setOutputs({{"y", y}}); !status)
//     return status;
//
// What the calls mean is in docs/spec.md, how to use them in docs/builder.md.
// No MLIR type appears here; GraphModule.h is the way to the IR for the compiler.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_GRAPH_GRAPH_H
#define RLX_GRAPH_GRAPH_H

#include "rlx/Graph/TensorType.h"
#include "rlx/Runtime/Status.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rlx {

/// A function of one element. The values are those of the dialect's attribute.
enum class ActivationKind {
  Relu,
  Gelu,     ///< with erf
  GeluTanh, ///< the tanh approximation
  Silu,
  Sigmoid,
  Tanh,
  Exp,
  Log,
  Sqrt,
  Rsqrt,
  Neg,
  Abs,
  Sin,
  Cos,
  Round ///< halves to even
};

/// A function of two elements.
enum class BinaryKind { Add, Sub, Mul, Div, Max, Min, Pow };

/// A relation of two elements.
enum class CompareKind { Eq, Ne, Lt, Le, Gt, Ge };

/// A reduction over axes.
enum class ReduceKind { Sum, Mean, Max, Min, Prod };

/// A half of the values of a PSA head.
enum class PsaSection { Lo, Hi };

/// The tensor that a node gives. A small handle into its graph, which outlives it;
/// invalid if the node was refused.
class Value {
public:
  /// No tensor.
  Value() = default;

  /// Whether there is a tensor.
  explicit operator bool() const { return value; }

  /// Its type, with dynamic dims unnamed. An invalid value has the type tensor<f32>.
  TensorType type() const;

private:
  friend class GraphBuilder;
  Value(const void *owner, void *value) : owner(owner), value(value) {}

  const void *owner = nullptr;
  void *value = nullptr;
};

/// Which keys a query attends to, for `Graph::attentionKind`.
class AttentionKind {
public:
  /// Every query sees every key.
  static AttentionKind none() { return {Tag::None, 0, {}}; }
  /// Query i sees the keys up to i, aligned at the end.
  static AttentionKind causal() { return {Tag::Causal, 0, {}}; }
  /// Query i sees the keys in [i - window, i].
  static AttentionKind slidingWindow(int64_t window) { return {Tag::SlidingWindow, window, {}}; }
  /// `bias` is added to the scaled scores. [B or 1, H or 1, Lq or 1, Lk] or [B, Lk].
  static AttentionKind bias(Value bias) { return {Tag::Bias, 0, bias}; }

private:
  friend class Graph;
  enum class Tag { None, Causal, SlidingWindow, Bias };
  AttentionKind(Tag tag, int64_t window, Value biasValue)
      : tag(tag), window(window), biasValue(biasValue) {}

  Tag tag;
  int64_t window;
  Value biasValue;
};

/// How `Graph::conv2d` moves its filter; pairs are height and width.
struct Conv2dOptions {
  std::array<int64_t, 2> stride = {1, 1};
  std::array<int64_t, 2> padding = {0, 0}; ///< zeros on both sides
  std::array<int64_t, 2> dilation = {1, 1};
  int64_t groups = 1;
};

/// What `Graph::psaFlashAttention` gives.
struct PsaFlashAttention {
  Value out; ///< [B, H, N, KD]
  Value lse; ///< the rows' log-sum-exp, [B, H, N]
};

/// One entry of what a custom op is configured with.
using CustomAttribute =
    std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, std::vector<double>>;

/// What a custom op is configured with, by unique names.
using CustomConfig = std::vector<std::pair<std::string, CustomAttribute>>;

class GraphBuilder;

/// A graph under construction, or a complete one. Movable; values stay valid.
///
/// Every node takes a name, which appears in diagnostics; a node without one is
/// known by its op and number, as in `matmul_3`.
class Graph {
public:
  /// An empty graph.
  explicit Graph(std::string name);
  ~Graph();
  Graph(Graph &&) noexcept;
  Graph &operator=(Graph &&) noexcept;

  /// Reads the one graph of MLIR assembly or bytecode in memory. `source` names it in errors.
  static Result<Graph> parse(std::string_view text, std::string_view source = "graph");

  /// Reads the one graph of a .mlir or .mlirbc file.
  static Result<Graph> load(const std::string &path);

  /// Success, or the first error.
  Status status() const;

  /// Whether the outputs are set and no error occurred.
  bool isComplete() const;

  std::string name() const;

  //===--- Leaves ---------------------------------------------------------===//

  /// A tensor that is given on every run. Names are unique.
  Value input(std::string_view name, const TensorType &type);

  /// A tensor that is bound once. The same name and type again is the same tensor.
  Value param(std::string_view name, const TensorType &type);

  /// A tensor with the given elements, as they lie in memory.
  Value constant(std::span<const std::byte> data, const TensorType &type,
                 std::string_view name = {});

  /// A tensor with the given elements; one element fills the whole tensor.
  template <typename T>
  Value constant(const std::vector<T> &data, std::vector<Dim> dims, std::string_view name = {}) {
    return constant(std::as_bytes(std::span(data)), {DTypeOf<T>::value, std::move(dims)}, name);
  }
  Value constant(const std::vector<bool> &data, std::vector<Dim> dims, std::string_view name = {}) {
    std::vector<uint8_t> bytes(data.begin(), data.end());
    return constant(std::as_bytes(std::span(bytes)), {DType::Bool, std::move(dims)}, name);
  }

  /// A tensor without dims. The value is rounded to the element type.
  Value scalar(double value, DType dtype, std::string_view name = {});

  //===--- Contractions and attention -------------------------------------===//

  Value matmul(Value x, Value w, std::string_view name = {});
  Value fusedMatmulBiasAct(Value x, Value w, Value bias,
                           std::optional<ActivationKind> act = std::nullopt,
                           std::string_view name = {});

  /// Attention with a custom mask: keys whose `mask` is >= 0.5, or true, are seen.
  Value attention(Value q, Value k, Value v, Value mask, int64_t numHeads, int64_t headDim,
                  std::string_view name = {});
  Value attentionKind(Value q, Value k, Value v, int64_t numHeads, int64_t headDim,
                      const AttentionKind &kind, std::string_view name = {});

  /// `bias` may be an invalid value, for none.
  Value conv2d(Value x, Value w, std::optional<Value> bias = std::nullopt,
               const Conv2dOptions &options = {}, std::string_view name = {});

  //===--- Norms, elementwise ops, reductions -----------------------------===//

  /// Normalizes the dims from `axis` on, together.
  Value layerNorm(Value x, Value gamma, Value beta, int64_t axis = -1, double epsilon = 1e-5,
                  std::string_view name = {});
  /// layerNorm(x + residual).
  Value fusedResidualLayerNorm(Value x, Value residual, Value gamma, Value beta, int64_t axis = -1,
                               double epsilon = 1e-5, std::string_view name = {});
  Value activation(ActivationKind kind, Value x, std::string_view name = {});
  Value binary(BinaryKind kind, Value lhs, Value rhs, std::string_view name = {});
  Value compare(CompareKind kind, Value lhs, Value rhs, std::string_view name = {});
  Value where(Value condition, Value lhs, Value rhs, std::string_view name = {});
  Value reduce(ReduceKind kind, Value x, const std::vector<int64_t> &axes, bool keepDims = false,
               std::string_view name = {});
  Value softmax(Value x, int64_t axis, std::string_view name = {});

  //===--- Shapes and types -----------------------------------------------===//

  /// One dynamic dim takes what the others leave; its name is not looked at.
  Value reshape(Value x, const std::vector<Dim> &dims, std::string_view name = {});
  /// Dim i of the result is dim `permutation[i]` of `x`.
  Value transpose(Value x, const std::vector<int64_t> &permutation, std::string_view name = {});
  Value narrow(Value x, int64_t axis, int64_t start, int64_t length, std::string_view name = {});
  Value concat(const std::vector<Value> &inputs, int64_t axis, std::string_view name = {});
  /// Broadcasts to `dims`; a dynamic one stands for a dynamic dim of `x`.
  Value expand(Value x, const std::vector<Dim> &dims, std::string_view name = {});
  Value gather(Value x, Value indices, int64_t axis, std::string_view name = {});
  Value cast(Value x, DType dtype, std::string_view name = {});

  //===--- Position-sensitive attention -----------------------------------===//

  Value psaPackQkv(Value qkv, int64_t numHeads, int64_t keyDim, std::string_view name = {});
  Value psaExtractV(Value qkv, int64_t numHeads, int64_t keyDim, std::string_view name = {});
  PsaFlashAttention psaFlashAttention(Value packed, PsaSection section, std::string_view name = {});
  Value psaMergeAttn(Value lo, Value hi, int64_t h, int64_t w, std::string_view name = {});
  /// Pack, attention over both halves, and merge as one op.
  Value psaAttention(Value qkv, int64_t numHeads, int64_t keyDim, std::string_view name = {});

  //===--- User-registered ops --------------------------------------------===//

  /// Calls the registered op `callee`; gives one value for each result type.
  std::vector<Value> custom(std::string_view callee, const std::vector<Value> &inputs,
                            const std::vector<TensorType> &resultTypes,
                            const CustomConfig &config = {}, std::string_view name = {});

  //===--- Outputs --------------------------------------------------------===//

  /// Names the outputs, fixes their order and completes the graph, which takes no
  /// more nodes. Returns the first error of the whole construction.
  Status setOutputs(const std::vector<std::pair<std::string, Value>> &outputs);

  //===--- Looking at a graph ---------------------------------------------===//

  std::vector<TensorSpec> inputs() const;
  /// The params in the order of their first use.
  std::vector<TensorSpec> params() const;
  /// The outputs; none before `setOutputs`.
  std::vector<TensorSpec> outputs() const;

  /// MLIR assembly of a complete graph.
  Result<std::string> print() const;

  /// Writes a complete graph: assembly to .mlir, bytecode to .mlirbc.
  Status save(const std::string &path) const;

private:
  friend struct GraphModule;
  explicit Graph(std::unique_ptr<GraphBuilder> builder);

  std::unique_ptr<GraphBuilder> builder;
};

} // namespace rlx

#endif // RLX_GRAPH_GRAPH_H
