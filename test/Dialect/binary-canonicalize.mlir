// RUN: rlx-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @add_0(
// CHECK-NEXT:    return %arg0
func.func @add_0(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c = rlx.constant dense<0.0> : tensor<f32>
  %0 = rlx.binary add %x, %c : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @add_left_0(
// CHECK-NEXT:    return %arg0
func.func @add_left_0(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c = rlx.constant dense<0.0> : tensor<f32>
  %0 = rlx.binary add %c, %x : (tensor<f32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @sub_0(
// CHECK-NEXT:    return %arg0
func.func @sub_0(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c = rlx.constant dense<0.0> : tensor<f32>
  %0 = rlx.binary sub %x, %c : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @mul_1(
// CHECK-NEXT:    return %arg0
func.func @mul_1(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c = rlx.constant dense<1.0> : tensor<f32>
  %0 = rlx.binary mul %x, %c : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @mul_left_1(
// CHECK-NEXT:    return %arg0
func.func @mul_left_1(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c = rlx.constant dense<1.0> : tensor<f32>
  %0 = rlx.binary mul %c, %x : (tensor<f32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @div_1(
// CHECK-NEXT:    return %arg0
func.func @div_1(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c = rlx.constant dense<1.0> : tensor<f32>
  %0 = rlx.binary div %x, %c : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @pow_1(
// CHECK-NEXT:    return %arg0
func.func @pow_1(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c = rlx.constant dense<1.0> : tensor<f32>
  %0 = rlx.binary pow %x, %c : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @add_0_int(
// CHECK-NEXT:    return %arg0
func.func @add_0_int(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c = rlx.constant dense<0> : tensor<4xi32>
  %0 = rlx.binary add %x, %c : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @max_same(
// CHECK-NEXT:    return %arg0
func.func @max_same(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.binary max %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @sub_left_0(
// CHECK: rlx.binary sub
func.func @sub_left_0(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c = rlx.constant dense<0.0> : tensor<f32>
  %0 = rlx.binary sub %c, %x : (tensor<f32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @div_left_1(
// CHECK: rlx.binary div
func.func @div_left_1(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c = rlx.constant dense<1.0> : tensor<f32>
  %0 = rlx.binary div %c, %x : (tensor<f32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @mul_0(
// CHECK: rlx.binary mul
func.func @mul_0(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c = rlx.constant dense<0.0> : tensor<f32>
  %0 = rlx.binary mul %x, %c : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// A constant may make the result larger.
// CHECK-LABEL: func.func @add_0_broadcast(
// CHECK: rlx.binary add
func.func @add_0_broadcast(%x: tensor<4xf32>) -> tensor<2x4xf32> {
  %c = rlx.constant dense<0.0> : tensor<2x4xf32>
  %0 = rlx.binary add %x, %c : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @add_constants_f32(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<3.500000e+00> : tensor<2xf32>
// CHECK-NEXT:    return %[[C]]
func.func @add_constants_f32() -> tensor<2xf32> {
  %a = rlx.constant dense<1.5> : tensor<2xf32>
  %b = rlx.constant dense<2.0> : tensor<f32>
  %0 = rlx.binary add %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @sub_constants_f16(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<-5.000000e-01> : tensor<2xf16>
// CHECK-NEXT:    return %[[C]]
func.func @sub_constants_f16() -> tensor<2xf16> {
  %a = rlx.constant dense<1.5> : tensor<2xf16>
  %b = rlx.constant dense<2.0> : tensor<f16>
  %0 = rlx.binary sub %a, %b : (tensor<2xf16>, tensor<f16>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}

// CHECK-LABEL: func.func @mul_constants_bf16(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<3.000000e+00> : tensor<2xbf16>
// CHECK-NEXT:    return %[[C]]
func.func @mul_constants_bf16() -> tensor<2xbf16> {
  %a = rlx.constant dense<1.5> : tensor<2xbf16>
  %b = rlx.constant dense<2.0> : tensor<bf16>
  %0 = rlx.binary mul %a, %b : (tensor<2xbf16>, tensor<bf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}

// CHECK-LABEL: func.func @div_constants_f64(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<7.500000e-01> : tensor<2xf64>
// CHECK-NEXT:    return %[[C]]
func.func @div_constants_f64() -> tensor<2xf64> {
  %a = rlx.constant dense<1.5> : tensor<2xf64>
  %b = rlx.constant dense<2.0> : tensor<f64>
  %0 = rlx.binary div %a, %b : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// CHECK-LABEL: func.func @max_constants_f32(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<2.000000e+00> : tensor<2xf32>
// CHECK-NEXT:    return %[[C]]
func.func @max_constants_f32() -> tensor<2xf32> {
  %a = rlx.constant dense<1.5> : tensor<2xf32>
  %b = rlx.constant dense<2.0> : tensor<f32>
  %0 = rlx.binary max %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @min_constants_f32(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<1.500000e+00> : tensor<2xf32>
// CHECK-NEXT:    return %[[C]]
func.func @min_constants_f32() -> tensor<2xf32> {
  %a = rlx.constant dense<1.5> : tensor<2xf32>
  %b = rlx.constant dense<2.0> : tensor<f32>
  %0 = rlx.binary min %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @add_constants_i8(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<-128> : tensor<2xi8>
// CHECK-NEXT:    return %[[C]]
func.func @add_constants_i8() -> tensor<2xi8> {
  %a = rlx.constant dense<127> : tensor<2xi8>
  %b = rlx.constant dense<1> : tensor<i8>
  %0 = rlx.binary add %a, %b : (tensor<2xi8>, tensor<i8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// CHECK-LABEL: func.func @sub_constants_i32(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<-2> : tensor<2xi32>
// CHECK-NEXT:    return %[[C]]
func.func @sub_constants_i32() -> tensor<2xi32> {
  %a = rlx.constant dense<3> : tensor<2xi32>
  %b = rlx.constant dense<5> : tensor<i32>
  %0 = rlx.binary sub %a, %b : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: func.func @mul_constants_i64(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<15> : tensor<2xi64>
// CHECK-NEXT:    return %[[C]]
func.func @mul_constants_i64() -> tensor<2xi64> {
  %a = rlx.constant dense<3> : tensor<2xi64>
  %b = rlx.constant dense<5> : tensor<i64>
  %0 = rlx.binary mul %a, %b : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: func.func @div_constants_i32(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<-3> : tensor<2xi32>
// CHECK-NEXT:    return %[[C]]
func.func @div_constants_i32() -> tensor<2xi32> {
  %a = rlx.constant dense<-7> : tensor<2xi32>
  %b = rlx.constant dense<2> : tensor<i32>
  %0 = rlx.binary div %a, %b : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: func.func @max_constants_i32(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<2> : tensor<2xi32>
// CHECK-NEXT:    return %[[C]]
func.func @max_constants_i32() -> tensor<2xi32> {
  %a = rlx.constant dense<-7> : tensor<2xi32>
  %b = rlx.constant dense<2> : tensor<i32>
  %0 = rlx.binary max %a, %b : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: func.func @min_constants_i32(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<-7> : tensor<2xi32>
// CHECK-NEXT:    return %[[C]]
func.func @min_constants_i32() -> tensor<2xi32> {
  %a = rlx.constant dense<-7> : tensor<2xi32>
  %b = rlx.constant dense<2> : tensor<i32>
  %0 = rlx.binary min %a, %b : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: func.func @div_constants_zero(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<0> : tensor<2xi32>
// CHECK-NEXT:    return %[[C]]
func.func @div_constants_zero() -> tensor<2xi32> {
  %a = rlx.constant dense<7> : tensor<2xi32>
  %b = rlx.constant dense<0> : tensor<i32>
  %0 = rlx.binary div %a, %b : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
