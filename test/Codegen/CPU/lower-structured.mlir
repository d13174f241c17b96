// RUN: rlx-opt %s -rlx-lower-structured="triple=x86_64-unknown-linux-gnu cpu=x86-64-v3" -canonicalize -split-input-file | FileCheck %s
// RUN: rlx-opt %s -rlx-lower-structured="triple=x86_64-unknown-linux-gnu cpu=x86-64-v4" -canonicalize -split-input-file | FileCheck %s --check-prefix=AVX512
// RUN: rlx-opt %s -rlx-lower-structured="triple=aarch64-unknown-linux-gnu cpu=generic" -canonicalize -split-input-file | FileCheck %s --check-prefix=NEON

// Twelve rows are two kernels of six rows and two vectors; the bias is where sums start
// and the activation is applied before they are stored.
// CHECK-LABEL: func.func @matmul
// CHECK-SAME: %[[X:[^:]*]]: memref<12x32xf32>, %[[W:[^:]*]]: memref<4x32x16xf32>, %[[B:[^:]*]]: memref<64xf32>
// CHECK: scf.for %[[N:.*]] =
// CHECK: scf.for %[[M:.*]] =
// CHECK-COUNT-2: vector.load %[[B]]
// CHECK: %[[SUMS:.*]]:12 = scf.for
// CHECK-COUNT-2: vector.load %[[W]]
// CHECK-COUNT-12: math.fma {{.*}} : vector<8xf32>
// CHECK: arith.maximumf
// CHECK: vector.store
// CHECK-NOT: rlx.packed_matmul
// Registers for four vectors of sixteen lanes; vectors of four lanes on the other.
// AVX512-LABEL: func.func @matmul
// AVX512: math.fma {{.*}} : vector<16xf32>
// NEON-LABEL: func.func @matmul
// NEON: math.fma {{.*}} : vector<4xf32>
func.func @matmul(%x: memref<12x32xf32>, %w: memref<4x32x16xf32>, %b: memref<64xf32>, %y: memref<12x64xf32>) {
  rlx.packed_matmul act = relu ins(%x, %w : memref<12x32xf32>, memref<4x32x16xf32>) bias(%b : memref<64xf32>) outs(%y : memref<12x64xf32>)
  return
}

// -----

// Thirteen rows are kernels of five and four; columns that don't fill a vector are
// masked.
// CHECK-LABEL: func.func @tails
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK: vector.maskedstore
func.func @tails(%x: memref<13x32xf32>, %w: memref<2x32x16xf32>, %y: memref<13x19xf32>) {
  rlx.packed_matmul ins(%x, %w : memref<13x32xf32>, memref<2x32x16xf32>) outs(%y : memref<13x19xf32>)
  return
}

// -----

// Queries lie in the lanes: the softmax is without reductions across them.
// CHECK-LABEL: func.func @attention
// CHECK-NOT: vector.reduction
// CHECK: vector.shuffle
// CHECK: math.fma
// CHECK-NOT: memref.alloc()
// CHECK: return
func.func @attention(%q: memref<1x32x16xf32>, %k: memref<1x400x16xf32>, %v: memref<1x400x24xf32>, %o: memref<1x32x24xf32>) {
  rlx.online_attention sequence mask none ins(%q, %k, %v : memref<1x32x16xf32>, memref<1x400x16xf32>, memref<1x400x24xf32>) outs(%o : memref<1x32x24xf32>) {num_heads = 2 : i64, scale = 1.0 : f64}
  return
}

// -----

