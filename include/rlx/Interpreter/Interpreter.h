//===- Interpreter.h - evaluates graphs in double precision -----*- C++ -*-===//
//
// The reference that compiled code is measured against. Inputs and params are read
// exactly; every float in between is a double, whatever its declared type, except
// that an explicit `rlx.cast` to a type that can't hold all values of its source
// rounds. Integers wrap at their declared width. Outputs are rounded once, when
// they are converted to their declared type.
//
//   Result<std::vector<Tensor>> outputs = interpret(graph, inputs, params);
//
// Depends on the dialect and the runtime's tensors; no pass and no generated code
// comes in here.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_INTERPRETER_INTERPRETER_H
#define RLX_INTERPRETER_INTERPRETER_H

#include "dialects/rlx/Rlx.h"
#include "rlx/Interpreter/Array.h"
#include "rlx/Runtime/Status.h"
#include "rlx/Runtime/Tensor.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace rlx {

/// Evaluates one `rlx.custom` op: gives one array for each result. The shapes
/// are checked against the result types by the interpreter.
using CustomEvaluator =
    std::function<Result<std::vector<Array>>(ir::CustomOp op, std::span<const Array> inputs)>;

/// Told of each op of a graph's body before it is evaluated.
using OpObserver = std::function<void(mlir::Operation *op)>;

/// Evaluates graphs. One interpreter may evaluate any number of graphs, one after
/// another; a graph must not be changed or evaluated elsewhere meanwhile.
class Interpreter {
public:
  /// Uses at most so many threads; 0 stands for all CPUs. Results don't depend on it.
  explicit Interpreter(unsigned threads = 0);

  /// Evaluates `rlx.custom` ops of that callee from now on.
  void registerCustomOp(std::string callee, CustomEvaluator evaluator);

  /// Sets or, with null, removes who is told of each op.
  void setObserver(OpObserver observer);

  /// Evaluates a verified graph on inputs and params, which are found by name, and
  /// gives the outputs in order, not yet rounded. Tensors that don't fit are
  /// reported together; other errors name the op and the value.
  Result<std::vector<Array>> evaluate(ir::GraphOp graph, std::span<const TensorView> inputs,
                                      std::span<const TensorView> params) const;

  /// The same with outputs of their declared types and names.
  Result<std::vector<Tensor>> run(ir::GraphOp graph, std::span<const TensorView> inputs,
                                  std::span<const TensorView> params) const;

private:
  unsigned threads;
  std::map<std::string, CustomEvaluator, std::less<>> customOps;
  OpObserver observer;
};

/// Runs a graph without custom ops.
Result<std::vector<Tensor>> interpret(ir::GraphOp graph, std::span<const TensorView> inputs,
                                      std::span<const TensorView> params = {});

} // namespace rlx

#endif // RLX_INTERPRETER_INTERPRETER_H
