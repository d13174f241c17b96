// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @expand(
// CHECK:         rlx.expand %arg0 : (tensor<1x4xf32>) -> tensor<2x3x4xf32>
func.func @expand(%x: tensor<1x4xf32>) {
  %0 = rlx.expand %x : (tensor<1x4xf32>) -> tensor<2x3x4xf32>
  return
}

// CHECK-LABEL: func.func @expand_dynamic(
// CHECK:         rlx.expand %arg0 : (tensor<?x1xi64>) -> tensor<?x4xi64>
func.func @expand_dynamic(%x: tensor<?x1xi64>) {
  %0 = rlx.expand %x : (tensor<?x1xi64>) -> tensor<?x4xi64>
  return
}

// SIZES-LABEL: func.func @expand_sizes(
// SIZES: %[[D1:.*]] = tensor.dim %arg0, %c0
// SIZES: return %[[D1]]
func.func @expand_sizes(%x: tensor<?x1xf32>) -> (index) {
  %0 = rlx.expand %x : (tensor<?x1xf32>) -> tensor<2x?x4xf32>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %0, %c1 : tensor<2x?x4xf32>
  return %d1 : index
}
