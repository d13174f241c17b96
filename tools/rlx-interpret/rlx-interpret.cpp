//===- rlx-interpret.cpp - evaluates a graph in double precision ----------===//
//
// Takes what rlx-run takes, but a graph in place of a compiled module: the
// reference for what the module should give.
//
//===----------------------------------------------------------------------===//

#include "PrintArray.h"
#include "Report.h"
#include "RunOptions.h"
#include "TensorArguments.h"
#include "rlx/Compiler/Gradient.h"
#include "rlx/Graph/GraphModule.h"
#include "rlx/Interpreter/GraphTensors.h"
#include "rlx/Interpreter/Interpreter.h"
#include "rlx/Models/Builtin.h"
#include "rlx/Runtime/TensorFile.h"

#include <fmt/format.h>

#include <optional>

using namespace rlx;
using namespace rlx::tools;

static void printInfo(const GraphTensors &graph) {
  fmt::print("graph {}\n", graph.name());
  printTensorInfos("inputs", graph.inputs(), graph.symbols());
  printTensorInfos("params", graph.params(), graph.symbols());
  printTensorInfos("outputs", graph.outputs(), graph.symbols());
}

/// Evaluates once for the result, or many times for the latencies.
static Result<std::vector<Array>> execute(const Interpreter &interpreter, ir::GraphOp graph,
                                          std::span<const TensorView> inputs,
                                          std::span<const TensorView> params,
                                          const RunOptions &options) {
  if (!options.benchmark)
    return interpreter.evaluate(graph, inputs, params);
  Latencies latencies;
  for (uint32_t i = 0;; ++i) {
    auto start = std::chrono::steady_clock::now();
    Result<std::vector<Array>> outputs = interpreter.evaluate(graph, inputs, params);
    if (!outputs)
      return outputs;
    if (i >= options.warmup)
      latencies.add(std::chrono::steady_clock::now() - start);
    if (i + 1 < options.warmup + options.iterations)
      continue;
    latencies.print();
    return outputs;
  }
}

static Status writeOutputs(const std::string &path, const GraphTensors &graph,
                           std::span<const Array> arrays) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < arrays.size(); ++i)
    tensors.push_back(arrays[i].toTensor(graph.outputs()[i].name));
  std::vector<TensorView> views(tensors.begin(), tensors.end());
  return writeTensors(path, views);
}

/// What this tool takes beyond what rlx-run does.
struct InterpretOptions {
  bool print = false;
  bool gradient = false;
  std::vector<std::string> wrt;
};

/// Reads or builds the graph, and differentiates it if asked to.
static Result<Graph> loadGraph(const std::string &name, const InterpretOptions &options) {
  Result<Graph> graph = models::isBuiltin(name) ? models::buildBuiltin(name) : Graph::load(name);
  if (!graph || !options.gradient)
    return graph;
  return differentiate(*graph, options.wrt);
}

static Status run(const RunOptions &options, const InterpretOptions &interpret) {
  if (!options.device.empty() && options.device != "cpu")
    return {ErrorCode::Unsupported,
            fmt::format("device: expected cpu, found '{}'", options.device)};
  Trace trace;
  auto load = [&] {
    Trace::Phase phase = trace.phase("load");
    return loadGraph(options.graph, interpret);
  };
  Result<Graph> graph = load();
  if (!graph)
    return graph.status();
  Result<mlir::ModuleOp> module = GraphModule::get(*graph);
  if (!module)
    return module.status();
  Result<ir::GraphOp> op = GraphModule::find(*module);
  if (!op)
    return op.status();
  const GraphTensors tensors(*op);
  if (options.info) {
    printInfo(tensors);
    return {};
  }

  Result<TensorArguments> params = TensorArguments::open(options.params, tensors.params());
  if (!params)
    return params.status();
  Result<TensorArguments> inputs = TensorArguments::open(options.inputs, tensors.inputs());
  if (!inputs)
    return inputs.status();

  Interpreter interpreter(options.threads);
  std::optional<Trace::Phase> phase;
  if (!options.trace.empty())
    interpreter.setObserver([&](mlir::Operation *evaluated) {
      phase.emplace(trace, evaluated->getName().getStringRef().str());
    });
  Result<std::vector<Array>> outputs =
      execute(interpreter, *op, inputs->views(), params->views(), options);
  phase.reset();
  if (!outputs)
    return outputs.status();

  if (interpret.print)
    for (size_t i = 0; i < outputs->size(); ++i)
      fmt::print("{}: {}\n", tensors.outputs()[i].name, formatArray((*outputs)[i]));
  if (!options.outputs.empty())
    if (Status status = writeOutputs(options.outputs, tensors, *outputs); !status)
      return status;
  return trace.write(options.trace);
}

int main(int argc, char **argv) {
  CLI::App app("Evaluates a graph in double precision.", "rlx-interpret");
  app.footer("Example:\n  rlx-interpret 'builtin:psa-block?c=128' --params psa.safetensors "
             "--inputs in.safetensors --outputs out.safetensors\n\n" +
             models::describeBuiltins());
  RunOptions options;
  options.warmup = 0;
  options.iterations = 5;
  addRunOptions(app, options, "GRAPH", "A .mlir or .mlirbc file, or builtin:NAME?key=value&...");
  InterpretOptions interpret;
  app.add_flag("--print", interpret.print, "Print the outputs, unrounded")->group("Reports");
  CLI::Option *gradient = app.add_flag("--gradient", interpret.gradient,
                                       "Evaluate the graph with the gradients of its inputs "
                                       "and params")
                              ->group("Training");
  app.add_option("--wrt", interpret.wrt, "Inputs and params whose gradients are wanted")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->needs(gradient)
      ->group("Training");
  return runTool(app, argc, argv, [&] {
    Status status = run(options, interpret);
    return status.ok() ? 0 : reportError("rlx-interpret", status);
  });
}
