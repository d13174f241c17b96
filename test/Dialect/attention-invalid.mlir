// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) operands have rank 3.
func.func @attention_c1(%q: tensor<7x32xf32>, %k: tensor<2x9x32xf32>, %v: tensor<2x9x64xf32>) {
  // expected-error@+1 {{op operand 'q': expected rank 3, found tensor<7x32xf32>}}
  %0 = rlx.attention none %q, %k, %v num_heads = 4 head_dim = 8 : (tensor<7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>) -> tensor<2x7x64xf32>
  return
}

// -----

// (C2) operands have the same element type.
func.func @attention_c2(%q: tensor<2x7x32xf32>, %k: tensor<2x9x32xf16>, %v: tensor<2x9x64xf32>) {
  // expected-error@+1 {{op operand 'k': expected element type f32, found tensor<2x9x32xf16>}}
  %0 = rlx.attention none %q, %k, %v num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf16>, tensor<2x9x64xf32>) -> tensor<2x7x64xf32>
  return
}

// -----

// (C3) head counts and sizes are positive.
func.func @attention_c3(%q: tensor<2x7x32xf32>, %k: tensor<2x9x32xf32>, %v: tensor<2x9x64xf32>) {
  // expected-error@+1 {{op num_heads: expected at least 1, found 0}}
  %0 = rlx.attention none %q, %k, %v num_heads = 0 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>) -> tensor<2x7x64xf32>
  return
}

// -----

// (C3_dim) head counts and sizes are positive.
func.func @attention_c3_dim(
    %q: tensor<2x7x32xf32>,
    %k: tensor<2x9x32xf32>,
    %v: tensor<2x9x64xf32>) {
  // expected-error@+1 {{op head_dim: expected at least 1, found -8}}
  %0 = rlx.attention none %q, %k, %v num_heads = 4 head_dim = -8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>) -> tensor<2x7x64xf32>
  return
}

// -----

// (C4) batch sizes are equal.
func.func @attention_c4(%q: tensor<1x7x32xf32>, %k: tensor<2x9x32xf32>, %v: tensor<2x9x64xf32>) {
  // expected-error@+1 {{op operand 'k': expected 1 batches, found tensor<2x9x32xf32>}}
  %0 = rlx.attention none %q, %k, %v num_heads = 4 head_dim = 8 : (tensor<1x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>) -> tensor<2x7x64xf32>
  return
}

// -----

// (C5) keys and values have the same rows.
func.func @attention_c5(%q: tensor<2x7x32xf32>, %k: tensor<2x9x32xf32>, %v: tensor<2x8x64xf32>) {
  // expected-error@+1 {{op operand 'v': expected 9 rows, found tensor<2x8x64xf32>}}
  %0 = rlx.attention none %q, %k, %v num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x8x64xf32>) -> tensor<2x7x64xf32>
  return
}

// -----

// (C6) queries and keys have num_heads * head_dim channels.
func.func @attention_c6(%q: tensor<2x7x32xf32>, %k: tensor<2x9x32xf32>, %v: tensor<2x9x64xf32>) {
  // expected-error@+1 {{op operand 'q': expected 64 channels, found tensor<2x7x32xf32>}}
  %0 = rlx.attention none %q, %k, %v num_heads = 4 head_dim = 16 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>) -> tensor<2x7x64xf32>
  return
}

// -----

// (C6_k) queries and keys have num_heads * head_dim channels.
func.func @attention_c6_k(%q: tensor<2x7x32xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x64xf32>) {
  // expected-error@+1 {{op operand 'k': expected 32 channels, found tensor<2x9x16xf32>}}
  %0 = rlx.attention none %q, %k, %v num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x16xf32>, tensor<2x9x64xf32>) -> tensor<2x7x64xf32>
  return
}

// -----

// (C7) the channels of values divide among the heads.
func.func @attention_c7(%q: tensor<2x7x32xf32>, %k: tensor<2x9x32xf32>, %v: tensor<2x9x63xf32>) {
  // expected-error@+1 {{op operand 'v': expected a multiple of 4 channels, found tensor<2x9x63xf32>}}
  %0 = rlx.attention none %q, %k, %v num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x63xf32>) -> tensor<2x7x64xf32>
  return
}

// -----

// (C8) custom takes a mask.
func.func @attention_c8(%q: tensor<2x7x32xf32>, %k: tensor<2x9x32xf32>, %v: tensor<2x9x64xf32>) {
  // expected-error@+1 {{op mask kind custom: expected a mask, found none}}
  %0 = rlx.attention custom %q, %k, %v num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>) -> tensor<2x7x64xf32>
  return
}

// -----

// (C8_none) only custom and bias take a mask.
func.func @attention_c8_none(
    %q: tensor<2x7x32xf32>,
    %k: tensor<2x9x32xf32>,
    %v: tensor<2x9x64xf32>,
    %m: tensor<2x9xi1>) {
  // expected-error@+1 {{op mask kind causal: expected no mask, found one}}
  %0 = rlx.attention causal %q, %k, %v, %m num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>, tensor<2x9xi1>) -> tensor<2x7x64xf32>
  return
}

// -----

// (C9) the mask has one of the two forms.
func.func @attention_c9(
    %q: tensor<2x7x32xf32>,
    %k: tensor<2x9x32xf32>,
    %v: tensor<2x9x64xf32>,
    %m: tensor<2x3x7x9xi1>) {
  // expected-error@+1 {{op operand 'mask': expected dims [2, 4, 7, 9], any but the last may be 1, or [2, 9], found tensor<2x3x7x9xi1>}}
  %0 = rlx.attention custom %q, %k, %v, %m num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>, tensor<2x3x7x9xi1>) -> tensor<2x7x64xf32>
  return
}

