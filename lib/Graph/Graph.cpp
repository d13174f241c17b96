//===- Graph.cpp - Leaves, outputs and queries of a graph -----------------===//

#include "rlx/Graph/Graph.h"

#include "GraphBuilder.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>

using namespace mlir;

namespace rlx {

static StringRef toRef(std::string_view text) { return {text.data(), text.size()}; }

TensorType Value::type() const {
  if (!value)
    return {};
  return fromTensorType(GraphBuilder::unwrap(*this).getType());
}

Graph::Graph(std::string name) : builder(std::make_unique<GraphBuilder>(name)) {}
Graph::Graph(std::unique_ptr<GraphBuilder> builder) : builder(std::move(builder)) {}
Graph::~Graph() = default;
Graph::Graph(Graph &&) noexcept = default;
Graph &Graph::operator=(Graph &&) noexcept = default;

Status Graph::status() const { return builder->status; }
bool Graph::isComplete() const { return builder->complete && builder->status.ok(); }
std::string Graph::name() const { return builder->graph.getSymName().str(); }

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

/// The names of the dims, or null if none is named.
static ArrayAttr getDimNames(Builder &builder, const TensorType &type) {
  SmallVector<StringRef> names;
  for (const Dim &dim : type.dims)
    names.push_back(dim.name());
  if (llvm::all_of(names, [](StringRef name) { return name.empty(); }))
    return {};
  return builder.getStrArrayAttr(names);
}

Value Graph::input(std::string_view name, const TensorType &type) {
  if (!builder->isOpen())
    return {};
  std::string label = "input '" + std::string(name) + "'";
  if (name.empty() || builder->inputs.contains(toRef(name))) {
    builder->fail(label + ": expected a name that is not empty and not taken");
    return {};
  }
  RankedTensorType tensor = builder->toTensorType(type, label);
  if (!tensor)
    return {};

  Builder attributes(builder->getContext());
  SmallVector<NamedAttribute> attrs{
      {attributes.getStringAttr(ir::RlxDialect::kNameAttr), attributes.getStringAttr(toRef(name))}};
  if (ArrayAttr dims = getDimNames(attributes, type))
    attrs.emplace_back(attributes.getStringAttr(ir::RlxDialect::kDimsAttr), dims);
  ir::GraphOp graph = builder->graph;
  Location loc = NameLoc::get(attributes.getStringAttr(toRef(name)));
  LogicalResult inserted = graph.insertArgument(graph.getNumArguments(), tensor,
                                                attributes.getDictionaryAttr(attrs), loc);
  assert(succeeded(inserted) && "a graph takes any argument");
  (void)inserted;
  mlir::Value argument = graph.getBody().front().getArguments().back();
  builder->inputs[toRef(name)] = argument;
  return builder->wrap(argument);
}

Value Graph::param(std::string_view name, const TensorType &type) {
  if (!builder->isOpen())
    return {};
  std::string label = "param '" + std::string(name) + "'";
  if (name.empty()) {
    builder->fail(label + ": expected a name that is not empty");
    return {};
  }
  RankedTensorType tensor = builder->toTensorType(type, label);
  if (!tensor)
    return {};
  if (!tensor.hasStaticShape()) {
    builder->fail(label + ": expected a static type, found " + type.str());
    return {};
  }
  if (mlir::Value known = builder->params.lookup(toRef(name))) {
    if (known.getType() == tensor)
      return builder->wrap(known);
    builder->fail(label + ": expected " + fromTensorType(known.getType()).str() +
                  " as before, found " + type.str());
    return {};
  }
  ir::ParamOp::Properties properties;
  properties.setName(StringAttr::get(builder->getContext(), toRef(name)));
  Value value = builder->create<ir::ParamOp>(name, {}, tensor, properties).front();
  if (value)
    builder->params[toRef(name)] = GraphBuilder::unwrap(value);
  return value;
}

Value Graph::constant(std::span<const std::byte> data, const TensorType &type,
                      std::string_view name) {
  if (!builder->isOpen())
    return {};
  std::string label = "constant '" + std::string(name) + "'";
  RankedTensorType tensor = builder->toTensorType(type, label);
  if (!tensor)
    return {};
  if (!tensor.hasStaticShape()) {
    builder->fail(label + ": expected a static type, found " + type.str());
    return {};
  }
  size_t elementBytes = sizeOf(type.dtype);
  size_t numElements = tensor.getNumElements();
  if (data.size() != elementBytes && data.size() != numElements * elementBytes) {
    builder->fail(label + ": expected " + std::to_string(numElements * elementBytes) +
                  " bytes for " + type.str() + ", found " + std::to_string(data.size()));
    return {};
  }

  DenseElementsAttr value;
  if (type.dtype == DType::Bool) {
    // A boolean is a byte here and a bit in the attribute.
    SmallVector<bool> flags;
    for (std::byte byte : data)
      flags.push_back(byte != std::byte{0});
    value = DenseElementsAttr::get(tensor, flags);
  } else {
    ArrayRef<char> bytes(reinterpret_cast<const char *>(data.data()), data.size());
    value = DenseElementsAttr::getFromRawBuffer(tensor, bytes);
  }
  ir::ConstantOp::Properties properties;
  properties.setValue(value);
  return builder->infer<ir::ConstantOp>(name, {}, properties).front();
}

Value Graph::scalar(double value, DType dtype, std::string_view name) {
  if (!builder->isOpen())
    return {};
  mlir::Type element = toElementType(builder->getContext(), dtype);
  auto tensor = RankedTensorType::get({}, element);
  TypedAttr attr;
  if (auto floating = dyn_cast<FloatType>(element)) {
    attr = FloatAttr::get(floating, value);
  } else if (dtype == DType::Bool) {
    attr = IntegerAttr::get(element, value != 0);
  } else {
    double limit = std::ldexp(1.0, static_cast<int>(element.getIntOrFloatBitWidth()) - 1);
    if (!(value >= -limit && value < limit && value == std::trunc(value))) {
      builder->fail("constant '" + std::string(name) + "': expected a value of type " +
                    std::string(nameOf(dtype)) + ", found " + std::to_string(value));
      return {};
    }
    attr = IntegerAttr::get(element, static_cast<int64_t>(value));
  }
  ir::ConstantOp::Properties properties;
  properties.setValue(DenseElementsAttr::get(tensor, ArrayRef<Attribute>(attr)));
  return builder->infer<ir::ConstantOp>(name, {}, properties).front();
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

Status Graph::setOutputs(const std::vector<std::pair<std::string, Value>> &outputs) {
  if (!builder->isOpen())
    return builder->status;

  MLIRContext *context = builder->getContext();
  OpBuilder ops = OpBuilder::atBlockEnd(&builder->graph.getBody().front());
  llvm::StringSet<> names;
  SmallVector<mlir::Value> values;
  SmallVector<Attribute> resultAttrs;
  for (const auto &[name, value] : outputs) {
    std::string label = "output '" + name + "'";
    if (name.empty() || !names.insert(name).second) {
      builder->fail(label + ": expected a name that is not empty and not taken");
      return builder->status;
    }
    if (!builder->checkOperands(label, {{"value", value}}))
      return builder->status;
    values.push_back(GraphBuilder::unwrap(value));
    resultAttrs.push_back(ops.getDictionaryAttr(
        ops.getNamedAttr(ir::RlxDialect::kNameAttr, ops.getStringAttr(name))));
  }
  if (values.empty()) {
    builder->fail("graph '" + name() + "': expected one output or more, found none");
    return builder->status;
  }

  ir::GraphOp graph = builder->graph;
  ir::OutputOp::create(ops, graph.getLoc(), values);
  graph.setFunctionType(
      FunctionType::get(context, graph.getArgumentTypes(), TypeRange(ValueRange(values))));
  graph.setResAttrsAttr(ops.getArrayAttr(resultAttrs));
  builder->complete = true;

  DiagnosticCollector errors(context);
  if (failed(verify(*builder->module)))
    builder->fail("graph '" + name() + "': " + errors.text());
  return builder->status;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

std::vector<TensorSpec> Graph::inputs() const {
  ir::GraphOp graph = builder->graph;
  std::vector<TensorSpec> specs;
  for (auto [index, name] : llvm::enumerate(graph.inputNames()))
    specs.push_back({name, fromTensorType(graph.getArgumentTypes()[index],
                                          graph.getArgAttrOfType<ArrayAttr>(
                                              index, ir::RlxDialect::kDimsAttr))});
  return specs;
}

std::vector<TensorSpec> Graph::params() const {
  std::vector<TensorSpec> specs;
  llvm::StringSet<> seen;
  builder->graph.walk([&](ir::ParamOp param) {
    if (seen.insert(param.getName()).second)
      specs.push_back({param.getName().str(), fromTensorType(param.getType())});
  });
  return specs;
}

std::vector<TensorSpec> Graph::outputs() const {
  ir::GraphOp graph = builder->graph;
  std::vector<TensorSpec> specs;
  for (auto [index, name] : llvm::enumerate(graph.outputNames()))
    specs.push_back({name, fromTensorType(graph.getResultTypes()[index])});
  return specs;
}

} // namespace rlx
