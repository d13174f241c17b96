//===- RlxGraphOps.cpp - Graphs, their leaves and their end ---------------===//

#include "dialects/rlx/RlxInference.h"

#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace rlx::ir {

//===----------------------------------------------------------------------===//
// GraphOp
//===----------------------------------------------------------------------===//

void GraphOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type,
                    ArrayRef<DictionaryAttr> argAttrs, ArrayRef<DictionaryAttr> resAttrs) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.function_type = TypeAttr::get(type);
  Block &body = state.addRegion()->emplaceBlock();
  for (Type input : type.getInputs())
    body.addArgument(input, state.location);
  call_interface_impl::addArgAndResultAttrs(builder, state, argAttrs, resAttrs,
                                            getArgAttrsAttrName(state.name),
                                            getResAttrsAttrName(state.name));
}

ParseResult GraphOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(inputs, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void GraphOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

OutputOp GraphOp::output() { return cast<OutputOp>(getBody().front().getTerminator()); }

/// The name in an argument's or result's attributes, or `<prefix><index>`.
static std::string nameOrDefault(StringAttr name, StringRef prefix, unsigned index) {
  return name ? name.str() : (prefix + Twine(index)).str();
}

SmallVector<std::string> GraphOp::inputNames() {
  SmallVector<std::string> names;
  for (unsigned i = 0, e = getNumArguments(); i < e; ++i)
    names.push_back(
        nameOrDefault(getArgAttrOfType<StringAttr>(i, RlxDialect::kNameAttr), "arg", i));
  return names;
}

SmallVector<std::string> GraphOp::outputNames() {
  SmallVector<std::string> names;
  for (unsigned i = 0, e = getNumResults(); i < e; ++i)
    names.push_back(
        nameOrDefault(getResultAttrOfType<StringAttr>(i, RlxDialect::kNameAttr), "out", i));
  return names;
}

void GraphOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (region.empty())
    return;
  // As many as both have: also invalid graphs are printed.
  for (auto [argument, name] : llvm::zip(region.front().getArguments(), inputNames()))
    setName(argument, name);
}

/// (C1) of arguments or results, called `what`.
static LogicalResult verifyNames(GraphOp graph, StringRef what, ArrayRef<std::string> names) {
  llvm::StringSet<> seen;
  for (auto [i, name] : llvm::enumerate(names)) {
    if (name.empty())
      return graph.emitOpError() << what << " " << i << ": expected a name, found an empty one";
    if (!seen.insert(name).second)
      return graph.emitOpError() << what << " " << i
                                 << ": expected a name of its own, found another '" << name << "'";
  }
  return success();
}

/// (C1) the type of `rlx.name`, and (C6).
static LogicalResult verifyValue(GraphOp graph, StringRef what, unsigned index, Type type,
                                 Attribute name) {
  if (name && !isa<StringAttr>(name))
    return graph.emitOpError() << what << " " << index << ": expected a string as rlx.name, found "
                               << name;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !isElementType(tensor.getElementType()))
    return graph.emitOpError() << what << " " << index
                               << ": expected a ranked tensor of f32, f16, bf16, f64, i8, i32, "
                                  "i64 or i1, found "
                               << printType(type);
  return success();
}

/// (C2) and (C3).
static LogicalResult verifyDims(GraphOp graph, unsigned index, RankedTensorType type) {
  Attribute attribute = graph.getArgAttr(index, RlxDialect::kDimsAttr);
  if (!attribute)
    return success();
  auto names = dyn_cast<ArrayAttr>(attribute);
  if (!names || !llvm::all_of(names, llvm::IsaPred<StringAttr>) ||
      static_cast<int64_t>(names.size()) != type.getRank())
    return graph.emitOpError() << "argument " << index << ": expected an array of "
                               << type.getRank() << " strings as rlx.dims, found " << attribute;
  for (auto [i, name] : llvm::enumerate(names.getAsRange<StringAttr>()))
    if (!name.empty() && !type.isDynamicDim(i))
      return graph.emitOpError() << "argument " << index << ": expected no name of static dim " << i
                                 << " in rlx.dims, found " << name;
  return success();
}

/// (C4).
static LogicalResult verifyParams(GraphOp graph) {
  llvm::StringMap<ParamOp> params;
  for (ParamOp param : graph.getBody().getOps<ParamOp>()) {
    auto [it, inserted] = params.try_emplace(param.getName(), param);
    if (inserted || it->second.getType() == param.getType())
      continue;
    InFlightDiagnostic diagnostic = param.emitOpError()
                                    << "param '" << param.getName() << "': expected "
                                    << printType(it->second.getType()) << ", found "
                                    << printType(param.getType());
    diagnostic.attachNote(it->second.getLoc()) << "the other use is here";
    return diagnostic;
  }
  return success();
}

/// (C5).
static LogicalResult verifyOutput(GraphOp graph) {
  OutputOp output = graph.output();
  ArrayRef<Type> expected = graph.getResultTypes();
  if (output.getNumOperands() != expected.size())
    return output.emitOpError() << "expected " << expected.size() << " operands, found "
                                << output.getNumOperands();
  SmallVector<std::string> names = graph.outputNames();
  for (auto [i, found] : llvm::enumerate(output.getOperandTypes()))
    if (!areCompatibleTypes(expected[i], found))
      return output.emitOpError() << "output '" << names[i] << "': expected "
                                  << printType(expected[i]) << ", found " << printType(found);
  return success();
}

LogicalResult GraphOp::verifyRegions() {
  for (auto [i, type] : llvm::enumerate(getArgumentTypes())) {
    if (failed(verifyValue(*this, "argument", i, type, getArgAttr(i, RlxDialect::kNameAttr))) ||
        failed(verifyDims(*this, i, cast<RankedTensorType>(type))))
      return failure();
  }
  for (auto [i, type] : llvm::enumerate(getResultTypes()))
    if (failed(verifyValue(*this, "result", i, type, getResultAttr(i, RlxDialect::kNameAttr))))
      return failure();
  if (failed(verifyNames(*this, "argument", inputNames())) ||
      failed(verifyNames(*this, "result", outputNames())) || failed(verifyParams(*this)))
    return failure();
  if (!isa<OutputOp>(getBody().front().back()))
    return emitOpError("expected a body that ends in 'rlx.output'");
  return verifyOutput(*this);
}

//===----------------------------------------------------------------------===//
// ParamOp
//===----------------------------------------------------------------------===//

void ParamOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }

LogicalResult ParamOp::verify() {
  if (getName().empty())
    return emitOpError("expected a name, found an empty one");
  if (!getType().hasStaticShape())
    return emitOpError() << "param '" << getName() << "': expected a static type, found "
                         << printType(getType());
  return success();
}

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<RankedTensorType>(adaptor.getValue().getShapedType());
  if (!type || !isElementType(type.getElementType()))
    return TypeErrors::of<ConstantOp>(location)(
        "value: expected a ranked tensor of f32, f16, bf16, f64, i8, i32, i64 or i1, found ",
        adaptor.getValue().getShapedType());
  types.push_back(type);
  return success();
}

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), "cst"); }

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

//===----------------------------------------------------------------------===//
// CustomOp
//===----------------------------------------------------------------------===//

LogicalResult CustomOp::verify() {
  if (getCallee().empty())
    return emitOpError("callee: expected a name, found an empty one");
  if (getNumResults() == 0)
    return emitOpError("expected at least 1 result, found 0");
  return success();
}

} // namespace rlx::ir
