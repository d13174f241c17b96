#include "Signature.h"

#include "Evaluators.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace rlx;
using namespace rlx::interp;

namespace {

/// Declared tensors in the runtime's form, which points into the other members.
class Declarations {
public:
  /// Adds a tensor whose dims are coded as in abi.h.
  void add(std::string name, mlir::ShapedType type, Shape dims) {
    names.push_back(std::make_unique<std::string>(std::move(name)));
    shapes.push_back(std::move(dims));
    infos.push_back({names.back()->c_str(), static_cast<uint32_t>(elementTypeOf(type)),
                     static_cast<uint32_t>(type.getRank()), shapes.back().data()});
  }

  /// The tensors, in order; valid as long as this object.
  std::span<const rlx_tensor_info> get() const { return infos; }

private:
  std::vector<std::unique_ptr<std::string>> names;
  std::vector<Shape> shapes; // moving a vector keeps its elements in place
  std::vector<rlx_tensor_info> infos;
};

/// The inputs of a graph, and the names of its dynamic dims.
struct Inputs {
  Declarations declarations;
  std::vector<std::string> symbols;
};

Inputs inputsOf(ir::GraphOp graph) {
  Inputs inputs;
  llvm::StringMap<int64_t> symbolOf;
  for (auto [i, name] : llvm::enumerate(graph.inputNames())) {
    auto type = mlir::cast<mlir::ShapedType>(graph.getArgumentTypes()[i]);
    auto names = graph.getArgAttrOfType<mlir::ArrayAttr>(i, ir::RlxDialect::kDimsAttr);
    Shape dims(type.getShape().begin(), type.getShape().end());
    for (auto [axis, dim] : llvm::enumerate(dims)) {
      if (!mlir::ShapedType::isDynamic(dim))
        continue;
      std::string symbol =
          names ? mlir::cast<mlir::StringAttr>(names[axis]).getValue().str() : std::string();
      if (symbol.empty())
        symbol = name + "." + std::to_string(axis);
      auto [it, inserted] = symbolOf.try_emplace(symbol, inputs.symbols.size());
      if (inserted)
        inputs.symbols.push_back(symbol);
      dim = -1 - it->second;
    }
    inputs.declarations.add(name, type, std::move(dims));
  }
  return inputs;
}

Declarations paramsOf(ir::GraphOp graph) {
  llvm::MapVector<mlir::StringRef, mlir::ShapedType> types;
  graph.walk([&](ir::ParamOp param) { types.insert({param.getName(), param.getType()}); });
  Declarations params;
  for (auto [name, type] : types)
    params.add(name.str(), type, Shape(type.getShape().begin(), type.getShape().end()));
  return params;
}

/// Finds tensors by name; `matched` is only valid if nothing was added to `mismatches`.
std::vector<const rlx_tensor *> match(std::string_view kind, const Declarations &declared,
                                      std::span<const TensorView> found, MismatchList &mismatches) {
  std::vector<const rlx_tensor *> matched(declared.get().size());
  std::vector<rlx_tensor> tensors(found.begin(), found.end());
  matchTensors(kind, declared.get(), tensors, matched, mismatches);
  // Give the caller's tensors, not those of the copy.
  for (const rlx_tensor *&tensor : matched)
    tensor = tensor ? &found[tensor - tensors.data()] : nullptr;
  return matched;
}

/// Gives equal sizes to dims of equal names, or adds a mismatch.
void checkSymbols(const Inputs &inputs, std::span<const rlx_tensor *const> matched,
                  MismatchList &mismatches) {
  std::vector<const int64_t *> shapes;
  std::vector<const char *> names;
  for (const rlx_tensor *tensor : matched)
    shapes.push_back(tensor->dims);
  for (const std::string &symbol : inputs.symbols)
    names.push_back(symbol.c_str());
  std::vector<int64_t> sizes(names.size());
  resolveSymbols(inputs.declarations.get(), shapes, names, sizes, mismatches);
}

} // namespace

Result<Bindings> interp::bindTensors(ir::GraphOp graph, std::span<const TensorView> inputs,
                                     std::span<const TensorView> params) {
  const Inputs declaredInputs = inputsOf(graph);
  const Declarations declaredParams = paramsOf(graph);
  MismatchList mismatches;
  std::vector<const rlx_tensor *> matchedParams =
      match("param", declaredParams, params, mismatches);
  std::vector<const rlx_tensor *> matchedInputs =
      match("input", declaredInputs.declarations, inputs, mismatches);
  if (mismatches.empty())
    checkSymbols(declaredInputs, matchedInputs, mismatches);
  if (Status status = mismatches.status(); !status)
    return status;

  Bindings bindings;
  for (const rlx_tensor *tensor : matchedInputs)
    bindings.inputs.push_back(Array(TensorView(*tensor)));
  for (const rlx_tensor *tensor : matchedParams)
    bindings.params.emplace(tensor->name, Array(TensorView(*tensor)));
  return bindings;
}
