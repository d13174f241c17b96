// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @transpose(
// CHECK:         rlx.transpose %arg0 permutation = [1, 2, 0] : (tensor<2x?x4xi8>) -> tensor<?x4x2xi8>
func.func @transpose(%x: tensor<2x?x4xi8>) {
  %0 = rlx.transpose %x permutation = [1, 2, 0] : (tensor<2x?x4xi8>) -> tensor<?x4x2xi8>
  return
}

// SIZES-LABEL: func.func @transpose_sizes(
// SIZES-DAG: %[[C0:.*]] = arith.constant 0
// SIZES-DAG: %[[C2:.*]] = arith.constant 2
// SIZES-DAG: %[[D0:.*]] = tensor.dim %arg0, %[[C2]]
// SIZES-DAG: %[[D1:.*]] = tensor.dim %arg0, %[[C0]]
// SIZES: return %[[D0]], %[[D1]]
func.func @transpose_sizes(%x: tensor<?x3x?xf32>) -> (index, index) {
  %0 = rlx.transpose %x permutation = [2, 0, 1] : (tensor<?x3x?xf32>) -> tensor<?x?x3xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x?x3xf32>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %0, %c1 : tensor<?x?x3xf32>
  return %d0, %d1 : index, index
}
