//===- GraphOps.cpp - One builder call for each op ------------------------===//
//
// Each call puts its arguments into the op's properties; GraphBuilder infers,
// checks and reports.
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "rlx/Graph/Graph.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace rlx {

// The public enums are the dialect's, value for value.
static_assert(static_cast<int>(ActivationKind::Round) ==
              static_cast<int>(ir::ActivationKind::Round));
static_assert(static_cast<int>(BinaryKind::Pow) == static_cast<int>(ir::BinaryKind::Pow));
static_assert(static_cast<int>(CompareKind::Ge) == static_cast<int>(ir::CompareKind::Ge));
static_assert(static_cast<int>(ReduceKind::Prod) == static_cast<int>(ir::ReduceKind::Prod));
static_assert(static_cast<int>(PsaSection::Hi) == static_cast<int>(ir::PsaSection::Hi));

static StringRef toRef(std::string_view text) { return {text.data(), text.size()}; }

/// Makes attributes in a graph's context.
class Attributes : public Builder {
public:
  explicit Attributes(const std::unique_ptr<GraphBuilder> &builder)
      : Builder(builder->getContext()) {}

  /// The dialect's attribute for a public enum.
  template <typename AttrTy, typename EnumTy> AttrTy get(EnumTy kind) {
    using Kind = decltype(std::declval<AttrTy>().getValue());
    return AttrTy::get(getContext(), static_cast<Kind>(kind));
  }
};

/// Operands named `inputs[0]`, `inputs[1]`, ...
struct InputList {
  explicit InputList(const std::vector<Value> &inputs) {
    names.reserve(inputs.size());
    for (auto [index, value] : llvm::enumerate(inputs)) {
      names.push_back("inputs[" + std::to_string(index) + "]");
      operands.push_back({names.back(), value});
    }
  }

  SmallVector<std::string> names;
  SmallVector<GraphBuilder::Operand> operands;
};

//===----------------------------------------------------------------------===//
// Contractions and attention
//===----------------------------------------------------------------------===//

Value Graph::matmul(Value x, Value w, std::string_view name) {
  return builder->infer<ir::MatmulOp>(name, {{"x", x}, {"w", w}}).front();
}

Value Graph::fusedMatmulBiasAct(Value x, Value w, Value bias, std::optional<ActivationKind> act,
                                std::string_view name) {
  Attributes attrs(builder);
  ir::FusedMatmulBiasActOp::Properties properties;
  if (act)
    properties.setAct(attrs.get<ir::ActivationKindAttr>(*act));
  return builder
      ->infer<ir::FusedMatmulBiasActOp>(name, {{"x", x}, {"w", w}, {"bias", bias}}, properties)
      .front();
}

Value Graph::attention(Value q, Value k, Value v, Value mask, int64_t numHeads, int64_t headDim,
                       std::string_view name) {
  Attributes attrs(builder);
  ir::AttentionOp::Properties properties;
  properties.setNumHeads(attrs.getI64IntegerAttr(numHeads));
  properties.setHeadDim(attrs.getI64IntegerAttr(headDim));
  properties.setMaskKind(attrs.get<ir::MaskKindAttr>(ir::MaskKind::Custom));
  properties.setSharing(attrs.get<ir::HeadSharingAttr>(ir::HeadSharing::None));
  properties.setOperandSegmentSizes({1, 1, 1, 1, 0});
  return builder
      ->infer<ir::AttentionOp>(name, {{"q", q}, {"k", k}, {"v", v}, {"mask", mask}}, properties)
      .front();
}

Value Graph::attentionKind(Value q, Value k, Value v, int64_t numHeads, int64_t headDim,
                           const AttentionKind &kind, std::string_view name) {
  Attributes attrs(builder);
  ir::AttentionOp::Properties properties;
  properties.setNumHeads(attrs.getI64IntegerAttr(numHeads));
  properties.setHeadDim(attrs.getI64IntegerAttr(headDim));
  SmallVector<GraphBuilder::Operand, 4> operands{{"q", q}, {"k", k}, {"v", v}};
  ir::MaskKind maskKind = ir::MaskKind::None;
  switch (kind.tag) {
  case AttentionKind::Tag::None:
    break;
  case AttentionKind::Tag::Causal:
    maskKind = ir::MaskKind::Causal;
    break;
  case AttentionKind::Tag::SlidingWindow:
    maskKind = ir::MaskKind::SlidingWindow;
    properties.setWindow(attrs.getI64IntegerAttr(kind.window));
    break;
  case AttentionKind::Tag::Bias:
    maskKind = ir::MaskKind::Bias;
    operands.push_back({"bias", kind.biasValue});
    break;
  }
  properties.setMaskKind(attrs.get<ir::MaskKindAttr>(maskKind));
  properties.setSharing(attrs.get<ir::HeadSharingAttr>(ir::HeadSharing::None));
  properties.setOperandSegmentSizes({1, 1, 1, operands.size() > 3 ? 1 : 0, 0});
  return builder->infer<ir::AttentionOp>(name, operands, properties).front();
}

