//===- Compiler.cpp - from a graph to a module ----------------------------===//

#include "ErrorCollector.h"
#include "Pipelines.h"
#include "ReportInstrumentation.h"

#include "rlx/Codegen/ObjectEmission.h"
#include "rlx/Codegen/PtxEmission.h"
#include "rlx/Codegen/Signature.h"
#include "rlx/Graph/GraphModule.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace mlir;

namespace rlx {

Result<OwningOpRef<ModuleOp>> parseModule(const std::string &path, MLIRContext &context) {
  std::string problem;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &problem);
  if (!file)
    return Status(ErrorCode::Io, path + ": " + problem);
  ErrorCollector errors(&context);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return errors.status("parsing");
  return module;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static Result<CpuTarget> getTarget(const CompileOptions &options) {
  llvm::Expected<CpuTarget> target =
      CpuTarget::get(options.targetTriple, options.targetCpu, options.targetFeatures);
  if (!target)
    return Status(ErrorCode::InvalidArgument, llvm::toString(target.takeError()));
  return *target;
}

static std::vector<uint8_t> toBytes(StringRef text) {
  return std::vector<uint8_t>(text.bytes_begin(), text.bytes_end());
}

/// The name of the graph, at any phase.
static std::string findName(ModuleOp module) {
  if (Result<ir::GraphOp> graph = GraphModule::find(module))
    return graph->getSymName().str();
  auto signature = module->getAttrOfType<DictionaryAttr>(hostabi::kSignature);
  auto name = signature ? signature.getAs<StringAttr>("name") : StringAttr();
  return name ? name.str() : "module";
}

/// Runs the phases on MLIR.
static Status lower(ModuleOp module, const CpuTarget &target, const CompileOptions &options,
                    const CompileHooks &hooks) {
  Phase first = findFirstPhase(module);
  Phase last = findLastPhase(options.emit);
  if (last < first)
    return {ErrorCode::InvalidArgument,
            "emit: input is lowered further than '" + std::string(toString(options.emit)) + "'"};
  ErrorCollector errors(module.getContext());
  if (first == Phase::Input)
    if (Result<ir::GraphOp> graph = GraphModule::find(module); !graph) {
      module.emitError(graph.message());
      return errors.status("looking for the graph");
    }
  if (last == Phase::Llvm) {
    // The target that was found rather than what was left open.
    CompileOptions recorded = options;
    recorded.targetTriple = target.triple;
    recorded.targetCpu = target.cpu;
    module->setAttr(hostabi::kOptions, StringAttr::get(module.getContext(), recorded.toJson()));
  }
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.enableVerifier(options.verify);
  if (hooks.configure && failed(hooks.configure(manager)))
    return errors.status("setting up passes");
  std::optional<ReportRecorder> recorder;
  if (hooks.report) {
    hooks.report->module = findName(module);
    hooks.report->target = target.cpu;
    recorder.emplace(*hooks.report, module.getContext());
    recorder->follow(manager);
  }
  buildPhases(manager, first, last, target, options, hooks.onPhase);
  if (failed(manager.run(module)))
    return errors.status("compilation");
  return {};
}

/// Turns a module of the LLVM dialect into what `options.emit` says.
static Result<std::vector<uint8_t>> emitCode(ModuleOp module, const CpuTarget &target,
                                             const CompileOptions &options,
                                             const CompileHooks &hooks) {
  auto startPhase = [&](std::string_view name) {
    if (hooks.onPhase)
      hooks.onPhase(name);
  };
  Result<ObjectEmitter> emitter = ObjectEmitter::create(target, options.optLevel);
  if (!emitter)
    return emitter.status();
  startPhase("optimize");
  llvm::LLVMContext context;
  Result<std::unique_ptr<llvm::Module>> code = [&]() -> Result<std::unique_ptr<llvm::Module>> {
    ErrorCollector errors(module.getContext());
    Result<std::unique_ptr<llvm::Module>> translated = emitter->translate(module, context);
    if (!translated)
      return errors.status("translation to LLVM IR");
    return translated;
  }();
  if (!code)
    return code.status();
  emitter->optimize(**code);
  if (options.emit == EmitKind::LlvmIr) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    (*code)->print(stream, nullptr);
    return toBytes(text);
  }
  startPhase("emit");
  if (options.emit == EmitKind::Asm) {
    Result<std::string> text = emitter->emitAssembly(**code);
    if (!text)
      return text.status();
    return toBytes(*text);
  }
  Result<std::vector<uint8_t>> object = emitter->emitObject(**code);
  if (!object || options.emit == EmitKind::Obj)
    return object;
  startPhase("link");
  return linkSharedModule(*object, target);
}

/// The PTX of the module's kernels; none if it has no kernels.
static Result<std::vector<uint8_t>> emitPtx(ModuleOp module, const CompileOptions &options) {
  mlir::gpu::GPUModuleOp kernels = findKernels(module);
  if (!kernels)
    return std::vector<uint8_t>();
  ErrorCollector errors(module.getContext());
  FailureOr<std::string> ptx = gpu::emitPtx(kernels, options.cudaArch, options.optLevel);
  if (failed(ptx))
    return errors.status("emission of PTX");
  return toBytes(*ptx);
}

Result<std::vector<uint8_t>> compile(ModuleOp module, const CompileOptions &options,
                                     const CompileHooks &hooks) {
  if (Status status = options.check(); !status)
    return status;
  Result<CpuTarget> target = getTarget(options);
  if (!target)
    return target.status();
  if (Status status = lower(module, *target, options, hooks); !status)
    return status;
  if (options.emit == EmitKind::Ptx)
    return emitPtx(module, options);
  if (options.emit > EmitKind::Llvm)
    return emitCode(module, *target, options, hooks);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  stream << '\n';
  return toBytes(text);
}

Result<std::vector<uint8_t>> compile(const Graph &graph, const CompileOptions &options,
                                     const PhaseCallback &onPhase) {
  Result<ModuleOp> module = GraphModule::get(graph);
  if (!module)
    return module.status();
  std::shared_ptr<MLIRContext> context = GraphModule::context(graph);
  DialectRegistry registry;
  registerCompilerDialects(registry);
  context->appendDialectRegistry(registry);
  OwningOpRef<ModuleOp> clone = (*module).clone();
  CompileHooks hooks;
  hooks.onPhase = onPhase;
  return compile(*clone, options, hooks);
}

Result<Module> compileInProcess(const Graph &graph, const CompileOptions &options,
                                const PhaseCallback &onPhase) {
  CompileOptions forObject = options;
  forObject.emit = EmitKind::Obj;
  Result<std::vector<uint8_t>> object = compile(graph, forObject, onPhase);
  if (!object)
    return object.status();
  return loadObject(*object, options.querySymbol);
}

} // namespace rlx
