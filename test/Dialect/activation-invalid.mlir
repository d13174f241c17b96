// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) most kinds take floats.
func.func @activation_c1(%x: tensor<4xi32>) {
  // expected-error@+1 {{op operand 'x': expected floats for gelu, found tensor<4xi32>}}
  %0 = rlx.activation gelu %x : tensor<4xi32>
  return
}

// -----

// no kind takes booleans.
func.func @activation_bool(%x: tensor<4xi1>) {
  // expected-error@+1 {{op operand #0 must be ranked tensor of}}
  %0 = rlx.activation relu %x : tensor<4xi1>
  return
}

// -----

// one type is written for all, or a function type.
func.func @activation_types(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected types of 1 operands and 1 result, found (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>}}
  %0 = rlx.activation relu %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
