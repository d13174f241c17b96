//===- GraphSignature.cpp - What a graph takes and gives ------------------===//

#include "dialects/rlx/GraphSignature.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace rlx::ir {

namespace {

/// Numbers the names of dynamic dims.
class SymbolTableBuilder {
public:
  explicit SymbolTableBuilder(SmallVectorImpl<std::string> &symbols) : symbols(symbols) {}

  unsigned indexOf(const std::string &name) {
    auto [it, inserted] = indices.try_emplace(name, symbols.size());
    if (inserted)
      symbols.push_back(name);
    return it->second;
  }

private:
  SmallVectorImpl<std::string> &symbols;
  llvm::StringMap<unsigned> indices;
};

} // namespace

/// The name that `rlx.dims` gives a dynamic dim, or `<input>.<dim>`.
static std::string dimName(GraphOp graph, unsigned argument, StringRef input, unsigned dim) {
  auto names = graph.getArgAttrOfType<ArrayAttr>(argument, RlxDialect::kDimsAttr);
  StringRef name = names ? cast<StringAttr>(names[dim]).getValue() : StringRef();
  return name.empty() ? (input + "." + Twine(dim)).str() : name.str();
}

GraphSignature GraphSignature::of(GraphOp graph) {
  GraphSignature signature;
  signature.name = graph.getSymName().str();
  SymbolTableBuilder symbols(signature.symbols);
  SmallVector<std::string> inputNames = graph.inputNames();
  for (auto [i, name] : llvm::enumerate(inputNames)) {
    auto type = cast<RankedTensorType>(graph.getArgumentTypes()[i]);
    SmallVector<SignatureDim> dims;
    for (auto [d, size] : llvm::enumerate(type.getShape()))
      dims.push_back(ShapedType::isDynamic(size)
                         ? SignatureDim::dynamic(symbols.indexOf(dimName(graph, i, name, d)))
                         : SignatureDim::fixed(size));
    signature.inputs.push_back({name, type, std::move(dims)});
  }

  llvm::StringSet<> seen;
  graph.getBody().walk([&](ParamOp param) {
    if (seen.insert(param.getName()).second)
      signature.params.push_back({param.getName().str(), param.getType()});
  });

  SmallVector<std::string> outputNames = graph.outputNames();
  for (auto [name, type] : llvm::zip_equal(outputNames, graph.getResultTypes()))
    signature.outputs.push_back({name, cast<RankedTensorType>(type)});
  return signature;
}

} // namespace rlx::ir
