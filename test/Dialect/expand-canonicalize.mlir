// RUN: rlx-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @expand_same(
// CHECK-NEXT:    return %arg0
func.func @expand_same(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = rlx.expand %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @expand_expand(
// CHECK-NEXT:    %[[Y:.*]] = rlx.expand %arg0 : (tensor<?x1xf32>) -> tensor<2x?x4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @expand_expand(%x: tensor<?x1xf32>) -> tensor<2x?x4xf32> {
  %0 = rlx.expand %x : (tensor<?x1xf32>) -> tensor<1x?x1xf32>
  %1 = rlx.expand %0 : (tensor<1x?x1xf32>) -> tensor<2x?x4xf32>
  return %1 : tensor<2x?x4xf32>
}

// A dim found to be 1 at run time repeats only through the dim in between.
// CHECK-LABEL: func.func @expand_known_unit(
// CHECK-COUNT-2: rlx.expand
func.func @expand_known_unit(%x: tensor<?xf32>) -> tensor<4xf32> {
  %0 = rlx.expand %x : (tensor<?xf32>) -> tensor<1xf32>
  %1 = rlx.expand %0 : (tensor<1xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @expand_constant(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    return %[[C]]
func.func @expand_constant() -> tensor<2x3xf32> {
  %c = rlx.constant dense<1.0> : tensor<f32>
  %0 = rlx.expand %c : (tensor<f32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
