// RUN: rlx-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @where_true(
// CHECK-NEXT:    return %arg0
func.func @where_true(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = rlx.constant dense<true> : tensor<4xi1>
  %0 = rlx.where %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @where_false(
// CHECK-NEXT:    return %arg1
func.func @where_false(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = rlx.constant dense<false> : tensor<i1>
  %0 = rlx.where %c, %x, %y : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @where_same(
// CHECK-NEXT:    return %arg1
func.func @where_same(%c: tensor<4xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.where %c, %x, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @where_constant(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-NEXT:    return %[[C]]
func.func @where_constant(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = rlx.constant dense<false> : tensor<i1>
  %y = rlx.constant dense<2.0> : tensor<f32>
  %0 = rlx.where %c, %x, %y : (tensor<i1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The condition may make the result larger.
// CHECK-LABEL: func.func @where_broadcast(
// CHECK: rlx.where
func.func @where_broadcast(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<2x4xf32> {
  %c = rlx.constant dense<true> : tensor<2x4xi1>
  %0 = rlx.where %c, %x, %y : (tensor<2x4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @where_mixed(
// CHECK: rlx.where
func.func @where_mixed(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %c = rlx.constant dense<[true, false]> : tensor<2xi1>
  %0 = rlx.where %c, %x, %y : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
