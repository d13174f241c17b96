//===- GraphTensors.h - a graph's signature in the runtime's form -*- C++ -*-===//
//
// What a compiled module says in its descriptor, for a graph that isn't compiled,
// so that tools and checks of the runtime work on both.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_INTERPRETER_GRAPHTENSORS_H
#define RLX_INTERPRETER_GRAPHTENSORS_H

#include "dialects/rlx/GraphSignature.h"
#include "rlx/Runtime/abi.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rlx {

/// Names and types of a graph's tensors. Dims are coded as in abi.h; dynamic dims of
/// outputs are RLX_DIM_COMPUTED.
class GraphTensors {
public:
  /// Of a verified graph.
  explicit GraphTensors(ir::GraphOp graph);

  GraphTensors(const GraphTensors &) = delete;
  GraphTensors &operator=(const GraphTensors &) = delete;

  const char *name() const { return signature.name.c_str(); }
  std::span<const char *const> symbols() const { return symbolNames; }
  std::span<const rlx_tensor_info> inputs() const { return inputInfos; }
  std::span<const rlx_tensor_info> params() const { return paramInfos; }
  std::span<const rlx_tensor_info> outputs() const { return outputInfos; }

private:
  rlx_tensor_info describe(const std::string &name, mlir::RankedTensorType type,
                           std::vector<int64_t> dims);

  const ir::GraphSignature signature; // holds the names
  std::vector<std::vector<int64_t>> shapes;
  std::vector<const char *> symbolNames;
  std::vector<rlx_tensor_info> inputInfos, paramInfos, outputInfos;
};

} // namespace rlx

#endif // RLX_INTERPRETER_GRAPHTENSORS_H
