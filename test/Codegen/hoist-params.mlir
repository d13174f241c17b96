// RUN: rlx-opt %s -rlx-hoist-params -canonicalize -split-input-file | FileCheck %s

// What depends on params and constants alone is computed when they are bound.
// CHECK-LABEL: func.func @rlx_bind
// CHECK-SAME: %[[W:.*]]: tensor<4xf32> {{.*}}rlx.param = 0
// CHECK-SAME: %[[OUT:.*]]: memref<4xf32> {{.*}}rlx.packed = 0
// CHECK: %[[V:.*]] = linalg.exp ins(%[[W]]
// CHECK: bufferization.materialize_in_destination %[[V]] in restrict writable %[[OUT]]
// CHECK-LABEL: func.func @rlx_run
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32> {rlx.input = 0 : i64}
// CHECK-SAME: %[[PACKED:[^:]*]]: tensor<4xf32> {rlx.packed = 0 : i64}
// CHECK-NOT: linalg.exp
// CHECK: linalg.add ins(%[[X]], %[[PACKED]]
func.func @rlx_run(%x: tensor<4xf32> {rlx.input = 0 : i64}, %w: tensor<4xf32> {rlx.param = 0 : i64}, %out: memref<4xf32> {rlx.output = 0 : i64}) {
  %e = tensor.empty() : tensor<4xf32>
  %v = linalg.exp ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.add ins(%x, %v : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %y in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// Packed tensors lie one behind the other, aligned.
// CHECK-LABEL: func.func @rlx_bind
// CHECK-SAME: memref<5xf32> {{.*}}rlx.packed = 0
// CHECK-SAME: memref<5xf32> {{.*}}rlx.packed = 64
// CHECK-LABEL: func.func @rlx_run
func.func @rlx_run(%x: tensor<5xf32> {rlx.input = 0 : i64}, %w: tensor<5xf32> {rlx.param = 0 : i64}, %out: memref<5xf32> {rlx.output = 0 : i64}) {
  %e = tensor.empty() : tensor<5xf32>
  %v = linalg.exp ins(%w : tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %u = linalg.abs ins(%w : tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %y = linalg.add ins(%x, %v : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %z = linalg.mul ins(%y, %u : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  bufferization.materialize_in_destination %z in restrict writable %out : (tensor<5xf32>, memref<5xf32>) -> ()
  return
}

// -----

// Views of params are free, and inputs change with every run.
// CHECK-NOT: @rlx_bind
// CHECK-LABEL: func.func @rlx_run
// CHECK: tensor.collapse_shape
// CHECK: linalg.exp
func.func @rlx_run(%x: tensor<4xf32> {rlx.input = 0 : i64}, %w: tensor<2x2xf32> {rlx.param = 0 : i64}, %out: memref<4xf32> {rlx.output = 0 : i64}) {
  %e = tensor.empty() : tensor<4xf32>
  %v = tensor.collapse_shape %w [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  %u = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.add ins(%u, %v : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %y in restrict writable %out : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// A broadcast is cheaper to make again than to keep.
// CHECK-NOT: @rlx_bind
// CHECK-LABEL: func.func @rlx_run
// CHECK: linalg.broadcast
func.func @rlx_run(%x: tensor<64x4xf32> {rlx.input = 0 : i64}, %b: tensor<4xf32> {rlx.param = 0 : i64}, %out: memref<64x4xf32> {rlx.output = 0 : i64}) {
  %e = tensor.empty() : tensor<64x4xf32>
  %v = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e : tensor<64x4xf32>) dimensions = [0]
  %y = linalg.add ins(%x, %v : tensor<64x4xf32>, tensor<64x4xf32>) outs(%e : tensor<64x4xf32>) -> tensor<64x4xf32>
  bufferization.materialize_in_destination %y in restrict writable %out : (tensor<64x4xf32>, memref<64x4xf32>) -> ()
  return
}
