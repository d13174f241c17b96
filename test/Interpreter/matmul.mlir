// RUN: rlx-interpret %s --print | FileCheck %s

// CHECK-LABEL: plain: tensor<2x2xf32> {{\[\[}}4, 5], [10, 11]]
// CHECK-NEXT: batched: tensor<2x1x2xf32> {{\[\[\[}}4, 5]], {{\[\[}}10, 11]]]
// The left side repeats along dim 1, the right side along dim 0.
// CHECK-NEXT: broadcast: tensor<2x2x1x1xf32> {{\[\[\[\[}}1]], {{\[\[}}2]]], {{\[\[\[}}3]], {{\[\[}}6]]]]
// No element to add up gives zero.
// CHECK-NEXT: empty: tensor<1x2xf32> {{\[\[}}0, 0]]
// CHECK-NEXT: nan: tensor<2x2xf32> {{\[\[}}nan, nan], [4, 5]]
// CHECK-NEXT: linear: tensor<2x2xf32> {{\[\[}}0, 5.5], [0, 11.5]]
// CHECK-NEXT: no_act: tensor<2x2xf32> {{\[\[}}-16, 5.5], [-10, 11.5]]
rlx.graph @matmul() -> (
    tensor<2x2xf32> {rlx.name = "plain"}, tensor<2x1x2xf32> {rlx.name = "batched"},
    tensor<2x2x1x1xf32> {rlx.name = "broadcast"}, tensor<1x2xf32> {rlx.name = "empty"},
    tensor<2x2xf32> {rlx.name = "nan"}, tensor<2x2xf32> {rlx.name = "linear"},
    tensor<2x2xf32> {rlx.name = "no_act"}) {
  %x = rlx.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %w = rlx.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf32>
  %plain = rlx.matmul %x, %w : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %rows = rlx.reshape %x : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
  %batched = rlx.matmul %rows, %w : (tensor<2x1x3xf32>, tensor<3x2xf32>) -> tensor<2x1x2xf32>
  %a = rlx.constant dense<[[[[1.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>
  %b = rlx.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>
  %broadcast = rlx.matmul %a, %b
      : (tensor<2x1x1x1xf32>, tensor<2x1x1xf32>) -> tensor<2x2x1x1xf32>
  %none = rlx.constant dense<> : tensor<1x0xf32>
  %nothing = rlx.constant dense<> : tensor<0x2xf32>
  %empty = rlx.matmul %none, %nothing : (tensor<1x0xf32>, tensor<0x2xf32>) -> tensor<1x2xf32>
  %y = rlx.constant dense<[[0x7FC00000, 2.0, 3.0], [1.0, 2.0, 3.0]]> : tensor<2x3xf32>
  %nan = rlx.matmul %y, %w : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %bias = rlx.constant dense<[-20.0, 0.5]> : tensor<2xf32>
  %linear = rlx.fused_matmul_bias_act %x, %w, %bias act = relu
      : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %no_act = rlx.fused_matmul_bias_act %x, %w, %bias
      : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  rlx.output %plain, %batched, %broadcast, %empty, %nan, %linear, %no_act
      : tensor<2x2xf32>, tensor<2x1x2xf32>, tensor<2x2x1x1xf32>, tensor<1x2xf32>, tensor<2x2xf32>,
        tensor<2x2xf32>, tensor<2x2xf32>
}
