//===- Options.h - how a graph is compiled ---------------------*- C++ -*-===//
//
// The one set of options of the compiler: of compile(), of rlx-compile and of the
// JSON files that `--options` reads. No MLIR or LLVM type appears here.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_COMPILER_OPTIONS_H
#define RLX_COMPILER_OPTIONS_H

#include "rlx/Runtime/Status.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rlx {

/// What compile() returns, from the highest level to the lowest.
enum class EmitKind {
  Rlx,    ///< the graph after the graph passes, MLIR text
  Linalg, ///< functions over linalg on tensors, MLIR text
  Gpu,    ///< launches and kernels in the GPU dialect, MLIR text; of device cuda
  Nvvm,   ///< kernels in the NVVM and LLVM dialects, MLIR text; of device cuda
  Ptx,    ///< the kernels' PTX, text; of device cuda
  Llvm,   ///< the LLVM dialect, MLIR text
  LlvmIr, ///< optimized LLVM IR, text
  Asm,    ///< assembly text
  Obj,    ///< an object file that links into a program
  Shared  ///< a module that the runtime loads
};

/// The compute type of matmuls, convolutions and attention products.
enum class Precision { F32, BF16, F16 };

/// How to compile. The defaults give the fastest module for this machine.
struct CompileOptions {
  EmitKind emit = EmitKind::Shared;
  std::string device = "cpu";     ///< where `run` computes: "cpu" or "cuda"
  std::string cudaArch = "sm_90"; ///< least GPU architecture, for device "cuda"
  std::string targetTriple;       ///< LLVM triple; this machine's if empty
  std::string targetCpu;      ///< LLVM CPU name; this one if empty, or another triple's baseline
  std::string targetFeatures; ///< on top of the CPU's, "+avx2,-fma"
  Precision precision = Precision::F32;
  std::vector<std::string> disable; ///< switchable passes that do not run, by name
  unsigned optLevel = 3;            ///< of LLVM, 0 to 3
  unsigned threads = 0;             ///< of sessions that are made with the module; 0: all
  bool verify = false;              ///< checks the IR after every pass, not only at the start
  std::string dumpPhases;           ///< folder that gets the IR after every phase
  std::string querySymbol = "rlx_module_query"; ///< name of the exported function

  /// The options of a preset: "default", "unfused", "two-way-transformer" or "psa-block".
  static Result<CompileOptions> preset(std::string_view name);

  /// Sets what a JSON object says, for example {"preset": "psa-block", "disable":
  /// ["rlx-hoist-params"]}. Keys are the names of rlx-compile's flags, and "threads".
  /// `source` names the text in errors.
  Status readJson(std::string_view text, std::string_view source);

  /// Everything that the code depends on, as a JSON object that readJson takes.
  std::string toJson() const;

  /// Whether the pass of this name runs.
  bool isEnabled(std::string_view pass) const;

  /// Checks what can be checked without compiling.
  Status check() const;
};

/// A pass that `disable` may name, and what it does.
struct SwitchablePass {
  std::string_view name;
  std::string_view summary;
};

/// All passes that can be switched off.
std::span<const SwitchablePass> switchablePasses();

/// The spellings of the enums, as in flags and JSON.
Result<EmitKind> parseEmitKind(std::string_view text);
Result<Precision> parsePrecision(std::string_view text);
std::string_view toString(EmitKind kind);
std::string_view toString(Precision precision);

} // namespace rlx

#endif // RLX_COMPILER_OPTIONS_H
