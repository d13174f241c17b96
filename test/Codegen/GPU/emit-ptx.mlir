// RUN: rlx-opt %s --rlx-emit-ptx=arch=sm_80 --split-input-file --verify-diagnostics | FileCheck %s

// The kernels' text and names become attributes, launches calls of the host.
// CHECK: module attributes
// CHECK-SAME: rlx.gpu_arch = "sm_80"
// CHECK-SAME: rlx.kernels = ["k"]
// CHECK-SAME: rlx.ptx = "{{.*}}.target sm_80{{.*}}.visible .entry k(
// CHECK: rlx_host.launch 0 blocks(%[[N:.*]], %[[N]], %[[N]]) threads(%[[N]], %[[N]], %[[N]]) (%{{.*}}, %[[N]] : memref<4xf32>, index)
// CHECK-NOT: gpu.module
module attributes {gpu.container_module} {
  func.func @rlx_run(%x: memref<4xf32>, %n: index) {
    gpu.launch_func @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
        args(%x : memref<4xf32>, %n : index)
    return
  }
  gpu.module @kernels {
    llvm.func @k(%p: !llvm.ptr, %q: !llvm.ptr, %o: i64, %n: i64, %s: i64, %i: i64)
        attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.mlir.constant(1.0 : f32) : f32
      llvm.store %v, %q : f32, !llvm.ptr
      llvm.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  // expected-error @below {{internal error: a kernel needs '__nv_exp', which no GPU has}}
  gpu.module @kernels {
    llvm.func @__nv_exp(f64) -> f64
    llvm.func @k(%p: !llvm.ptr, %x: f64) attributes {gpu.kernel, nvvm.kernel} {
      %y = llvm.call @__nv_exp(%x) : (f64) -> f64
      llvm.store %y, %p : f64, !llvm.ptr
      llvm.return
    }
  }
}
