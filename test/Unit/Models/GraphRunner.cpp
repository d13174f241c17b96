//===- GraphRunner.cpp - Random tensors, and graphs on them ---------------===//

#include "GraphRunner.h"

#include "rlx/Graph/GraphModule.h"
#include "rlx/Interpreter/Interpreter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace rlx::test {

std::vector<Tensor> makeTensors(const std::vector<TensorSpec> &specs, const DimSizes &sizes,
                                unsigned seed) {
  std::vector<Tensor> tensors;
  for (const TensorSpec &spec : specs) {
    std::vector<int64_t> shape;
    for (const Dim &dim : spec.type.dims)
      shape.push_back(dim.isDynamic() ? sizes.at(dim.name()) : dim.size());
    std::seed_seq seeds(spec.name.begin(), spec.name.end());
    std::mt19937 engine(seeds);
    engine.discard(seed);
    auto next = [&engine] { return static_cast<float>(engine() >> 8) / (1 << 23) - 1.0f; };
    Tensor &tensor = tensors.emplace_back(spec.name, spec.type.dtype, shape);
    if (spec.type.dtype == DType::F32)
      std::ranges::generate(tensor.values<float>(), next);
    else
      std::ranges::generate(tensor.values<double>(), next);
  }
  return tensors;
}

NamedData toNamedData(const std::vector<Tensor> &tensors) {
  NamedData result;
  for (const Tensor &tensor : tensors) {
    Data &data = result[tensor.getName()];
    if (tensor.type() == DType::F32)
      data.assign(tensor.values<float>().begin(), tensor.values<float>().end());
    else
      data.assign(tensor.values<double>().begin(), tensor.values<double>().end());
  }
  return result;
}

NamedData evaluate(const Graph &graph, const std::vector<Tensor> &params,
                   const std::vector<Tensor> &inputs) {
  Result<mlir::ModuleOp> module = GraphModule::get(graph);
  EXPECT_TRUE(module) << module.message();
  if (!module)
    return {};
  Result<ir::GraphOp> op = GraphModule::find(*module);
  EXPECT_TRUE(op) << op.message();
  if (!op)
    return {};
  std::vector<TensorView> paramViews(params.begin(), params.end());
  std::vector<TensorView> inputViews(inputs.begin(), inputs.end());
  Result<std::vector<Tensor>> outputs = interpret(*op, inputViews, paramViews);
  EXPECT_TRUE(outputs) << outputs.message();
  return outputs ? toNamedData(*outputs) : NamedData();
}

double maxDifference(const Data &lhs, const Data &rhs) {
  double greatest = lhs.size() == rhs.size() ? 0 : std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < std::min(lhs.size(), rhs.size()); ++i) {
    double difference = std::abs(lhs[i] - rhs[i]);
    if (!(difference <= greatest))
      greatest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  }
  return greatest;
}

} // namespace rlx::test
