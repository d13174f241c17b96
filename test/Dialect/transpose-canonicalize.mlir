// RUN: rlx-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @transpose_identity(
// CHECK-NEXT:    return %arg0
func.func @transpose_identity(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = rlx.transpose %x permutation = [0, 1] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @transpose_back(
// CHECK-NEXT:    return %arg0
func.func @transpose_back(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = rlx.transpose %x permutation = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = rlx.transpose %0 permutation = [2, 0, 1] : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @transpose_transpose(
// CHECK-NEXT:    %[[Y:.*]] = rlx.transpose %arg0 permutation = [2, 1, 0] : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @transpose_transpose(%x: tensor<2x3x4xf32>) -> tensor<4x3x2xf32> {
  %0 = rlx.transpose %x permutation = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = rlx.transpose %0 permutation = [1, 0, 2] : (tensor<3x4x2xf32>) -> tensor<4x3x2xf32>
  return %1 : tensor<4x3x2xf32>
}

// CHECK-LABEL: func.func @transpose_constant(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<1> : tensor<3x2xi8>
// CHECK-NEXT:    return %[[C]]
func.func @transpose_constant() -> tensor<3x2xi8> {
  %c = rlx.constant dense<1> : tensor<2x3xi8>
  %0 = rlx.transpose %c permutation = [1, 0] : (tensor<2x3xi8>) -> tensor<3x2xi8>
  return %0 : tensor<3x2xi8>
}
