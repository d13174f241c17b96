// RUN: rlx-opt %s --rlx-merge-kernels | FileCheck %s

// Equal kernels become one, whatever their names and their constants' names.
// CHECK: func.func @rlx_run
// CHECK: gpu.launch_func @kernels::@[[A:[a-z_0-9]+]] blocks
// CHECK: gpu.launch_func @kernels::@[[A]] blocks
// CHECK: gpu.launch_func @kernels::@[[B:[a-z_0-9]+]] blocks
// CHECK: gpu.module @kernels
// CHECK-COUNT-1: memref.global
// CHECK-COUNT-2: gpu.func
// CHECK-NOT: gpu.func
// CHECK-NOT: gpu.module
module attributes {gpu.container_module} {
  func.func @rlx_run(%x: memref<4xf32>, %n: index) {
    gpu.launch_func @m0::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : memref<4xf32>)
    gpu.launch_func @m1::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : memref<4xf32>)
    gpu.launch_func @m2::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : memref<4xf32>)
    return
  }
  gpu.module @m0 {
    memref.global "private" constant @c : memref<4xf32> = dense<1.0>
    gpu.func @k(%x: memref<4xf32>) kernel {
      %c = memref.get_global @c : memref<4xf32>
      memref.copy %c, %x : memref<4xf32> to memref<4xf32>
      gpu.return
    }
  }
  gpu.module @m1 {
    memref.global "private" constant @d : memref<4xf32> = dense<1.0>
    gpu.func @k(%x: memref<4xf32>) kernel {
      %c = memref.get_global @d : memref<4xf32>
      memref.copy %c, %x : memref<4xf32> to memref<4xf32>
      gpu.return
    }
  }
  gpu.module @m2 {
    gpu.func @k(%x: memref<4xf32>) kernel {
      gpu.return
    }
  }
}
