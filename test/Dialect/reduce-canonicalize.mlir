// RUN: rlx-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @reduce_no_axes(
// CHECK-NEXT:    return %arg0
func.func @reduce_no_axes(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = rlx.reduce sum %x axes = [] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @reduce_unit_dim(
// CHECK-NEXT:    return %arg0
func.func @reduce_unit_dim(%x: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %0 = rlx.reduce mean %x axes = [-1] keep_dims : (tensor<?x1xf32>) -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}

// CHECK-LABEL: func.func @reduce_dim(
// CHECK: rlx.reduce sum
func.func @reduce_dim(%x: tensor<1x4xf32>) -> tensor<1x1xf32> {
  %0 = rlx.reduce sum %x axes = [0, 1] keep_dims : (tensor<1x4xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}
