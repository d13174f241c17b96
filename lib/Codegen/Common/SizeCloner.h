//===- SizeCloner.h - sizes of rlx_run computed elsewhere ------*- C++ -*-===//
#ifndef RLX_LIB_CODEGEN_COMMON_SIZECLONER_H
#define RLX_LIB_CODEGEN_COMMON_SIZECLONER_H

#include "rlx/Codegen/Signature.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SmallVector.h"

namespace rlx {

/// Computes sizes of the buffers of rlx_run in another place, from the symbols alone.
/// A copy of a cloner knows what the first one has computed so far; what either
/// computes later is its own, as the two may be in different scopes.
class SizeCloner {
public:
  /// `symbols` are the sizes of the dynamic dims where `builder` inserts.
  SizeCloner(mlir::OpBuilder &builder, mlir::func::FuncOp run, const ModuleSignature &signature,
             llvm::SmallVector<mlir::Value> symbols)
      : builder(builder), run(run), signature(&signature), symbols(std::move(symbols)) {}

  /// Lets `there` stand for `here`, a value of rlx_run.
  void map(mlir::Value here, mlir::Value there) { mapping.map(here, there); }

  /// Gives the dims of all outputs, one after another, where those that are computed are
  /// needed.
  void setOutputDims(llvm::SmallVector<mlir::Value> dims) { outputDims = std::move(dims); }

  /// `size`, an index value of rlx_run, at the builder's insertion point.
  mlir::FailureOr<mlir::Value> clone(mlir::Value size);
  mlir::FailureOr<mlir::Value> materialize(mlir::OpFoldResult size);

  /// The size of dim `dim` of a memref of rlx_run.
  mlir::FailureOr<mlir::Value> getSize(mlir::Value memref, int64_t dim);

  mlir::Value constant(int64_t size);
  mlir::Location getLoc() const { return run->getLoc(); }
  mlir::OpBuilder &getBuilder() const { return builder; }

private:
  mlir::FailureOr<mlir::Value> getArgumentSize(mlir::BlockArgument argument, int64_t dim);

  mlir::OpBuilder &builder;
  mlir::func::FuncOp run;
  const ModuleSignature *signature;
  llvm::SmallVector<mlir::Value> symbols, outputDims;
  mlir::IRMapping mapping;
};

} // namespace rlx

#endif // RLX_LIB_CODEGEN_COMMON_SIZECLONER_H
