#include "Bindings.h"

#include "rlx/Interpreter/GraphTensors.h"
#include "rlx/Runtime/Binding.h"

using namespace rlx;
using namespace rlx::interp;

/// Finds the given tensors of the declared ones' names. They point into `tensors`.
static std::vector<const rlx_tensor *> match(std::string_view kind,
                                             std::span<const rlx_tensor_info> declared,
                                             std::span<const rlx_tensor> tensors,
                                             MismatchList &mismatches) {
  std::vector<const rlx_tensor *> matched(declared.size());
  matchTensors(kind, declared, tensors, matched, mismatches);
  return matched;
}

/// Gives equal sizes to dims of equal names, or adds a mismatch.
static void checkSymbols(const GraphTensors &declared, std::span<const rlx_tensor *const> inputs,
                         MismatchList &mismatches) {
  std::vector<const int64_t *> shapes;
  for (const rlx_tensor *input : inputs)
    shapes.push_back(input->dims);
  std::vector<int64_t> sizes(declared.symbols().size());
  resolveSymbols(declared.inputs(), shapes, declared.symbols(), sizes, mismatches);
}

Result<Bindings> interp::bindTensors(ir::GraphOp graph, std::span<const TensorView> inputs,
                                     std::span<const TensorView> params) {
  const GraphTensors declared(graph);
  const std::vector<rlx_tensor> givenParams(params.begin(), params.end());
  const std::vector<rlx_tensor> givenInputs(inputs.begin(), inputs.end());
  MismatchList mismatches;
  auto matchedParams = match("param", declared.params(), givenParams, mismatches);
  auto matchedInputs = match("input", declared.inputs(), givenInputs, mismatches);
  if (mismatches.empty())
    checkSymbols(declared, matchedInputs, mismatches);
  if (Status status = mismatches.status(); !status)
    return status;

  Bindings bindings;
  for (const rlx_tensor *tensor : matchedInputs)
    bindings.inputs.push_back(Array(TensorView(*tensor)));
  for (const rlx_tensor *tensor : matchedParams)
    bindings.params.emplace(tensor->name, Array(TensorView(*tensor)));
  return bindings;
}
