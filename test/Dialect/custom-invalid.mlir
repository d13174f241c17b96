// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) the callee has a name.
func.func @custom_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{op callee: expected a name, found an empty one}}
  %0 = rlx.custom ""(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// (C2) there is a result.
func.func @custom_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{op expected at least 1 result, found 0}}
  rlx.custom "f"(%x) : (tensor<4xf32>) -> ()
  return
}
