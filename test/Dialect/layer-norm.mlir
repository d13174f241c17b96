// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @layer_norm(
// CHECK:         rlx.layer_norm %arg0, %arg1, %arg2 axis = -1 epsilon = 1.000000e-05 : (tensor<?x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x3x4xf32>
func.func @layer_norm(%x: tensor<?x3x4xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>) {
  %0 = rlx.layer_norm %x, %g, %b axis = -1 epsilon = 1.000000e-05 : (tensor<?x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x3x4xf32>
  return
}

// CHECK-LABEL: func.func @layer_norm_two_dims(
// CHECK:         rlx.layer_norm %arg0, %arg1, %arg2 axis = 1 epsilon = 0.000000e+00 : (tensor<?x3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<?x3x4xf32>
func.func @layer_norm_two_dims(%x: tensor<?x3x4xf32>, %g: tensor<3x4xf32>, %b: tensor<3x4xf32>) {
  %0 = rlx.layer_norm %x, %g, %b axis = 1 epsilon = 0.000000e+00 : (tensor<?x3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<?x3x4xf32>
  return
}

// SIZES-LABEL: func.func @layer_norm_sizes(
// SIZES: %[[D0:.*]] = tensor.dim %arg0, %c0
// SIZES: return %[[D0]]
func.func @layer_norm_sizes(%x: tensor<?x3x4xf32>, %g: tensor<4xf32>) -> (index) {
  %0 = rlx.layer_norm %x, %g, %g axis = 2 epsilon = 1.0e-5 : (tensor<?x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x3x4xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x3x4xf32>
  return %d0 : index
}
