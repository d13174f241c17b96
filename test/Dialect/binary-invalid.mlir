// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) operands have the same element type.
func.func @binary_c1(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{op operand 'rhs': expected element type f32, found tensor<4xf64>}}
  %0 = rlx.binary add %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// (C2) dims broadcast.
func.func @binary_c2(%x: tensor<3x4xf32>, %y: tensor<2x1xf32>) {
  // expected-error@+1 {{op operand 'rhs': expected dims that broadcast with [3, 4], found tensor<2x1xf32>}}
  %0 = rlx.binary add %x, %y : (tensor<3x4xf32>, tensor<2x1xf32>) -> tensor<3x4xf32>
  return
}

// -----

// (C3) pow takes floats.
func.func @binary_c3(%x: tensor<4xi32>, %y: tensor<4xi32>) {
  // expected-error@+1 {{op operand 'lhs': expected floats for pow, found tensor<4xi32>}}
  %0 = rlx.binary pow %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// a dynamic dim does not broadcast.
func.func @binary_dynamic(%x: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{op result 0: expected tensor<4xf32>, found tensor<1xf32>}}
  %0 = rlx.binary add %x, %y : (tensor<?xf32>, tensor<4xf32>) -> tensor<1xf32>
  return
}
