// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @where(
// CHECK:         rlx.where %arg0, %arg1, %arg2 : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
func.func @where(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) {
  %0 = rlx.where %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @where_broadcast(
// CHECK:         rlx.where %arg0, %arg1, %arg2 : (tensor<?x1xi1>, tensor<4xi1>, tensor<i1>) -> tensor<?x4xi1>
func.func @where_broadcast(%c: tensor<?x1xi1>, %x: tensor<4xi1>, %y: tensor<i1>) {
  %0 = rlx.where %c, %x, %y : (tensor<?x1xi1>, tensor<4xi1>, tensor<i1>) -> tensor<?x4xi1>
  return
}

// SIZES-LABEL: func.func @where_sizes(
// SIZES-DAG: %[[C0:.*]] = arith.constant 0
// SIZES-DAG: %[[C1:.*]] = arith.constant 1
// SIZES-DAG: %[[D0:.*]] = tensor.dim %arg1, %[[C0]]
// SIZES-DAG: %[[D1:.*]] = tensor.dim %arg0, %[[C1]]
// SIZES: return %[[D0]], %[[D1]]
func.func @where_sizes(%c: tensor<1x?xi1>, %x: tensor<?x1xf32>, %y: tensor<f32>) -> (index, index) {
  %0 = rlx.where %c, %x, %y : (tensor<1x?xi1>, tensor<?x1xf32>, tensor<f32>) -> tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %0, %c1 : tensor<?x?xf32>
  return %d0, %d1 : index, index
}
