// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s

// CHECK-LABEL: func.func @constant_f32(
// CHECK:         rlx.constant dense<[1.000000e+00, 2.500000e+00]> : tensor<2xf32>
func.func @constant_f32() {
  %0 = rlx.constant dense<[1.000000e+00, 2.500000e+00]> : tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @constant_f16(
// CHECK:         rlx.constant dense<1.000000e+00> : tensor<2xf16>
func.func @constant_f16() {
  %0 = rlx.constant dense<1.000000e+00> : tensor<2xf16>
  return
}

// CHECK-LABEL: func.func @constant_bf16(
// CHECK:         rlx.constant dense<1.000000e+00> : tensor<2xbf16>
func.func @constant_bf16() {
  %0 = rlx.constant dense<1.000000e+00> : tensor<2xbf16>
  return
}

// CHECK-LABEL: func.func @constant_f64(
// CHECK:         rlx.constant dense<1.000000e+00> : tensor<2xf64>
func.func @constant_f64() {
  %0 = rlx.constant dense<1.000000e+00> : tensor<2xf64>
  return
}

// CHECK-LABEL: func.func @constant_i8(
// CHECK:         rlx.constant dense<-1> : tensor<2xi8>
func.func @constant_i8() {
  %0 = rlx.constant dense<-1> : tensor<2xi8>
  return
}

// CHECK-LABEL: func.func @constant_i32(
// CHECK:         rlx.constant dense<7> : tensor<2xi32>
func.func @constant_i32() {
  %0 = rlx.constant dense<7> : tensor<2xi32>
  return
}

// CHECK-LABEL: func.func @constant_i64(
// CHECK:         rlx.constant dense<[1, 2]> : tensor<2xi64>
func.func @constant_i64() {
  %0 = rlx.constant dense<[1, 2]> : tensor<2xi64>
  return
}

// CHECK-LABEL: func.func @constant_i1(
// CHECK:         rlx.constant dense<[true, false]> : tensor<2xi1>
func.func @constant_i1() {
  %0 = rlx.constant dense<[true, false]> : tensor<2xi1>
  return
}

// CHECK-LABEL: func.func @constant_scalar(
// CHECK:         rlx.constant dense<0.000000e+00> : tensor<f32>
func.func @constant_scalar() {
  %0 = rlx.constant dense<0.000000e+00> : tensor<f32>
  return
}
