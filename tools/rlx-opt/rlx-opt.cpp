//===- rlx-opt.cpp - mlir-opt with the rlx dialect and passes -------------===//

#include "rlx/Compiler/CompileModule.h"

#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  rlx::registerCompilerDialects(registry);
  mlir::registerAllPasses();
  rlx::registerCompilerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Runs passes over modules of the rlx dialect\n", registry));
}
