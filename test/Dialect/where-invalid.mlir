// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) choices have the same element type.
func.func @where_c1(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error@+1 {{op operand 'rhs': expected element type f32, found tensor<4xi32>}}
  %0 = rlx.where %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

// (C2) dims broadcast.
func.func @where_c2(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{op operand 'rhs': expected dims that broadcast with [4], found tensor<3xf32>}}
  %0 = rlx.where %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

// the condition is boolean.
func.func @where_condition(%c: tensor<4xf32>, %x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{op operand #0 must be ranked tensor of 1-bit signless integer values, but got 'tensor<4xf32>'}}
  %0 = rlx.where %c, %x, %y : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
