// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) the axis lies within the rank.
func.func @softmax_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{op axis: expected a value in [-2, 2), found -3}}
  %0 = rlx.softmax %x axis = -3 : tensor<2x3xf32>
  return
}
