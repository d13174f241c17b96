// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) sizes are positive.
func.func @psa_extract_v_c1(%qkv: tensor<2x32x2x3xf32>) {
  // expected-error@+1 {{op num_heads: expected at least 1, found 0}}
  %0 = rlx.psa_extract_v %qkv num_heads = 0 key_dim = 4 : (tensor<2x32x2x3xf32>) -> tensor<2x16x2x3xf32>
  return
}

// -----

// (C1_key) sizes are positive.
func.func @psa_extract_v_c1_key(%qkv: tensor<2x32x2x3xf32>) {
  // expected-error@+1 {{op key_dim: expected at least 1, found -4}}
  %0 = rlx.psa_extract_v %qkv num_heads = 2 key_dim = -4 : (tensor<2x32x2x3xf32>) -> tensor<2x16x2x3xf32>
  return
}

// -----

// (C2) the image has rank 4.
func.func @psa_extract_v_c2(%qkv: tensor<32x2x3xf32>) {
  // expected-error@+1 {{op operand 'qkv': expected rank 4, found tensor<32x2x3xf32>}}
  %0 = rlx.psa_extract_v %qkv num_heads = 2 key_dim = 4 : (tensor<32x2x3xf32>) -> tensor<2x16x2x3xf32>
  return
}

// -----

// (C3) the image has four sections a head.
func.func @psa_extract_v_c3(%qkv: tensor<2x24x2x3xf32>) {
  // expected-error@+1 {{op operand 'qkv': expected 32 channels, found tensor<2x24x2x3xf32>}}
  %0 = rlx.psa_extract_v %qkv num_heads = 2 key_dim = 4 : (tensor<2x24x2x3xf32>) -> tensor<2x16x2x3xf32>
  return
}
