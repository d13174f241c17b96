// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s

// CHECK-LABEL: func.func @param(
// CHECK:         rlx.param "L0.self.q w" : tensor<4xf32>
func.func @param() {
  %0 = rlx.param "L0.self.q w" : tensor<4xf32>
  return
}

// Params are part of the interface: one that nothing uses stays.
// RUN: rlx-opt %s -canonicalize -cse | FileCheck %s --check-prefix=UNUSED
// UNUSED-LABEL: rlx.graph @unused
// UNUSED: rlx.param "w"
rlx.graph @unused(%x: tensor<3xf32>) -> tensor<3xf32> {
  %w = rlx.param "w" : tensor<5xf32>
  rlx.output %x : tensor<3xf32>
}
