// RUN: rlx-opt %s --pass-pipeline='builtin.module(func.func(rlx-expand-math{triple=x86_64-linux-gnu cpu=x86-64-v3},canonicalize))' | FileCheck %s --check-prefixes=CHECK,FMA
// RUN: rlx-opt %s --pass-pipeline='builtin.module(func.func(rlx-expand-math{triple=x86_64-linux-gnu cpu=x86-64},canonicalize))' | FileCheck %s --check-prefixes=CHECK,BASE

// CHECK-LABEL: func @polynomials
func.func @polynomials(%x: vector<8xf32>, %y: f32) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, f32) {
  // CHECK-NOT: math.{{exp|log|tanh|erf}}
  // FMA:       math.fma %{{.*}} : vector<8xf32>
  // FMA:       math.fma %{{.*}} : f32
  // BASE-NOT:  math.fma
  %0 = math.exp %x : vector<8xf32>
  %1 = math.log %x : vector<8xf32>
  %2 = math.tanh %x : vector<8xf32>
  %3 = math.erf %y : f32
  return %0, %1, %2, %3 : vector<8xf32>, vector<8xf32>, vector<8xf32>, f32
}

// CHECK-LABEL: func @reciprocal_root
func.func @reciprocal_root(%x: vector<4xf64>) -> vector<4xf64> {
  // CHECK: %[[ROOT:.*]] = math.sqrt
  // CHECK: arith.divf %{{.*}}, %[[ROOT]]
  %0 = math.rsqrt %x : vector<4xf64>
  return %0 : vector<4xf64>
}

// CHECK-LABEL: func @round
func.func @round(%x: vector<8xf32>) -> vector<8xf32> {
  // FMA:      math.roundeven
  // BASE-NOT: math.roundeven
  %0 = math.roundeven %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// Left for libm.
// CHECK-LABEL: func @calls
func.func @calls(%x: vector<8xf32>, %y: f64) -> (vector<8xf32>, f64) {
  // CHECK: math.sin
  // CHECK: math.exp %{{.*}} : f64
  %0 = math.sin %x : vector<8xf32>
  %1 = math.exp %y : f64
  return %0, %1 : vector<8xf32>, f64
}

// CHECK-LABEL: func @small_floats
func.func @small_floats(%x: vector<8xbf16>, %y: f16) -> (vector<8xbf16>, i1) {
  // CHECK:     %[[X:.*]] = arith.extf %{{.*}} : vector<8xbf16> to vector<8xf32>
  // CHECK:     %[[SUM:.*]] = arith.addf %[[X]], %{{.*}} : vector<8xf32>
  // CHECK:     arith.truncf %[[SUM]] : vector<8xf32> to vector<8xbf16>
  // CHECK:     arith.cmpf olt, %{{.*}} : f32
  %0 = arith.addf %x, %x : vector<8xbf16>
  %zero = arith.constant 0.0 : f16
  %1 = arith.cmpf olt, %y, %zero : f16
  return %0, %1 : vector<8xbf16>, i1
}
