// RUN: rlx-opt %s --rlx-outline-parallel --canonicalize --split-input-file | FileCheck %s

// The index is linear over the iterations; what the body uses is captured once.
// CHECK-LABEL: func.func @rlx_run
// CHECK-SAME: %[[X:.*]]: memref<?x8xf32>, %[[Y:.*]]: memref<?x8xf32>, %[[N:.*]]: index)
// CHECK: %[[COUNT:.*]] = affine.apply #{{.*}}()[%[[N]]]
// CHECK: rlx_host.parallel_for %[[COUNT]] of @rlx_run_region_0(%[[N]], %[[X]], %[[Y]] : index, memref<?x8xf32>, memref<?x8xf32>)
// CHECK-LABEL: func.func private @rlx_run_region_0
// CHECK-SAME: index, %[[TX:.*]]: memref<?x8xf32> {llvm.noalias}, %[[TY:.*]]: memref<?x8xf32> {llvm.noalias}, %[[INDEX:.*]]: index)
// CHECK: %[[IV:.*]]:2 = affine.delinearize_index %[[INDEX]] into (%{{.*}}, 2)
// CHECK: %[[J:.*]] = affine.apply #{{.*}}()[%[[IV]]#1]
// CHECK: memref.load %[[TX]][%[[IV]]#0, %[[J]]]
// CHECK: memref.store %{{.*}}, %[[TY]][%[[IV]]#0, %[[J]]]
func.func @rlx_run(%x: memref<?x8xf32>, %y: memref<?x8xf32>, %n: index) {
  scf.forall (%i, %j) = (0, 0) to (%n, 8) step (1, 4) {
    %v = memref.load %x[%i, %j] : memref<?x8xf32>
    memref.store %v, %y[%i, %j] : memref<?x8xf32>
  }
  return
}

// -----

// The iterations of one dimension are scaled and shifted.
// CHECK-LABEL: func.func private @rlx_run_region_0
// CHECK-SAME: %[[X:.*]]: memref<64xf32> {llvm.noalias}, %[[INDEX:.*]]: index)
// CHECK: %[[I:.*]] = affine.apply #{{.*}}()[%[[INDEX]]]
// CHECK: memref.store %{{.*}}, %[[X]][%[[I]]]
func.func @rlx_run(%x: memref<64xf32>) {
  %f = arith.constant 0.0 : f32
  scf.forall (%i) = (8) to (64) step (8) {
    memref.store %f, %x[%i] : memref<64xf32>
  }
  return
}

// -----

// Views are made again in the task, so that whole buffers are captured, and those
// of the workspace are apart.
// CHECK-LABEL: func.func @rlx_run
// CHECK: rlx_host.parallel_for %{{.*}} of @rlx_run_region_0(%[[A:.*]], %[[B:.*]] : memref<64xf32>, memref<64xf32>)
// CHECK-LABEL: func.func private @rlx_run_region_0
// CHECK-SAME: memref<64xf32> {llvm.noalias}, %{{.*}}: memref<64xf32> {llvm.noalias}
// CHECK-DAG: memref.subview
// CHECK-DAG: arith.constant 2.000000e+00 : f32
func.func @rlx_run(%workspace: memref<?xi8> {rlx.workspace}) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %two = arith.constant 2.0 : f32
  %a = memref.view %workspace[%c0][] : memref<?xi8> to memref<64xf32>
  %b = memref.view %workspace[%c256][] : memref<?xi8> to memref<64xf32>
  %half = memref.subview %a[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
  scf.forall (%i) in (32) {
    %u = memref.load %half[%i] : memref<32xf32, strided<[1], offset: 32>>
    %v = memref.load %a[%i] : memref<64xf32>
    %w = arith.mulf %u, %two : f32
    %s = arith.addf %v, %w : f32
    memref.store %s, %b[%i] : memref<64xf32>
  }
  return
}

// -----

// Nothing is claimed of a buffer of unknown origin.
// CHECK-LABEL: func.func private @rlx_run_region_0
// CHECK-NOT: llvm.noalias
func.func @rlx_run(%c: i1, %x: memref<8xf32>, %y: memref<8xf32>) {
  %z = arith.select %c, %x, %y : memref<8xf32>
  scf.forall (%i) in (8) {
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %z[%i] : memref<8xf32>
  }
  return
}

// -----

// One iteration runs in place; its stack buffer is not allocated in the loop.
// CHECK-LABEL: func.func @rlx_run
// CHECK: memref.alloca
// CHECK: scf.for
// CHECK-NOT: memref.alloca
// CHECK-NOT: rlx_host.parallel_for
// CHECK: return
func.func @rlx_run(%x: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    scf.forall (%i) in (1) {
      %t = memref.alloca() : memref<8xf32>
      memref.copy %x, %t : memref<8xf32> to memref<8xf32>
      memref.copy %t, %x : memref<8xf32> to memref<8xf32>
    }
  }
  return
}

// -----

// A loop within a task is sequential.
// CHECK-LABEL: func.func private @rlx_run_region_0
// CHECK: scf.for
// CHECK-NOT: rlx_run_region_1
func.func @rlx_run(%x: memref<8x8xf32>) {
  %f = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    scf.forall (%j) in (8) {
      memref.store %f, %x[%i, %j] : memref<8x8xf32>
    }
  }
  return
}
