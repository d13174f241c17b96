// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @reduce_sum(
// CHECK:         rlx.reduce sum %arg0 axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
func.func @reduce_sum(%x: tensor<2x3xf32>) {
  %0 = rlx.reduce sum %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @reduce_mean(
// CHECK:         rlx.reduce mean %arg0 axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
func.func @reduce_mean(%x: tensor<2x3xf32>) {
  %0 = rlx.reduce mean %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @reduce_max(
// CHECK:         rlx.reduce max %arg0 axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
func.func @reduce_max(%x: tensor<2x3xf32>) {
  %0 = rlx.reduce max %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @reduce_min(
// CHECK:         rlx.reduce min %arg0 axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
func.func @reduce_min(%x: tensor<2x3xf32>) {
  %0 = rlx.reduce min %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @reduce_prod(
// CHECK:         rlx.reduce prod %arg0 axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
func.func @reduce_prod(%x: tensor<2x3xf32>) {
  %0 = rlx.reduce prod %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @reduce_keep_dims(
// CHECK:         rlx.reduce sum %arg0 axes = [-2] keep_dims : (tensor<?x3xi32>) -> tensor<1x3xi32>
func.func @reduce_keep_dims(%x: tensor<?x3xi32>) {
  %0 = rlx.reduce sum %x axes = [-2] keep_dims : (tensor<?x3xi32>) -> tensor<1x3xi32>
  return
}

// CHECK-LABEL: func.func @reduce_all(
// CHECK:         rlx.reduce max %arg0 axes = [0, 1] : (tensor<?x3xf64>) -> tensor<f64>
func.func @reduce_all(%x: tensor<?x3xf64>) {
  %0 = rlx.reduce max %x axes = [0, 1] : (tensor<?x3xf64>) -> tensor<f64>
  return
}

// CHECK-LABEL: func.func @reduce_none(
// CHECK:         rlx.reduce max %arg0 axes = [] : (tensor<?x3xf64>) -> tensor<?x3xf64>
func.func @reduce_none(%x: tensor<?x3xf64>) {
  %0 = rlx.reduce max %x axes = [] : (tensor<?x3xf64>) -> tensor<?x3xf64>
  return
}

// SIZES-LABEL: func.func @reduce_sizes(
// SIZES-DAG: %[[C0:.*]] = arith.constant 0
// SIZES-DAG: %[[C2:.*]] = arith.constant 2
// SIZES-DAG: %[[D0:.*]] = tensor.dim %arg0, %[[C0]]
// SIZES-DAG: %[[D1:.*]] = tensor.dim %arg0, %[[C2]]
// SIZES: return %[[D0]], %[[D1]]
func.func @reduce_sizes(%x: tensor<?x?x?xf32>) -> (index, index) {
  %0 = rlx.reduce sum %x axes = [-2] : (tensor<?x?x?xf32>) -> tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %0, %c1 : tensor<?x?xf32>
  return %d0, %d1 : index, index
}
