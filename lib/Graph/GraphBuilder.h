//===- GraphBuilder.h - What a Graph is made of -----------------*- C++ -*-===//
//
// Private to lib/Graph: the module under construction and the one place where
// nodes are checked and made. Depends on the dialect and on Runtime/Status.h.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_GRAPH_GRAPHBUILDER_H
#define RLX_LIB_GRAPH_GRAPHBUILDER_H

#include "dialects/rlx/Rlx.h"
#include "rlx/Graph/Graph.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <string>

namespace rlx {

/// A context in which the dialect is loaded. It starts no threads.
std::shared_ptr<mlir::MLIRContext> makeGraphContext();

/// The dialect's type for an element type, and back.
mlir::Type toElementType(mlir::MLIRContext *context, DType dtype);
DType fromElementType(mlir::Type type);

/// The public form of a ranked tensor type of the dialect. `dimNames`, an array of
/// strings, may name the dynamic dims.
TensorType fromTensorType(mlir::Type type, mlir::ArrayAttr dimNames = {});

/// Collects the errors that MLIR emits during its lifetime as lines of text, with
/// their places if asked to.
class DiagnosticCollector {
public:
  enum class Places { Omit, Print };
  explicit DiagnosticCollector(mlir::MLIRContext *context, Places places = Places::Omit);

  /// One line for each error; empty if there was none.
  const std::string &text() const { return collected; }

private:
  std::string collected;
  mlir::ScopedDiagnosticHandler handler;
};

/// The module of a graph under construction.
class GraphBuilder {
public:
  /// An operand and the name that messages give it.
  struct Operand {
    llvm::StringRef name;
    Value value;
  };
  using Values = llvm::SmallVector<Value, 2>;

  explicit GraphBuilder(llvm::StringRef name);

  /// Takes a complete graph.
  GraphBuilder(std::shared_ptr<mlir::MLIRContext> context, mlir::OwningOpRef<mlir::ModuleOp> module,
               ir::GraphOp graph);

  mlir::MLIRContext *getContext() const { return context.get(); }

  /// Keeps the first error.
  void fail(std::string message);

  /// Whether nodes may be added; an attempt to add one to a complete graph is an error.
  bool isOpen();

  /// The tensor type, or a failure that names `what`, as in "input 'x'".
  mlir::RankedTensorType toTensorType(const TensorType &type, const llvm::Twine &what);

  /// Adds a node whose result types follow from operands and properties. Returns
  /// `numResults` invalid values and keeps the reason if it is refused.
  template <typename OpTy>
  Values infer(std::string_view name, llvm::ArrayRef<Operand> operands,
               typename OpTy::Properties properties = {}, unsigned numResults = 1) {
    auto inferTypes = [&](mlir::Location loc, mlir::ValueRange values,
                          llvm::SmallVectorImpl<mlir::Type> &types) {
      mlir::OpaqueProperties opaque(&properties);
      return OpTy::inferReturnTypes(context.get(), loc, values, nullptr, opaque, {}, types);
    };
    return add<OpTy>(name, operands, properties, inferTypes, numResults);
  }

  /// Adds a node of given result types.
  template <typename OpTy>
  Values create(std::string_view name, llvm::ArrayRef<Operand> operands,
                mlir::TypeRange resultTypes, typename OpTy::Properties properties = {}) {
    auto giveTypes = [&](mlir::Location, mlir::ValueRange,
                         llvm::SmallVectorImpl<mlir::Type> &types) {
      types.append(resultTypes.begin(), resultTypes.end());
      return mlir::success();
    };
    return add<OpTy>(name, operands, properties, giveTypes, resultTypes.size());
  }

  /// What messages call the next node: its op, and its name or number.
  std::string label(llvm::StringRef kind, std::string_view name) const;

  /// The IR's value of a valid value of this graph.
  static mlir::Value unwrap(Value value) { return mlir::Value::getFromOpaquePointer(value.value); }
  Value wrap(mlir::Value value) const { return {this, value.getAsOpaquePointer()}; }

  /// Names and checks a node's operands: whether all are values of this graph.
  bool checkOperands(const llvm::Twine &node, llvm::ArrayRef<Operand> operands);

  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ir::GraphOp graph;
  Status status;
  bool complete = false;

  /// Inputs and params by name.
  llvm::StringMap<mlir::Value> inputs, params;

private:
  using InferTypes = llvm::function_ref<mlir::LogicalResult(mlir::Location, mlir::ValueRange,
                                                            llvm::SmallVectorImpl<mlir::Type> &)>;

  template <typename OpTy>
  Values add(std::string_view name, llvm::ArrayRef<Operand> operands,
             typename OpTy::Properties &properties, InferTypes inferTypes, unsigned numResults) {
    auto setProperties = [&](mlir::OperationState &state) {
      if constexpr (!std::is_same_v<typename OpTy::Properties, mlir::EmptyProperties>)
        state.useProperties(properties);
    };
    return addNode(OpTy::getOperationName(), name, operands, setProperties, inferTypes, numResults);
  }

  /// The name of the next node: the given one, or its op and number.
  std::string nodeName(llvm::StringRef kind, std::string_view name) const;

  Values addNode(llvm::StringRef opName, std::string_view name, llvm::ArrayRef<Operand> operands,
                 llvm::function_ref<void(mlir::OperationState &)> setProperties,
                 InferTypes inferTypes, unsigned numResults);

  unsigned numNodes = 0;
};

} // namespace rlx

#endif // RLX_LIB_GRAPH_GRAPHBUILDER_H
