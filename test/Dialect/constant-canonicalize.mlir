// RUN: rlx-opt %s -canonicalize | FileCheck %s

// Equal constants become one, and one without users goes.
// CHECK-LABEL: func.func @constants
// CHECK-NEXT: %[[HALF:.*]] = rlx.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT: return %[[HALF]], %[[HALF]]
func.func @constants() -> (tensor<f32>, tensor<f32>) {
  %0 = rlx.constant dense<0.5> : tensor<f32>
  %1 = rlx.constant dense<0.5> : tensor<f32>
  %2 = rlx.constant dense<1> : tensor<i32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
