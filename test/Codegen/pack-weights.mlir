// RUN: rlx-opt %s -rlx-pack-weights -split-input-file | FileCheck %s
// RUN: rlx-opt %s -rlx-pack-weights=panel-width=8 -split-input-file | FileCheck %s --check-prefix=EIGHT

// The bias is part of the product; columns that don't fill a panel are padded.
// CHECK-LABEL: func.func @rlx_run
// CHECK-SAME: %[[X:.*]]: tensor<7x32xf32>
// CHECK-SAME: %[[W:.*]]: tensor<32x40xf32>
// CHECK-SAME: %[[B:.*]]: tensor<40xf32>
// CHECK: %[[PADDED:.*]] = tensor.insert_slice %[[W]] into %{{.*}}[0, 0] [32, 40] [1, 1] : tensor<32x40xf32> into tensor<32x48xf32>
// CHECK: %[[SPLIT:.*]] = tensor.expand_shape %[[PADDED]] {{.*}} : tensor<32x48xf32> into tensor<32x3x16xf32>
// CHECK: %[[PANELS:.*]] = linalg.transpose ins(%[[SPLIT]] : tensor<32x3x16xf32>) outs(%{{.*}} : tensor<3x32x16xf32>) permutation = [1, 0, 2]
// CHECK: rlx.packed_matmul ins(%[[X]], %[[PANELS]] {{.*}} bias(%[[B]] : tensor<40xf32>)
// EIGHT: tensor.expand_shape {{.*}} : tensor<32x40xf32> into tensor<32x5x8xf32>
func.func @rlx_run(%x: tensor<7x32xf32> {rlx.input = 0 : i64}, %w: tensor<32x40xf32> {rlx.param = 0 : i64}, %b: tensor<40xf32> {rlx.param = 1 : i64}) -> tensor<7x40xf32> {
  %e = tensor.empty() : tensor<7x40xf32>
  %init = linalg.broadcast ins(%b : tensor<40xf32>) outs(%e : tensor<7x40xf32>) dimensions = [0]
  %y = linalg.matmul ins(%x, %w : tensor<7x32xf32>, tensor<32x40xf32>) outs(%init : tensor<7x40xf32>) -> tensor<7x40xf32>
  return %y : tensor<7x40xf32>
}

// -----

// Zeros are no bias, and rows may be dynamic.
// CHECK-LABEL: func.func @rlx_run
// CHECK: rlx.packed_matmul ins(%{{.*}}, %{{.*}} : tensor<?x32xf32>, tensor<4x32x16xf32>) outs(
func.func @rlx_run(%x: tensor<?x32xf32> {rlx.input = 0 : i64}, %w: tensor<32x64xf32> {rlx.param = 0 : i64}, %n: index) -> tensor<?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x32xf32>, tensor<32x64xf32>) outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// A weight that is an input changes with every run.
// CHECK-LABEL: func.func @rlx_run
// CHECK-NOT: rlx.packed_matmul
// CHECK: linalg.matmul
func.func @rlx_run(%x: tensor<7x32xf32> {rlx.input = 0 : i64}, %w: tensor<32x64xf32> {rlx.input = 1 : i64}) -> tensor<7x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<7x64xf32>) -> tensor<7x64xf32>
  %y = linalg.matmul ins(%x, %w : tensor<7x32xf32>, tensor<32x64xf32>) outs(%init : tensor<7x64xf32>) -> tensor<7x64xf32>
  return %y : tensor<7x64xf32>
}