// -----

// (C9_last) the last dim of a mask does not broadcast.
func.func @attention_c9_last(
    %q: tensor<2x7x32xf32>,
    %k: tensor<2x9x32xf32>,
    %v: tensor<2x9x64xf32>,
    %m: tensor<2x4x7x1xf32>) {
  // expected-error@+1 {{op operand 'mask': expected dims [2, 4, 7, 9], any but the last may be 1, or [2, 9], found tensor<2x4x7x1xf32>}}
  %0 = rlx.attention bias %q, %k, %v, %m num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>, tensor<2x4x7x1xf32>) -> tensor<2x7x64xf32>
  return
}

// -----

// (C10) a bias is not boolean.
func.func @attention_c10(
    %q: tensor<2x7x32xf32>,
    %k: tensor<2x9x32xf32>,
    %v: tensor<2x9x64xf32>,
    %m: tensor<2x9xi1>) {
  // expected-error@+1 {{op operand 'mask': expected floats for mask kind bias, found tensor<2x9xi1>}}
  %0 = rlx.attention bias %q, %k, %v, %m num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>, tensor<2x9xi1>) -> tensor<2x7x64xf32>
  return
}

// -----

// (C11) sliding_window takes a window.
func.func @attention_c11(%q: tensor<2x7x32xf32>, %k: tensor<2x9x32xf32>, %v: tensor<2x9x64xf32>) {
  // expected-error@+1 {{op mask kind sliding_window: expected a window, found none}}
  %0 = rlx.attention sliding_window %q, %k, %v num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>) -> tensor<2x7x64xf32>
  return
}

// -----

// (C11_none) only sliding_window takes a window.
func.func @attention_c11_none(
    %q: tensor<2x7x32xf32>,
    %k: tensor<2x9x32xf32>,
    %v: tensor<2x9x64xf32>) {
  // expected-error@+1 {{op mask kind none: expected no window, found one}}
  %0 = rlx.attention none %q, %k, %v num_heads = 4 head_dim = 8 window = 3 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>) -> tensor<2x7x64xf32>
  return
}

// -----

// (C11_negative) a window is not negative.
func.func @attention_c11_negative(
    %q: tensor<2x7x32xf32>,
    %k: tensor<2x9x32xf32>,
    %v: tensor<2x9x64xf32>) {
  // expected-error@+1 {{op window: expected at least 0, found -1}}
  %0 = rlx.attention sliding_window %q, %k, %v num_heads = 4 head_dim = 8 window = -1 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>) -> tensor<2x7x64xf32>
  return
}

// -----

// (C6_shared) shared keys have head_dim channels.
func.func @attention_c6_shared(%q: tensor<2x7x32xf32>, %k: tensor<2x9x32xf32>, %v: tensor<2x9x64xf32>) {
  // expected-error@+1 {{op operand 'k': expected 8 channels, found tensor<2x9x32xf32>}}
  %0 = rlx.attention none %q, %k, %v num_heads = 4 head_dim = 8 sharing = keys : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>) -> tensor<2x7x256xf32>
  return
}

// -----

// (C12) a key bias has one row for each head.
func.func @attention_c12(%q: tensor<2x7x32xf32>, %k: tensor<2x9x32xf32>, %b: tensor<2x3x9xf32>) {
  // expected-error@+1 {{op operand 'key_bias': expected dims [2, 4, 9], of which the first may be 1, found tensor<2x3x9xf32>}}
  %0 = rlx.attention none %q, %k, %k key_bias(%b) num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x32xf32>, tensor<2x3x9xf32>) -> tensor<2x7x32xf32>
  return
}

// -----

// (C12_type) a key bias has the element type of the queries.
func.func @attention_c12_type(%q: tensor<2x7x32xf32>, %k: tensor<2x9x32xf32>, %b: tensor<2x4x9xf64>) {
  // expected-error@+1 {{operand 'key_bias': expected element type f32, found tensor<2x4x9xf64>}}
  %0 = rlx.attention none %q, %k, %k key_bias(%b) num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x32xf32>, tensor<2x4x9xf64>) -> tensor<2x7x32xf32>
  return
}

// -----

// (C13) the scale is finite.
func.func @attention_c13(%q: tensor<2x7x32xf32>, %k: tensor<2x9x32xf32>) {
  // expected-error@+1 {{op scale: expected a finite number, found}}
  %0 = rlx.attention none %q, %k, %k num_heads = 4 head_dim = 8 scale = 0x7FF0000000000000 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x32xf32>) -> tensor<2x7x32xf32>
  return
}

// -----

// (C14) heads that share the queries have no log-sum-exp.
func.func @attention_c14(%q: tensor<2x7x8xf32>, %k: tensor<2x9x32xf32>) {
  // expected-error@+1 {{op with_lse: expected heads with queries of their own, found shared queries}}
  %0, %1 = rlx.attention none %q, %k, %k num_heads = 4 head_dim = 8 sharing = queries with_lse : (tensor<2x7x8xf32>, tensor<2x9x32xf32>, tensor<2x9x32xf32>) -> (tensor<2x7x8xf32>, tensor<2x4x7xf32>)
  return
}
