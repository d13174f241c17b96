// RUN: rlx-interpret %s --print | FileCheck %s

// CHECK-LABEL: to_i8: tensor<7xi8> [1, -1, 127, -128, 0, 127, -128]
// CHECK-NEXT: to_i64: tensor<7xi64> [1, -1, 300, -300, 0, 9223372036854775807, -9223372036854775808]
// CHECK-NEXT: to_bool: tensor<7xbool> [true, true, true, true, true, true, true]
// CHECK-NEXT: zero_to_bool: tensor<2xbool> [false, false]
// A narrower float rounds to nearest even, a wider one keeps the value.
// CHECK-NEXT: to_bf16: tensor<3xbf16> [1, 1.015625, inf]
// CHECK-NEXT: to_f16: tensor<3xf16> [1.0029296875, 1.00390625, inf]
// CHECK-NEXT: to_f32: tensor<1xf32> [0.10000000149011612]
// CHECK-NEXT: to_f64: tensor<1xf64> [0.3333333333333333]
// CHECK-NEXT: wrap: tensor<3xi8> [-128, -1, 44]
// CHECK-NEXT: int_to_f32: tensor<2xf32> [16777216, -1]
// CHECK-NEXT: int_to_f16: tensor<2xf16> [inf, -1]
// CHECK-NEXT: from_bool: tensor<2xf32> [1, 0]
// CHECK-NEXT: bool_to_i8: tensor<2xi8> [1, 0]
rlx.graph @cast() -> (
    tensor<7xi8> {rlx.name = "to_i8"}, tensor<7xi64> {rlx.name = "to_i64"},
    tensor<7xi1> {rlx.name = "to_bool"}, tensor<2xi1> {rlx.name = "zero_to_bool"},
    tensor<3xbf16> {rlx.name = "to_bf16"}, tensor<3xf16> {rlx.name = "to_f16"},
    tensor<1xf32> {rlx.name = "to_f32"}, tensor<1xf64> {rlx.name = "to_f64"},
    tensor<3xi8> {rlx.name = "wrap"}, tensor<2xf32> {rlx.name = "int_to_f32"},
    tensor<2xf16> {rlx.name = "int_to_f16"}, tensor<2xf32> {rlx.name = "from_bool"},
    tensor<2xi8> {rlx.name = "bool_to_i8"}) {
  %x = rlx.constant dense<[1.75, -1.75, 300.0, -300.0, 0x7FC00000, 0x7F800000, 0xFF800000]>
      : tensor<7xf32>
  %to_i8 = rlx.cast %x : (tensor<7xf32>) -> tensor<7xi8>
  %to_i64 = rlx.cast %x : (tensor<7xf32>) -> tensor<7xi64>
  %to_bool = rlx.cast %x : (tensor<7xf32>) -> tensor<7xi1>
  %zeros = rlx.constant dense<[0.0, -0.0]> : tensor<2xf32>
  %zero_to_bool = rlx.cast %zeros : (tensor<2xf32>) -> tensor<2xi1>
  // 1 + 2^-8 and 1 + 3*2^-8 are ties of bf16.
  %ties = rlx.constant dense<[1.00390625, 1.01171875, 3.4e38]> : tensor<3xf32>
  %to_bf16 = rlx.cast %ties : (tensor<3xf32>) -> tensor<3xbf16>
  // 1 + 7*2^-11 is a tie of f16, 65520 the least that overflows.
  %halves = rlx.constant dense<[1.0034, 1.00341796875, 65520.0]> : tensor<3xf32>
  %to_f16 = rlx.cast %halves : (tensor<3xf32>) -> tensor<3xf16>
  %tenth = rlx.constant dense<[0.1]> : tensor<1xf64>
  %to_f32 = rlx.cast %tenth : (tensor<1xf64>) -> tensor<1xf32>
  // The third is not rounded to the f32 that it is declared as.
  %three = rlx.constant dense<[3.0]> : tensor<1xf32>
  %one = rlx.constant dense<[1.0]> : tensor<1xf32>
  %third = rlx.binary div %one, %three : tensor<1xf32>
  %to_f64 = rlx.cast %third : (tensor<1xf32>) -> tensor<1xf64>
  %ints = rlx.constant dense<[128, 255, 300]> : tensor<3xi32>
  %wrap = rlx.cast %ints : (tensor<3xi32>) -> tensor<3xi8>
  %big = rlx.constant dense<[16777217, -1]> : tensor<2xi64>
  %int_to_f32 = rlx.cast %big : (tensor<2xi64>) -> tensor<2xf32>
  %int_to_f16 = rlx.cast %big : (tensor<2xi64>) -> tensor<2xf16>
  %flags = rlx.constant dense<[true, false]> : tensor<2xi1>
  %from_bool = rlx.cast %flags : (tensor<2xi1>) -> tensor<2xf32>
  %bool_to_i8 = rlx.cast %flags : (tensor<2xi1>) -> tensor<2xi8>
  rlx.output %to_i8, %to_i64, %to_bool, %zero_to_bool, %to_bf16, %to_f16, %to_f32, %to_f64, %wrap,
      %int_to_f32, %int_to_f16, %from_bool, %bool_to_i8
      : tensor<7xi8>, tensor<7xi64>, tensor<7xi1>, tensor<2xi1>, tensor<3xbf16>, tensor<3xf16>,
        tensor<1xf32>, tensor<1xf64>, tensor<3xi8>, tensor<2xf32>, tensor<2xf16>, tensor<2xf32>,
        tensor<2xi8>
}
