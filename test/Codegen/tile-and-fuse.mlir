// RUN: rlx-opt %s -rlx-tile-and-fuse -canonicalize -cse -split-input-file | FileCheck %s
// RUN: rlx-opt %s -rlx-tile-and-fuse="cache-bytes=32768 max-tiles=4" -canonicalize -cse -split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: rlx-opt %s -rlx-tile-and-fuse="min-flops=1000000000" -split-input-file | FileCheck %s --check-prefix=NONE

// A producer is computed tile by tile, and tiles shrink to fit the cache.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[X:.*]]: tensor<4096x256xf32>, %[[PE:.*]]: tensor<4096x256xf32>
// CHECK: scf.forall (%[[I:.*]]) = (0) to (4096) step (128)
// CHECK: tensor.extract_slice %[[X]][%[[I]], 0] [128, 256]
// CHECK: %[[S:.*]] = linalg.add
// CHECK: %[[Y:.*]] = rlx.packed_matmul ins(%[[S]],
// CHECK: tensor.parallel_insert_slice %[[Y]] into %{{.*}}[%[[I]], 0] [128, 128]
// SMALL-LABEL: func.func @chain
// SMALL: scf.forall (%{{.*}}) = (0) to (4096) step (16)
// NONE-LABEL: func.func @chain
// NONE-NOT: scf.forall
func.func @chain(%x: tensor<4096x256xf32>, %pe: tensor<4096x256xf32>, %w: tensor<8x256x16xf32>, %b: tensor<128xf32>) -> tensor<4096x128xf32> {
  %e0 = tensor.empty() : tensor<4096x256xf32>
  %e1 = tensor.empty() : tensor<4096x128xf32>
  %s = linalg.add ins(%x, %pe : tensor<4096x256xf32>, tensor<4096x256xf32>) outs(%e0 : tensor<4096x256xf32>) -> tensor<4096x256xf32>
  %y = rlx.packed_matmul ins(%s, %w : tensor<4096x256xf32>, tensor<8x256x16xf32>) bias(%b : tensor<128xf32>) outs(%e1 : tensor<4096x128xf32>) -> tensor<4096x128xf32>
  return %y : tensor<4096x128xf32>
}

// -----

// Each user of a cheap op has a copy: nothing is written for both.
// CHECK-LABEL: func.func @copies
// CHECK-COUNT-2: scf.forall
// CHECK-NOT: linalg.add ins(%{{.*}} : tensor<4096x256xf32>
func.func @copies(%x: tensor<4096x256xf32>, %pe: tensor<4096x256xf32>, %w: tensor<8x256x16xf32>, %v: tensor<8x256x16xf32>) -> (tensor<4096x128xf32>, tensor<4096x128xf32>) {
  %e0 = tensor.empty() : tensor<4096x256xf32>
  %e1 = tensor.empty() : tensor<4096x128xf32>
  %s = linalg.add ins(%x, %pe : tensor<4096x256xf32>, tensor<4096x256xf32>) outs(%e0 : tensor<4096x256xf32>) -> tensor<4096x256xf32>
  %y = rlx.packed_matmul ins(%s, %w : tensor<4096x256xf32>, tensor<8x256x16xf32>) outs(%e1 : tensor<4096x128xf32>) -> tensor<4096x128xf32>
  %z = rlx.packed_matmul ins(%s, %v : tensor<4096x256xf32>, tensor<8x256x16xf32>) outs(%e1 : tensor<4096x128xf32>) -> tensor<4096x128xf32>
  return %y, %z : tensor<4096x128xf32>, tensor<4096x128xf32>
}

// -----

// A result that is needed outside is yielded as well.
// CHECK-LABEL: func.func @yields
// CHECK: %[[R:.*]]:2 = scf.forall
// CHECK: rlx.packed_matmul
// CHECK: linalg.exp
// CHECK: tensor.parallel_insert_slice
// CHECK: tensor.parallel_insert_slice
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @yields(%x: tensor<397x256xf32>, %w: tensor<8x256x16xf32>) -> (tensor<397x128xf32>, tensor<397x128xf32>) {
  %e = tensor.empty() : tensor<397x128xf32>
  %y = rlx.packed_matmul ins(%x, %w : tensor<397x256xf32>, tensor<8x256x16xf32>) outs(%e : tensor<397x128xf32>) -> tensor<397x128xf32>
  %z = linalg.exp ins(%y : tensor<397x128xf32>) outs(%e : tensor<397x128xf32>) -> tensor<397x128xf32>
  return %y, %z : tensor<397x128xf32>, tensor<397x128xf32>
}

// -----

// Few rows are cut along the columns, in whole panels; a dynamic number of rows in
// blocks, the last of which is smaller.
// CHECK-LABEL: func.func @few_rows
// CHECK: scf.forall (%[[I:.*]]) = (0) to (2048) step (128)
// CHECK: affine.apply
// CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 0, 0] [8, 256, 16]
// CHECK-LABEL: func.func @dynamic_rows
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (%{{.*}}, 2048) step (48, 128)
// CHECK: affine.min
func.func @few_rows(%x: tensor<7x256xf32>, %w: tensor<128x256x16xf32>) -> tensor<7x2048xf32> {
  %e = tensor.empty() : tensor<7x2048xf32>
  %y = rlx.packed_matmul ins(%x, %w : tensor<7x256xf32>, tensor<128x256x16xf32>) outs(%e : tensor<7x2048xf32>) -> tensor<7x2048xf32>
  return %y : tensor<7x2048xf32>
}
func.func @dynamic_rows(%x: tensor<?x256xf32>, %w: tensor<128x256x16xf32>, %e: tensor<?x2048xf32>) -> tensor<?x2048xf32> {
  %y = rlx.packed_matmul ins(%x, %w : tensor<?x256xf32>, tensor<128x256x16xf32>) outs(%e : tensor<?x2048xf32>) -> tensor<?x2048xf32>
  return %y : tensor<?x2048xf32>
}