// A block of rows that a mask hides altogether is skipped.
// CHECK-LABEL: func.func @masked
// CHECK: %[[SEEN:.*]] = vector.reduction <or>
// CHECK: scf.if %[[SEEN]]
func.func @masked(%q: memref<1x7x16xf32>, %k: memref<1x400x16xf32>, %m: memref<1x1x7x400xf32>, %o: memref<1x7x16xf32>) {
  rlx.online_attention sequence mask custom ins(%q, %k, %k : memref<1x7x16xf32>, memref<1x400x16xf32>, memref<1x400x16xf32>) masked_by(%m : memref<1x1x7x400xf32>) outs(%o : memref<1x7x16xf32>) {num_heads = 2 : i64, scale = 1.0 : f64}
  return
}

// -----

// Heads that share the queries add up: one product with the values of all of them.
// CHECK-LABEL: func.func @shared_queries
// CHECK-SAME: %[[Q:[^:]*]]: memref<1x64x32xf32>, %[[K:[^:]*]]: memref<1x5x96xf32>, %[[V:[^:]*]]: memref<1x5x96xf32>, %[[O:[^:]*]]: memref<1x64x32xf32>
// CHECK: vector.load %[[Q]]
// CHECK: memref.load %[[K]]
// CHECK: vector.load %[[V]]
// CHECK: math.fma
// CHECK: vector.store %{{.*}}, %[[O]]
func.func @shared_queries(%q: memref<1x64x32xf32>, %k: memref<1x5x96xf32>, %v: memref<1x5x96xf32>, %o: memref<1x64x32xf32>) {
  rlx.online_attention sequence mask none sharing queries ins(%q, %k, %v : memref<1x64x32xf32>, memref<1x5x96xf32>, memref<1x5x96xf32>) outs(%o : memref<1x64x32xf32>) {num_heads = 3 : i64, scale = 1.0 : f64}
  return
}

// -----

// Chunks that were not tiled are a loop.
// CHECK-LABEL: func.func @chunks
// CHECK: scf.for %[[C:.*]] = %{{.*}} to %{{.*}} step
// CHECK: memref.subview %{{.*}}[%[[C]], 0, 0, 0] [1, 1, 7, 16]
// CHECK-NOT: rlx.online_attention
func.func @chunks(%q: memref<1x7x16xf32>, %k: memref<1x400x16xf32>, %o: memref<4x1x7x16xf32>, %m: memref<4x1x2x7xf32>, %s: memref<4x1x2x7xf32>) {
  rlx.online_attention sequence mask none ins(%q, %k, %k : memref<1x7x16xf32>, memref<1x400x16xf32>, memref<1x400x16xf32>) outs(%o, %m, %s : memref<4x1x7x16xf32>, memref<4x1x2x7xf32>, memref<4x1x2x7xf32>) {num_heads = 2 : i64, scale = 1.0 : f64, key_chunk = 100 : i64}
  return
}

// -----

