// RUN: rlx-opt %s -rlx-mark-regions -split-input-file | FileCheck %s

// A parallel loop is a region, and so is what is around it; a matmul begins one. Tiles
// of 64 of 100 rows are counted as they are. What a region has written before it reads
// it is not read; its own buffers do not count.
// CHECK: rlx.regions = [{name = "double + root", parallel = true}, {name = "sum", parallel = false}, {name = "product + shift", parallel = false}]
// CHECK-LABEL: func.func @rlx_costs() -> (index, index, index, index, index, index)
// CHECK-DAG: %[[LOOP_FLOPS:.*]] = arith.constant 1600 : index
// CHECK-DAG: %[[LOOP_BYTES:.*]] = arith.constant 6400 : index
// CHECK-DAG: %[[SUM_FLOPS:.*]] = arith.constant 800 : index
// CHECK-DAG: %[[SUM_BYTES:.*]] = arith.constant 3232 : index
// CHECK-DAG: %[[MATMUL_FLOPS:.*]] = arith.constant 13600 : index
// CHECK-DAG: %[[MATMUL_BYTES:.*]] = arith.constant 9856 : index
// CHECK: return %[[LOOP_FLOPS]], %[[LOOP_BYTES]], %[[SUM_FLOPS]], %[[SUM_BYTES]], %[[MATMUL_FLOPS]], %[[MATMUL_BYTES]]
// CHECK-LABEL: func.func @rlx_run
// CHECK: rlx_host.begin_region 0
// CHECK-NEXT: scf.forall
// CHECK: rlx_host.begin_region 1
// CHECK-NEXT: linalg.fill
// CHECK: linalg.reduce
// CHECK: rlx_host.begin_region 2
// CHECK-NEXT: rlx.packed_matmul
// CHECK-NOT: rlx_host.begin_region
module attributes {rlx.signature = {inputs = [{dims = array<i64: 100, 8>, name = "x", type = f32}], name = "g", outputs = [{dims = array<i64: 8>, name = "s", type = f32}, {dims = array<i64: 100, 8>, name = "y", type = f32}], params = [{dims = array<i64: 1, 8, 8>, name = "w", type = f32}], symbols = []}} {
  func.func @rlx_run(%x: memref<100x8xf32> {rlx.input = 0 : i64}, %w: memref<1x8x8xf32> {rlx.param = 0 : i64}, %s: memref<8xf32> {rlx.output = 0 : i64}, %y: memref<100x8xf32> {rlx.output = 1 : i64}) {
    %zero = arith.constant 0.0 : f32
    %a = memref.alloc() : memref<100x8xf32>
    scf.forall (%i) = (0) to (100) step (64) {
      %rows = affine.min affine_map<(d0) -> (64, 100 - d0)>(%i)
      %xt = memref.subview %x[%i, 0] [%rows, 8] [1, 1] : memref<100x8xf32> to memref<?x8xf32, strided<[8, 1], offset: ?>>
      %at = memref.subview %a[%i, 0] [%rows, 8] [1, 1] : memref<100x8xf32> to memref<?x8xf32, strided<[8, 1], offset: ?>>
      %t = memref.alloc(%rows) : memref<?x8xf32>
      linalg.add ins(%xt, %xt : memref<?x8xf32, strided<[8, 1], offset: ?>>, memref<?x8xf32, strided<[8, 1], offset: ?>>) outs(%t : memref<?x8xf32>) loc("double")
      linalg.sqrt ins(%t : memref<?x8xf32>) outs(%at : memref<?x8xf32, strided<[8, 1], offset: ?>>) loc("root")
    }
    linalg.fill ins(%zero : f32) outs(%s : memref<8xf32>) loc("zero")
    linalg.reduce { arith.addf } ins(%a : memref<100x8xf32>) outs(%s : memref<8xf32>) dimensions = [0] loc("sum")
    rlx.packed_matmul ins(%a, %w : memref<100x8xf32>, memref<1x8x8xf32>) outs(%y : memref<100x8xf32>) loc("product")
    linalg.add ins(%y, %x : memref<100x8xf32>, memref<100x8xf32>) outs(%y : memref<100x8xf32>) loc("shift")
    return
  }
}

// -----

// Costs depend on the symbols, in loops too; a loop of one iteration is serial.
// CHECK: rlx.regions = [{name = "rows", parallel = true}, {name = "once", parallel = false}]
// CHECK-LABEL: func.func @rlx_costs(
// CHECK-SAME: %[[N:.*]]: index) -> (index, index, index, index)
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N]] step %{{.*}} iter_args(
// CHECK: affine.min #{{.*}}(%[[I]], %[[N]])
// CHECK: return
module attributes {rlx.signature = {inputs = [{dims = array<i64: -1>, name = "x", type = f32}], name = "g", outputs = [{dims = array<i64: -1>, name = "y", type = f32}], params = [], symbols = ["n"]}} {
  func.func @rlx_run(%x: memref<?xf32> {rlx.input = 0 : i64}, %y: memref<?xf32> {rlx.output = 0 : i64}) {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    scf.forall (%i) = (0) to (%n) step (64) {
      %rows = affine.min affine_map<(d0, d1) -> (64, d1 - d0)>(%i, %n)
      %xt = memref.subview %x[%i] [%rows] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
      %yt = memref.subview %y[%i] [%rows] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
      linalg.exp ins(%xt : memref<?xf32, strided<[1], offset: ?>>) outs(%yt : memref<?xf32, strided<[1], offset: ?>>) loc("rows")
    }
    scf.forall (%i) = (0) to (4) step (4) {
      %yt = memref.subview %y[%i] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1], offset: ?>>
      linalg.exp ins(%yt : memref<4xf32, strided<[1], offset: ?>>) outs(%yt : memref<4xf32, strided<[1], offset: ?>>) loc("once")
    }
    return
  }
}
