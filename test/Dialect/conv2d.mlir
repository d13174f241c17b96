// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// Attributes at their defaults are not printed.
// CHECK-LABEL: func.func @conv2d(
// CHECK:         rlx.conv2d %arg0, %arg1 : (tensor<1x8x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32>
func.func @conv2d(%x: tensor<1x8x9x9xf32>, %w: tensor<4x8x3x3xf32>) {
  %0 = rlx.conv2d %x, %w : (tensor<1x8x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32>
  return
}

// CHECK-LABEL: func.func @conv2d_depthwise(
// CHECK:         rlx.conv2d %arg0, %arg1, %arg2 padding = [1, 1] groups = 8 : (tensor<?x8x9x9xf32>, tensor<8x1x3x3xf32>, tensor<8xf32>) -> tensor<?x8x9x9xf32>
func.func @conv2d_depthwise(%x: tensor<?x8x9x9xf32>, %w: tensor<8x1x3x3xf32>, %b: tensor<8xf32>) {
  %0 = rlx.conv2d %x, %w, %b padding = [1, 1] groups = 8 : (tensor<?x8x9x9xf32>, tensor<8x1x3x3xf32>, tensor<8xf32>) -> tensor<?x8x9x9xf32>
  return
}

// CHECK-LABEL: func.func @conv2d_strided(
// CHECK:         rlx.conv2d %arg0, %arg1 stride = [2, 3] padding = [0, 2] dilation = [2, 1] : (tensor<1x8x9x12xf32>, tensor<4x8x3x2xf32>) -> tensor<1x4x3x5xf32>
func.func @conv2d_strided(%x: tensor<1x8x9x12xf32>, %w: tensor<4x8x3x2xf32>) {
  %0 = rlx.conv2d %x, %w stride = [2, 3] padding = [0, 2] dilation = [2, 1] : (tensor<1x8x9x12xf32>, tensor<4x8x3x2xf32>) -> tensor<1x4x3x5xf32>
  return
}

// Out of H rows come (H + 2 - 3) / 2 + 1.
// SIZES-LABEL: func.func @conv2d_sizes(
// SIZES-DAG: %[[C0:.*]] = arith.constant 0
// SIZES-DAG: %[[C2:.*]] = arith.constant 2
// SIZES-DAG: %[[D0:.*]] = tensor.dim %arg0, %[[C0]]
// SIZES-DAG: %[[H:.*]] = tensor.dim %arg0, %[[C2]]
// SIZES: %[[D2:.*]] = affine.apply #{{.*}}()[%[[H]]]
// SIZES: return %[[D0]], %[[D2]]
func.func @conv2d_sizes(%x: tensor<?x8x?x9xf32>, %w: tensor<4x8x3x3xf32>) -> (index, index) {
  %0 = rlx.conv2d %x, %w stride = [2, 2] padding = [1, 1] : (tensor<?x8x?x9xf32>, tensor<4x8x3x3xf32>) -> tensor<?x4x?x5xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x4x?x5xf32>
  %c2 = arith.constant 2 : index
  %d2 = tensor.dim %0, %c2 : tensor<?x4x?x5xf32>
  return %d0, %d2 : index, index
}
