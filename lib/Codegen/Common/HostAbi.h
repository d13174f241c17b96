//===- HostAbi.h - pieces of the host ABI's emission -----------*- C++ -*-===//
//
// Private to lib/Codegen/Common. HostAbi.cpp is the pass; HostAbiCalls.cpp lowers
// what functions ask of their host; HostAbiDescriptor.cpp writes the constants.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_CODEGEN_COMMON_HOSTABI_H
#define RLX_LIB_CODEGEN_COMMON_HOSTABI_H

#include "rlx/Codegen/HostDialect.h"
#include "rlx/Codegen/Signature.h"
#include "rlx/Codegen/Target.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringMap.h"

namespace rlx::hostabi {

/// The types of abi.h in the LLVM dialect.
struct Types {
  explicit Types(mlir::MLIRContext *context);

  mlir::IntegerType i8, i32, i64;
  mlir::LLVM::LLVMPointerType ptr;
  mlir::LLVM::LLVMStructType host, tensorInfo, kernelInfo, regionInfo, moduleInfo, moduleMeta;
  mlir::LLVM::LLVMFunctionType task, parallelFor, fail, launch, check, beginRegion, query;
};

/// Fields of rlx_host, by index.
enum HostField {
  kHostStructSize = 0,
  kHostContext = 2,
  kHostParallelFor = 3,
  kHostFail = 4,
  kHostLaunch = 5,
  kHostCheck = 6,
  kHostBeginRegion = 7
};

/// Makes `function` an internal llvm.func of another signature. `rebuild` computes
/// the old arguments from the new ones, `finish` replaces each func.return.
mlir::LLVM::LLVMFuncOp replaceSignature(
    mlir::func::FuncOp function, llvm::StringRef name, mlir::LLVM::LLVMFunctionType type,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &,
                                                      mlir::ValueRange newArguments)>
        rebuild,
    llvm::function_ref<void(mlir::OpBuilder &, mlir::ValueRange newArguments, mlir::func::ReturnOp)>
        finish);

/// How a value of `type` is passed: a memref as its pointer, then what its type
/// leaves open of offset, sizes and strides; an index as i64; others as they are.
llvm::SmallVector<mlir::Type> getPassedTypes(const Types &types, mlir::Type type);

/// The parts of `value` in that form, and the value of `type` from its parts.
llvm::SmallVector<mlir::Value> passValue(mlir::OpBuilder &builder, mlir::Location loc,
                                         const mlir::LLVMTypeConverter &converter,
                                         mlir::Value value);
mlir::Value receiveValue(mlir::OpBuilder &builder, mlir::Location loc,
                         const mlir::LLVMTypeConverter &converter, mlir::Type type,
                         mlir::ValueRange parts);

/// Adds zero-terminated constant strings to a module, each text once.
class StringTable {
public:
  explicit StringTable(mlir::ModuleOp module) : module(module) {}

  /// The name of the global that holds `text`.
  llvm::StringRef get(llvm::StringRef text);

private:
  mlir::ModuleOp module;
  llvm::StringMap<std::string> names;
};

/// Lowers tasks, host calls and cf.assert of a module whose functions all take
/// the host as their first argument.
class HostCalls {
public:
  HostCalls(mlir::ModuleOp module, const mlir::LLVMTypeConverter &converter, StringTable &strings)
      : module(module), converter(converter), types(module.getContext()), strings(strings) {}

  /// Gives a task the signature (host, status, parts of captures..., index).
  mlir::LogicalResult lowerTask(mlir::func::FuncOp task);

  /// Lowers the host calls of a function that returns a status.
  mlir::LogicalResult lowerFunction(mlir::LLVM::LLVMFuncOp function);

  /// Adds the function that tells the host of a region, for functions with regions.
  void emitBeginRegion();

private:
  struct Task {
    mlir::LLVM::LLVMStructType record;
    std::string thunk;
    bool canFail = false;
  };

  void emitThunk(mlir::Location loc, mlir::LLVM::LLVMFuncOp task, const Task &info);
  void lowerParallelFor(host::ParallelForOp op, mlir::Value host);
  void lowerLaunch(host::LaunchOp op, mlir::Value host);
  void lowerCheck(host::CheckOp op, mlir::Value host);
  void returnIfFailed(mlir::OpBuilder &builder, mlir::Operation *before, mlir::Value status);
  void lowerAssert(mlir::cf::AssertOp op, mlir::Value host, mlir::Value status);
  void lowerBeginRegion(host::BeginRegionOp op, mlir::Value host);
  mlir::Value loadHostField(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value host,
                            HostField field);

  mlir::ModuleOp module;
  const mlir::LLVMTypeConverter &converter;
  Types types;
  StringTable &strings;
  llvm::StringMap<Task> tasks;
};

/// Adds the descriptor, the query function and the section `.rlx.meta`.
/// `regions` are the elements of the module's attribute `rlx.regions`.
void emitDescriptor(mlir::ModuleOp module, const ModuleSignature &signature,
                    llvm::ArrayRef<mlir::Attribute> regions, const CpuTarget &target,
                    llvm::StringRef querySymbol, StringTable &strings);

} // namespace rlx::hostabi

#endif // RLX_LIB_CODEGEN_COMMON_HOSTABI_H
