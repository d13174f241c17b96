// RUN: rlx-interpret %s --print | FileCheck %s

// CHECK-LABEL: add: tensor<2x3xf32> {{\[\[}}11, 12, 13], [21, 22, 23]]
// CHECK-NEXT: sub: tensor<2x3xf32> {{\[\[}}9, 8, 7], [19, 18, 17]]
// CHECK-NEXT: mul: tensor<2x3xf32> {{\[\[}}10, 20, 30], [20, 40, 60]]
// CHECK-NEXT: div: tensor<2x3xf32> {{\[\[}}10, 5, 3.3333333333333335], [20, 10, 6.666666666666667]]
// CHECK-NEXT: pow: tensor<2x3xf32> {{\[\[}}10, 100, 1000], [20, 400, 8000]]
// CHECK-NEXT: max: tensor<4xf32> [2, nan, nan, nan]
// CHECK-NEXT: min: tensor<4xf32> [1, nan, nan, nan]
// CHECK-NEXT: scalar: tensor<f32> 3
// CHECK-NEXT: add_i8: tensor<3xi8> [-128, 127, 0]
// CHECK-NEXT: mul_i32: tensor<1xi32> [-2]
// CHECK-NEXT: sub_i64: tensor<1xi64> [9223372036854775807]
// CHECK-NEXT: div_i8: tensor<4xi8> [-3, 3, 0, -128]
// CHECK-NEXT: max_i8: tensor<4xi8> [2, -2, 7, -1]
// CHECK-NEXT: min_i8: tensor<4xi8> [-7, -7, 0, -128]
// CHECK-NEXT: empty: tensor<0x3xf32> []
rlx.graph @binary() -> (
    tensor<2x3xf32> {rlx.name = "add"}, tensor<2x3xf32> {rlx.name = "sub"},
    tensor<2x3xf32> {rlx.name = "mul"}, tensor<2x3xf32> {rlx.name = "div"},
    tensor<2x3xf32> {rlx.name = "pow"}, tensor<4xf32> {rlx.name = "max"},
    tensor<4xf32> {rlx.name = "min"}, tensor<f32> {rlx.name = "scalar"},
    tensor<3xi8> {rlx.name = "add_i8"}, tensor<1xi32> {rlx.name = "mul_i32"},
    tensor<1xi64> {rlx.name = "sub_i64"}, tensor<4xi8> {rlx.name = "div_i8"},
    tensor<4xi8> {rlx.name = "max_i8"}, tensor<4xi8> {rlx.name = "min_i8"},
    tensor<0x3xf32> {rlx.name = "empty"}) {
  %column = rlx.constant dense<[[10.0], [20.0]]> : tensor<2x1xf32>
  %row = rlx.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %add = rlx.binary add %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %sub = rlx.binary sub %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %mul = rlx.binary mul %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %div = rlx.binary div %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %pow = rlx.binary pow %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %a = rlx.constant dense<[1.0, 0x7FC00000, 1.0, 0x7FC00000]> : tensor<4xf32>
  %b = rlx.constant dense<[2.0, 2.0, 0x7FC00000, 0x7FC00000]> : tensor<4xf32>
  %max = rlx.binary max %a, %b : tensor<4xf32>
  %min = rlx.binary min %a, %b : tensor<4xf32>
  %one = rlx.constant dense<1.0> : tensor<f32>
  %two = rlx.constant dense<2.0> : tensor<f32>
  %scalar = rlx.binary add %one, %two : tensor<f32>
  %bytes = rlx.constant dense<[127, -128, -1]> : tensor<3xi8>
  %steps = rlx.constant dense<[1, -1, 1]> : tensor<3xi8>
  %add_i8 = rlx.binary add %bytes, %steps : tensor<3xi8>
  %big = rlx.constant dense<[2147483647]> : tensor<1xi32>
  %twice = rlx.constant dense<[2]> : tensor<1xi32>
  %mul_i32 = rlx.binary mul %big, %twice : tensor<1xi32>
  %least = rlx.constant dense<[-9223372036854775808]> : tensor<1xi64>
  %unit = rlx.constant dense<[1]> : tensor<1xi64>
  %sub_i64 = rlx.binary sub %least, %unit : tensor<1xi64>
  %numerators = rlx.constant dense<[-7, -7, 7, -128]> : tensor<4xi8>
  %denominators = rlx.constant dense<[2, -2, 0, -1]> : tensor<4xi8>
  %div_i8 = rlx.binary div %numerators, %denominators : tensor<4xi8>
  %max_i8 = rlx.binary max %numerators, %denominators : tensor<4xi8>
  %min_i8 = rlx.binary min %numerators, %denominators : tensor<4xi8>
  %none = rlx.constant dense<> : tensor<0x3xf32>
  %empty = rlx.binary add %none, %row : (tensor<0x3xf32>, tensor<3xf32>) -> tensor<0x3xf32>
  rlx.output %add, %sub, %mul, %div, %pow, %max, %min, %scalar, %add_i8, %mul_i32, %sub_i64,
      %div_i8, %max_i8, %min_i8, %empty
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
        tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<3xi8>, tensor<1xi32>, tensor<1xi64>,
        tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<0x3xf32>
}
