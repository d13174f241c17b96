//===- Compiler.h - from a graph to a module -------------------*- C++ -*-===//
//
//   Result<std::vector<uint8_t>> file = compile(graph, options);   // a file's bytes
//   Result<Module> module = compileInProcess(graph, options);      // ready to run
//
// No MLIR or LLVM type appears here; CompileModule.h takes MLIR modules.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_COMPILER_COMPILER_H
#define RLX_COMPILER_COMPILER_H

#include "rlx/Compiler/Options.h"
#include "rlx/Graph/Graph.h"
#include "rlx/Runtime/Runtime.h"
#include "rlx/Runtime/Status.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace rlx {

/// Called as each phase of a compilation starts.
using PhaseCallback = std::function<void(std::string_view phase)>;

/// Compiles a graph to what `options.emit` says. The graph stays as it is.
Result<std::vector<uint8_t>> compile(const Graph &graph, const CompileOptions &options = {},
                                     const PhaseCallback &onPhase = {});

/// Compiles a graph for this machine and loads it, without files or a linker. The
/// code is that of the shared module. `options.emit` is ignored.
Result<Module> compileInProcess(const Graph &graph, const CompileOptions &options = {},
                                const PhaseCallback &onPhase = {});

} // namespace rlx

#endif // RLX_COMPILER_COMPILER_H
