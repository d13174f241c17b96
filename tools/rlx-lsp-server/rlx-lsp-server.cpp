//===- rlx-lsp-server.cpp - Language server for the rlx dialect -----------===//

#include "dialects/rlx/Rlx.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<rlx::ir::RlxDialect>();
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
