//===- Run.cpp - runs graphs, compiled and interpreted --------------------===//

#include "Run.h"

#include "rlx/Graph/GraphModule.h"
#include "rlx/Interpreter/Interpreter.h"

namespace rlx::test {

static std::vector<TensorView> viewsOf(std::span<const Tensor> tensors) {
  return {tensors.begin(), tensors.end()};
}

Result<std::vector<Tensor>> runModule(const Module &module, std::span<const Tensor> inputs,
                                      std::span<const Tensor> params) {
  Result<Params> bound = Params::bind(module, viewsOf(params));
  if (!bound)
    return bound.status();
  Result<Session> session = Session::create(module, *bound);
  if (!session)
    return session.status();
  if (Status status = session->call(viewsOf(inputs)); !status)
    return status;
  std::vector<Tensor> outputs;
  for (const rlx_tensor_info &info : module.outputs()) {
    Result<TensorView> output = session->output(info.name);
    if (!output)
      return output.status();
    outputs.emplace_back(*output);
  }
  return outputs;
}

Result<std::vector<Tensor>> interpretGraph(const Graph &graph, std::span<const Tensor> inputs,
                                           std::span<const Tensor> params) {
  Result<mlir::ModuleOp> module = GraphModule::get(graph);
  if (!module)
    return module.status();
  Result<ir::GraphOp> op = GraphModule::find(*module);
  if (!op)
    return op.status();
  return interpret(*op, viewsOf(inputs), viewsOf(params));
}

double tolerance(DType type) {
  switch (type) {
  case DType::F64:
    return 1e-12;
  case DType::F32:
    return 5e-6;
  case DType::F16:
    return 1.0 / (1 << 10);
  case DType::BF16:
    return 1.0 / (1 << 7);
  default:
    return 0;
  }
}

} // namespace rlx::test
