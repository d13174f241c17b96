// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) operands have the same element type.
func.func @compare_c1(%x: tensor<4xi32>, %y: tensor<4xi64>) {
  // expected-error@+1 {{op operand 'rhs': expected element type i32, found tensor<4xi64>}}
  %0 = rlx.compare lt %x, %y : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi1>
  return
}

// -----

// (C2) dims broadcast.
func.func @compare_c2(%x: tensor<4xi32>, %y: tensor<3xi32>) {
  // expected-error@+1 {{op operand 'rhs': expected dims that broadcast with [4], found tensor<3xi32>}}
  %0 = rlx.compare lt %x, %y : (tensor<4xi32>, tensor<3xi32>) -> tensor<4xi1>
  return
}

// -----

// (C3) booleans have no order.
func.func @compare_c3(%x: tensor<4xi1>, %y: tensor<4xi1>) {
  // expected-error@+1 {{op operand 'lhs': expected numbers for lt, found tensor<4xi1>}}
  %0 = rlx.compare lt %x, %y : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

// the result is boolean.
func.func @compare_result(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{op result #0 must be ranked tensor of 1-bit signless integer values, but got 'tensor<4xf32>'}}
  %0 = rlx.compare lt %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
