//===- Run.cpp - runs graphs, compiled and interpreted --------------------===//

#include "Run.h"

#include "Support/Generator.h"
#include "rlx/Graph/GraphModule.h"
#include "rlx/Interpreter/Interpreter.h"

#include <cmath>

namespace rlx::test {

/// How many products are summed for an element of what the weight of this shape gives.
static int64_t countProducts(const std::vector<int64_t> &shape) {
  if (shape.size() == 4) // a convolution's [O, C, Kh, Kw]
    return shape[1] * shape[2] * shape[3];
  return shape.front();
}

std::vector<Tensor> makeModelTensors(const std::vector<TensorSpec> &specs, const DimSizes &sizes) {
  std::vector<Tensor> tensors;
  for (const TensorSpec &spec : specs) {
    std::vector<int64_t> shape;
    for (const Dim &dim : spec.type.dims)
      shape.push_back(dim.isDynamic() ? sizes.at(dim.name()) : dim.size());
    double center = 0, scale = 1;
    if (spec.name.starts_with("mask"))
      center = 0.5;
    else if (spec.name.ends_with(".w"))
      scale = std::sqrt(3.0 / static_cast<double>(countProducts(shape)));
    else if (spec.name.ends_with(".b"))
      scale = 0.25;
    else if (spec.name.ends_with(".g"))
      center = 1, scale = 0.25;
    tensors.push_back(uniform(/*seed=*/1, spec.name, shape, center, scale));
  }
  return tensors;
}

static std::vector<TensorView> viewsOf(std::span<const Tensor> tensors) {
  return {tensors.begin(), tensors.end()};
}

Result<std::vector<Tensor>> runModule(const Module &module, std::span<const Tensor> inputs,
                                      std::span<const Tensor> params, uint32_t threads) {
  Result<Params> bound = Params::bind(module, viewsOf(params));
  if (!bound)
    return bound.status();
  Result<Session> session = Session::create(module, *bound);
  if (!session)
    return session.status();
  if (Status status = session->setThreads(threads); !status)
    return status;
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

std::vector<std::byte> bytesOf(std::span<const Tensor> tensors) {
  std::vector<std::byte> bytes;
  for (const Tensor &tensor : tensors) {
    const std::byte *data = static_cast<const std::byte *>(tensor.data());
    bytes.insert(bytes.end(), data, data + tensor.numBytes());
  }
  return bytes;
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
