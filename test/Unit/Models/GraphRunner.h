//===- GraphRunner.h - Random tensors, and graphs on them -------*- C++ -*-===//
//
// Makes reproducible tensors for a graph's signature and evaluates the graph with
// the interpreter.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_TEST_UNIT_MODELS_GRAPHRUNNER_H
#define RLX_TEST_UNIT_MODELS_GRAPHRUNNER_H

#include "Reference.h"
#include "rlx/Graph/Graph.h"
#include "rlx/Runtime/Tensor.h"

#include <map>
#include <string>
#include <vector>

namespace rlx::test {

/// Sizes of named dynamic dims.
using DimSizes = std::map<std::string, int64_t>;

/// A tensor for each spec: values in [-1, 1) that depend on its name and `seed` alone,
/// representable in f32.
std::vector<Tensor> makeTensors(const std::vector<TensorSpec> &specs, const DimSizes &sizes = {},
                                unsigned seed = 1);

/// The elements of f32 or f64 tensors by name.
NamedData toNamedData(const std::vector<Tensor> &tensors);

/// The outputs of a graph by name, from the interpreter; empty, with a test failure, if
/// it fails.
NamedData evaluate(const Graph &graph, const std::vector<Tensor> &params,
                   const std::vector<Tensor> &inputs);

/// The largest difference, or infinity where the lengths differ or a value is NaN.
double maxDifference(const Data &lhs, const Data &rhs);

} // namespace rlx::test

#endif // RLX_TEST_UNIT_MODELS_GRAPHRUNNER_H
