// RUN: rlx-interpret %s --print | FileCheck %s

// Mean 3 and deviation 2.
// CHECK-LABEL: layer_norm: tensor<2x2xf64> {{\[\[}}-9, 15], [11, -25]]
// CHECK-NEXT: together: tensor<2x2xf64> {{\[\[}}-1, 1], [1, -1]]
// CHECK-NEXT: epsilon: tensor<1x2xf64> {{\[\[}}-0.5, 0.5]]
// CHECK-NEXT: residual: tensor<2x2xf64> {{\[\[}}-9, 15], [11, -25]]
// CHECK-NEXT: nan: tensor<2x2xf64> {{\[\[}}nan, nan], [1, -1]]
// CHECK-NEXT: softmax: tensor<2x2xf64> {{\[\[}}0.5, 0.5], [1, 0]]
// CHECK-NEXT: softmax_0: tensor<2x2xf64> {{\[\[}}0, 0.5], [1, 0.5]]
// CHECK-NEXT: softmax_nan: tensor<2x2xf64> {{\[\[}}nan, nan], [0, 1]]
rlx.graph @norms() -> (
    tensor<2x2xf64> {rlx.name = "layer_norm"}, tensor<2x2xf64> {rlx.name = "together"},
    tensor<1x2xf64> {rlx.name = "epsilon"}, tensor<2x2xf64> {rlx.name = "residual"},
    tensor<2x2xf64> {rlx.name = "nan"}, tensor<2x2xf64> {rlx.name = "softmax"},
    tensor<2x2xf64> {rlx.name = "softmax_0"}, tensor<2x2xf64> {rlx.name = "softmax_nan"}) {
  %x = rlx.constant dense<[[1.0, 5.0], [5.0, 1.0]]> : tensor<2x2xf64>
  %g = rlx.constant dense<[10.0, 20.0]> : tensor<2xf64>
  %b = rlx.constant dense<[1.0, -5.0]> : tensor<2xf64>
  %layer_norm = rlx.layer_norm %x, %g, %b axis = -1 epsilon = 0.0
      : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  %one = rlx.constant dense<1.0> : tensor<2x2xf64>
  %zero = rlx.constant dense<0.0> : tensor<2x2xf64>
  %together = rlx.layer_norm %x, %one, %zero axis = 0 epsilon = 0.0
      : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %row = rlx.narrow %x axis = 0 start = 0 length = 1 : (tensor<2x2xf64>) -> tensor<1x2xf64>
  %one1 = rlx.constant dense<1.0> : tensor<2xf64>
  %zero1 = rlx.constant dense<0.0> : tensor<2xf64>
  %epsilon = rlx.layer_norm %row, %one1, %zero1 axis = 1 epsilon = 12.0
      : (tensor<1x2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<1x2xf64>
  %half = rlx.constant dense<[[0.5, 2.5], [2.5, 0.5]]> : tensor<2x2xf64>
  %residual = rlx.fused_residual_layer_norm %half, %half, %g, %b axis = -1 epsilon = 0.0
      : (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  %y = rlx.constant dense<[[0x7FF8000000000000, 5.0], [5.0, 1.0]]> : tensor<2x2xf64>
  %nan = rlx.layer_norm %y, %one1, %zero1 axis = -1 epsilon = 0.0
      : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  %logits = rlx.constant dense<[[7.0, 7.0], [1.0e4, 7.0]]> : tensor<2x2xf64>
  %softmax = rlx.softmax %logits axis = -1 : tensor<2x2xf64>
  %softmax_0 = rlx.softmax %logits axis = 0 : tensor<2x2xf64>
  %z = rlx.constant dense<[[0x7FF8000000000000, 5.0], [0xFFF0000000000000, 1.0]]> : tensor<2x2xf64>
  %softmax_nan = rlx.softmax %z axis = 1 : tensor<2x2xf64>
  rlx.output %layer_norm, %together, %epsilon, %residual, %nan, %softmax, %softmax_0, %softmax_nan
      : tensor<2x2xf64>, tensor<2x2xf64>, tensor<1x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>,
        tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>
}
