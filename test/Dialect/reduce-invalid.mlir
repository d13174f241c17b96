// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) axes lie within the rank.
func.func @reduce_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{op axis: expected a value in [-2, 2), found -3}}
  %0 = rlx.reduce sum %x axes = [0, -3] : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

// (C2) axes are distinct.
func.func @reduce_c2(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{op axes: expected each axis once, found [1, -1]}}
  %0 = rlx.reduce sum %x axes = [1, -1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

// (C3) mean takes floats.
func.func @reduce_c3(%x: tensor<2x3xi32>) {
  // expected-error@+1 {{op operand 'x': expected floats for mean, found tensor<2x3xi32>}}
  %0 = rlx.reduce mean %x axes = [1] : (tensor<2x3xi32>) -> tensor<2xi32>
  return
}
