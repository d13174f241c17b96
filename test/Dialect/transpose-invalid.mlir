// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) every dim occurs once.
func.func @transpose_c1(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{op permutation: expected a permutation of 3 dims, found [0, 2, 2]}}
  %0 = rlx.transpose %x permutation = [0, 2, 2] : (tensor<2x3x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

// (C1_length) there is one element for each dim.
func.func @transpose_c1_length(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{op permutation: expected a permutation of 3 dims, found [1, 0]}}
  %0 = rlx.transpose %x permutation = [1, 0] : (tensor<2x3x4xf32>) -> tensor<3x2xf32>
  return
}

// -----

// (C1_range) elements lie within the rank.
func.func @transpose_c1_range(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{op permutation: expected a permutation of 2 dims, found [0, 7]}}
  %0 = rlx.transpose %x permutation = [0, 7] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
