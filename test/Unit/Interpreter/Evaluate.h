//===- Evaluate.h - evaluates assembly in a test ----------------*- C++ -*-===//
#ifndef RLX_TEST_UNIT_INTERPRETER_EVALUATE_H
#define RLX_TEST_UNIT_INTERPRETER_EVALUATE_H

#include "rlx/Graph/GraphModule.h"
#include "rlx/Interpreter/Interpreter.h"

#include <initializer_list>
#include <string_view>
#include <vector>

namespace rlx::test {

/// Evaluates a graph on its own or with inputs and params.
inline Result<std::vector<Array>> evaluate(const Graph &graph, std::span<const TensorView> inputs,
                                           std::span<const TensorView> params = {},
                                           const Interpreter &interpreter = Interpreter()) {
  Result<mlir::ModuleOp> module = GraphModule::get(graph);
  if (!module)
    return module.status();
  Result<ir::GraphOp> op = GraphModule::find(*module);
  if (!op)
    return op.status();
  return interpreter.evaluate(*op, inputs, params);
}

/// Parses assembly and evaluates it. Tensors may be temporaries.
inline Result<std::vector<Array>> evaluate(std::string_view text,
                                           std::initializer_list<TensorView> inputs = {},
                                           std::initializer_list<TensorView> params = {},
                                           const Interpreter &interpreter = Interpreter()) {
  Result<Graph> graph = Graph::parse(text, "test.mlir");
  if (!graph)
    return graph.status();
  return evaluate(*graph, std::span(inputs.begin(), inputs.size()),
                  std::span(params.begin(), params.size()), interpreter);
}

/// An f32 tensor.
inline Tensor floats(std::string name, std::vector<int64_t> shape, std::vector<float> elements) {
  return Tensor(std::move(name), std::move(shape), std::span<const float>(elements));
}

/// The elements of an array of floats.
inline std::vector<double> elementsOf(const Array &array) {
  return {array.floats().begin(), array.floats().end()};
}

} // namespace rlx::test

#endif // RLX_TEST_UNIT_INTERPRETER_EVALUATE_H
