// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) the axis lies within the rank.
func.func @gather_c1(%x: tensor<9x4xf32>, %i: tensor<3xi32>) {
  // expected-error@+1 {{op axis: expected a value in [-2, 2), found 2}}
  %0 = rlx.gather %x, %i axis = 2 : (tensor<9x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  return
}

// -----

// indices are i32 or i64.
func.func @gather_indices(%x: tensor<9x4xf32>, %i: tensor<3xi8>) {
  // expected-error@+1 {{op operand #1 must be ranked tensor of 32-bit signless integer or 64-bit signless integer values, but got 'tensor<3xi8>'}}
  %0 = rlx.gather %x, %i axis = 0 : (tensor<9x4xf32>, tensor<3xi8>) -> tensor<3x4xf32>
  return
}
