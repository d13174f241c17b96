// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) the element type stays.
func.func @expand_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{op result: expected element type f32, found tensor<2x4xf16>}}
  %0 = rlx.expand %x : (tensor<4xf32>) -> tensor<2x4xf16>
  return
}

// -----

// (C2) the rank does not shrink.
func.func @expand_c2(%x: tensor<1x4xf32>) {
  // expected-error@+1 {{op result: expected rank 2 or more, found tensor<4xf32>}}
  %0 = rlx.expand %x : (tensor<1x4xf32>) -> tensor<4xf32>
  return
}

// -----

// (C3) only dims of size 1 repeat.
func.func @expand_c3(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{op result: expected 2 elements along axis 0, found tensor<4x4xf32>}}
  %0 = rlx.expand %x : (tensor<2x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// (C4) a dynamic dim is one of the source.
func.func @expand_c4(%x: tensor<1x4xf32>) {
  // expected-error@+1 {{op result: expected a static size along axis 0, where the source has 1, found tensor<?x4xf32>}}
  %0 = rlx.expand %x : (tensor<1x4xf32>) -> tensor<?x4xf32>
  return
}
