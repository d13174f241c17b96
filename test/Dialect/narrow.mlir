// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @narrow(
// CHECK:         rlx.narrow %arg0 axis = -1 start = 2 length = 5 : (tensor<2x7xf32>) -> tensor<2x5xf32>
func.func @narrow(%x: tensor<2x7xf32>) {
  %0 = rlx.narrow %x axis = -1 start = 2 length = 5 : (tensor<2x7xf32>) -> tensor<2x5xf32>
  return
}

// CHECK-LABEL: func.func @narrow_empty(
// CHECK:         rlx.narrow %arg0 axis = 0 start = 2 length = 0 : (tensor<2x7xf32>) -> tensor<0x7xf32>
func.func @narrow_empty(%x: tensor<2x7xf32>) {
  %0 = rlx.narrow %x axis = 0 start = 2 length = 0 : (tensor<2x7xf32>) -> tensor<0x7xf32>
  return
}

// Against a dynamic dim the run checks the range.
// CHECK-LABEL: func.func @narrow_dynamic(
// CHECK:         rlx.narrow %arg0 axis = 1 start = 2 length = 5 : (tensor<?x?xi1>) -> tensor<?x5xi1>
func.func @narrow_dynamic(%x: tensor<?x?xi1>) {
  %0 = rlx.narrow %x axis = 1 start = 2 length = 5 : (tensor<?x?xi1>) -> tensor<?x5xi1>
  return
}

// SIZES-LABEL: func.func @narrow_sizes(
// SIZES-DAG: %[[C5:.*]] = arith.constant 5
// SIZES: %[[D0:.*]] = tensor.dim %arg0, %c0
// SIZES: return %[[D0]], %[[C5]]
func.func @narrow_sizes(%x: tensor<?x?xf32>) -> (index, index) {
  %0 = rlx.narrow %x axis = 1 start = 0 length = 5 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x?xf32>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %0, %c1 : tensor<?x?xf32>
  return %d0, %d1 : index, index
}
