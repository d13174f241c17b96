// RUN: rlx-opt %s | rlx-opt | FileCheck %s

// CHECK-LABEL: func.func @tensors
// CHECK: rlx.combine_chunks ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x1x?x32xf32>, tensor<4x1x8x?xf32>, tensor<4x1x8x?xf32>) outs(%{{.*}}, %{{.*}} : tensor<1x?x32xf32>, tensor<1x8x?xf32>) {num_heads = 8 : i64} -> tensor<1x?x32xf32>, tensor<1x8x?xf32>
func.func @tensors(%p: tensor<4x1x?x32xf32>, %s: tensor<4x1x8x?xf32>, %o: tensor<1x?x32xf32>, %l: tensor<1x8x?xf32>) -> (tensor<1x?x32xf32>, tensor<1x8x?xf32>) {
  %0:2 = rlx.combine_chunks ins(%p, %s, %s : tensor<4x1x?x32xf32>, tensor<4x1x8x?xf32>, tensor<4x1x8x?xf32>) outs(%o, %l : tensor<1x?x32xf32>, tensor<1x8x?xf32>) {num_heads = 8 : i64} -> tensor<1x?x32xf32>, tensor<1x8x?xf32>
  return %0#0, %0#1 : tensor<1x?x32xf32>, tensor<1x8x?xf32>
}

// CHECK-LABEL: func.func @buffers
// CHECK: rlx.combine_chunks ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<4x2x5x6xf32>, memref<4x2x3x5xf32>, memref<4x2x3x5xf32>) outs(%{{.*}} : memref<2x5x6xbf16>) {num_heads = 3 : i64}
func.func @buffers(%p: memref<4x2x5x6xf32>, %s: memref<4x2x3x5xf32>, %o: memref<2x5x6xbf16>) {
  rlx.combine_chunks ins(%p, %s, %s : memref<4x2x5x6xf32>, memref<4x2x3x5xf32>, memref<4x2x3x5xf32>) outs(%o : memref<2x5x6xbf16>) {num_heads = 3 : i64}
  return
}
