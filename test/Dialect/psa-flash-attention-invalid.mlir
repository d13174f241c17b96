// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) the packed tensor has rank 5.
func.func @psa_flash_attention_c1(%p: tensor<4x2x6x4xf32>) {
  // expected-error@+1 {{op operand 'packed': expected rank 5, found tensor<4x2x6x4xf32>}}
  %0, %1 = rlx.psa_flash_attention lo %p : (tensor<4x2x6x4xf32>) -> (tensor<2x2x6x4xf32>, tensor<2x2x6xf32>)
  return
}

// -----

// (C2) there are four sections.
func.func @psa_flash_attention_c2(%p: tensor<2x3x2x6x4xf32>) {
  // expected-error@+1 {{op operand 'packed': expected 4 sections, found tensor<2x3x2x6x4xf32>}}
  %0, %1 = rlx.psa_flash_attention lo %p : (tensor<2x3x2x6x4xf32>) -> (tensor<2x2x6x4xf32>, tensor<2x2x6xf32>)
  return
}

// -----

// (C3) the key size is static.
func.func @psa_flash_attention_c3(%p: tensor<2x4x2x6x?xf32>) {
  // expected-error@+1 {{op operand 'packed': expected a static key size, found tensor<2x4x2x6x?xf32>}}
  %0, %1 = rlx.psa_flash_attention lo %p : (tensor<2x4x2x6x?xf32>) -> (tensor<2x2x6x4xf32>, tensor<2x2x6xf32>)
  return
}

// -----

// statistics are not f16.
func.func @psa_flash_attention_lse(%p: tensor<2x4x2x6x4xf16>) {
  // expected-error@+1 {{op result 1: expected tensor<2x2x6xf32>, found tensor<2x2x6xf16>}}
  %0, %1 = rlx.psa_flash_attention lo %p : (tensor<2x4x2x6x4xf16>) -> (tensor<2x2x6x4xf16>, tensor<2x2x6xf16>)
  return
}
