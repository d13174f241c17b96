// RUN: rlx-opt %s -rlx-fuse-projections=max-rows=8 -verify-diagnostics -split-input-file | FileCheck %s

// The product comes where the first one was, and so does what its weights depend on.
// CHECK-LABEL: rlx.graph @projections
// CHECK: %[[W:.*]] = rlx.concat %{{.*}}, %{{.*}} axis = 1 : (tensor<4x8xf32>, tensor<4x6xf32>) -> tensor<4x14xf32>
// CHECK: %[[B:.*]] = rlx.concat %{{.*}}, %{{.*}} axis = 0 : (tensor<8xf32>, tensor<6xf32>) -> tensor<14xf32>
// CHECK: %[[WIDE:.*]] = rlx.fused_matmul_bias_act %{{.*}}, %[[W]], %[[B]] act = relu
// CHECK: %[[Q:.*]] = rlx.narrow %[[WIDE]] axis = 1 start = 0 length = 8
// CHECK: %[[K:.*]] = rlx.narrow %[[WIDE]] axis = 1 start = 8 length = 6
// CHECK: rlx.output %[[Q]], %[[K]]
rlx.graph @projections(%x: tensor<?x4xf32>) -> (tensor<?x8xf32>, tensor<?x6xf32>) {
  %wq = rlx.param "wq" : tensor<4x8xf32>
  %bq = rlx.param "bq" : tensor<8xf32>
  %q = rlx.fused_matmul_bias_act %x, %wq, %bq act = relu : (tensor<?x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %wk = rlx.param "wk" : tensor<6x4xf32>
  %wt = rlx.transpose %wk permutation = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %bk = rlx.param "bk" : tensor<6xf32>
  %k = rlx.fused_matmul_bias_act %x, %wt, %bk act = relu : (tensor<?x4xf32>, tensor<4x6xf32>, tensor<6xf32>) -> tensor<?x6xf32>
  rlx.output %q, %k : tensor<?x8xf32>, tensor<?x6xf32>
}

// -----

// Other activations and inputs are other products.
// CHECK-LABEL: rlx.graph @different
// CHECK-NOT: rlx.concat
rlx.graph @different(%x: tensor<7x4xf32>, %y: tensor<7x4xf32>) -> (tensor<7x8xf32>, tensor<7x8xf32>, tensor<7x8xf32>) {
  %w = rlx.param "w" : tensor<4x8xf32>
  %b = rlx.param "b" : tensor<8xf32>
  %0 = rlx.fused_matmul_bias_act %x, %w, %b : (tensor<7x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<7x8xf32>
  %1 = rlx.fused_matmul_bias_act %x, %w, %b act = relu : (tensor<7x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<7x8xf32>
  %2 = rlx.fused_matmul_bias_act %y, %w, %b : (tensor<7x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<7x8xf32>
  rlx.output %0, %1, %2 : tensor<7x8xf32>, tensor<7x8xf32>, tensor<7x8xf32>
}

// -----

// CHECK-LABEL: rlx.graph @declined
// CHECK-NOT: rlx.concat
rlx.graph @declined(%x: tensor<7x4xf32>, %w: tensor<4x8xf32>, %many: tensor<3x3x4xf32>) -> (tensor<7x8xf32>, tensor<7x8xf32>, tensor<3x3x8xf32>, tensor<3x3x8xf32>) {
  %p = rlx.param "p" : tensor<4x8xf32>
  %b = rlx.param "b" : tensor<8xf32>
  %0 = rlx.fused_matmul_bias_act %x, %p, %b : (tensor<7x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<7x8xf32>
  // expected-remark@+1 {{not fused: expected a weight and a bias that depend on params alone}}
  %1 = rlx.fused_matmul_bias_act %x, %w, %b : (tensor<7x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<7x8xf32>
  // expected-remark@+1 {{not fused: expected at most 8 rows, found 9}}
  %2 = rlx.fused_matmul_bias_act %many, %p, %b : (tensor<3x3x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<3x3x8xf32>
  // expected-remark@+1 {{not fused: expected at most 8 rows, found 9}}
  %3 = rlx.fused_matmul_bias_act %many, %p, %b : (tensor<3x3x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<3x3x8xf32>
  rlx.output %0, %1, %2, %3 : tensor<7x8xf32>, tensor<7x8xf32>, tensor<3x3x8xf32>, tensor<3x3x8xf32>
}
