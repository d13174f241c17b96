// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @binary_add(
// CHECK:         rlx.binary add %arg0, %arg1 : tensor<4xf32>
func.func @binary_add(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %0 = rlx.binary add %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @binary_sub(
// CHECK:         rlx.binary sub %arg0, %arg1 : tensor<4xf32>
func.func @binary_sub(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %0 = rlx.binary sub %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @binary_mul(
// CHECK:         rlx.binary mul %arg0, %arg1 : tensor<4xf32>
func.func @binary_mul(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %0 = rlx.binary mul %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @binary_div(
// CHECK:         rlx.binary div %arg0, %arg1 : tensor<4xf32>
func.func @binary_div(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %0 = rlx.binary div %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @binary_max(
// CHECK:         rlx.binary max %arg0, %arg1 : tensor<4xf32>
func.func @binary_max(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %0 = rlx.binary max %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @binary_min(
// CHECK:         rlx.binary min %arg0, %arg1 : tensor<4xf32>
func.func @binary_min(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %0 = rlx.binary min %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @binary_pow(
// CHECK:         rlx.binary pow %arg0, %arg1 : tensor<4xf32>
func.func @binary_pow(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %0 = rlx.binary pow %x, %y : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @binary_int(
// CHECK:         rlx.binary div %arg0, %arg1 : tensor<4xi8>
func.func @binary_int(%x: tensor<4xi8>, %y: tensor<4xi8>) {
  %0 = rlx.binary div %x, %y : tensor<4xi8>
  return
}

// Only a dim that is statically 1 broadcasts; a dynamic one equals the other.
// CHECK-LABEL: func.func @binary_broadcast(
// CHECK:         rlx.binary add %arg0, %arg1 : (tensor<?x1x4xf32>, tensor<7x?xf32>) -> tensor<?x7x4xf32>
func.func @binary_broadcast(%x: tensor<?x1x4xf32>, %y: tensor<7x?xf32>) {
  %0 = rlx.binary add %x, %y : (tensor<?x1x4xf32>, tensor<7x?xf32>) -> tensor<?x7x4xf32>
  return
}

// CHECK-LABEL: func.func @binary_scalar(
// CHECK:         rlx.binary mul %arg0, %arg1 : (tensor<?x4xf16>, tensor<f16>) -> tensor<?x4xf16>
func.func @binary_scalar(%x: tensor<?x4xf16>, %y: tensor<f16>) {
  %0 = rlx.binary mul %x, %y : (tensor<?x4xf16>, tensor<f16>) -> tensor<?x4xf16>
  return
}

// A static size is preferred to a dynamic one.
// SIZES-LABEL: func.func @binary_sizes(
// SIZES-DAG: %[[C0:.*]] = arith.constant 0
// SIZES-DAG: %[[C4:.*]] = arith.constant 4
// SIZES-DAG: %[[D0:.*]] = tensor.dim %arg0, %[[C0]]
// SIZES-DAG: %[[D1:.*]] = tensor.dim %arg1, %[[C0]]
// SIZES: return %[[D0]], %[[D1]], %[[C4]]
func.func @binary_sizes(%x: tensor<?x1x?xf32>, %y: tensor<?x4xf32>) -> (index, index, index) {
  %0 = rlx.binary add %x, %y : (tensor<?x1x?xf32>, tensor<?x4xf32>) -> tensor<?x?x?xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x?x?xf32>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %0, %c1 : tensor<?x?x?xf32>
  %c2 = arith.constant 2 : index
  %d2 = tensor.dim %0, %c2 : tensor<?x?x?xf32>
  return %d0, %d1, %d2 : index, index, index
}
