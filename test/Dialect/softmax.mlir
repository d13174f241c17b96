// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @softmax(
// CHECK:         rlx.softmax %arg0 axis = -1 : tensor<?x7xf32>
func.func @softmax(%x: tensor<?x7xf32>) {
  %0 = rlx.softmax %x axis = -1 : tensor<?x7xf32>
  return
}

// CHECK-LABEL: func.func @softmax_first(
// CHECK:         rlx.softmax %arg0 axis = 0 : tensor<?x7xf16>
func.func @softmax_first(%x: tensor<?x7xf16>) {
  %0 = rlx.softmax %x axis = 0 : tensor<?x7xf16>
  return
}

// SIZES-LABEL: func.func @softmax_sizes(
// SIZES: %[[D0:.*]] = tensor.dim %arg0, %c0
// SIZES: return %[[D0]]
func.func @softmax_sizes(%x: tensor<?x4xf32>) -> (index) {
  %0 = rlx.softmax %x axis = 1 : tensor<?x4xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x4xf32>
  return %d0 : index
}
