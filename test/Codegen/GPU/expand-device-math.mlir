// RUN: rlx-opt %s --pass-pipeline='builtin.module(func.func(rlx-expand-device-math))' | FileCheck %s

// Nothing is left that a GPU has no instruction for.
// CHECK-LABEL: func.func @doubles
// CHECK-NOT: math.{{exp|log|tanh|erf|sin|cos|powf}}
// CHECK: return
func.func @doubles(%x: f64, %y: f64) -> (f64, f64, f64, f64, f64, f64, f64) {
  %0 = math.exp %x : f64
  %1 = math.log %x : f64
  %2 = math.tanh %x : f64
  %3 = math.erf %x : f64
  %4 = math.sin %x : f64
  %5 = math.cos %x : f64
  %6 = math.powf %x, %y : f64
  return %0, %1, %2, %3, %4, %5, %6 : f64, f64, f64, f64, f64, f64, f64
}

// f32 has polynomials of its own, but for sines and powers, which are rounded from f64.
// CHECK-LABEL: func.func @floats
// CHECK-SAME: %[[X:.*]]: f32)
// CHECK-NOT: math.{{exp|sin}}
// CHECK: %[[WIDE:.*]] = arith.extf %[[X]] : f32 to f64
// CHECK: %[[SINE:.*]] = arith.truncf %{{.*}} : f64 to f32
// CHECK: %[[ROOT:.*]] = llvm.call_intrinsic "llvm.sqrt"(%[[X]])
// CHECK: return %{{.*}}, %[[SINE]], %[[ROOT]]
func.func @floats(%x: f32) -> (f32, f32, f32) {
  %0 = math.exp %x : f32
  %1 = math.sin %x : f32
  %2 = math.sqrt %x : f32
  return %0, %1, %2 : f32, f32, f32
}

// CHECK-LABEL: func.func @small
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK-NOT: math.exp
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @small(%x: bf16) -> bf16 {
  %0 = math.exp %x : bf16
  return %0 : bf16
}
