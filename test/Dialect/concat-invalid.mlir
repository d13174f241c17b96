// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) there is an input.
func.func @concat_c1() {
  // expected-error@+1 {{op expected at least 1 input, found 0}}
  %0 = "rlx.concat"() <{axis = 0 : i64}> : () -> tensor<2xf32>
  return
}

// -----

// (C2) the axis lies within the rank.
func.func @concat_c2(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error@+1 {{op axis: expected a value in [-2, 2), found 2}}
  %0 = rlx.concat %x, %y axis = 2 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

// (C3) inputs have the same rank.
func.func @concat_c3(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{op input 1: expected rank 2 and element type f32, found tensor<3xf32>}}
  %0 = rlx.concat %x, %y axis = 0 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return
}

// -----

// (C3_element) inputs have the same element type.
func.func @concat_c3_element(%x: tensor<2x3xf32>, %y: tensor<2x3xi32>) {
  // expected-error@+1 {{op input 1: expected rank 2 and element type f32, found tensor<2x3xi32>}}
  %0 = rlx.concat %x, %y axis = 0 : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<4x3xf32>
  return
}

// -----

// (C4) the other dims are equal.
func.func @concat_c4(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+1 {{op input 1: expected 3 elements along axis 1, found tensor<2x4xf32>}}
  %0 = rlx.concat %x, %y axis = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}
