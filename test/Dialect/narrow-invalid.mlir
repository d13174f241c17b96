// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) the axis lies within the rank.
func.func @narrow_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{op axis: expected a value in [-2, 2), found 2}}
  %0 = rlx.narrow %x axis = 2 start = 0 length = 1 : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

// (C2) the range lies within the dim.
func.func @narrow_c2(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{op operand 'x': expected at least 2 + 2 elements along axis 1, found tensor<2x3xf32>}}
  %0 = rlx.narrow %x axis = 1 start = 2 length = 2 : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

// (C2_start) the start is not negative.
func.func @narrow_c2_start(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{op start: expected at least 0, found -1}}
  %0 = rlx.narrow %x axis = 1 start = -1 length = 2 : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

// (C2_overflow) a start near the end of the integers.
func.func @narrow_c2_overflow(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{op operand 'x': expected at least 9223372036854775807 + 9223372036854775807 elements along axis 1, found tensor<2x3xf32>}}
  %0 = rlx.narrow %x axis = 1 start = 9223372036854775807 length = 9223372036854775807 : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
