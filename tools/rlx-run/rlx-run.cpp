//===- rlx-run.cpp - runs a compiled module -------------------------------===//
//
// Loads a module, binds params, runs it on inputs, writes outputs. Everything that
// can be wrong is reported before the first run, and nothing is written unless the
// last one went well.
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "RunOptions.h"
#include "TensorArguments.h"
#include "rlx/Runtime/Runtime.h"
#include "rlx/Runtime/TensorFile.h"

#include <charconv>
#include <fmt/format.h>

using namespace rlx;
using namespace rlx::tools;

static void printInfo(const rlx_module_info &info) {
  std::span symbols(info.symbols, info.num_symbols);
  fmt::print("module {}\n", info.name);
  fmt::print("device: {}\n", info.device == RLX_DEVICE_CPU ? "cpu" : "cuda");
  fmt::print("triple: {}\nfeatures: {}\noptions: {}\n", info.triple, info.features, info.options);
  printTensorInfos("inputs", {info.inputs, info.num_inputs}, symbols);
  printTensorInfos("params", {info.params, info.num_params}, symbols);
  printTensorInfos("outputs", {info.outputs, info.num_outputs}, symbols);
  fmt::print("packed params: {} bytes\n", info.packed_size);
}

/// Checks that the module is for the device of `--device`, and chooses the GPU.
static Status chooseDevice(Module &module, const std::string &wanted) {
  if (wanted.empty())
    return {};
  std::string_view kind = wanted, number;
  if (size_t colon = kind.find(':'); colon != std::string_view::npos) {
    number = kind.substr(colon + 1);
    kind = kind.substr(0, colon);
  }
  uint32_t ordinal = 0;
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), ordinal);
  bool hasNumber = kind.size() < wanted.size();
  bool isNumber = !number.empty() && error == std::errc() && end == number.data() + number.size();
  if ((kind != "cpu" && kind != "cuda") || (hasNumber && (kind == "cpu" || !isNumber)))
    return {ErrorCode::InvalidArgument,
            fmt::format("device: expected cpu, cuda or cuda:N, found '{}'", wanted)};
  const char *device = module.info().device == RLX_DEVICE_CPU ? "cpu" : "cuda";
  if (kind != device)
    return {ErrorCode::Incompatible,
            fmt::format("module for device {}, asked to run on {}", device, wanted)};
  return kind == "cuda" ? module.setDevice(ordinal) : Status();
}

/// Runs once for the result, or many times for the latencies.
static Status execute(Session &session, std::span<const TensorView> inputs,
                      const RunOptions &options, Trace &trace) {
  if (!options.benchmark) {
    Trace::Phase phase = trace.phase("run");
    return session.call(inputs);
  }
  for (uint32_t i = 0; i < options.warmup; ++i) {
    Trace::Phase phase = trace.phase("warmup");
    if (Status status = session.call(inputs); !status)
      return status;
  }
  Latencies latencies;
  for (uint32_t i = 0; i < options.iterations; ++i) {
    Trace::Phase phase = trace.phase("run");
    auto start = std::chrono::steady_clock::now();
    if (Status status = session.call(inputs); !status)
      return status;
    latencies.add(std::chrono::steady_clock::now() - start);
  }
  latencies.print();
  return {};
}

static Status writeOutputs(Session &session, const Module &module, const std::string &path) {
  if (path.empty())
    return {};
  std::vector<TensorView> outputs;
  for (const rlx_tensor_info &info : module.outputs()) {
    Result<TensorView> output = session.output(info.name);
    if (!output)
      return output.status();
    outputs.push_back(*output);
  }
  return writeTensors(path, outputs);
}

static Status run(const RunOptions &options) {
  Trace trace;
  auto load = [&] {
    Trace::Phase phase = trace.phase("load");
    return Module::load(options.graph);
  };
  Result<Module> module = load();
  if (!module)
    return module.status();
  if (options.info) {
    printInfo(module->info());
    return {};
  }
  if (Status status = chooseDevice(*module, options.device); !status)
    return status;

  auto bind = [&]() -> Result<Params> {
    Trace::Phase phase = trace.phase("bind");
    Result<TensorArguments> tensors = TensorArguments::open(options.params, module->params());
    if (!tensors)
      return tensors.status();
    return Params::bind(*module, tensors->views());
  };
  Result<Params> params = bind();
  if (!params)
    return params.status();

  Result<Session> session = Session::create(*module, *params);
  if (!session)
    return session.status();
  if (Status status = session->setThreads(options.threads); !status)
    return status;
  Result<TensorArguments> inputs = TensorArguments::open(options.inputs, module->inputs());
  if (!inputs)
    return inputs.status();
  if (Status status = execute(*session, inputs->views(), options, trace); !status)
    return status;

  if (Status status = writeOutputs(*session, *module, options.outputs); !status)
    return status;
  return trace.write(options.trace);
}

// NOLINTNEXTLINE(bugprone-exception-escape): CLI11 throws for declarations that make no sense
int main(int argc, char **argv) {
  CLI::App app("Runs a module that rlx-compile has written.", "rlx-run");
  app.footer("Example:\n  rlx-run decoder.so --params decoder.safetensors --inputs in.safetensors "
             "--outputs out.safetensors");
  RunOptions options;
  addRunOptions(app, options, "MODULE", "A module of rlx-compile --emit shared");
  return runTool(app, argc, argv, [&] {
    Status status = run(options);
    return status.ok() ? 0 : reportError("rlx-run", status);
  });
}
