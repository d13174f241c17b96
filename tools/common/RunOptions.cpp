//===- RunOptions.cpp - arguments of the tools that run a graph -----------===//

#include "RunOptions.h"

#include "Report.h"
#include "rlx/Runtime/runtime.h"

#include <charconv>
#include <exception>
#include <fmt/format.h>

using namespace rlx;
using namespace rlx::tools;

static constexpr uint64_t maxThreads = 1024;
static constexpr uint64_t maxRuns = 1'000'000;

CLI::Validator tools::wholeNumber(uint64_t least, uint64_t most) {
  auto check = [=](const std::string &text) {
    uint64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool isNumber = error == std::errc() && end == text.data() + text.size();
    return isNumber && value >= least && value <= most
               ? std::string()
               : fmt::format("expected a number from {} to {}, found '{}'", least, most, text);
  };
  return {check, ""};
}

void tools::addRunOptions(CLI::App &app, RunOptions &options, const char *graphName,
                          const char *graphHelp) {
  app.set_version_flag("--version", rlx_version());
  app.add_option(graphName, options.graph, graphHelp)->required();

  const char *data = "Data";
  app.add_option("--params", options.params, "Params, by name (.safetensors)")
      ->type_name("FILE")
      ->allow_extra_args(false) // one for each flag: the next may be the graph
      ->group(data);
  app.add_option("--inputs", options.inputs,
                 "Inputs, by name (.safetensors, or .npy for one that the file is named after)")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(data);
  app.add_option("--outputs", options.outputs,
                 "Where the outputs go (.safetensors, or .npy if there is one)")
      ->type_name("FILE")
      ->group(data);

  const char *execution = "Execution";
  app.add_option("--device", options.device,
                 "Where to compute: cpu, cuda or cuda:N; that of the module by default")
      ->type_name("DEVICE")
      ->group(execution);
  app.add_option("--threads", options.threads, "At most so many threads; 0 for all CPUs")
      ->type_name("N")
      ->check(wholeNumber(0, maxThreads))
      ->capture_default_str()
      ->group(execution);

  const char *reports = "Reports";
  app.add_flag("--info", options.info, "Print what the graph takes and gives, and stop")
      ->group(reports);
  app.add_flag("--benchmark", options.benchmark, "Run repeatedly and print latencies")
      ->group(reports);
  app.add_option("--warmup", options.warmup, "Runs before those that are measured")
      ->type_name("N")
      ->check(wholeNumber(0, maxRuns))
      ->capture_default_str()
      ->group(reports);
  app.add_option("--iterations", options.iterations, "Runs that are measured")
      ->type_name("N")
      ->check(wholeNumber(1, maxRuns))
      ->capture_default_str()
      ->group(reports);
  app.add_option("--trace", options.trace, "Where a Chrome trace goes (.json)")
      ->type_name("FILE")
      ->group(reports);
}

int tools::runTool(CLI::App &app, int argc, char **argv, const std::function<int()> &body) {
  try {
    app.parse(argc, argv);
    return body();
  } catch (const CLI::Success &request) { // --help or --version
    return app.exit(request);
  } catch (const CLI::ParseError &error) {
    return reportError(app.get_name(), Status(ErrorCode::InvalidArgument, error.what()));
  } catch (const std::exception &exception) {
    return reportError(app.get_name(), Status(ErrorCode::Internal, exception.what()));
  }
}
