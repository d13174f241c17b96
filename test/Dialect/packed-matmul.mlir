// RUN: rlx-opt %s | rlx-opt | FileCheck %s

// CHECK-LABEL: func.func @tensors
// CHECK: rlx.packed_matmul act = relu ins(%{{.*}}, %{{.*}} : tensor<?x256xf32>, tensor<4x256x16xf32>) bias(%{{.*}} : tensor<64xf32>) outs(%{{.*}} : tensor<?x64xf32>) -> tensor<?x64xf32>
func.func @tensors(%x: tensor<?x256xf32>, %w: tensor<4x256x16xf32>, %b: tensor<64xf32>, %e: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = rlx.packed_matmul act = relu ins(%x, %w : tensor<?x256xf32>, tensor<4x256x16xf32>) bias(%b : tensor<64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @buffers
// CHECK: rlx.packed_matmul ins(%{{.*}}, %{{.*}} : memref<2x7x8xf32>, memref<2x8x16xf32>) outs(%{{.*}} : memref<2x7x19xf32>)
func.func @buffers(%x: memref<2x7x8xf32>, %w: memref<2x8x16xf32>, %y: memref<2x7x19xf32>) {
  rlx.packed_matmul ins(%x, %w : memref<2x7x8xf32>, memref<2x8x16xf32>) outs(%y : memref<2x7x19xf32>)
  return
}
