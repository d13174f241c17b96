// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) the element type stays.
func.func @reshape_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{op result: expected element type f32, found tensor<4xf16>}}
  %0 = rlx.reshape %x : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

// (C2) the number of elements stays.
func.func @reshape_c2(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{op result: expected 12 elements, as in tensor<3x4xf32>, found tensor<2x5xf32>}}
  %0 = rlx.reshape %x : (tensor<3x4xf32>) -> tensor<2x5xf32>
  return
}

// -----

// (C3) at most one dynamic dim is computed.
func.func @reshape_c3(%x: tensor<?x12xf32>) {
  // expected-error@+1 {{op result: expected at most one dynamic dim, or those of tensor<?x12xf32>, found tensor<?x3x?xf32>}}
  %0 = rlx.reshape %x : (tensor<?x12xf32>) -> tensor<?x3x?xf32>
  return
}

// -----

// (C4) dynamic dims carry over beside an equal static product.
func.func @reshape_c4(%x: tensor<?x?x12xf32>) {
  // expected-error@+1 {{op result: expected static dims of product 12, as in tensor<?x?x12xf32>, found tensor<?x?x6xf32>}}
  %0 = rlx.reshape %x : (tensor<?x?x12xf32>) -> tensor<?x?x6xf32>
  return
}

// -----

// (C5) a computed dim stands beside dims that are not 0.
func.func @reshape_c5(%x: tensor<?x12xf32>) {
  // expected-error@+1 {{op result: expected static dims other than 0 beside the dynamic one, found tensor<?x0xf32>}}
  %0 = rlx.reshape %x : (tensor<?x12xf32>) -> tensor<?x0xf32>
  return
}
