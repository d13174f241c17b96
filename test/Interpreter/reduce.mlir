// RUN: rlx-interpret %s --print | FileCheck %s

// CHECK-LABEL: sum: tensor<2xf32> [6, 15]
// CHECK-NEXT: sum_keep: tensor<1x3xf32> {{\[\[}}5, 7, 9]]
// CHECK-NEXT: sum_all: tensor<f32> 21
// CHECK-NEXT: identity: tensor<2x3xf32> {{\[\[}}1, 2, 3], [4, 5, 6]]
// CHECK-NEXT: mean: tensor<2xf32> [2, 5]
// CHECK-NEXT: max: tensor<3xf32> [4, 5, 6]
// CHECK-NEXT: min: tensor<2xf32> [1, 4]
// CHECK-NEXT: prod: tensor<2xf32> [6, 120]
// CHECK-NEXT: max_nan: tensor<f32> nan
// CHECK-NEXT: min_nan: tensor<f32> nan
// 1e16 + 1 - 1e16: double alone would lose the one.
// CHECK-NEXT: extended: tensor<f64> 1
// CHECK-NEXT: empty: tensor<5xf32> [0, 1, nan, -inf, inf]
// CHECK-NEXT: empty_i8: tensor<2xi8> [-128, 127]
// CHECK-NEXT: wrap: tensor<2xi8> [-56, 16]
rlx.graph @reduce() -> (
    tensor<2xf32> {rlx.name = "sum"}, tensor<1x3xf32> {rlx.name = "sum_keep"},
    tensor<f32> {rlx.name = "sum_all"}, tensor<2x3xf32> {rlx.name = "identity"},
    tensor<2xf32> {rlx.name = "mean"}, tensor<3xf32> {rlx.name = "max"},
    tensor<2xf32> {rlx.name = "min"}, tensor<2xf32> {rlx.name = "prod"},
    tensor<f32> {rlx.name = "max_nan"}, tensor<f32> {rlx.name = "min_nan"},
    tensor<f64> {rlx.name = "extended"}, tensor<5xf32> {rlx.name = "empty"},
    tensor<2xi8> {rlx.name = "empty_i8"}, tensor<2xi8> {rlx.name = "wrap"}) {
  %x = rlx.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %sum = rlx.reduce sum %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %sum_keep = rlx.reduce sum %x axes = [-2] keep_dims : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %sum_all = rlx.reduce sum %x axes = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  %identity = rlx.reduce sum %x axes = [] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %mean = rlx.reduce mean %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %max = rlx.reduce max %x axes = [0] : (tensor<2x3xf32>) -> tensor<3xf32>
  %min = rlx.reduce min %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %prod = rlx.reduce prod %x axes = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %y = rlx.constant dense<[1.0, 0x7FC00000, 3.0]> : tensor<3xf32>
  %max_nan = rlx.reduce max %y axes = [0] : (tensor<3xf32>) -> tensor<f32>
  %min_nan = rlx.reduce min %y axes = [0] : (tensor<3xf32>) -> tensor<f32>
  %terms = rlx.constant dense<[1.0e16, 1.0, -1.0e16]> : tensor<3xf64>
  %extended = rlx.reduce sum %terms axes = [0] : (tensor<3xf64>) -> tensor<f64>
  %none = rlx.constant dense<> : tensor<0x1xf32>
  %e0 = rlx.reduce sum %none axes = [0] : (tensor<0x1xf32>) -> tensor<1xf32>
  %e1 = rlx.reduce prod %none axes = [0] : (tensor<0x1xf32>) -> tensor<1xf32>
  %e2 = rlx.reduce mean %none axes = [0] : (tensor<0x1xf32>) -> tensor<1xf32>
  %e3 = rlx.reduce max %none axes = [0] : (tensor<0x1xf32>) -> tensor<1xf32>
  %e4 = rlx.reduce min %none axes = [0] : (tensor<0x1xf32>) -> tensor<1xf32>
  %empty = rlx.concat %e0, %e1, %e2, %e3, %e4 axis = 0
      : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<5xf32>
  %no_bytes = rlx.constant dense<> : tensor<0x1xi8>
  %e5 = rlx.reduce max %no_bytes axes = [0] : (tensor<0x1xi8>) -> tensor<1xi8>
  %e6 = rlx.reduce min %no_bytes axes = [0] : (tensor<0x1xi8>) -> tensor<1xi8>
  %empty_i8 = rlx.concat %e5, %e6 axis = 0 : (tensor<1xi8>, tensor<1xi8>) -> tensor<2xi8>
  %bytes = rlx.constant dense<[[100, 100]]> : tensor<1x2xi8>
  %w0 = rlx.reduce sum %bytes axes = [1] : (tensor<1x2xi8>) -> tensor<1xi8>
  %w1 = rlx.reduce prod %bytes axes = [1] : (tensor<1x2xi8>) -> tensor<1xi8>
  %wrap = rlx.concat %w0, %w1 axis = 0 : (tensor<1xi8>, tensor<1xi8>) -> tensor<2xi8>
  rlx.output %sum, %sum_keep, %sum_all, %identity, %mean, %max, %min, %prod, %max_nan, %min_nan,
      %extended, %empty, %empty_i8, %wrap
      : tensor<2xf32>, tensor<1x3xf32>, tensor<f32>, tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>,
        tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f64>, tensor<5xf32>,
        tensor<2xi8>, tensor<2xi8>
}
