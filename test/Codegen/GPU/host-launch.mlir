// RUN: rlx-opt %s --rlx-emit-host-abi="triple=x86_64-unknown-linux-gnu cpu=x86-64" | FileCheck %s

// A launch passes the fields of descriptors by pointers, and ends the run where it fails.
// CHECK-DAG: llvm.mlir.global internal constant @rlx_kernels() {{.*}} : !llvm.array<1 x struct<(ptr)>>
// CHECK-DAG: llvm.mlir.global private unnamed_addr constant @[[PTX:rlx_string_[0-9]+]](".version 8.0\00")
// CHECK-DAG: llvm.mlir.global private unnamed_addr constant @[[MESSAGE:rlx_string_[0-9]+]]("no\00")
// CHECK-LABEL: llvm.func internal @rlx_run_body
// CHECK-SAME: %[[HOST:[a-z0-9]+]]: !llvm.ptr,
// CHECK: llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: %[[LAUNCH:.*]] = llvm.load %{{.*}} invariant : !llvm.ptr -> !llvm.ptr
// CHECK: %[[STATUS:.*]] = llvm.call %[[LAUNCH]](%{{.*}}) : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, i32, !llvm.ptr) -> i32
// CHECK: llvm.icmp "ne" %[[STATUS]]
// CHECK: llvm.cond_br
// CHECK: llvm.mlir.addressof @[[MESSAGE]]
// CHECK: llvm.call %{{.*}} : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
module attributes {
  rlx.signature = {name = "g", symbols = [],
                   inputs = [{name = "x", type = f32, dims = array<i64: 4>}],
                   params = [], outputs = [{name = "y", type = f32, dims = array<i64: 4>}]},
  rlx.ptx = ".version 8.0", rlx.gpu_arch = "sm_90", rlx.kernels = ["k"]} {
  func.func @rlx_run(%x: memref<4xf32> {rlx.input = 0 : i64}, %y: memref<4xf32> {rlx.output = 0 : i64},
                     %w: memref<?xi8> {rlx.workspace}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %flag = memref.view %w[%c0][] : memref<?xi8> to memref<i8>
    rlx_host.launch 0 blocks(%c1, %c1, %c1) threads(%c1, %c1, %c1) (%x, %y : memref<4xf32>, memref<4xf32>)
    rlx_host.check %flag, "no" : memref<i8>
    return
  }
  func.func @rlx_shapes() -> (index, index) {
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    return %c4, %c64 : index, index
  }
}
