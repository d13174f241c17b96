// RUN: rlx-opt %s -rlx-autodiff -split-input-file | FileCheck %s

// Inputs get the outputs' gradients, outputs the gradients of inputs and params.
// CHECK-LABEL: rlx.graph @linear
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<7x4xf32> {rlx.name = "x"}, %[[D:[a-z0-9.]+]]: tensor<7x8xf32> {rlx.name = "grad.y"}
// CHECK-SAME: tensor<7x8xf32> {rlx.name = "y"}, tensor<7x4xf32> {rlx.name = "grad.x"}, tensor<4x8xf32> {rlx.name = "grad.w"}
// CHECK: %[[W:.*]] = rlx.param "w"
// CHECK: rlx.matmul %[[X]], %[[W]]
// CHECK-DAG: %[[WT:.*]] = rlx.transpose %[[W]]
// CHECK-DAG: %[[XT:.*]] = rlx.transpose %[[X]]
// CHECK-DAG: rlx.matmul %[[D]], %[[WT]]
// CHECK-DAG: rlx.matmul %[[XT]], %[[D]]
rlx.graph @linear(%x: tensor<7x4xf32> {rlx.name = "x"}) -> (tensor<7x8xf32> {rlx.name = "y"}) {
  %w = rlx.param "w" : tensor<4x8xf32>
  %0 = rlx.matmul %x, %w : (tensor<7x4xf32>, tensor<4x8xf32>) -> tensor<7x8xf32>
  rlx.output %0 : tensor<7x8xf32>
}

// -----

// Attention keeps the log-sum-exp of its rows alone.
// CHECK-LABEL: rlx.graph @attention
// CHECK: %[[Y:.*]], %[[LSE:.*]] = rlx.attention causal {{.*}} with_lse
// CHECK: rlx.attention_backward causal {{.*}} of(%[[Y]], %[[LSE]])
rlx.graph @attention(%q: tensor<1x7x8xf32> {rlx.name = "q"}) -> (tensor<1x7x8xf32> {rlx.name = "y"}) {
  %0 = rlx.attention causal %q, %q, %q num_heads = 2 head_dim = 4 : (tensor<1x7x8xf32>, tensor<1x7x8xf32>, tensor<1x7x8xf32>) -> tensor<1x7x8xf32>
  rlx.output %0 : tensor<1x7x8xf32>
}
