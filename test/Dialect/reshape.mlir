// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @reshape(
// CHECK:         rlx.reshape %arg0 : (tensor<3x4xf32>) -> tensor<2x6xf32>
func.func @reshape(%x: tensor<3x4xf32>) {
  %0 = rlx.reshape %x : (tensor<3x4xf32>) -> tensor<2x6xf32>
  return
}

// CHECK-LABEL: func.func @reshape_scalar(
// CHECK:         rlx.reshape %arg0 : (tensor<1x1xi1>) -> tensor<i1>
func.func @reshape_scalar(%x: tensor<1x1xi1>) {
  %0 = rlx.reshape %x : (tensor<1x1xi1>) -> tensor<i1>
  return
}

// CHECK-LABEL: func.func @reshape_one_dynamic(
// CHECK:         rlx.reshape %arg0 : (tensor<?x?x4xf32>) -> tensor<?x8xf32>
func.func @reshape_one_dynamic(%x: tensor<?x?x4xf32>) {
  %0 = rlx.reshape %x : (tensor<?x?x4xf32>) -> tensor<?x8xf32>
  return
}

// Several dynamic dims carry over in order.
// CHECK-LABEL: func.func @reshape_carried(
// CHECK:         rlx.reshape %arg0 : (tensor<?x?x256xf32>) -> tensor<?x?x8x32xf32>
func.func @reshape_carried(%x: tensor<?x?x256xf32>) {
  %0 = rlx.reshape %x : (tensor<?x?x256xf32>) -> tensor<?x?x8x32xf32>
  return
}

// An empty tensor carries a dynamic dim over.
// CHECK-LABEL: func.func @reshape_empty(
// CHECK:         rlx.reshape %arg0 : (tensor<?x0x3xf32>) -> tensor<?x0xf32>
func.func @reshape_empty(%x: tensor<?x0x3xf32>) {
  %0 = rlx.reshape %x : (tensor<?x0x3xf32>) -> tensor<?x0xf32>
  return
}

// SIZES-LABEL: func.func @reshape_carried_sizes(
// SIZES-DAG: %[[C0:.*]] = arith.constant 0
// SIZES-DAG: %[[C1:.*]] = arith.constant 1
// SIZES-DAG: %[[D0:.*]] = tensor.dim %arg0, %[[C0]]
// SIZES-DAG: %[[D2:.*]] = tensor.dim %arg0, %[[C1]]
// SIZES: return %[[D0]], %[[D2]]
func.func @reshape_carried_sizes(%x: tensor<?x?x256xf32>) -> (index, index) {
  %0 = rlx.reshape %x : (tensor<?x?x256xf32>) -> tensor<?x8x?x32xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x8x?x32xf32>
  %c2 = arith.constant 2 : index
  %d2 = tensor.dim %0, %c2 : tensor<?x8x?x32xf32>
  return %d0, %d2 : index, index
}

// SIZES-LABEL: func.func @reshape_computed_sizes(
// SIZES: %[[P:.*]] = arith.muli
// SIZES: %[[D0:.*]] = affine.apply #{{.*}}()[%[[P]]]
// SIZES: return %[[D0]]
func.func @reshape_computed_sizes(%x: tensor<?x?x4xf32>) -> (index) {
  %0 = rlx.reshape %x : (tensor<?x?x4xf32>) -> tensor<?x8xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x8xf32>
  return %d0 : index
}
