// RUN: rlx-opt %s -rlx-convert-precision=to=bf16 | FileCheck %s

// CHECK-LABEL: rlx.graph @matmul
// CHECK: %[[X:.*]] = rlx.cast %{{.*}} : (tensor<7x4xf32>) -> tensor<7x4xbf16>
// CHECK: %[[P:.*]] = rlx.matmul %[[X]], %{{.*}} : (tensor<7x4xbf16>, tensor<4x8xbf16>) -> tensor<7x8xbf16>
// CHECK: %[[Y:.*]] = rlx.cast %[[P]] : (tensor<7x8xbf16>) -> tensor<7x8xf32>
// CHECK: rlx.activation relu %[[Y]] : tensor<7x8xf32>
rlx.graph @matmul(%x: tensor<7x4xf32>) -> tensor<7x8xf32> {
  %w = rlx.param "w" : tensor<4x8xf32>
  %0 = rlx.matmul %x, %w : (tensor<7x4xf32>, tensor<4x8xf32>) -> tensor<7x8xf32>
  %1 = rlx.activation relu %0 : (tensor<7x8xf32>) -> tensor<7x8xf32>
  rlx.output %1 : tensor<7x8xf32>
}
