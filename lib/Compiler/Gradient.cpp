//===- Gradient.cpp - the gradient graph of a graph -----------------------===//

#include "rlx/Compiler/Gradient.h"

#include "ErrorCollector.h"

#include "rlx/Compiler/CompileModule.h"
#include "rlx/Graph/GraphModule.h"
#include "rlx/Transforms/Autodiff.h"

using namespace mlir;

namespace rlx {

Status differentiate(ModuleOp module, const std::vector<std::string> &wrt) {
  Result<ir::GraphOp> graph = GraphModule::find(module);
  if (!graph)
    return graph.status();
  ErrorCollector errors(module.getContext());
  if (failed(differentiateGraph(*graph, wrt)))
    return errors.status("differentiation");
  return {};
}

Result<Graph> differentiate(const Graph &graph, const std::vector<std::string> &wrt) {
  Result<ModuleOp> module = GraphModule::get(graph);
  if (!module)
    return module.status();
  OwningOpRef<ModuleOp> clone = (*module).clone();
  if (Status status = differentiate(*clone, wrt); !status)
    return status;
  return GraphModule::adopt(GraphModule::context(graph), std::move(clone));
}

} // namespace rlx
