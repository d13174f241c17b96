// RUN: rlx-opt %s -rlx-plan-memory -canonicalize -cse -split-input-file -verify-diagnostics | FileCheck %s

// Buffers that are not live together share memory: the first and the third do, the
// second lies behind them. Nothing is allocated.
// CHECK: rlx.workspace_plan = {bytes = 8192 : i64, lower_bound = 8192 : i64}
// CHECK-LABEL: func.func @rlx_shapes
// CHECK: %[[BYTES:.*]] = arith.constant 8192 : index
// CHECK: return %{{.*}}, %[[BYTES]]
// CHECK-LABEL: func.func @rlx_run
// CHECK-SAME: %[[WORK:[^:]*]]: memref<?xi8> {rlx.workspace}
// CHECK-NOT: memref.alloc
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[BEHIND:.*]] = arith.constant 4096 : index
// CHECK: %[[A:.*]] = memref.view %[[WORK]][%[[ZERO]]][] : memref<?xi8> to memref<1024xf32>
// CHECK: %[[B:.*]] = memref.view %[[WORK]][%[[BEHIND]]][] : memref<?xi8> to memref<1024xf32>
// CHECK: linalg.exp ins(%{{.*}}) outs(%[[A]]
// CHECK: linalg.exp ins(%[[A]] {{.*}} outs(%[[B]]
// CHECK: linalg.exp ins(%[[B]] {{.*}} outs(%[[A]]
module attributes {rlx.signature = {inputs = [{dims = array<i64: 1024>, name = "x", type = f32}], name = "g", outputs = [{dims = array<i64: 1024>, name = "y", type = f32}], params = [], symbols = []}} {
  func.func @rlx_shapes() -> (index, index) {
    %n = arith.constant 1024 : index
    %c0 = arith.constant 0 : index
    return %n, %c0 : index, index
  }
  func.func @rlx_run(%x: memref<1024xf32> {rlx.input = 0 : i64}, %y: memref<1024xf32> {rlx.output = 0 : i64}) {
    %a = memref.alloc() : memref<1024xf32>
    %b = memref.alloc() : memref<1024xf32>
    %c = memref.alloc() : memref<1024xf32>
    linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
    linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
    linalg.exp ins(%b : memref<1024xf32>) outs(%c : memref<1024xf32>)
    linalg.exp ins(%c : memref<1024xf32>) outs(%y : memref<1024xf32>)
    return
  }
}

// -----

// A size may come through views of a dynamic size, and is computed from the symbols.
// CHECK-LABEL: func.func @rlx_shapes
// CHECK-SAME: %[[N:.*]]: index
// CHECK: affine.apply
// CHECK-LABEL: func.func @rlx_run
// CHECK-NOT: memref.alloc
// CHECK: memref.view %{{.*}}[%{{.*}}][%{{.*}}] : memref<?xi8> to memref<?xf32>
module attributes {rlx.signature = {inputs = [{dims = array<i64: -1, 8>, name = "x", type = f32}], name = "g", outputs = [{dims = array<i64: -1, 8>, name = "y", type = f32}], params = [], symbols = ["n"]}} {
  func.func @rlx_shapes(%n: index) -> (index, index, index) {
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    return %n, %c8, %c0 : index, index, index
  }
  func.func @rlx_run(%x: memref<?x8xf32> {rlx.input = 0 : i64}, %y: memref<?x8xf32> {rlx.output = 0 : i64}) {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : memref<?x8xf32>
    %pairs = memref.expand_shape %x [[0], [1, 2]] output_shape [%n, 2, 4] : memref<?x8xf32> into memref<?x2x4xf32>
    %flat = memref.collapse_shape %pairs [[0, 1, 2]] : memref<?x2x4xf32> into memref<?xf32>
    %size = memref.dim %flat, %c0 : memref<?xf32>
    %a = memref.alloc(%size) : memref<?xf32>
    linalg.exp ins(%flat : memref<?xf32>) outs(%a : memref<?xf32>)
    %b = memref.expand_shape %a [[0, 1]] output_shape [%n, 8] : memref<?xf32> into memref<?x8xf32>
    linalg.exp ins(%b : memref<?x8xf32>) outs(%y : memref<?x8xf32>)
    return
  }
}

// -----

// The buffers of a task are views of one buffer on its stack.
// CHECK-LABEL: func.func @rlx_run
// CHECK: scf.forall
// CHECK: %[[STACK:.*]] = memref.alloca() {alignment = 64 : i64} : memref<128xi8>
// CHECK-COUNT-2: memref.view %[[STACK]]
module attributes {rlx.signature = {inputs = [{dims = array<i64: 64>, name = "x", type = f32}], name = "g", outputs = [{dims = array<i64: 64>, name = "y", type = f32}], params = [], symbols = []}} {
  func.func @rlx_shapes() -> (index, index) {
    %n = arith.constant 64 : index
    %c0 = arith.constant 0 : index
    return %n, %c0 : index, index
  }
  func.func @rlx_run(%x: memref<64xf32> {rlx.input = 0 : i64}, %y: memref<64xf32> {rlx.output = 0 : i64}) {
    scf.forall (%i) = (0) to (64) step (16) {
      %xt = memref.subview %x[%i] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1], offset: ?>>
      %yt = memref.subview %y[%i] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1], offset: ?>>
      %a = memref.alloc() : memref<16xf32>
      %b = memref.alloc() : memref<16xf32>
      linalg.exp ins(%xt : memref<16xf32, strided<[1], offset: ?>>) outs(%a : memref<16xf32>)
      linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
      linalg.exp ins(%b : memref<16xf32>) outs(%yt : memref<16xf32, strided<[1], offset: ?>>)
    }
    return
  }
}
