// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s

// CHECK-LABEL: func.func @custom(
// CHECK:         rlx.custom "my.op"(%arg0, %arg1) : (tensor<?x4xf32>, tensor<i32>) -> tensor<?xf64>
func.func @custom(%x: tensor<?x4xf32>, %i: tensor<i32>) {
  %0 = rlx.custom "my.op"(%x, %i) : (tensor<?x4xf32>, tensor<i32>) -> tensor<?xf64>
  return
}

// CHECK-LABEL: func.func @custom_config(
// CHECK:         rlx.custom "my.op"() config = {by = 2.000000e+00 : f32, name = "n"} : () -> (tensor<4xf32>, tensor<i1>)
func.func @custom_config() {
  %0:2 = rlx.custom "my.op"() config = {by = 2.000000e+00 : f32, name = "n"} : () -> (tensor<4xf32>, tensor<i1>)
  return
}
