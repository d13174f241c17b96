// RUN: rlx-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @neg_neg(
// CHECK-NEXT:    return %arg0
func.func @neg_neg(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = rlx.activation neg %x : tensor<?x4xf32>
  %1 = rlx.activation neg %0 : tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @relu_relu(
// CHECK-NEXT:    %[[Y:.*]] = rlx.activation relu %arg0
// CHECK-NEXT:    return %[[Y]]
func.func @relu_relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation relu %x : tensor<4xf32>
  %1 = rlx.activation relu %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @abs_abs(
// CHECK-NEXT:    %[[Y:.*]] = rlx.activation abs %arg0
// CHECK-NEXT:    return %[[Y]]
func.func @abs_abs(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation abs %x : tensor<4xf32>
  %1 = rlx.activation abs %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @round_round(
// CHECK-NEXT:    %[[Y:.*]] = rlx.activation round %arg0
// CHECK-NEXT:    return %[[Y]]
func.func @round_round(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation round %x : tensor<4xf32>
  %1 = rlx.activation round %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Not every function is idempotent.
// CHECK-LABEL: func.func @exp_exp(
// CHECK-COUNT-2: rlx.activation exp
func.func @exp_exp(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.activation exp %x : tensor<4xf32>
  %1 = rlx.activation exp %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// The type stays.
// CHECK-LABEL: func.func @neg_neg_refined(
// CHECK-COUNT-2: rlx.activation neg
func.func @neg_neg_refined(%x: tensor<?xf32>) -> tensor<4xf32> {
  %0 = rlx.activation neg %x : tensor<?xf32>
  %1 = rlx.activation neg %0 : (tensor<?xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Halves go to the even neighbour.
// CHECK-LABEL: func.func @round_constant(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<2.000000e+00>
// CHECK-NEXT:    return %[[C]]
func.func @round_constant() -> tensor<4xf32> {
  %c = rlx.constant dense<2.5> : tensor<4xf32>
  %0 = rlx.activation round %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @relu_constant(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<0.000000e+00>
// CHECK-NEXT:    return %[[C]]
func.func @relu_constant() -> tensor<4xf32> {
  %c = rlx.constant dense<-2.5> : tensor<4xf32>
  %0 = rlx.activation relu %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @abs_constant(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<3>
// CHECK-NEXT:    return %[[C]]
func.func @abs_constant() -> tensor<4xi8> {
  %c = rlx.constant dense<-3> : tensor<4xi8>
  %0 = rlx.activation abs %c : tensor<4xi8>
  return %0 : tensor<4xi8>
}
