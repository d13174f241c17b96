// RUN: rlx-opt %s -rlx-fuse-residual-layer-norm -verify-diagnostics | FileCheck %s

// CHECK-LABEL: rlx.graph @residual
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>, %[[R:.*]]: tensor<?x8xf32>, %[[G:.*]]: tensor<8xf32>
// CHECK-NEXT: %[[Y:.*]] = rlx.fused_residual_layer_norm %[[X]], %[[R]], %[[G]], %[[G]] axis = -1 epsilon = 1.000000e-05
// CHECK-NEXT: rlx.output %[[Y]]
rlx.graph @residual(%x: tensor<?x8xf32>, %r: tensor<?x8xf32>, %g: tensor<8xf32>) -> tensor<?x8xf32> {
  %0 = rlx.binary add %x, %r : tensor<?x8xf32>
  %1 = rlx.layer_norm %0, %g, %g axis = -1 epsilon = 1.0e-05 : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  rlx.output %1 : tensor<?x8xf32>
}

// CHECK-LABEL: rlx.graph @declined
// CHECK-NOT: rlx.fused_residual_layer_norm
rlx.graph @declined(%x: tensor<7x8xf32>, %v: tensor<8xf32>) -> (tensor<7x8xf32>, tensor<7x8xf32>, tensor<7x8xf32>) {
  %0 = rlx.binary add %x, %x : tensor<7x8xf32>
  // expected-remark@+1 {{not fused: expected no other use of the sum}}
  %1 = rlx.layer_norm %0, %v, %v axis = -1 epsilon = 1.0e-05 : (tensor<7x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<7x8xf32>
  %2 = rlx.binary add %x, %v : (tensor<7x8xf32>, tensor<8xf32>) -> tensor<7x8xf32>
  // expected-remark@+1 {{not fused: expected terms of one type, found 'tensor<7x8xf32>' and 'tensor<8xf32>'}}
  %3 = rlx.layer_norm %2, %v, %v axis = -1 epsilon = 1.0e-05 : (tensor<7x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<7x8xf32>
  rlx.output %0, %1, %3 : tensor<7x8xf32>, tensor<7x8xf32>, tensor<7x8xf32>
}
