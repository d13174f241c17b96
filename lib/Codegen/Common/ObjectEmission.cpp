//===- ObjectEmission.cpp - LLVM dialect to machine code ------------------===//

#include "rlx/Codegen/ObjectEmission.h"

#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace rlx {

/// What compiled code may leave to the process it runs in.
static bool isLibraryFunction(StringRef name) {
  static const StringSet<> memory = {"memcpy", "memmove", "memset", "memcmp", "bcmp"};
  static const StringSet<> math = {
      "acos",  "acosh",     "asin", "asinh",  "atan", "atan2", "atanh", "cbrt", "ceil",  "copysign",
      "cos",   "cosh",      "erf",  "erfc",   "exp",  "exp2",  "expm1", "fabs", "floor", "fma",
      "fmax",  "fmin",      "fmod", "ldexp",  "log",  "log10", "log1p", "log2", "pow",   "rint",
      "round", "roundeven", "sin",  "sincos", "sinh", "sqrt",  "tan",   "tanh", "trunc"};
  if (memory.contains(name) || math.contains(name))
    return true;
  return name.consume_back("f") && math.contains(name);
}

void registerObjectEmissionDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllToLLVMIRTranslations(registry);
}

//===----------------------------------------------------------------------===//
// Set up
//===----------------------------------------------------------------------===//

ObjectEmitter::ObjectEmitter(const CpuTarget &target, unsigned optLevel,
                             std::unique_ptr<TargetMachine> machine)
    : target(target), optLevel(optLevel), machine(std::move(machine)) {}
ObjectEmitter::ObjectEmitter(ObjectEmitter &&) = default;
ObjectEmitter::~ObjectEmitter() = default;

Result<ObjectEmitter> ObjectEmitter::create(const CpuTarget &target, unsigned optLevel) {
  Triple triple(target.triple);
  std::string error;
  const llvm::Target *description = TargetRegistry::lookupTarget(triple, error);
  if (!description)
    return Status(ErrorCode::InvalidArgument, "target triple '" + target.triple + "': " + error);
  // The machine is the baseline; functions carry the CPU they are compiled for, so
  // that rlx_module_query runs anywhere.
  TargetOptions options;
  std::unique_ptr<TargetMachine> machine(description->createTargetMachine(
      triple, target.baselineCpu(), /*Features=*/"", options, Reloc::PIC_, std::nullopt,
      static_cast<CodeGenOptLevel>(optLevel)));
  if (!machine)
    return Status(ErrorCode::Internal,
                  "target triple '" + target.triple + "': no code generator in this LLVM");
  return ObjectEmitter(target, optLevel, std::move(machine));
}

//===----------------------------------------------------------------------===//
// LLVM IR
//===----------------------------------------------------------------------===//

Result<std::unique_ptr<llvm::Module>> ObjectEmitter::translate(mlir::ModuleOp module,
                                                               LLVMContext &context) const {
  std::unique_ptr<llvm::Module> result = mlir::translateModuleToLLVMIR(module, context, "rlx");
  if (!result)
    return Status(ErrorCode::Internal, "internal error: module does not translate to LLVM IR");
  result->setTargetTriple(machine->getTargetTriple());
  result->setDataLayout(machine->createDataLayout());
  for (Function &function : *result) {
    if (function.isDeclaration() || function.hasFnAttribute("target-cpu"))
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
  }
  return result;
}

void ObjectEmitter::optimize(llvm::Module &module) const {
  static const OptimizationLevel levels[] = {OptimizationLevel::O0, OptimizationLevel::O1,
                                             OptimizationLevel::O2, OptimizationLevel::O3};
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager callGraph;
  ModuleAnalysisManager modules;
  // Kernels are vectors already, with their loops unrolled as far as registers go.
  // What is left scalar is worth a vector loop, but neither more unrolling nor the
  // search for parallelism in straight-line code: both cost half of the compile time.
  PipelineTuningOptions tuning;
  tuning.SLPVectorization = false;
  tuning.LoopUnrolling = false;
  PassBuilder builder(machine.get(), tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  OptimizationLevel level = levels[optLevel];
  ModulePassManager manager = optLevel == 0 ? builder.buildO0DefaultPipeline(level)
                                            : builder.buildPerModuleDefaultPipeline(level);
  manager.run(module, modules);
}

//===----------------------------------------------------------------------===//
// Machine code
//===----------------------------------------------------------------------===//

static Status emit(TargetMachine &machine, llvm::Module &module, CodeGenFileType type,
                   SmallVectorImpl<char> &output) {
  raw_svector_ostream stream(output);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr, type))
    return {ErrorCode::Internal, "internal error: LLVM cannot emit this kind of file"};
  passes.run(module);
  return {};
}

/// Checks that nothing but a C library is needed.
static Status checkUndefinedSymbols(StringRef object) {
  Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(MemoryBufferRef(object, "object"));
  if (!file)
    return {ErrorCode::Internal, "internal error: object file: " + toString(file.takeError())};
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name) {
      consumeError(flags.takeError());
      consumeError(name.takeError());
      continue;
    }
    if ((*flags & object::SymbolRef::SF_Undefined) && !name->empty() && !isLibraryFunction(*name))
      return {ErrorCode::Internal,
              "internal error: compiled code needs '" + name->str() + "', which no library has"};
  }
  return {};
}

Result<std::vector<uint8_t>> ObjectEmitter::emitObject(llvm::Module &module) const {
  SmallVector<char, 0> output;
  if (Status status = emit(*machine, module, CodeGenFileType::ObjectFile, output); !status)
    return status;
  if (Status status = checkUndefinedSymbols(StringRef(output.data(), output.size())); !status)
    return status;
  return std::vector<uint8_t>(output.begin(), output.end());
}

Result<std::string> ObjectEmitter::emitAssembly(llvm::Module &module) const {
  SmallVector<char, 0> output;
  if (Status status = emit(*machine, module, CodeGenFileType::AssemblyFile, output); !status)
    return status;
  return std::string(output.begin(), output.end());
}

} // namespace rlx
