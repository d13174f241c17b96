//===- Builtin.h - Models by name, for the tools ----------------*- C++ -*-===//
//
// The tools' `builtin:NAME?key=value&...`; docs/spec.md, section 5.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_MODELS_BUILTIN_H
#define RLX_MODELS_BUILTIN_H

#include "rlx/Graph/Graph.h"
#include "rlx/Runtime/Status.h"

#include <string>
#include <string_view>

namespace rlx::models {

/// Whether a tool's input names a builtin model, not a file.
bool isBuiltin(std::string_view input);

/// Builds the graph of `builtin:NAME?key=value&...`. An unknown name, an unknown
/// key or a bad value is an error that lists what there is.
Result<Graph> buildBuiltin(std::string_view input);

/// The names and keys with their defaults, for a tool's help.
std::string describeBuiltins();

} // namespace rlx::models

#endif // RLX_MODELS_BUILTIN_H
