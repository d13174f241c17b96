// RUN: rlx-opt %s -rlx-fuse-matmul-bias-act | FileCheck %s

// CHECK-LABEL: rlx.graph @bias_and_activation
// CHECK: %[[Y:.*]] = rlx.fused_matmul_bias_act %{{.*}}, %{{.*}}, %{{.*}} act = relu
// CHECK-NEXT: rlx.output %[[Y]]
rlx.graph @bias_and_activation(%x: tensor<?x4xf32>) -> tensor<?x8xf32> {
  %w = rlx.param "w" : tensor<4x8xf32>
  %b = rlx.param "b" : tensor<8xf32>
  %0 = rlx.matmul %x, %w : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
  %1 = rlx.binary add %b, %0 : (tensor<8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %2 = rlx.activation relu %1 : (tensor<?x8xf32>) -> tensor<?x8xf32>
  rlx.output %2 : tensor<?x8xf32>
}

// The product has another use.
// CHECK-LABEL: rlx.graph @shared_product
// CHECK: rlx.matmul
rlx.graph @shared_product(%x: tensor<7x4xf32>) -> (tensor<7x8xf32>, tensor<7x8xf32>) {
  %w = rlx.param "w" : tensor<4x8xf32>
  %b = rlx.param "b" : tensor<8xf32>
  %0 = rlx.matmul %x, %w : (tensor<7x4xf32>, tensor<4x8xf32>) -> tensor<7x8xf32>
  %1 = rlx.binary add %0, %b : (tensor<7x8xf32>, tensor<8xf32>) -> tensor<7x8xf32>
  rlx.output %0, %1 : tensor<7x8xf32>, tensor<7x8xf32>
}
