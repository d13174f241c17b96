// RUN: rlx-opt %s -rlx-bufferize -canonicalize -cse -canonicalize -split-input-file | FileCheck %s

// A result is computed where it is wanted; arguments have identity layout and are
// never written.
// CHECK-LABEL: func.func @rlx_run
// CHECK-SAME: %[[X:.*]]: memref<8xf32> {{.*}}, %[[OUT:.*]]: memref<8xf32>
// CHECK-NEXT: linalg.exp ins(%[[X]] : memref<8xf32>) outs(%[[OUT]] : memref<8xf32>)
// CHECK-NEXT: return
func.func @rlx_run(%x: tensor<8xf32> {rlx.input = 0 : i64}, %out: memref<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// The argument is read again, so it is copied before the op writes over it.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME: %[[X:.*]]: memref<8xf32>
// CHECK-NOT: outs(%[[X]]
func.func @in_place(%x: tensor<8xf32> {rlx.input = 0 : i64}, %out: memref<8xf32>) {
  %y = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %y in restrict writable %out : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// Structured ops bufferize like linalg ops, and tiles write to their place.
// CHECK-LABEL: func.func @tiles
// CHECK: scf.forall (%[[I:.*]]) = (0) to (64) step (16)
// CHECK: %[[PLACE:.*]] = memref.subview %{{.*}}[%[[I]], 0] [16, 32]
// CHECK: rlx.packed_matmul ins(%{{.*}}, %{{.*}}) outs(%[[PLACE]]
// CHECK-NOT: memref.copy
func.func @tiles(%x: tensor<64x8xf32>, %w: tensor<2x8x16xf32>, %out: memref<64x32xf32>) {
  %e = tensor.empty() : tensor<64x32xf32>
  %y = scf.forall (%i) = (0) to (64) step (16) shared_outs(%o = %e) -> (tensor<64x32xf32>) {
    %t = tensor.extract_slice %x[%i, 0] [16, 8] [1, 1] : tensor<64x8xf32> to tensor<16x8xf32>
    %d = tensor.empty() : tensor<16x32xf32>
    %p = rlx.packed_matmul ins(%t, %w : tensor<16x8xf32>, tensor<2x8x16xf32>) outs(%d : tensor<16x32xf32>) -> tensor<16x32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i, 0] [16, 32] [1, 1] : tensor<16x32xf32> into tensor<64x32xf32>
    }
  }
  bufferization.materialize_in_destination %y in restrict writable %out : (tensor<64x32xf32>, memref<64x32xf32>) -> ()
  return
}

// -----

// Padding is zeros with the image inside.
// CHECK-LABEL: func.func @padding
// CHECK: linalg.fill
// CHECK: %[[INSIDE:.*]] = memref.subview %{{.*}}[1] [8] [1]
// CHECK: memref.copy %{{.*}}, %[[INSIDE]]
func.func @padding(%x: tensor<8xf32>, %out: memref<10xf32>) {
  %zero = arith.constant 0.0 : f32
  %y = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<8xf32> to tensor<10xf32>
  bufferization.materialize_in_destination %y in restrict writable %out : (tensor<10xf32>, memref<10xf32>) -> ()
  return
}
