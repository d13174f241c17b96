// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @concat(
// CHECK:         rlx.concat %arg0, %arg1, %arg2 axis = 1 : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x0xf32>) -> tensor<2x7xf32>
func.func @concat(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>, %z: tensor<2x0xf32>) {
  %0 = rlx.concat %x, %y, %z axis = 1 : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x0xf32>) -> tensor<2x7xf32>
  return
}

// CHECK-LABEL: func.func @concat_dynamic(
// CHECK:         rlx.concat %arg0, %arg1 axis = -1 : (tensor<?x3xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
func.func @concat_dynamic(%x: tensor<?x3xf32>, %y: tensor<2x?xf32>) {
  %0 = rlx.concat %x, %y axis = -1 : (tensor<?x3xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  return
}

// SIZES-LABEL: func.func @concat_sizes(
// SIZES-DAG: %[[C0:.*]] = arith.constant 0
// SIZES-DAG: %[[C1:.*]] = arith.constant 1
// SIZES-DAG: %[[D0:.*]] = tensor.dim %arg0, %[[C0]]
// SIZES-DAG: %[[N:.*]] = tensor.dim %arg0, %[[C1]]
// SIZES: %[[D1:.*]] = affine.apply #{{.*}}()[%[[N]]]
// SIZES: return %[[D0]], %[[D1]]
func.func @concat_sizes(%x: tensor<?x?xf32>, %y: tensor<?x4xf32>) -> (index, index) {
  %0 = rlx.concat %x, %y axis = 1 : (tensor<?x?xf32>, tensor<?x4xf32>) -> tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %0, %c1 : tensor<?x?xf32>
  return %d0, %d1 : index, index
}
