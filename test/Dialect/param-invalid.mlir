// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) a param has a name.
func.func @param_c1() {
  // expected-error@+1 {{op expected a name, found an empty one}}
  %0 = rlx.param "" : tensor<4xf32>
  return
}

// -----

// (C2) a param is static.
func.func @param_c2() {
  // expected-error@+1 {{op param 'w': expected a static type, found tensor<?x4xf32>}}
  %0 = rlx.param "w" : tensor<?x4xf32>
  return
}
