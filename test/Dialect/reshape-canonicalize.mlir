// RUN: rlx-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @reshape_same(
// CHECK-NEXT:    return %arg0
func.func @reshape_same(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = rlx.reshape %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @reshape_reshape(
// CHECK-NEXT:    %[[Y:.*]] = rlx.reshape %arg0 : (tensor<?x4x6xf32>) -> tensor<?x24xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @reshape_reshape(%x: tensor<?x4x6xf32>) -> tensor<?x24xf32> {
  %0 = rlx.reshape %x : (tensor<?x4x6xf32>) -> tensor<?xf32>
  %1 = rlx.reshape %0 : (tensor<?xf32>) -> tensor<?x24xf32>
  return %1 : tensor<?x24xf32>
}

// CHECK-LABEL: func.func @reshape_back(
// CHECK-NEXT:    return %arg0
func.func @reshape_back(%x: tensor<?x?x24xf32>) -> tensor<?x?x24xf32> {
  %0 = rlx.reshape %x : (tensor<?x?x24xf32>) -> tensor<?x?x4x6xf32>
  %1 = rlx.reshape %0 : (tensor<?x?x4x6xf32>) -> tensor<?x?x24xf32>
  return %1 : tensor<?x?x24xf32>
}

// CHECK-LABEL: func.func @reshape_constant(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<1.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    return %[[C]]
func.func @reshape_constant() -> tensor<2x3xf32> {
  %c = rlx.constant dense<1.0> : tensor<6xf32>
  %0 = rlx.reshape %c : (tensor<6xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
