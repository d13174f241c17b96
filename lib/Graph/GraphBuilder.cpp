//===- GraphBuilder.cpp - Checks and makes nodes --------------------------===//

#include "GraphBuilder.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>

using namespace mlir;

namespace rlx {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

std::shared_ptr<MLIRContext> makeGraphContext() {
  auto context = std::make_shared<MLIRContext>(MLIRContext::Threading::DISABLED);
  context->loadDialect<ir::RlxDialect>();
  return context;
}

mlir::Type toElementType(MLIRContext *context, DType dtype) {
  switch (dtype) {
  case DType::F32:
    return Float32Type::get(context);
  case DType::F16:
    return Float16Type::get(context);
  case DType::BF16:
    return BFloat16Type::get(context);
  case DType::F64:
    return Float64Type::get(context);
  case DType::I8:
    return IntegerType::get(context, 8);
  case DType::I32:
    return IntegerType::get(context, 32);
  case DType::I64:
    return IntegerType::get(context, 64);
  case DType::Bool:
    return IntegerType::get(context, 1);
  }
  llvm_unreachable("an element type out of range");
}

DType fromElementType(mlir::Type type) {
  for (DType dtype : allDTypes)
    if (toElementType(type.getContext(), dtype) == type)
      return dtype;
  llvm_unreachable("not an element type of the dialect");
}

TensorType fromTensorType(mlir::Type type, ArrayAttr dimNames) {
  auto tensor = cast<RankedTensorType>(type);
  TensorType result{fromElementType(tensor.getElementType()), {}};
  for (auto [index, size] : llvm::enumerate(tensor.getShape())) {
    if (!ShapedType::isDynamic(size))
      result.dims.emplace_back(size);
    else
      result.dims.emplace_back(dimNames ? cast<StringAttr>(dimNames[index]).getValue().str()
                                        : std::string());
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// Prints `file:line:column: `, or nothing for a place that is not in a file.
static void printPlace(Location loc, llvm::raw_ostream &os) {
  if (auto named = dyn_cast<NameLoc>(loc))
    loc = named.getChildLoc();
  if (auto place = dyn_cast<FileLineColLoc>(loc))
    os << place.getFilename().getValue() << ':' << place.getLine() << ':' << place.getColumn()
       << ": ";
}

DiagnosticCollector::DiagnosticCollector(MLIRContext *context, Places places)
    : handler(context, [this, places](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return success();
        llvm::raw_string_ostream os(collected);
        if (!collected.empty())
          os << '\n';
        if (places == Places::Print)
          printPlace(diagnostic.getLocation(), os);
        std::string message = diagnostic.str();
        llvm::replace(message, '\n', ' ');
        os << message;
        return success();
      }) {}

/// Removes the op's name that `emitOpError` puts first; the node's name stands for it.
static StringRef dropOpPrefix(StringRef message, StringRef opName) {
  StringRef rest = message;
  if (rest.consume_front("'") && rest.consume_front(opName) && rest.consume_front("' op "))
    return rest;
  return message;
}

/// Gives a message of an ODS type constraint the form of the dialect's own messages:
/// `operand #1 must be X, but got 'T'` becomes `w: expected X, found T`.
static std::string rewriteConstraint(StringRef message,
                                     llvm::ArrayRef<GraphBuilder::Operand> operands) {
  StringRef rest = message;
  unsigned index;
  if (!rest.consume_front("operand #") || rest.consumeInteger(10, index) ||
      index >= operands.size() || !rest.consume_front(" must be "))
    return message.str();
  rest.consume_front("variadic of ");
  auto [expected, found] = rest.split(", but got ");
  return (operands[index].name + ": expected " + expected + ", found " + found.trim('\'')).str();
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

GraphBuilder::GraphBuilder(StringRef name) : context(makeGraphContext()) {
  Location loc = NameLoc::get(StringAttr::get(context.get(), name));
  module = ModuleOp::create(loc);
  auto builder = OpBuilder::atBlockEnd(module->getBody());
  graph = ir::GraphOp::create(builder, loc, name, builder.getFunctionType({}, {}));
  if (name.empty())
    fail("graph: expected a name");
}

GraphBuilder::GraphBuilder(std::shared_ptr<MLIRContext> sharedContext, OwningOpRef<ModuleOp> owned,
                           ir::GraphOp graphOp)
    : context(std::move(sharedContext)), module(std::move(owned)), graph(graphOp), complete(true) {}

void GraphBuilder::fail(std::string message) {
  if (status.ok())
    status = Status(ErrorCode::InvalidArgument, std::move(message));
}

bool GraphBuilder::isOpen() {
  if (complete)
    fail("graph '" + graph.getSymName().str() + "': the outputs are set, it takes no more nodes");
  return status.ok();
}

RankedTensorType GraphBuilder::toTensorType(const TensorType &type, const llvm::Twine &what) {
  SmallVector<int64_t> shape;
  for (auto [index, dim] : llvm::enumerate(type.dims)) {
    if (!dim.isDynamic() && dim.size() < 0) {
      fail((what + ": expected dim " + llvm::Twine(index) + " to be 0 or more, found " +
            llvm::Twine(dim.size()))
               .str());
      return {};
    }
    shape.push_back(dim.isDynamic() ? ShapedType::kDynamic : dim.size());
  }
  return RankedTensorType::get(shape, toElementType(context.get(), type.dtype));
}

bool GraphBuilder::checkOperands(const llvm::Twine &node, ArrayRef<Operand> operands) {
  for (const Operand &operand : operands) {
    if (operand.value && operand.value.owner == this)
      continue;
    fail((node + ": " + operand.name + ": expected a value of this graph, found " +
          (operand.value ? "one of another graph" : "none"))
             .str());
    return false;
  }
  return true;
}

std::string GraphBuilder::nodeName(StringRef kind, std::string_view name) const {
  return name.empty() ? (kind + "_" + llvm::Twine(numNodes)).str() : std::string(name);
}

std::string GraphBuilder::label(StringRef kind, std::string_view name) const {
  return (kind + " '" + nodeName(kind, name) + "'").str();
}

GraphBuilder::Values GraphBuilder::addNode(StringRef opName, std::string_view name,
                                           ArrayRef<Operand> operands,
                                           llvm::function_ref<void(OperationState &)> setProperties,
                                           InferTypes inferTypes, unsigned numResults) {
  Values refused(numResults);
  if (!isOpen())
    return refused;

  StringRef kind = opName;
  kind.consume_front("rlx.");
  std::string description = label(kind, name);
  Location loc = NameLoc::get(StringAttr::get(context.get(), nodeName(kind, name)));
  ++numNodes;
  if (!checkOperands(description, operands))
    return refused;

  OperationState state(loc, opName);
  for (const Operand &operand : operands)
    state.operands.push_back(unwrap(operand.value));
  setProperties(state);

  DiagnosticCollector errors(context.get());
  SmallVector<mlir::Type> types;
  Operation *op = nullptr;
  if (succeeded(inferTypes(loc, state.operands, types))) {
    state.addTypes(types);
    op = OpBuilder::atBlockEnd(&graph.getBody().front()).create(state);
    if (succeeded(verify(op, /*verifyRecursively=*/false))) {
      Values results;
      for (mlir::Value result : op->getResults())
        results.push_back(wrap(result));
      return results;
    }
    op->erase();
  }

  std::string message =
      description + ": " + rewriteConstraint(dropOpPrefix(errors.text(), opName), operands);
  llvm::raw_string_ostream os(message);
  StringRef separator = "; operands are ";
  for (const Operand &operand : operands) {
    os << separator << operand.name << ": " << unwrap(operand.value).getType();
    separator = ", ";
  }
  fail(std::move(message));
  return refused;
}

} // namespace rlx
