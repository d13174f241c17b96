// RUN: rlx-interpret %s --print | FileCheck %s

// CHECK-LABEL: pointwise: tensor<1x1x2x2xf32> {{\[\[\[\[}}21, 42], [63, 84]]]]
// The sum of all neighbours in the image.
// CHECK-NEXT: padded: tensor<1x1x3x3xf32> {{\[\[\[\[}}12, 21, 16], [27, 45, 33], [24, 39, 28]]]]
// The filter is not flipped.
// CHECK-NEXT: oriented: tensor<1x1x3x2xf32> {{\[\[\[\[}}21, 32], [54, 65], [87, 98]]]]
// CHECK-NEXT: strided: tensor<1x1x2x2xf32> {{\[\[\[\[}}1, 3], [7, 9]]]]
// CHECK-NEXT: strided_padded: tensor<1x1x2x2xf32> {{\[\[\[\[}}12, 16], [24, 28]]]]
// CHECK-NEXT: dilated: tensor<1x1x1x1xf32> {{\[\[\[\[}}20]]]]
// Each channel by itself, with a bias.
// CHECK-NEXT: depthwise: tensor<1x2x1x2xf32> {{\[\[\[\[}}102, 104]], {{\[\[}}209, 212]]]]
rlx.graph @conv2d() -> (
    tensor<1x1x2x2xf32> {rlx.name = "pointwise"}, tensor<1x1x3x3xf32> {rlx.name = "padded"},
    tensor<1x1x3x2xf32> {rlx.name = "oriented"}, tensor<1x1x2x2xf32> {rlx.name = "strided"},
    tensor<1x1x2x2xf32> {rlx.name = "strided_padded"}, tensor<1x1x1x1xf32> {rlx.name = "dilated"},
    tensor<1x2x1x2xf32> {rlx.name = "depthwise"}) {
  %two = rlx.constant dense<[[[[1.0, 2.0], [3.0, 4.0]], [[10.0, 20.0], [30.0, 40.0]]]]>
      : tensor<1x2x2x2xf32>
  %w1 = rlx.constant dense<[[[[1.0]], [[2.0]]]]> : tensor<1x2x1x1xf32>
  %pointwise = rlx.conv2d %two, %w1
      : (tensor<1x2x2x2xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x2x2xf32>
  %x = rlx.constant dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]>
      : tensor<1x1x3x3xf32>
  %ones = rlx.constant dense<1.0> : tensor<1x1x3x3xf32>
  %padded = rlx.conv2d %x, %ones padding = [1, 1]
      : (tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32>
  %digits = rlx.constant dense<[[[[1.0, 10.0]]]]> : tensor<1x1x1x2xf32>
  %oriented = rlx.conv2d %x, %digits
      : (tensor<1x1x3x3xf32>, tensor<1x1x1x2xf32>) -> tensor<1x1x3x2xf32>
  %unit = rlx.constant dense<1.0> : tensor<1x1x1x1xf32>
  %strided = rlx.conv2d %x, %unit stride = [2, 2]
      : (tensor<1x1x3x3xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x2xf32>
  %strided_padded = rlx.conv2d %x, %ones stride = [2, 2] padding = [1, 1]
      : (tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  %corners = rlx.constant dense<1.0> : tensor<1x1x2x2xf32>
  %dilated = rlx.conv2d %x, %corners dilation = [2, 2]
      : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x1x1xf32>
  %row = rlx.constant dense<[[[[1.0, 2.0]], [[3.0, 4.0]]]]> : tensor<1x2x1x2xf32>
  %scales = rlx.constant dense<[[[[2.0]]], [[[3.0]]]]> : tensor<2x1x1x1xf32>
  %bias = rlx.constant dense<[100.0, 200.0]> : tensor<2xf32>
  %depthwise = rlx.conv2d %row, %scales, %bias groups = 2
      : (tensor<1x2x1x2xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x1x2xf32>
  rlx.output %pointwise, %padded, %oriented, %strided, %strided_padded, %dilated, %depthwise
      : tensor<1x1x2x2xf32>, tensor<1x1x3x3xf32>, tensor<1x1x3x2xf32>, tensor<1x1x2x2xf32>,
        tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>, tensor<1x2x1x2xf32>
}