// -----

// Chunks of keys are tiles: what computes the keys joins, what computes the queries
// does not.
// CHECK-LABEL: func.func @chunks
// CHECK: %[[Q:.*]] = scf.forall
// CHECK: scf.forall (%[[B:.*]], %[[J:.*]]) = (0, 0) to (2, 1024) step (1, 128)

// CHECK: %[[K:.*]] = linalg.add ins(%{{.*}} : tensor<1x128x32xf32>
// CHECK: tensor.extract_slice %[[Q]][%[[B]], 0, 0] [1, 5, 32]

// CHECK: rlx.online_attention sequence mask none ins(%{{.*}}, %[[K]], %{{.*}} : tensor<1x5x32xf32>, tensor<1x128x32xf32>, tensor<1x128x32xf32>)
// CHECK-NOT: key_chunk
// CHECK: %[[C:.*]] = affine.apply #{{.*}}(%[[J]])
// CHECK: tensor.parallel_insert_slice %{{.*}} into %{{.*}}[%[[C]], %[[B]], 0, 0] [1, 1, 5, 32]
func.func @chunks(%x: tensor<2x5x256xf32>, %w: tensor<2x256x16xf32>, %k: tensor<2x1024x32xf32>, %pe: tensor<2x1024x32xf32>) -> (tensor<8x2x5x32xf32>, tensor<8x2x4x5xf32>, tensor<8x2x4x5xf32>) {
  %eq = tensor.empty() : tensor<2x5x32xf32>
  %ek = tensor.empty() : tensor<2x1024x32xf32>
  %e0 = tensor.empty() : tensor<8x2x5x32xf32>
  %e1 = tensor.empty() : tensor<8x2x4x5xf32>
  %q = rlx.packed_matmul ins(%x, %w : tensor<2x5x256xf32>, tensor<2x256x16xf32>) outs(%eq : tensor<2x5x32xf32>) -> tensor<2x5x32xf32>
  %s = linalg.add ins(%k, %pe : tensor<2x1024x32xf32>, tensor<2x1024x32xf32>) outs(%ek : tensor<2x1024x32xf32>) -> tensor<2x1024x32xf32>
  %p:3 = rlx.online_attention sequence mask none ins(%q, %s, %k : tensor<2x5x32xf32>, tensor<2x1024x32xf32>, tensor<2x1024x32xf32>) outs(%e0, %e1, %e1 : tensor<8x2x5x32xf32>, tensor<8x2x4x5xf32>, tensor<8x2x4x5xf32>) {num_heads = 4 : i64, scale = 1.0 : f64, key_chunk = 128 : i64} -> tensor<8x2x5x32xf32>, tensor<8x2x4x5xf32>, tensor<8x2x4x5xf32>
  return %p#0, %p#1, %p#2 : tensor<8x2x5x32xf32>, tensor<8x2x4x5xf32>, tensor<8x2x4x5xf32>
}

// -----

// Tiles of combined chunks are rows and heads, with all chunks of these.
// CHECK-LABEL: func.func @combine
// CHECK: scf.forall (%[[H:.*]], %[[I:.*]]) = (0, 0) to (8, 64) step (2, 16)
// CHECK: %[[D:.*]] = affine.apply #{{.*}}(%[[H]])
// CHECK: tensor.extract_slice %arg0[0, 0, %[[I]], %[[D]]] [64, 1, 16, 512]
// CHECK: rlx.combine_chunks
func.func @combine(%p: tensor<64x1x64x2048xf32>, %s: tensor<64x1x8x64xf32>) -> tensor<1x64x2048xf32> {
  %e = tensor.empty() : tensor<1x64x2048xf32>
  %0 = rlx.combine_chunks ins(%p, %s, %s : tensor<64x1x64x2048xf32>, tensor<64x1x8x64xf32>, tensor<64x1x8x64xf32>) outs(%e : tensor<1x64x2048xf32>) {num_heads = 8 : i64} -> tensor<1x64x2048xf32>
  return %0 : tensor<1x64x2048xf32>
}

// -----

// Padding joins the convolution that reads it, channel by channel.
// CHECK-LABEL: func.func @padding
// CHECK: scf.forall (%[[C:.*]]) = (0) to (128)
// CHECK: tensor.pad {{.*}} low[0, 0, 1, 1] high[0, 0, 1, 1]
// CHECK: linalg.depthwise_conv_2d_nchw_chw
func.func @padding(%x: tensor<1x128x40x40xf32>, %w: tensor<128x3x3xf32>) -> tensor<1x128x40x40xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x128x40x40xf32>
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x128x40x40xf32> to tensor<1x128x42x42xf32>
  %y = linalg.depthwise_conv_2d_nchw_chw ins(%p, %w : tensor<1x128x42x42xf32>, tensor<128x3x3xf32>) outs(%e : tensor<1x128x40x40xf32>) -> tensor<1x128x40x40xf32>
  return %y : tensor<1x128x40x40xf32>
}
