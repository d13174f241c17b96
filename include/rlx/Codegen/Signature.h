//===- Signature.h - the interface of a module being compiled --*- C++ -*-===//
//
// What the descriptor of a compiled module (see rlx/Runtime/abi.h) will say of
// its tensors, kept as the module attribute `rlx.signature` through lowering:
//
//   rlx.signature = {
//     name = "decoder", symbols = ["B"],
//     inputs = [{name = "x", type = f32, dims = array<i64: -1, 64>}],
//     params = [{name = "w", type = f32, dims = array<i64: 64, 8>}],
//     outputs = [{name = "y", type = f32, dims = array<i64: -1, 8>}]}
//
// Dims are coded as in abi.h; the type of a bool tensor is i1 (its memrefs have
// elements of type i8).
//
//===----------------------------------------------------------------------===//
#ifndef RLX_CODEGEN_SIGNATURE_H
#define RLX_CODEGEN_SIGNATURE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>

namespace rlx {

/// Names of the attributes by which the middle end hands a module to the host ABI.
namespace hostabi {
/// On the module: the dictionary above.
inline constexpr llvm::StringLiteral kSignature = "rlx.signature";
/// On the module: bytes of the packed buffer, an i64; absent means none.
inline constexpr llvm::StringLiteral kPackedSize = "rlx.packed_size";
/// On the module: {bytes, lower_bound} of a workspace whose size depends on no dynamic
/// dim; the bound is the most bytes of buffers that are live at a time.
inline constexpr llvm::StringLiteral kWorkspacePlan = "rlx.workspace_plan";
inline constexpr llvm::StringLiteral kPlanBytes = "bytes";
inline constexpr llvm::StringLiteral kPlanLowerBound = "lower_bound";
/// On the module: the compile options as a JSON string.
inline constexpr llvm::StringLiteral kOptions = "rlx.options";
/// On the module: the PTX of its kernels, their names, the GPU architecture they need.
inline constexpr llvm::StringLiteral kPtx = "rlx.ptx";
inline constexpr llvm::StringLiteral kKernels = "rlx.kernels";
inline constexpr llvm::StringLiteral kGpuArch = "rlx.gpu_arch";
/// On a cf.assert whose condition depends on elements of tensors.
inline constexpr llvm::StringLiteral kDataCheck = "rlx.data_check";
/// On the module: the regions of `rlx_run`, an array of {name = "L0.n1", parallel = true}.
inline constexpr llvm::StringLiteral kRegions = "rlx.regions";
inline constexpr llvm::StringLiteral kRegionName = "name";
inline constexpr llvm::StringLiteral kRegionParallel = "parallel";
/// On arguments: the index of the input, param or output that the memref is.
inline constexpr llvm::StringLiteral kInput = "rlx.input";
inline constexpr llvm::StringLiteral kParam = "rlx.param";
inline constexpr llvm::StringLiteral kOutput = "rlx.output";
/// On arguments: the byte offset of the memref in the packed buffer.
inline constexpr llvm::StringLiteral kPacked = "rlx.packed";
/// On an argument: the memref is the workspace.
inline constexpr llvm::StringLiteral kWorkspace = "rlx.workspace";
/// The functions of a module, before and after they get their C signatures.
inline constexpr llvm::StringLiteral kRun = "rlx_run";
inline constexpr llvm::StringLiteral kBind = "rlx_bind";
inline constexpr llvm::StringLiteral kShapes = "rlx_shapes";
inline constexpr llvm::StringLiteral kCosts = "rlx_costs";
} // namespace hostabi

/// One input, param or output.
struct TensorSignature {
  std::string name;
  mlir::Type elementType;
  llvm::SmallVector<int64_t> dims; ///< coded as in abi.h
};

/// All of a module's interface.
struct ModuleSignature {
  std::string name;
  llvm::SmallVector<std::string> symbols;
  llvm::SmallVector<TensorSignature> inputs, params, outputs;

  /// The attribute described above.
  mlir::DictionaryAttr toAttr(mlir::MLIRContext *context) const;

  /// Reads the attribute of `module`; a missing or malformed one is diagnosed.
  static mlir::FailureOr<ModuleSignature> get(mlir::ModuleOp module);
};

} // namespace rlx

#endif // RLX_CODEGEN_SIGNATURE_H
