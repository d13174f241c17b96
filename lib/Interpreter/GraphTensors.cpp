#include "rlx/Interpreter/GraphTensors.h"

#include "Evaluators.h"

using namespace rlx;
using namespace rlx::interp;

rlx_tensor_info GraphTensors::describe(const std::string &name, mlir::RankedTensorType type,
                                       std::vector<int64_t> dims) {
  // The dims stay in place when the outer vector grows.
  shapes.push_back(std::move(dims));
  return {name.c_str(), static_cast<uint32_t>(elementTypeOf(type)),
          static_cast<uint32_t>(type.getRank()), shapes.back().data()};
}

GraphTensors::GraphTensors(ir::GraphOp graph) : signature(ir::GraphSignature::of(graph)) {
  for (const std::string &symbol : signature.symbols)
    symbolNames.push_back(symbol.c_str());
  for (const ir::SignatureInput &input : signature.inputs) {
    Shape dims;
    for (const ir::SignatureDim &dim : input.dims)
      dims.push_back(dim.isDynamic() ? -1 - static_cast<int64_t>(dim.symbol()) : dim.size());
    inputInfos.push_back(describe(input.name, input.type, std::move(dims)));
  }
  for (const ir::SignatureTensor &param : signature.params)
    paramInfos.push_back(describe(
        param.name, param.type, Shape(param.type.getShape().begin(), param.type.getShape().end())));
  for (const ir::SignatureTensor &output : signature.outputs) {
    Shape dims;
    for (int64_t dim : output.type.getShape())
      dims.push_back(mlir::ShapedType::isDynamic(dim) ? RLX_DIM_COMPUTED : dim);
    outputInfos.push_back(describe(output.name, output.type, std::move(dims)));
  }
}
