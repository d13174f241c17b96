// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @gather(
// CHECK:         rlx.gather %arg0, %arg1 axis = 0 : (tensor<9x4xf32>, tensor<3x?xi32>) -> tensor<3x?x4xf32>
func.func @gather(%x: tensor<9x4xf32>, %i: tensor<3x?xi32>) {
  %0 = rlx.gather %x, %i axis = 0 : (tensor<9x4xf32>, tensor<3x?xi32>) -> tensor<3x?x4xf32>
  return
}

// CHECK-LABEL: func.func @gather_scalar(
// CHECK:         rlx.gather %arg0, %arg1 axis = -1 : (tensor<9x4xi8>, tensor<i64>) -> tensor<9xi8>
func.func @gather_scalar(%x: tensor<9x4xi8>, %i: tensor<i64>) {
  %0 = rlx.gather %x, %i axis = -1 : (tensor<9x4xi8>, tensor<i64>) -> tensor<9xi8>
  return
}

// SIZES-LABEL: func.func @gather_sizes(
// SIZES-DAG: %[[C0:.*]] = arith.constant 0
// SIZES-DAG: %[[C2:.*]] = arith.constant 2
// SIZES-DAG: %[[D0:.*]] = tensor.dim %arg0, %[[C0]]
// SIZES-DAG: %[[D1:.*]] = tensor.dim %arg1, %[[C0]]
// SIZES-DAG: %[[D2:.*]] = tensor.dim %arg0, %[[C2]]
// SIZES: return %[[D0]], %[[D1]], %[[D2]]
func.func @gather_sizes(%x: tensor<?x9x?xf32>, %i: tensor<?xi64>) -> (index, index, index) {
  %0 = rlx.gather %x, %i axis = 1 : (tensor<?x9x?xf32>, tensor<?xi64>) -> tensor<?x?x?xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x?x?xf32>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %0, %c1 : tensor<?x?x?xf32>
  %c2 = arith.constant 2 : index
  %d2 = tensor.dim %0, %c2 : tensor<?x?x?xf32>
  return %d0, %d1, %d2 : index, index, index
}
