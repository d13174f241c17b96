// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) a constant has an element type of the dialect.
func.func @constant_c1() {
  // expected-error@+1 {{op value: expected a ranked tensor of f32, f16, bf16, f64, i8, i32, i64 or i1, found tensor<4xi16>}}
  %0 = "rlx.constant"() <{value = dense<1> : tensor<4xi16>}> : () -> tensor<4xi32>
  return
}