// Keys that no row of a block sees are not attended to; only the statistics say so.
// CHECK-LABEL: func.func @masked_part
// CHECK-SAME: %[[O:[^:]*]]: memref<1x7x128xf32>, %[[S:[^:]*]]: memref<1x4x7xf32>
// CHECK: vector.reduction <maxsi>
// CHECK: scf.if
// CHECK: vector.store %{{.*}}, %[[O]]
// CHECK: } else {
// CHECK-NOT: %[[O]]
// CHECK: memref.store %{{.*}}, %[[S]]
func.func @masked_part(%q: memref<1x7x128xf32>, %k: memref<1x128x32xf32>, %m: memref<1x1x7x128xf32>, %o: memref<1x7x128xf32>, %s: memref<1x4x7xf32>) {
  rlx.online_attention sequence mask custom sharing keys ins(%q, %k, %k : memref<1x7x128xf32>, memref<1x128x32xf32>, memref<1x128x32xf32>) masked_by(%m : memref<1x1x7x128xf32>) outs(%o, %s, %s : memref<1x7x128xf32>, memref<1x4x7xf32>, memref<1x4x7xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// Parts are read where their sums say that they count.
// CHECK-LABEL: func.func @combine
// CHECK-SAME: %[[P:[^:]*]]: memref<4x1x7x20xf32>
// CHECK: math.exp
// CHECK: arith.cmpf une
// CHECK: scf.if
// CHECK: vector.load %[[P]]
// CHECK: vector.maskedload %[[P]]
// CHECK: vector.maskedstore
// CHECK: math.log
// CHECK-NOT: rlx.combine_chunks
func.func @combine(%p: memref<4x1x7x20xf32>, %s: memref<4x1x2x7xf32>, %o: memref<1x7x20xbf16>, %l: memref<1x2x7xf32>) {
  rlx.combine_chunks ins(%p, %s, %s : memref<4x1x7x20xf32>, memref<4x1x2x7xf32>, memref<4x1x2x7xf32>) outs(%o, %l : memref<1x7x20xbf16>, memref<1x2x7xf32>) {num_heads = 2 : i64}
  return
}

// -----

// Contractions in any order of loops; other ops are left alone.
// CHECK-LABEL: func.func @linalg
// CHECK-NOT: linalg.matmul
// CHECK: math.fma
// CHECK: linalg.exp
func.func @linalg(%x: memref<?x32xf32>, %w: memref<32x?xf32>, %y: memref<?x?xf32>) {
  linalg.matmul ins(%x, %w : memref<?x32xf32>, memref<32x?xf32>) outs(%y : memref<?x?xf32>)
  linalg.exp ins(%y : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}

// -----

// Sums start from the bias that would have been written before: one element for a row.
// CHECK-LABEL: func.func @biased_rows
// CHECK-SAME: %[[B:[^:]*]]: memref<6xf32>, %[[Y:[^:]*]]: memref<6x16xf32>
// CHECK-NOT: linalg
// CHECK: memref.load %[[B]]
// CHECK-NOT: vector.load %[[Y]]
// CHECK: vector.store %{{.*}}, %[[Y]]
func.func @biased_rows(%w: memref<6x32xf32>, %x: memref<32x16xf32>, %b: memref<6xf32>, %y: memref<6x16xf32>) {
  linalg.broadcast ins(%b : memref<6xf32>) outs(%y : memref<6x16xf32>) dimensions = [1]
  linalg.matmul ins(%w, %x : memref<6x32xf32>, memref<32x16xf32>) outs(%y : memref<6x16xf32>)
  return
}

// -----

// Or neighbours for a row of columns.
// CHECK-LABEL: func.func @biased_columns
// CHECK-SAME: %[[B:[^:]*]]: memref<16xf32>, %[[Y:[^:]*]]: memref<6x16xf32>
// CHECK: vector.load %[[B]]
// CHECK-NOT: vector.load %[[Y]]
// CHECK: vector.store %{{.*}}, %[[Y]]
func.func @biased_columns(%w: memref<6x32xf32>, %x: memref<32x16xf32>, %b: memref<16xf32>, %y: memref<6x16xf32>) {
  linalg.broadcast ins(%b : memref<16xf32>) outs(%y : memref<6x16xf32>) dimensions = [0]
  linalg.matmul ins(%w, %x : memref<6x32xf32>, memref<32x16xf32>) outs(%y : memref<6x16xf32>)
  return
}

// -----

// What something reads in between stays.
// CHECK-LABEL: func.func @read_between
// CHECK-SAME: %[[Y:[^:]*]]: memref<6x16xf32>, %[[Z:[^:]*]]: memref<6x16xf32>
// CHECK: linalg.fill
// CHECK: memref.copy
// CHECK: vector.load %[[Y]]
func.func @read_between(%w: memref<6x32xf32>, %x: memref<32x16xf32>, %y: memref<6x16xf32>, %z: memref<6x16xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%y : memref<6x16xf32>)
  memref.copy %y, %z : memref<6x16xf32> to memref<6x16xf32>
  linalg.matmul ins(%w, %x : memref<6x32xf32>, memref<32x16xf32>) outs(%y : memref<6x16xf32>)
  return
}
