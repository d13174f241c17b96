//===- rlx-lsp-server.cpp - Language server for the rlx dialect -----------===//

#include "rlx/Compiler/CompileModule.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  rlx::registerCompilerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
