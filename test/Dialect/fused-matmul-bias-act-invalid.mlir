// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) ranks.
func.func @fused_matmul_bias_act_c1(%x: tensor<3x4xf32>, %w: tensor<1x4x5xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{op operand 'w': expected rank 2, found tensor<1x4x5xf32>}}
  %0 = rlx.fused_matmul_bias_act %x, %w, %b : (tensor<3x4xf32>, tensor<1x4x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  return
}

// -----

// (C1_x) ranks.
func.func @fused_matmul_bias_act_c1_x(%x: tensor<4xf32>, %w: tensor<4x5xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{op operand 'x': expected rank 2 or more, found tensor<4xf32>}}
  %0 = rlx.fused_matmul_bias_act %x, %w, %b : (tensor<4xf32>, tensor<4x5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

// (C2) operands have the same element type.
func.func @fused_matmul_bias_act_c2(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>, %b: tensor<5xbf16>) {
  // expected-error@+1 {{op operand 'bias': expected element type f32, found tensor<5xbf16>}}
  %0 = rlx.fused_matmul_bias_act %x, %w, %b : (tensor<3x4xf32>, tensor<4x5xf32>, tensor<5xbf16>) -> tensor<3x5xf32>
  return
}

// -----

// (C3) the contracted dims are equal.
func.func @fused_matmul_bias_act_c3(%x: tensor<3x4xf32>, %w: tensor<6x5xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{op operand 'w': expected 4 rows, found tensor<6x5xf32>}}
  %0 = rlx.fused_matmul_bias_act %x, %w, %b : (tensor<3x4xf32>, tensor<6x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  return
}

// -----

// (C4) the bias has an element for each column.
func.func @fused_matmul_bias_act_c4(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{op operand 'bias': expected 5 elements, found tensor<4xf32>}}
  %0 = rlx.fused_matmul_bias_act %x, %w, %b act = relu : (tensor<3x4xf32>, tensor<4x5xf32>, tensor<4xf32>) -> tensor<3x5xf32>
  return
}
