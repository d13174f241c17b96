// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s

// CHECK-LABEL: func.func @param(
// CHECK:         rlx.param "L0.self.q w" : tensor<4xf32>
func.func @param() {
  %0 = rlx.param "L0.self.q w" : tensor<4xf32>
  return
}
