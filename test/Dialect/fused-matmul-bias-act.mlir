// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @fused_matmul_bias(
// CHECK:         rlx.fused_matmul_bias_act %arg0, %arg1, %arg2 : (tensor<2x3x4xf32>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
func.func @fused_matmul_bias(%x: tensor<2x3x4xf32>, %w: tensor<4x5xf32>, %b: tensor<5xf32>) {
  %0 = rlx.fused_matmul_bias_act %x, %w, %b : (tensor<2x3x4xf32>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
  return
}

// CHECK-LABEL: func.func @fused_matmul_bias_act(
// CHECK:         rlx.fused_matmul_bias_act %arg0, %arg1, %arg2 act = gelu_tanh : (tensor<?x4xf16>, tensor<4x5xf16>, tensor<5xf16>) -> tensor<?x5xf16>
func.func @fused_matmul_bias_act(%x: tensor<?x4xf16>, %w: tensor<4x5xf16>, %b: tensor<5xf16>) {
  %0 = rlx.fused_matmul_bias_act %x, %w, %b act = gelu_tanh : (tensor<?x4xf16>, tensor<4x5xf16>, tensor<5xf16>) -> tensor<?x5xf16>
  return
}

// SIZES-LABEL: func.func @fused_sizes(
// SIZES-DAG: %[[C0:.*]] = arith.constant 0
// SIZES-DAG: %[[C1:.*]] = arith.constant 1
// SIZES-DAG: %[[C7:.*]] = arith.constant 7
// SIZES-DAG: %[[D0:.*]] = tensor.dim %arg0, %[[C0]]
// SIZES-DAG: %[[D2:.*]] = tensor.dim %arg1, %[[C1]]
// SIZES: return %[[D0]], %[[C7]], %[[D2]]
func.func @fused_sizes(%x: tensor<?x7x4xf32>, %w: tensor<4x?xf32>, %b: tensor<?xf32>) -> (index, index, index) {
  %0 = rlx.fused_matmul_bias_act %x, %w, %b : (tensor<?x7x4xf32>, tensor<4x?xf32>, tensor<?xf32>) -> tensor<?x7x?xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x7x?xf32>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %0, %c1 : tensor<?x7x?xf32>
  %c2 = arith.constant 2 : index
  %d2 = tensor.dim %0, %c2 : tensor<?x7x?xf32>
  return %d0, %d1, %d2 : index, index, index
}