Value Graph::conv2d(Value x, Value w, std::optional<Value> bias, const Conv2dOptions &options,
                    std::string_view name) {
  Attributes attrs(builder);
  ir::Conv2dOp::Properties properties;
  properties.setStride(attrs.getDenseI64ArrayAttr(options.stride));
  properties.setPadding(attrs.getDenseI64ArrayAttr(options.padding));
  properties.setDilation(attrs.getDenseI64ArrayAttr(options.dilation));
  properties.setGroups(attrs.getI64IntegerAttr(options.groups));
  SmallVector<GraphBuilder::Operand, 3> operands{{"x", x}, {"w", w}};
  if (bias)
    operands.push_back({"bias", *bias});
  return builder->infer<ir::Conv2dOp>(name, operands, properties).front();
}

//===----------------------------------------------------------------------===//
// Norms, elementwise ops, reductions
//===----------------------------------------------------------------------===//

Value Graph::layerNorm(Value x, Value gamma, Value beta, int64_t axis, double epsilon,
                       std::string_view name) {
  Attributes attrs(builder);
  ir::LayerNormOp::Properties properties;
  properties.setAxis(attrs.getI64IntegerAttr(axis));
  properties.setEpsilon(attrs.getF64FloatAttr(epsilon));
  return builder
      ->infer<ir::LayerNormOp>(name, {{"x", x}, {"gamma", gamma}, {"beta", beta}}, properties)
      .front();
}

Value Graph::fusedResidualLayerNorm(Value x, Value residual, Value gamma, Value beta, int64_t axis,
                                    double epsilon, std::string_view name) {
  Attributes attrs(builder);
  ir::FusedResidualLayerNormOp::Properties properties;
  properties.setAxis(attrs.getI64IntegerAttr(axis));
  properties.setEpsilon(attrs.getF64FloatAttr(epsilon));
  return builder
      ->infer<ir::FusedResidualLayerNormOp>(
          name, {{"x", x}, {"residual", residual}, {"gamma", gamma}, {"beta", beta}}, properties)
      .front();
}

Value Graph::activation(ActivationKind kind, Value x, std::string_view name) {
  Attributes attrs(builder);
  ir::ActivationOp::Properties properties;
  properties.setKind(attrs.get<ir::ActivationKindAttr>(kind));
  return builder->infer<ir::ActivationOp>(name, {{"x", x}}, properties).front();
}

Value Graph::binary(BinaryKind kind, Value lhs, Value rhs, std::string_view name) {
  Attributes attrs(builder);
  ir::BinaryOp::Properties properties;
  properties.setKind(attrs.get<ir::BinaryKindAttr>(kind));
  return builder->infer<ir::BinaryOp>(name, {{"lhs", lhs}, {"rhs", rhs}}, properties).front();
}

Value Graph::compare(CompareKind kind, Value lhs, Value rhs, std::string_view name) {
  Attributes attrs(builder);
  ir::CompareOp::Properties properties;
  properties.setKind(attrs.get<ir::CompareKindAttr>(kind));
  return builder->infer<ir::CompareOp>(name, {{"lhs", lhs}, {"rhs", rhs}}, properties).front();
}

Value Graph::where(Value condition, Value lhs, Value rhs, std::string_view name) {
  return builder->infer<ir::WhereOp>(name, {{"condition", condition}, {"lhs", lhs}, {"rhs", rhs}})
      .front();
}

Value Graph::reduce(ReduceKind kind, Value x, const std::vector<int64_t> &axes, bool keepDims,
                    std::string_view name) {
  Attributes attrs(builder);
  ir::ReduceOp::Properties properties;
  properties.setKind(attrs.get<ir::ReduceKindAttr>(kind));
  properties.setAxes(attrs.getDenseI64ArrayAttr(axes));
  if (keepDims)
    properties.setKeepDims(attrs.getUnitAttr());
  return builder->infer<ir::ReduceOp>(name, {{"x", x}}, properties).front();
}

