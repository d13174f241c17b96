//===- Gradient.h - the gradient graph of a graph --------------*- C++ -*-===//
//
//   Result<Graph> gradient = differentiate(graph);
//   Result<Module> module = compileInProcess(*gradient);
//
// No MLIR or LLVM type appears here; CompileModule.h takes MLIR modules.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_COMPILER_GRADIENT_H
#define RLX_COMPILER_GRADIENT_H

#include "rlx/Graph/Graph.h"
#include "rlx/Runtime/Status.h"

#include <string>
#include <vector>

namespace rlx {

/// The graph that computes what `graph` does and the gradients of its float inputs and
/// params: docs/spec.md, section 6. It takes the inputs of `graph` and `grad.<output>`
/// for each float output; it gives the outputs of `graph`, then `grad.<input>` and
/// `grad.<param>`. A `wrt` that is not empty names the inputs and params whose
/// gradients are wanted. `graph` stays as it is.
Result<Graph> differentiate(const Graph &graph, const std::vector<std::string> &wrt = {});

} // namespace rlx

#endif // RLX_COMPILER_GRADIENT_H
