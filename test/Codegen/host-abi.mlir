// RUN: rlx-opt %s --rlx-emit-host-abi="triple=x86_64-unknown-linux-gnu cpu=x86-64-v3" | FileCheck %s

// The query runs on the baseline; what it returns says what the rest needs.
// CHECK-DAG: llvm.mlir.global private unnamed_addr constant @[[FEATURES:rlx_string_[0-9]+]]("{{.*}}avx2{{.*}}\00")
// CHECK-DAG: llvm.mlir.global private unnamed_addr constant @[[MESSAGE:rlx_string_[0-9]+]]("x: too short\00")
// CHECK-DAG: llvm.mlir.global internal constant @rlx_meta() {{.*}}section = ".rlx.meta"
// CHECK-DAG: llvm.mlir.global internal constant @rlx_inputs_dims_0() {{.*}} : !llvm.array<1 x i64>
// CHECK-DAG: llvm.mlir.global private unnamed_addr constant @{{.*}}("L0.n1\00")
// CHECK-DAG: llvm.mlir.global internal constant @rlx_regions() {{.*}} : !llvm.array<1 x struct<(ptr, i32)>>

// CHECK-LABEL: llvm.func internal @rlx_run_body
// CHECK-SAME: %[[HOST:[a-z0-9]+]]: !llvm.ptr,
// CHECK-SAME: !llvm.ptr {llvm.noalias}, %[[N:[a-z0-9]+]]: i64,
// CHECK-SAME: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias}
// CHECK-SAME: !llvm.ptr {llvm.noalias}
// CHECK-SAME: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias}
// CHECK-SAME: -> i32
// CHECK: %[[RECORD:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, i32, ptr, i64, ptr)>
// CHECK: llvm.cond_br %{{.*}}, ^[[REST:bb[0-9]+]], ^[[FAILED:bb[0-9]+]]
// CHECK: ^[[REST]]:
// CHECK: llvm.call @rlx_begin_region(%[[HOST]], %{{.*}})
// CHECK: %[[THUNK:.*]] = llvm.mlir.addressof @rlx_run_region_0_thunk
// CHECK: llvm.call %{{.*}}(%{{.*}}, %[[THUNK]], %[[RECORD]], %{{.*}})
// CHECK: ^[[FAILED]]:
// CHECK: llvm.mlir.addressof @[[MESSAGE]]
// CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> ()
// CHECK: llvm.return %{{.*}} : i32

// CHECK-LABEL: llvm.func internal @rlx_run_region_0(
// CHECK-SAME: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i64, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i64)
// CHECK-LABEL: llvm.func internal @rlx_run_region_0_thunk(
// CHECK-SAME: !llvm.ptr, %{{.*}}: i64)
// CHECK: llvm.call @rlx_run_region_0(

// Dims that are symbols are read from the symbols.
// CHECK-LABEL: llvm.func internal @rlx_run(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[SYMBOLS:[a-z0-9]+]]: !llvm.ptr,
// CHECK: llvm.getelementptr %[[SYMBOLS]][0]
// CHECK: llvm.call @rlx_run_body(
// CHECK-LABEL: llvm.func internal @rlx_bind(
// A host without the field, or that does not ask, is not told.
// CHECK-LABEL: llvm.func internal @rlx_begin_region(
// CHECK: llvm.load
// CHECK: %[[NEEDED:.*]] = llvm.mlir.constant(56 : i32)
// CHECK: llvm.icmp "uge" %{{.*}}, %[[NEEDED]]
// CHECK: llvm.cond_br
// CHECK: llvm.icmp "ne"
// CHECK: llvm.cond_br
// CHECK-LABEL: llvm.func @rlx_module_query(
// CHECK-SAME: attributes {dso_local, no_unwind, target_cpu = "x86-64"}
module attributes {
  rlx.packed_size = 64 : i64, rlx.regions = [{name = "L0.n1", parallel = true}],
  rlx.signature = {
    name = "copy", symbols = ["n"],
    inputs = [{name = "x", type = f32, dims = array<i64: -1>}], params = [],
    outputs = [{name = "y", type = f32, dims = array<i64: -1>}]}} {
  func.func @rlx_run(%x: memref<?xf32> {rlx.input = 0 : i64}, %p: memref<4xf32> {rlx.packed = 0 : i64},
                     %y: memref<4xf32> {rlx.output = 0 : i64}, %w: memref<?xi8> {rlx.workspace}) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    %ok = arith.cmpi sge, %n, %c4 : index
    cf.assert %ok, "x: too short"
    rlx_host.begin_region 0
    rlx_host.parallel_for %n of @rlx_run_region_0(%x, %p : memref<?xf32>, memref<4xf32>)
    return
  }
  func.func private @rlx_run_region_0(%x: memref<?xf32> {llvm.noalias}, %p: memref<4xf32> {llvm.noalias}, %i: index) {
    return
  }
  func.func @rlx_shapes(%n: index) -> (index, index) {
    %c0 = arith.constant 0 : index
    return %n, %c0 : index, index
  }
  func.func @rlx_costs(%n: index) -> (index, index) {
    return %n, %n : index, index
  }
}