Value Graph::softmax(Value x, int64_t axis, std::string_view name) {
  Attributes attrs(builder);
  ir::SoftmaxOp::Properties properties;
  properties.setAxis(attrs.getI64IntegerAttr(axis));
  return builder->infer<ir::SoftmaxOp>(name, {{"x", x}}, properties).front();
}

//===----------------------------------------------------------------------===//
// Shapes and types
//===----------------------------------------------------------------------===//

/// The element type of a valid value; any, for an invalid one, which is refused later.
static DType elementTypeOf(Value value) { return value.type().dtype; }

/// Computes the one dynamic dim of a reshape of a static tensor; fails if there is no
/// such size.
static bool completeReshape(const TensorType &source, TensorType &result) {
  Dim *open = nullptr;
  int64_t known = 1, total = 1;
  for (const Dim &dim : source.dims) {
    if (dim.isDynamic())
      return true;
    total *= dim.size();
  }
  for (Dim &dim : result.dims) {
    if (!dim.isDynamic())
      known *= dim.size();
    else if (open)
      return true;
    else
      open = &dim;
  }
  if (!open)
    return true;
  if (known <= 0 || total % known != 0)
    return false;
  *open = total / known;
  return true;
}

Value Graph::reshape(Value x, const std::vector<Dim> &dims, std::string_view name) {
  std::string label = builder->label("reshape", name);
  TensorType result{elementTypeOf(x), dims};
  RankedTensorType tensor = builder->toTensorType(result, label);
  if (!tensor)
    return {};
  if (x && !completeReshape(x.type(), result)) {
    builder->fail(label + ": expected dims for the elements of " + x.type().str() + ", found " +
                  result.str());
    return {};
  }
  return builder->create<ir::ReshapeOp>(name, {{"x", x}}, builder->toTensorType(result, label))
      .front();
}

Value Graph::transpose(Value x, const std::vector<int64_t> &permutation, std::string_view name) {
  Attributes attrs(builder);
  ir::TransposeOp::Properties properties;
  properties.setPermutation(attrs.getDenseI64ArrayAttr(permutation));
  return builder->infer<ir::TransposeOp>(name, {{"x", x}}, properties).front();
}

Value Graph::narrow(Value x, int64_t axis, int64_t start, int64_t length, std::string_view name) {
  Attributes attrs(builder);
  ir::NarrowOp::Properties properties;
  properties.setAxis(attrs.getI64IntegerAttr(axis));
  properties.setStart(attrs.getI64IntegerAttr(start));
  properties.setLength(attrs.getI64IntegerAttr(length));
  return builder->infer<ir::NarrowOp>(name, {{"x", x}}, properties).front();
}

Value Graph::concat(const std::vector<Value> &inputs, int64_t axis, std::string_view name) {
  Attributes attrs(builder);
  ir::ConcatOp::Properties properties;
  properties.setAxis(attrs.getI64IntegerAttr(axis));
  return builder->infer<ir::ConcatOp>(name, InputList(inputs).operands, properties).front();
}

Value Graph::expand(Value x, const std::vector<Dim> &dims, std::string_view name) {
  RankedTensorType tensor =
      builder->toTensorType({elementTypeOf(x), dims}, builder->label("expand", name));
  if (!tensor)
    return {};
  return builder->create<ir::ExpandOp>(name, {{"x", x}}, tensor).front();
}

Value Graph::gather(Value x, Value indices, int64_t axis, std::string_view name) {
  Attributes attrs(builder);
  ir::GatherOp::Properties properties;
  properties.setAxis(attrs.getI64IntegerAttr(axis));
  return builder->infer<ir::GatherOp>(name, {{"x", x}, {"indices", indices}}, properties).front();
}

Value Graph::cast(Value x, DType dtype, std::string_view name) {
  TensorType result = x.type();
  result.dtype = dtype;
  RankedTensorType tensor = builder->toTensorType(result, builder->label("cast", name));
  return builder->create<ir::CastOp>(name, {{"x", x}}, tensor).front();
}

//===----------------------------------------------------------------------===//
// Position-sensitive attention
//===----------------------------------------------------------------------===//

