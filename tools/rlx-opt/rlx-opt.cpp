//===- rlx-opt.cpp - mlir-opt with the rlx dialect and passes -------------===//

#include "dialects/rlx/Rlx.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  registry.insert<rlx::ir::RlxDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Runs passes over modules of the rlx dialect\n", registry));
}
