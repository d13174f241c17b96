//===- MergeKernels.cpp - one gpu.module for all kernels ------------------===//

#include "rlx/Codegen/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

namespace rlx {
#define GEN_PASS_DEF_MERGEKERNELS
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

/// The text of a symbol under another name.
static std::string printAs(Operation *symbol, StringAttr name) {
  StringAttr own = SymbolTable::getSymbolName(symbol);
  SymbolTable::setSymbolName(symbol, name);
  std::string text;
  llvm::raw_string_ostream stream(text);
  symbol->print(stream, OpPrintingFlags().useLocalScope().enableDebugInfo(false));
  SymbolTable::setSymbolName(symbol, own);
  return text;
}

namespace {

struct MergeKernelsPass : public rlx::impl::MergeKernelsBase<MergeKernelsPass> {
  using MergeKernelsBase::MergeKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto sources = llvm::to_vector(module.getOps<mlir::gpu::GPUModuleOp>());
    if (sources.empty())
      return;
    texts.clear();
    kernels.clear();
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto merged = mlir::gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
    for (mlir::gpu::GPUModuleOp source : sources)
      moveSymbols(source, merged);
    module.walk([&](mlir::gpu::LaunchFuncOp launch) {
      launch.setKernelAttr(kernels.at({launch.getKernelModuleName(), launch.getKernelName()}));
    });
    for (mlir::gpu::GPUModuleOp source : sources)
      source.erase();
  }

private:
  /// Moves the globals and kernels of `source`, but for those that are there already.
  void moveSymbols(mlir::gpu::GPUModuleOp source, mlir::gpu::GPUModuleOp merged) {
    SymbolTable table(merged);
    // Globals first: a kernel is compared by the text that names them.
    for (bool functions : {false, true})
      for (Operation &symbol : llvm::make_early_inc_range(*source.getBody())) {
        if (isa<mlir::gpu::GPUFuncOp>(symbol) != functions || !isa<SymbolOpInterface>(symbol))
          continue;
        StringAttr old = SymbolTable::getSymbolName(&symbol);
        StringAttr name = moveOrFind(symbol, table);
        if (functions)
          kernels[{source.getNameAttr(), old}] =
              SymbolRefAttr::get(merged.getNameAttr(), FlatSymbolRefAttr::get(name));
        else if (failed(SymbolTable::replaceAllSymbolUses(old, name, source)))
          return signalPassFailure();
      }
  }

  /// The name under which `table` has `symbol` in the end.
  StringAttr moveOrFind(Operation &symbol, SymbolTable &table) {
    std::string text = printAs(&symbol, StringAttr::get(&getContext(), "symbol"));
    auto [entry, isNew] = texts.try_emplace(text);
    if (isNew) {
      symbol.remove();
      numKernels += isa<mlir::gpu::GPUFuncOp>(symbol);
      entry->second = table.insert(&symbol);
    }
    return entry->second;
  }

  llvm::StringMap<StringAttr> texts;
  llvm::DenseMap<std::pair<StringAttr, StringAttr>, SymbolRefAttr> kernels;
};

} // namespace
