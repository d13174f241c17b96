// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) the dims stay.
func.func @cast_c1(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{op result: expected dims [?, 4], found tensor<4x?x1xf16>}}
  %0 = rlx.cast %x : (tensor<?x4xf32>) -> tensor<4x?x1xf16>
  return
}
