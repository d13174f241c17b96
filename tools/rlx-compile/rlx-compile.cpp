//===- rlx-compile.cpp - compiles a graph to a module ---------------------===//
//
// Reads a graph from a file or builds a builtin model, compiles it, and writes the
// result. The options are those of rlx/Compiler/Options.h; what LLVM and MLIR offer
// for looking into a compilation is passed on to them.
//
//===----------------------------------------------------------------------===//

#include "Progress.h"
#include "Report.h"
#include "RunOptions.h"
#include "rlx/Compiler/CompileModule.h"
#include "rlx/Graph/GraphModule.h"
#include "rlx/Models/Builtin.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <functional>

using namespace rlx;
using namespace rlx::tools;

static constexpr const char kTool[] = "rlx-compile";

namespace {

/// The arguments as they were given. Those that were left out are not set, so that
/// they do not override an options file.
struct Arguments {
  std::string input;
  std::string output;
  std::string optionsFile;
  std::string preset;
  std::string report; ///< a file, or empty
  bool listPasses = false;
  bool gradient = false;
  std::vector<std::string> wrt;
  CompileOptions options;
};

/// A module and the context it lives in.
struct Input {
  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

static Result<Input> buildModel(const std::string &name) {
  Result<Graph> graph = models::buildBuiltin(name);
  if (!graph)
    return graph.status();
  Result<mlir::ModuleOp> module = GraphModule::get(*graph);
  if (!module)
    return module.status();
  Input input;
  input.context = GraphModule::context(*graph);
  input.module = (*module).clone();
  return input;
}

static Result<Input> readModule(const std::string &path) {
  Input input;
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  input.context = std::make_shared<mlir::MLIRContext>(registry);
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = parseModule(path, *input.context);
  if (!module)
    return module.status();
  input.module = std::move(*module);
  return input;
}

static Result<Input> readInput(const std::string &name) {
  return models::isBuiltin(name) ? buildModel(name) : readModule(name);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Writes to a temporary name and renames; `-` is the standard output.
static Status writeOutput(const std::string &path, llvm::ArrayRef<uint8_t> bytes) {
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &stream) {
    stream.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    return llvm::Error::success();
  });
  if (error)
    return {ErrorCode::Io, path + ": " + llvm::toString(std::move(error))};
  return {};
}

static Status writeReport(const std::string &path, const CompileReport &report) {
  std::string text = path.ends_with(".json") ? report.toJson() : report.toText();
  return writeOutput(path, {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
}

static mlir::LogicalResult configure(mlir::PassManager &manager) {
  if (mlir::failed(mlir::applyPassManagerCLOptions(manager)))
    return mlir::failure();
  mlir::applyDefaultTimingPassManagerCLOptions(manager);
  return mlir::success();
}

static Status run(const Arguments &arguments) {
  Progress progress(kTool);
  progress.start("read");
  Result<Input> input = readInput(arguments.input);
  if (!input)
    return input.status();
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  input->context->appendDialectRegistry(registry);
  if (arguments.gradient)
    if (Status status = differentiate(*input->module, arguments.wrt); !status)
      return status;

  CompileHooks hooks;
  hooks.onPhase = [&](std::string_view phase) { progress.start(phase); };
  hooks.configure = configure;
  CompileReport report;
  if (!arguments.report.empty())
    hooks.report = &report;
  Result<std::vector<uint8_t>> result = compile(*input->module, arguments.options, hooks);
  if (!result)
    return result.status();
  if (Status status = writeOutput(arguments.output, *result); !status)
    return status;
  return arguments.report.empty() ? Status() : writeReport(arguments.report, report);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Reads `--options FILE` and `--preset` into `options`.
static Status readOptions(const Arguments &arguments, CompileOptions &options) {
  if (!arguments.preset.empty()) {
    Result<CompileOptions> preset = CompileOptions::preset(arguments.preset);
    if (!preset)
      return preset.status();
    options = *preset;
  }
  if (arguments.optionsFile.empty())
    return {};
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFile(arguments.optionsFile, /*IsText=*/true);
  if (!file)
    return {ErrorCode::Io, arguments.optionsFile + ": " + file.getError().message()};
  return options.readJson((*file)->getBuffer(), arguments.optionsFile);
}

/// Declares the flags. Each one that is given is a change to the options, which
/// `changes` collects to make after the options file is read.
static void addFlags(CLI::App &app, Arguments &arguments,
                     std::vector<std::function<Status(CompileOptions &)>> &changes) {
  app.add_option("INPUT", arguments.input,
                 "A graph (.mlir, .mlirbc), or builtin:NAME?key=value&...");
  app.add_option("-o,--output", arguments.output, "Where the result goes; - for stdout")
      ->type_name("FILE");

  auto addText = [&](const char *group, const char *name, const char *type, const char *help,
                     auto apply) {
    app.add_option_function<std::string>(
           name,
           [&changes, apply](const std::string &text) {
             changes.push_back(
                 [apply, text](CompileOptions &options) -> Status { return apply(options, text); });
           },
           help)
        ->type_name(type)
        ->group(group);
  };
  auto member = [](std::string CompileOptions::*field) {
    return [field](CompileOptions &options, const std::string &text) {
      options.*field = text;
      return Status();
    };
  };

  const char *result = "Result";
  addText(result, "--emit", "KIND",
          "rlx, linalg, gpu, nvvm, ptx, llvm, llvm-ir, asm, obj or shared (the default)",
          [](CompileOptions &options, const std::string &text) {
            Result<EmitKind> kind = parseEmitKind(text);
            if (kind)
              options.emit = *kind;
            return kind.status();
          });
  addText(result, "--query-symbol", "NAME",
          "Name of the exported function, to link several objects into one program",
          member(&CompileOptions::querySymbol));

  const char *training = "Training";
  CLI::Option *gradient =
      app.add_flag("--gradient", arguments.gradient,
                   "Compile the graph with the gradients of its inputs and params")
          ->group(training);
  app.add_option("--wrt", arguments.wrt, "Inputs and params whose gradients are wanted")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->needs(gradient)
      ->group(training);

  const char *target = "Target";
  addText(target, "--target", "DEVICE", "Where the module computes: cpu (the default) or cuda",
          member(&CompileOptions::device));
  addText(target, "--cuda-arch", "ARCH", "Least GPU architecture; sm_90 by default",
          member(&CompileOptions::cudaArch));
  addText(target, "--target-cpu", "CPU", "LLVM CPU name, or host (the default on its triple)",
          member(&CompileOptions::targetCpu));
  addText(target, "--target-triple", "TRIPLE", "LLVM target triple; this machine's by default",
          member(&CompileOptions::targetTriple));
  addText(target, "--target-features", "LIST", "On top of the CPU's, as in +avx2,-fma",
          member(&CompileOptions::targetFeatures));

  const char *optimization = "Optimization";
  app.add_option("--options", arguments.optionsFile,
                 "Options as a JSON object; flags override them")
      ->type_name("FILE")
      ->group(optimization);
  app.add_option("--preset", arguments.preset, "default, unfused, two-way-transformer or psa-block")
      ->type_name("NAME")
      ->group(optimization);
  addText(optimization, "--precision", "TYPE", "Compute type of products: f32, bf16 or f16",
          [](CompileOptions &options, const std::string &text) {
            Result<Precision> precision = parsePrecision(text);
            if (precision)
              options.precision = *precision;
            return precision.status();
          });
  addText(optimization, "--disable", "PASS,...", "Switchable passes that do not run",
          [](CompileOptions &options, const std::string &text) {
            for (const std::string &name : CLI::detail::split(text, ','))
              options.disable.push_back(name);
            return Status();
          });
  app.add_flag("--list-passes", arguments.listPasses, "Print the switchable passes, and stop")
      ->group(optimization);
  app.add_option_function<unsigned>(
         "-O,--opt-level",
         [&changes](unsigned level) {
           changes.push_back([level](CompileOptions &options) {
             options.optLevel = level;
             return Status();
           });
         },
         "Effort of LLVM, 0 to 3 (the default)")
      ->type_name("N")
      ->check(wholeNumber(0, 3))
      ->group(optimization);

  const char *inspection = "Inspection";
  app.add_option("--report", arguments.report,
                 "What passes did, regions and memory: text, or JSON if it ends in .json; - for "
                 "stdout")
      ->type_name("FILE")
      ->group(inspection);
  addText(inspection, "--dump-phases", "FOLDER", "Gets the IR after every phase",
          member(&CompileOptions::dumpPhases));
  app.add_flag_callback(
         "--verify",
         [&changes] {
           changes.push_back([](CompileOptions &options) {
             options.verify = true;
             return Status();
           });
         },
         "Check the IR after every pass")
      ->group(inspection);
}

/// Registers what MLIR and LLVM offer and gives them the arguments that are theirs.
static void parseForwarded(const std::vector<std::string> &arguments) {
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  std::vector<const char *> argv = {kTool};
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  llvm::cl::ParseCommandLineOptions(argv.size(), argv.data());
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  CLI::App app("Compiles a graph to a module that rlx-run and the runtime load.", kTool);
  app.footer("Options of MLIR and LLVM are passed on, in the form --NAME=VALUE:\n"
             "  --mlir-timing                          Time of each pass\n"
             "  --mlir-print-ir-after-all              The IR after each pass\n"
             "  --mlir-pass-pipeline-crash-reproducer=FILE\n"
             "                                         What a failed compilation was doing\n"
             "\nExamples:\n"
             "  rlx-compile 'builtin:two-way-transformer?q_n=7&k_n=4096' -o decoder.so\n"
             "  rlx-compile model.mlir --emit obj --target-cpu x86-64-v3 -o model.o\n\n" +
             models::describeBuiltins());
  app.allow_extras();
  Arguments arguments;
  std::vector<std::function<Status(CompileOptions &)>> changes;
  addFlags(app, arguments, changes);
  return runTool(app, argc, argv, [&] {
    if (arguments.listPasses) {
      for (const SwitchablePass &pass : switchablePasses())
        fmt::print("{:<32}{}\n", pass.name, pass.summary);
      return 0;
    }
    std::vector<std::string> forwarded = app.remaining();
    for (const std::string &argument : forwarded)
      if (!llvm::StringRef(argument).starts_with("-"))
        return reportError(
            kTool, {ErrorCode::InvalidArgument, fmt::format("unexpected argument '{}'", argument)});
    if (arguments.input.empty() || arguments.output.empty())
      return reportError(kTool,
                         {ErrorCode::InvalidArgument,
                          arguments.input.empty() ? "INPUT is required" : "--output is required"});
    if (arguments.output == "-" && arguments.report == "-")
      return reportError(kTool, {ErrorCode::InvalidArgument,
                                 "--report: expected a file, as stdout is for the output"});
    parseForwarded(forwarded);
    Status status = readOptions(arguments, arguments.options);
    for (const auto &change : changes)
      if (status.ok())
        status = change(arguments.options);
    if (status.ok())
      status = run(arguments);
    return status.ok() ? 0 : reportError(kTool, status);
  });
}
