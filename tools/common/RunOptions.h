//===- RunOptions.h - arguments of the tools that run a graph ---*- C++ -*-===//
//
// rlx-run and rlx-interpret take the same arguments; only what the first one
// names differs.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_TOOLS_COMMON_RUNOPTIONS_H
#define RLX_TOOLS_COMMON_RUNOPTIONS_H

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rlx::tools {

/// What a user asks of a run.
struct RunOptions {
  std::string graph;               ///< the module, or the graph to interpret
  std::vector<std::string> params; ///< files
  std::vector<std::string> inputs; ///< files
  std::string outputs;             ///< a file, or empty
  std::string device;              ///< "cpu", "cuda", "cuda:N", or empty for the module's own
  uint32_t threads = 0;            ///< 0 for all
  bool benchmark = false;
  uint32_t warmup = 3;
  uint32_t iterations = 50;
  std::string trace; ///< a file, or empty
  bool info = false;
};

/// Accepts a whole number in [least, most].
CLI::Validator wholeNumber(uint64_t least, uint64_t most);

/// Declares the arguments; `graphHelp` explains the first one, which is called
/// `graphName`.
void addRunOptions(CLI::App &app, RunOptions &options, const char *graphName,
                   const char *graphHelp);

/// Parses the command line and calls `body`. Returns the process's exit code: that
/// of `body`, 0 for --help and --version, 1 for arguments that make no sense, 2
/// for an exception that should not have been.
int runTool(CLI::App &app, int argc, char **argv, const std::function<int()> &body);

} // namespace rlx::tools

#endif // RLX_TOOLS_COMMON_RUNOPTIONS_H
