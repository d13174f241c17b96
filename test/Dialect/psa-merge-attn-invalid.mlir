// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) sizes are positive.
func.func @psa_merge_attn_c1(%lo: tensor<2x2x6x4xf32>, %hi: tensor<2x2x6x4xf32>) {
  // expected-error@+1 {{op h: expected at least 1, found 0}}
  %0 = rlx.psa_merge_attn %lo, %hi h = 0 w = 3 : (tensor<2x2x6x4xf32>, tensor<2x2x6x4xf32>) -> tensor<2x16x2x3xf32>
  return
}

// -----

// (C1_w) sizes are positive.
func.func @psa_merge_attn_c1_w(%lo: tensor<2x2x6x4xf32>, %hi: tensor<2x2x6x4xf32>) {
  // expected-error@+1 {{op w: expected at least 1, found -3}}
  %0 = rlx.psa_merge_attn %lo, %hi h = 2 w = -3 : (tensor<2x2x6x4xf32>, tensor<2x2x6x4xf32>) -> tensor<2x16x2x3xf32>
  return
}

// -----

// (C2) both halves have rank 4.
func.func @psa_merge_attn_c2(%lo: tensor<2x6x4xf32>, %hi: tensor<2x2x6x4xf32>) {
  // expected-error@+1 {{op operand 'lo': expected rank 4, found tensor<2x6x4xf32>}}
  %0 = rlx.psa_merge_attn %lo, %hi h = 2 w = 3 : (tensor<2x6x4xf32>, tensor<2x2x6x4xf32>) -> tensor<2x16x2x3xf32>
  return
}

// -----

// (C3) both halves have the same type.
func.func @psa_merge_attn_c3(%lo: tensor<2x2x6x4xf32>, %hi: tensor<2x2x6x5xf32>) {
  // expected-error@+1 {{op operand 'hi': expected tensor<2x2x6x4xf32>, found tensor<2x2x6x5xf32>}}
  %0 = rlx.psa_merge_attn %lo, %hi h = 2 w = 3 : (tensor<2x2x6x4xf32>, tensor<2x2x6x5xf32>) -> tensor<2x16x2x3xf32>
  return
}

// -----

// (C4) there is a row for each pixel.
func.func @psa_merge_attn_c4(%lo: tensor<2x2x6x4xf32>, %hi: tensor<2x2x6x4xf32>) {
  // expected-error@+1 {{op operand 'lo': expected 9 rows, found tensor<2x2x6x4xf32>}}
  %0 = rlx.psa_merge_attn %lo, %hi h = 3 w = 3 : (tensor<2x2x6x4xf32>, tensor<2x2x6x4xf32>) -> tensor<2x16x3x3xf32>
  return
}

// -----

// (C5) head count and key size are static.
func.func @psa_merge_attn_c5(%lo: tensor<2x?x6x4xf32>, %hi: tensor<2x2x6x4xf32>) {
  // expected-error@+1 {{op operand 'lo': expected a static head count and key size, found tensor<2x?x6x4xf32>}}
  %0 = rlx.psa_merge_attn %lo, %hi h = 2 w = 3 : (tensor<2x?x6x4xf32>, tensor<2x2x6x4xf32>) -> tensor<2x16x2x3xf32>
  return
}
