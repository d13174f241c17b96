// RUN: rlx-opt %s --rlx-legalize-floats | FileCheck %s --check-prefixes=CHECK,SOFT
// RUN: rlx-opt %s --rlx-legalize-floats="native-f16=true" | FileCheck %s --check-prefixes=CHECK,HARD

// CHECK-LABEL: @to_bf16
// CHECK-NOT: arith.truncf
// CHECK: arith.bitcast %{{.*}} : vector<8xi16> to vector<8xbf16>
func.func @to_bf16(%x: vector<8xf32>) -> vector<8xbf16> {
  %r = arith.truncf %x : vector<8xf32> to vector<8xbf16>
  return %r : vector<8xbf16>
}

// CHECK-LABEL: @to_f16
// SOFT-NOT: arith.truncf
// SOFT: arith.bitcast %{{.*}} : i16 to f16
// HARD: arith.truncf %{{.*}} : f32 to f16
func.func @to_f16(%x: f32) -> f16 {
  %r = arith.truncf %x : f32 to f16
  return %r : f16
}

// CHECK-LABEL: @from_f16
// SOFT-NOT: arith.extf
// HARD: arith.extf
func.func @from_f16(%x: f16) -> f32 {
  %r = arith.extf %x : f16 to f32
  return %r : f32
}

// What f32 cannot hold is made odd before it is rounded again.
// CHECK-LABEL: @double_to_f16
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.cmpf one
// CHECK: arith.ori
// HARD: arith.truncf %{{.*}} : f32 to f16
// SOFT: arith.bitcast %{{.*}} : i16 to f16
func.func @double_to_f16(%x: f64) -> f16 {
  %r = arith.truncf %x : f64 to f16
  return %r : f16
}
