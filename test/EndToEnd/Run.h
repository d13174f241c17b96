//===- Run.h - runs graphs, compiled and interpreted ------------*- C++ -*-===//
#ifndef RLX_TEST_ENDTOEND_RUN_H
#define RLX_TEST_ENDTOEND_RUN_H

#include "rlx/Graph/Graph.h"
#include "rlx/Runtime/Runtime.h"
#include "rlx/Runtime/Status.h"
#include "rlx/Runtime/Tensor.h"

#include <span>
#include <vector>

namespace rlx::test {

/// The outputs of one run of a module, in order.
Result<std::vector<Tensor>> runModule(const Module &module, std::span<const Tensor> inputs,
                                      std::span<const Tensor> params);

/// The outputs that the interpreter gives, rounded to their types.
Result<std::vector<Tensor>> interpretGraph(const Graph &graph, std::span<const Tensor> inputs,
                                           std::span<const Tensor> params);

/// How far a compiled result may be from the exact one, relative to the largest.
double tolerance(DType type);

} // namespace rlx::test

#endif // RLX_TEST_ENDTOEND_RUN_H
