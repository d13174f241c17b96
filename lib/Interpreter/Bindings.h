//===- Bindings.h - the values of a graph's leaves --------------*- C++ -*-===//
#ifndef RLX_LIB_INTERPRETER_BINDINGS_H
#define RLX_LIB_INTERPRETER_BINDINGS_H

#include "dialects/rlx/Rlx.h"
#include "rlx/Interpreter/Array.h"
#include "rlx/Runtime/Status.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace rlx::interp {

/// The values of a graph's leaves.
struct Bindings {
  std::vector<Array> inputs; ///< in the order of the arguments
  std::map<std::string, Array, std::less<>> params;
};

/// Finds inputs and params by name, checks them as the runtime does for a compiled
/// module (all that doesn't fit is reported together), and reads their values.
Result<Bindings> bindTensors(ir::GraphOp graph, std::span<const TensorView> inputs,
                             std::span<const TensorView> params);

} // namespace rlx::interp

#endif // RLX_LIB_INTERPRETER_BINDINGS_H
