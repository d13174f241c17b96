//===- rlx-run.cpp - runs a compiled module -------------------------------===//
//
// Loads a module, binds params, runs it on inputs, writes outputs. Everything that
// can be wrong is reported before the first run, and nothing is written unless the
// last one went well.
//
//===----------------------------------------------------------------------===//

#include "PeakFlops.h"
#include "RegionRecorder.h"
#include "Report.h"
#include "RunOptions.h"
#include "TensorArguments.h"
#include "rlx/Runtime/Runtime.h"
#include "rlx/Runtime/TensorFile.h"

#include <algorithm>
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

/// Runs once for the number of floating-point operations.
static Result<double> countFlops(Session &session, const Module &module,
                                 std::span<const TensorView> inputs) {
  RegionRecorder regions(session, module);
  Status status = regions.start();
  if (status)
    status = session.call(inputs);
  if (!status)
    return status;
  return regions.countFlops();
}

/// Prints how fast a run of that many operations is, on its own and beside the peak.
static void printSpeed(double flops, const Latencies &latencies, uint32_t threads) {
  if (flops == 0)
    return;
  uint32_t used = threads ? std::min(threads, rlx_pool_threads()) : rlx_pool_threads();
  double peak = measurePeakFlops(used);
  double speed = flops / (latencies.percentile(0.5) * 1e-3);
  fmt::print("{:.4g} GFLOP  {:.4g} GFLOP/s at p50  {:.1f}% of the f32 FMA peak, {:.4g} GFLOP/s "
             "on {} thread{}\n",
             flops * 1e-9, speed * 1e-9, 100 * speed / peak, peak * 1e-9, used,
             used == 1 ? "" : "s");
}

/// Runs many times and prints latencies and speed.
static Status benchmark(Session &session, const Module &module, std::span<const TensorView> inputs,
                        const RunOptions &options, Trace &trace) {
  Result<double> flops = countFlops(session, module, inputs);
  if (!flops)
    return flops.status();
  RegionRecorder regions(session, module);
  if (!options.trace.empty())
    if (Status status = regions.start(); !status)
      return status;
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
  printSpeed(*flops, latencies, options.threads);
  return options.trace.empty() ? Status() : regions.addTo(trace);
}

/// Runs once.
static Status runOnce(Session &session, const Module &module, std::span<const TensorView> inputs,
                      const RunOptions &options, Trace &trace) {
  if (options.trace.empty())
    return session.call(inputs);
  RegionRecorder regions(session, module);
  if (Status status = regions.start(); !status)
    return status;
  {
    Trace::Phase phase = trace.phase("run");
    if (Status status = session.call(inputs); !status)
      return status;
  }
  return regions.addTo(trace);
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

  Result<TensorArguments> weights = TensorArguments::open(options.params, module->params());
  if (!weights)
    return weights.status();
  auto bind = [&] {
    Trace::Phase phase = trace.phase("bind");
    return Params::bind(*module, weights->views(), Storage::Borrow);
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
  auto execute = options.benchmark ? benchmark : runOnce;
  if (Status status = execute(*session, *module, inputs->views(), options, trace); !status)
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
