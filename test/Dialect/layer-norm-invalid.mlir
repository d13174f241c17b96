// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) the axis lies within the rank.
func.func @layer_norm_c1(%x: tensor<2x3x4xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{op axis: expected a value in [-3, 3), found 3}}
  %0 = rlx.layer_norm %x, %g, %b axis = 3 epsilon = 1.0e-5 : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// (C2) operands have the same element type.
func.func @layer_norm_c2(%x: tensor<2x3x4xf32>, %g: tensor<4xf16>, %b: tensor<4xf32>) {
  // expected-error@+1 {{op operand 'gamma': expected element type f32, found tensor<4xf16>}}
  %0 = rlx.layer_norm %x, %g, %b axis = -1 epsilon = 1.0e-5 : (tensor<2x3x4xf32>, tensor<4xf16>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// (C3) gamma and beta have the normalized dims.
func.func @layer_norm_c3(%x: tensor<2x3x4xf32>, %g: tensor<3x4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{op operand 'beta': expected dims [3, 4], found tensor<4xf32>}}
  %0 = rlx.layer_norm %x, %g, %b axis = 1 epsilon = 1.0e-5 : (tensor<2x3x4xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// (C4) epsilon is not negative.
func.func @layer_norm_c4(%x: tensor<2x3x4xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{op epsilon: expected at least 0, found -1}}
  %0 = rlx.layer_norm %x, %g, %b axis = 2 epsilon = -1.0 : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}
