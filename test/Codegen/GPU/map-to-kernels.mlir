// RUN: rlx-opt %s --rlx-map-to-kernels --canonicalize --split-input-file | FileCheck %s

// A thread for each element, in the order of the result.
// CHECK-LABEL: func.func @transpose
// CHECK-SAME: %[[X:.*]]: memref<?x8xf32>, %[[Y:.*]]: memref<8x?xf32>
// CHECK: %[[N:.*]] = memref.dim %[[X]]
// CHECK: %[[COUNT:.*]] = arith.muli %[[N]], %{{.*}}
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %[[COUNT]], %c256
// CHECK: gpu.launch blocks({{.*}}) in ({{.*}} = %[[BLOCKS]], {{.*}}) threads({{.*}}) in ({{.*}} = %c256,
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[I:.*]], %[[COUNT]]
// CHECK: scf.if %[[INSIDE]]
// CHECK: %[[COLUMN:.*]] = arith.remui %[[I]], %[[N]]
// CHECK: %[[ROW:.*]] = arith.divui %[[I]], %[[N]]
// CHECK: %[[V:.*]] = memref.load %[[X]][%[[COLUMN]], %[[ROW]]]
// CHECK: memref.store %[[V]], %[[Y]][%[[ROW]], %[[COLUMN]]]
func.func @transpose(%x: memref<?x8xf32>, %y: memref<8x?xf32>) {
  linalg.transpose ins(%x : memref<?x8xf32>) outs(%y : memref<8x?xf32>) permutation = [1, 0]
  return
}

// -----

// A long reduction over neighbouring elements takes a warp.
// CHECK-LABEL: func.func @sum_rows
// CHECK: gpu.launch
// CHECK: %[[PART:.*]] = scf.for %{{.*}} = %[[LANE:.*]] to %c64 step %c32
// CHECK: gpu.shuffle xor %[[PART]]
// CHECK: arith.cmpi eq, %[[LANE]], %c0
// CHECK: memref.store
#row = affine_map<(i, j) -> (i, j)>
#sum = affine_map<(i, j) -> (i)>
func.func @sum_rows(%x: memref<4x64xf32>, %y: memref<4xf32>) {
  linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x64xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%e: f32, %s: f32):
    %t = arith.addf %s, %e : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// Few rows: the threads of a block share the sums of eight columns.
// CHECK-LABEL: func.func @few_rows
// CHECK-SAME: %[[X:.*]]: memref<4x64xf32>, %[[W:.*]]: memref<64x24xf32>, %[[Y:.*]]: memref<4x24xf32>
// CHECK: gpu.launch blocks({{.*}}) in ({{.*}} = %c3,
// CHECK-SAME: workgroup(%[[PARTS:.*]] : memref<4x4x8xf32, #gpu.address_space<workgroup>>)
// CHECK: scf.for
// CHECK: memref.load %[[W]]
// CHECK: memref.load %[[X]]
// CHECK: gpu.shuffle xor
// CHECK: memref.store %{{.*}}, %[[PARTS]]
// CHECK: gpu.barrier
// CHECK: memref.store %{{.*}}, %[[Y]]
func.func @few_rows(%x: memref<4x64xf32>, %w: memref<64x24xf32>, %y: memref<4x24xf32>) {
  linalg.matmul ins(%x, %w : memref<4x64xf32>, memref<64x24xf32>) outs(%y : memref<4x24xf32>)
  return
}

// -----

// Many rows: a tile of the result, with slabs of both operands in shared memory.
// CHECK-LABEL: func.func @many_rows
// CHECK-SAME: %[[X:.*]]: memref<100x64xf32>, %[[W:.*]]: memref<64x40xf32>
// CHECK: gpu.launch blocks({{.*}}) in ({{.*}} = %c8,
// CHECK-SAME: workgroup(%[[XS:[^ ]*]] : memref<32x33xf32, #gpu.address_space<workgroup>>, %[[WS:[^ ]*]] : memref<32x33xf32, #gpu.address_space<workgroup>>)
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[XS]]
// CHECK: memref.store %{{.*}}, %[[WS]]
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: gpu.barrier
func.func @many_rows(%x: memref<100x64xf32>, %w: memref<64x40xf32>, %y: memref<100x40xf32>) {
  linalg.matmul ins(%x, %w : memref<100x64xf32>, memref<64x40xf32>) outs(%y : memref<100x40xf32>)
  return
}

