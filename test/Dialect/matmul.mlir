// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @matmul(
// CHECK:         rlx.matmul %arg0, %arg1 : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
func.func @matmul(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>) {
  %0 = rlx.matmul %x, %w : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return
}

// Leading dims broadcast.
// CHECK-LABEL: func.func @matmul_broadcast(
// CHECK:         rlx.matmul %arg0, %arg1 : (tensor<2x1x3x4xbf16>, tensor<6x4x5xbf16>) -> tensor<2x6x3x5xbf16>
func.func @matmul_broadcast(%x: tensor<2x1x3x4xbf16>, %w: tensor<6x4x5xbf16>) {
  %0 = rlx.matmul %x, %w : (tensor<2x1x3x4xbf16>, tensor<6x4x5xbf16>) -> tensor<2x6x3x5xbf16>
  return
}

// A dynamic dim stands for any size.
// CHECK-LABEL: func.func @matmul_dynamic(
// CHECK:         rlx.matmul %arg0, %arg1 : (tensor<?x7x?xf64>, tensor<4x5xf64>) -> tensor<?x7x5xf64>
func.func @matmul_dynamic(%x: tensor<?x7x?xf64>, %w: tensor<4x5xf64>) {
  %0 = rlx.matmul %x, %w : (tensor<?x7x?xf64>, tensor<4x5xf64>) -> tensor<?x7x5xf64>
  return
}

// The result may be written less or more static than inferred.
// CHECK-LABEL: func.func @matmul_refined(
// CHECK:         rlx.matmul %arg0, %arg1 : (tensor<?x4xf16>, tensor<4x5xf16>) -> tensor<3x?xf16>
func.func @matmul_refined(%x: tensor<?x4xf16>, %w: tensor<4x5xf16>) {
  %0 = rlx.matmul %x, %w : (tensor<?x4xf16>, tensor<4x5xf16>) -> tensor<3x?xf16>
  return
}

// SIZES-LABEL: func.func @matmul_sizes(
// SIZES-DAG: %[[C0:.*]] = arith.constant 0
// SIZES-DAG: %[[C2:.*]] = arith.constant 2
// SIZES-DAG: %[[D0:.*]] = tensor.dim %arg0, %[[C0]]
// SIZES-DAG: %[[D1:.*]] = tensor.dim %arg1, %[[C0]]
// SIZES-DAG: %[[D2:.*]] = tensor.dim %arg0, %[[C2]]
// SIZES-DAG: %[[D3:.*]] = tensor.dim %arg1, %[[C2]]
// SIZES: return %[[D0]], %[[D1]], %[[D2]], %[[D3]]
func.func @matmul_sizes(%x: tensor<?x1x?x4xf32>, %w: tensor<?x4x?xf32>) -> (index, index, index, index) {
  %0 = rlx.matmul %x, %w : (tensor<?x1x?x4xf32>, tensor<?x4x?xf32>) -> tensor<?x?x?x?xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x?x?x?xf32>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %0, %c1 : tensor<?x?x?x?xf32>
  %c2 = arith.constant 2 : index
  %d2 = tensor.dim %0, %c2 : tensor<?x?x?x?xf32>
  %c3 = arith.constant 3 : index
  %d3 = tensor.dim %0, %c3 : tensor<?x?x?x?xf32>
  return %d0, %d1, %d2, %d3 : index, index, index, index
}
