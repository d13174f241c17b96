//===- Signature.cpp - the interface of a module being compiled -----------===//

#include "rlx/Codegen/Signature.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace rlx {

static ArrayAttr toAttr(Builder &builder, ArrayRef<TensorSignature> tensors) {
  SmallVector<Attribute> attrs;
  for (const TensorSignature &tensor : tensors)
    attrs.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("name", builder.getStringAttr(tensor.name)),
         builder.getNamedAttr("type", TypeAttr::get(tensor.elementType)),
         builder.getNamedAttr("dims", builder.getDenseI64ArrayAttr(tensor.dims))}));
  return builder.getArrayAttr(attrs);
}

DictionaryAttr ModuleSignature::toAttr(MLIRContext *context) const {
  Builder builder(context);
  SmallVector<StringRef> symbolRefs(symbols.begin(), symbols.end());
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("name", builder.getStringAttr(name)),
       builder.getNamedAttr("symbols", builder.getStrArrayAttr(symbolRefs)),
       builder.getNamedAttr("inputs", rlx::toAttr(builder, inputs)),
       builder.getNamedAttr("params", rlx::toAttr(builder, params)),
       builder.getNamedAttr("outputs", rlx::toAttr(builder, outputs))});
}

static LogicalResult read(DictionaryAttr signature, StringRef key,
                          SmallVectorImpl<TensorSignature> &tensors) {
  auto list = signature.getAs<ArrayAttr>(key);
  if (!list)
    return failure();
  for (Attribute attr : list) {
    auto entry = dyn_cast<DictionaryAttr>(attr);
    if (!entry)
      return failure();
    auto name = entry.getAs<StringAttr>("name");
    auto type = entry.getAs<TypeAttr>("type");
    auto dims = entry.getAs<DenseI64ArrayAttr>("dims");
    if (!name || !type || !dims)
      return failure();
    tensors.push_back({name.str(), type.getValue(), SmallVector<int64_t>(dims.asArrayRef())});
  }
  return success();
}

FailureOr<ModuleSignature> ModuleSignature::get(ModuleOp module) {
  auto malformed = [&] {
    return module.emitError("module attribute '")
           << hostabi::kSignature << "': expected the module's name, symbols, inputs, params and "
           << "outputs";
  };
  auto attr = module->getAttrOfType<DictionaryAttr>(hostabi::kSignature);
  if (!attr)
    return malformed();
  ModuleSignature result;
  auto name = attr.getAs<StringAttr>("name");
  auto symbols = attr.getAs<ArrayAttr>("symbols");
  if (!name || !symbols || failed(read(attr, "inputs", result.inputs)) ||
      failed(read(attr, "params", result.params)) || failed(read(attr, "outputs", result.outputs)))
    return malformed();
  result.name = name.str();
  for (Attribute symbol : symbols) {
    auto symbolName = dyn_cast<StringAttr>(symbol);
    if (!symbolName)
      return malformed();
    result.symbols.push_back(symbolName.str());
  }
  return result;
}

} // namespace rlx