template <typename OpTy>
static Value addPsaImageOp(const std::unique_ptr<GraphBuilder> &builder, Value qkv,
                           int64_t numHeads, int64_t keyDim, std::string_view name) {
  Attributes attrs(builder);
  typename OpTy::Properties properties;
  properties.setNumHeads(attrs.getI64IntegerAttr(numHeads));
  properties.setKeyDim(attrs.getI64IntegerAttr(keyDim));
  return builder->infer<OpTy>(name, {{"qkv", qkv}}, properties).front();
}

Value Graph::psaPackQkv(Value qkv, int64_t numHeads, int64_t keyDim, std::string_view name) {
  return addPsaImageOp<ir::PsaPackQkvOp>(builder, qkv, numHeads, keyDim, name);
}

Value Graph::psaExtractV(Value qkv, int64_t numHeads, int64_t keyDim, std::string_view name) {
  return addPsaImageOp<ir::PsaExtractVOp>(builder, qkv, numHeads, keyDim, name);
}

PsaFlashAttention Graph::psaFlashAttention(Value packed, PsaSection section,
                                           std::string_view name) {
  Attributes attrs(builder);
  ir::PsaFlashAttentionOp::Properties properties;
  properties.setSection(attrs.get<ir::PsaSectionAttr>(section));
  GraphBuilder::Values results = builder->infer<ir::PsaFlashAttentionOp>(
      name, {{"packed", packed}}, properties, /*numResults=*/2);
  return {results[0], results[1]};
}

Value Graph::psaMergeAttn(Value lo, Value hi, int64_t h, int64_t w, std::string_view name) {
  Attributes attrs(builder);
  ir::PsaMergeAttnOp::Properties properties;
  properties.setH(attrs.getI64IntegerAttr(h));
  properties.setW(attrs.getI64IntegerAttr(w));
  return builder->infer<ir::PsaMergeAttnOp>(name, {{"lo", lo}, {"hi", hi}}, properties).front();
}

Value Graph::psaAttention(Value qkv, int64_t numHeads, int64_t keyDim, std::string_view name) {
  return addPsaImageOp<ir::PsaAttentionOp>(builder, qkv, numHeads, keyDim, name);
}

//===----------------------------------------------------------------------===//
// User-registered ops
//===----------------------------------------------------------------------===//

static Attribute toAttribute(Builder &attrs, const CustomAttribute &value) {
  struct Visitor {
    Builder &attrs;
    Attribute operator()(bool flag) { return attrs.getBoolAttr(flag); }
    Attribute operator()(int64_t number) { return attrs.getI64IntegerAttr(number); }
    Attribute operator()(double number) { return attrs.getF64FloatAttr(number); }
    Attribute operator()(const std::string &text) { return attrs.getStringAttr(text); }
    Attribute operator()(const std::vector<int64_t> &list) {
      return attrs.getDenseI64ArrayAttr(list);
    }
    Attribute operator()(const std::vector<double> &list) {
      return attrs.getDenseF64ArrayAttr(list);
    }
  };
  return std::visit(Visitor{attrs}, value);
}

std::vector<Value> Graph::custom(std::string_view callee, const std::vector<Value> &inputs,
                                 const std::vector<TensorType> &resultTypes,
                                 const CustomConfig &config, std::string_view name) {
  std::string label = "custom '" + std::string(callee) + "'";
  std::vector<Value> refused(resultTypes.size());
  Attributes attrs(builder);
  NamedAttrList entries;
  for (const auto &[key, value] : config) {
    if (key.empty() || entries.get(key)) {
      builder->fail(label + ": expected config names that are not empty and unique, found '" + key +
                    "'");
      return refused;
    }
    entries.set(key, toAttribute(attrs, value));
  }
  SmallVector<mlir::Type> types;
  for (auto [index, type] : llvm::enumerate(resultTypes)) {
    types.push_back(builder->toTensorType(type, label + ": result " + std::to_string(index)));
    if (!types.back())
      return refused;
  }

  ir::CustomOp::Properties properties;
  properties.setCallee(attrs.getStringAttr(toRef(callee)));
  properties.setConfig(entries.getDictionary(attrs.getContext()));
  GraphBuilder::Values results =
      builder->create<ir::CustomOp>(name, InputList(inputs).operands, types, properties);
  return {results.begin(), results.end()};
}

} // namespace rlx