// -----

// Constants live with the kernels; checks of data are the device's.
// CHECK-LABEL: func.func @constants
// CHECK-SAME: %[[Y:.*]]: memref<3xf32>, %[[FLAG:.*]]: memref<i8>
// CHECK-NOT: memref.get_global
// CHECK: gpu.launch
// CHECK: memref.get_global @c
// CHECK: gpu.terminator
// CHECK: rlx_host.check %[[FLAG]], "out of range"
// CHECK-NOT: cf.assert
memref.global "private" constant @c : memref<3xf32> = dense<[1.0, 2.0, 3.0]>
func.func @constants(%y: memref<3xf32>, %flag: memref<i8>) {
  %c = memref.get_global @c : memref<3xf32>
  memref.copy %c, %y : memref<3xf32> to memref<3xf32>
  %f = memref.load %flag[] : memref<i8>
  %ok = arith.trunci %f : i8 to i1
  cf.assert %ok, "out of range" {rlx.data_check}
  return
}

// -----

// Attention: blocks of 32 rows; scores go through shared memory.
// CHECK-LABEL: func.func @attention
// CHECK: gpu.launch blocks({{.*}}) in ({{.*}} = %c2,
// CHECK-SAME: %[[SCORES:[^ ]*]] : memref<32x65xf32, #gpu.address_space<workgroup>>
// CHECK: memref.store %{{.*}}, %[[SCORES]]
// CHECK: gpu.barrier
// CHECK: arith.maximumf
// CHECK: gpu.shuffle xor
// CHECK: math.exp
// CHECK: math.fma
// CHECK: arith.divf
func.func @attention(%q: memref<1x7x32xf32>, %k: memref<1x59x32xf32>, %v: memref<1x59x32xf32>,
                     %o: memref<1x7x32xf32>) {
  rlx.online_attention sequence mask none
      ins(%q, %k, %v : memref<1x7x32xf32>, memref<1x59x32xf32>, memref<1x59x32xf32>)
      outs(%o : memref<1x7x32xf32>) {num_heads = 2 : i64, scale = 2.5e-01 : f64}
  return
}

// -----

// Attention in f64: a block for each query of a head.
// CHECK-LABEL: func.func @attention_f64
// CHECK: gpu.launch blocks({{.*}}) in ({{.*}} = %c14,
// CHECK-SAME: workgroup(%{{.*}} : memref<16xf64, #gpu.address_space<workgroup>>, %[[SCORES:.*]] : memref<64xf64, #gpu.address_space<workgroup>>)
// CHECK: memref.store %{{.*}}, %[[SCORES]]
func.func @attention_f64(%q: memref<1x7x32xf64>, %k: memref<1x59x32xf64>, %o: memref<1x7x32xf64>) {
  rlx.online_attention sequence mask none
      ins(%q, %k, %k : memref<1x7x32xf64>, memref<1x59x32xf64>, memref<1x59x32xf64>)
      outs(%o : memref<1x7x32xf64>) {num_heads = 2 : i64, scale = 2.5e-01 : f64}
  return
}

// -----

// Chunks of keys: what each counts is found once for all channels of a row.
// CHECK-LABEL: func.func @combine
// CHECK-SAME: %[[P:.*]]: memref<4x1x7x32xf32>
// CHECK: gpu.launch blocks({{.*}}) in ({{.*}} = %c14,
// CHECK-SAME: workgroup(%[[WEIGHTS:.*]] : memref<4xf32, #gpu.address_space<workgroup>>)
// CHECK: memref.store %{{.*}}, %[[WEIGHTS]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[P]]
func.func @combine(%p: memref<4x1x7x32xf32>, %s: memref<4x1x2x7xf32>, %o: memref<1x7x32xf32>) {
  rlx.combine_chunks ins(%p, %s, %s : memref<4x1x7x32xf32>, memref<4x1x2x7xf32>, memref<4x1x2x7xf32>)
      outs(%o : memref<1x7x32xf32>) {num_heads = 2 : i64}
  return
}
