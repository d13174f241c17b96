// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @compare_eq(
// CHECK:         rlx.compare eq %arg0, %arg1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
func.func @compare_eq(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %0 = rlx.compare eq %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @compare_ne(
// CHECK:         rlx.compare ne %arg0, %arg1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
func.func @compare_ne(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %0 = rlx.compare ne %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @compare_lt(
// CHECK:         rlx.compare lt %arg0, %arg1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
func.func @compare_lt(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %0 = rlx.compare lt %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @compare_le(
// CHECK:         rlx.compare le %arg0, %arg1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
func.func @compare_le(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %0 = rlx.compare le %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @compare_gt(
// CHECK:         rlx.compare gt %arg0, %arg1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
func.func @compare_gt(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %0 = rlx.compare gt %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @compare_ge(
// CHECK:         rlx.compare ge %arg0, %arg1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
func.func @compare_ge(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %0 = rlx.compare ge %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @compare_bool(
// CHECK:         rlx.compare ne %arg0, %arg1 : (tensor<4xi1>, tensor<1xi1>) -> tensor<4xi1>
func.func @compare_bool(%x: tensor<4xi1>, %y: tensor<1xi1>) {
  %0 = rlx.compare ne %x, %y : (tensor<4xi1>, tensor<1xi1>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @compare_int(
// CHECK:         rlx.compare le %arg0, %arg1 : (tensor<?x4xi64>, tensor<i64>) -> tensor<?x4xi1>
func.func @compare_int(%x: tensor<?x4xi64>, %y: tensor<i64>) {
  %0 = rlx.compare le %x, %y : (tensor<?x4xi64>, tensor<i64>) -> tensor<?x4xi1>
  return
}

// SIZES-LABEL: func.func @compare_sizes(
// SIZES: %[[D0:.*]] = tensor.dim %arg1, %c0
// SIZES: return %[[D0]]
func.func @compare_sizes(%x: tensor<1xf32>, %y: tensor<?x4xf32>) -> (index) {
  %0 = rlx.compare lt %x, %y : (tensor<1xf32>, tensor<?x4xf32>) -> tensor<?x4xi1>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x4xi1>
  return %d0 : index
}
