// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) both operands have rank 2 or more.
func.func @matmul_c1(%x: tensor<4xf32>, %w: tensor<4x5xf32>) {
  // expected-error@+1 {{op operand 'x': expected rank 2 or more, found tensor<4xf32>}}
  %0 = rlx.matmul %x, %w : (tensor<4xf32>, tensor<4x5xf32>) -> tensor<5xf32>
  return
}

// -----

// (C2) both operands have the same element type.
func.func @matmul_c2(%x: tensor<3x4xf32>, %w: tensor<4x5xf16>) {
  // expected-error@+1 {{op operand 'w': expected element type f32, found tensor<4x5xf16>}}
  %0 = rlx.matmul %x, %w : (tensor<3x4xf32>, tensor<4x5xf16>) -> tensor<3x5xf32>
  return
}

// -----

// (C3) the contracted dims are equal.
func.func @matmul_c3(%x: tensor<?x4xf32>, %w: tensor<3x5xf32>) {
  // expected-error@+1 {{op operand 'w': expected 4 rows, found tensor<3x5xf32>}}
  %0 = rlx.matmul %x, %w : (tensor<?x4xf32>, tensor<3x5xf32>) -> tensor<?x5xf32>
  return
}

// -----

// (C4) the leading dims broadcast.
func.func @matmul_c4(%x: tensor<2x3x4xf32>, %w: tensor<5x4x6xf32>) {
  // expected-error@+1 {{op operand 'w': expected leading dims that broadcast with [2], found tensor<5x4x6xf32>}}
  %0 = rlx.matmul %x, %w : (tensor<2x3x4xf32>, tensor<5x4x6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

// the result is the inferred one up to dynamic dims.
func.func @matmul_result(%x: tensor<3x4xf32>, %w: tensor<4x5xf32>) {
  // expected-error@+1 {{op result 0: expected tensor<3x5xf32>, found tensor<3x6xf32>}}
  %0 = rlx.matmul %x, %w : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x6xf32>
  return
}

// -----

// operands are floats.
func.func @matmul_floats(%x: tensor<3x4xi32>, %w: tensor<4x5xi32>) {
  // expected-error@+1 {{op operand #0 must be ranked tensor of}}
  %0 = rlx.matmul %x, %w : (tensor<3x4xi32>, tensor<4x5xi32>) -> tensor<3x5xi32>
  return
}
