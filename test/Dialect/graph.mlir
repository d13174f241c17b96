// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -emit-bytecode | rlx-opt | FileCheck %s

// Arguments and params are printed under their names.
// CHECK-LABEL: rlx.graph @linear(
// CHECK-SAME:      %x: tensor<?x4xf32> {rlx.dims = ["batch", ""], rlx.name = "x"},
// CHECK-SAME:      %arg1: tensor<4xf32>)
// CHECK-SAME:      -> (tensor<?x2xf32> {rlx.name = "y"}, tensor<4xf32>) {
// CHECK-NEXT:    %L0.w = rlx.param "L0.w" : tensor<4x2xf32>
// CHECK-NEXT:    %[[Y:.*]] = rlx.matmul %x, %L0.w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
// CHECK-NEXT:    rlx.output %[[Y]], %arg1 : tensor<?x2xf32>, tensor<4xf32>
rlx.graph @linear(%a: tensor<?x4xf32> {rlx.name = "x", rlx.dims = ["batch", ""]}, %b: tensor<4xf32>)
    -> (tensor<?x2xf32> {rlx.name = "y"}, tensor<4xf32>) {
  %w = rlx.param "L0.w" : tensor<4x2xf32>
  %y = rlx.matmul %a, %w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  rlx.output %y, %b : tensor<?x2xf32>, tensor<4xf32>
}

// A value may be more or less static than the result it gives.
// CHECK-LABEL: rlx.graph @refined
rlx.graph @refined(%x: tensor<?x4xf32>) -> tensor<3x?xf32> {
  rlx.output %x : tensor<?x4xf32>
}

// CHECK-LABEL: rlx.graph @empty() {
// CHECK-NEXT:    rlx.output
rlx.graph @empty() {
  rlx.output
}
