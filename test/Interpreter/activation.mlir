// RUN: rlx-interpret %s --print | FileCheck %s

// CHECK-LABEL: relu: tensor<4xf32> [0, 0, 2, nan]
// CHECK-NEXT: gelu: tensor<3xf64> [-0.1586552539314570{{[0-9]*}}, 0, 0.841344746068542{{[0-9]*}}]
// The naive x/2 * (1 + erf(x/sqrt(2))) gives 0 here.
// CHECK-NEXT: gelu_far: tensor<1xf64> [-3.427792268049{{[0-9]*}}e-17]
// CHECK-NEXT: gelu_tanh: tensor<3xf64> [-0.15880800939172324, 0, 0.8411919906082768]
// CHECK-NEXT: silu: tensor<3xf64> [-0.2689414213699951, 0, 0.7310585786300049]
// CHECK-NEXT: sigmoid: tensor<3xf64> [0, 0.5, 1]
// CHECK-NEXT: tanh: tensor<3xf64> [-0.7615941559557649, 0, 0.7615941559557649]
// CHECK-NEXT: exp: tensor<3xf64> [0.36787944117144233, 1, 2.718281828459045]
// CHECK-NEXT: log: tensor<3xf64> [0, -inf, nan]
// CHECK-NEXT: sqrt: tensor<2xf64> [1.5, nan]
// CHECK-NEXT: rsqrt: tensor<2xf64> [0.5, inf]
// CHECK-NEXT: neg: tensor<4xf32> [1, -0, -2, nan]
// CHECK-NEXT: abs: tensor<4xf32> [1, 0, 2, nan]
// CHECK-NEXT: sin: tensor<1xf64> [0.479425538604203]
// CHECK-NEXT: cos: tensor<1xf64> [0.8775825618903728]
// CHECK-NEXT: round: tensor<6xf32> [0, 2, 2, -0, -2, 3]
// CHECK-NEXT: relu_i8: tensor<2xi8> [0, 127]
// CHECK-NEXT: neg_i8: tensor<2xi8> [-128, -127]
// CHECK-NEXT: abs_i8: tensor<2xi8> [-128, 127]
rlx.graph @activation() -> (
    tensor<4xf32> {rlx.name = "relu"}, tensor<3xf64> {rlx.name = "gelu"},
    tensor<1xf64> {rlx.name = "gelu_far"}, tensor<3xf64> {rlx.name = "gelu_tanh"},
    tensor<3xf64> {rlx.name = "silu"}, tensor<3xf64> {rlx.name = "sigmoid"},
    tensor<3xf64> {rlx.name = "tanh"}, tensor<3xf64> {rlx.name = "exp"},
    tensor<3xf64> {rlx.name = "log"}, tensor<2xf64> {rlx.name = "sqrt"},
    tensor<2xf64> {rlx.name = "rsqrt"}, tensor<4xf32> {rlx.name = "neg"},
    tensor<4xf32> {rlx.name = "abs"}, tensor<1xf64> {rlx.name = "sin"},
    tensor<1xf64> {rlx.name = "cos"}, tensor<6xf32> {rlx.name = "round"},
    tensor<2xi8> {rlx.name = "relu_i8"}, tensor<2xi8> {rlx.name = "neg_i8"},
    tensor<2xi8> {rlx.name = "abs_i8"}) {
  %x = rlx.constant dense<[-1.0, 0.0, 2.0, 0x7FC00000]> : tensor<4xf32>
  %unit = rlx.constant dense<[-1.0, 0.0, 1.0]> : tensor<3xf64>
  %relu = rlx.activation relu %x : tensor<4xf32>
  %gelu = rlx.activation gelu %unit : tensor<3xf64>
  %far = rlx.constant dense<[-8.6]> : tensor<1xf64>
  %gelu_far = rlx.activation gelu %far : tensor<1xf64>
  %gelu_tanh = rlx.activation gelu_tanh %unit : tensor<3xf64>
  %silu = rlx.activation silu %unit : tensor<3xf64>
  %wide = rlx.constant dense<[-1000.0, 0.0, 1000.0]> : tensor<3xf64>
  %sigmoid = rlx.activation sigmoid %wide : tensor<3xf64>
  %tanh = rlx.activation tanh %unit : tensor<3xf64>
  %exp = rlx.activation exp %unit : tensor<3xf64>
  %logs = rlx.constant dense<[1.0, 0.0, -1.0]> : tensor<3xf64>
  %log = rlx.activation log %logs : tensor<3xf64>
  %squares = rlx.constant dense<[2.25, -1.0]> : tensor<2xf64>
  %sqrt = rlx.activation sqrt %squares : tensor<2xf64>
  %roots = rlx.constant dense<[4.0, 0.0]> : tensor<2xf64>
  %rsqrt = rlx.activation rsqrt %roots : tensor<2xf64>
  %neg = rlx.activation neg %x : tensor<4xf32>
  %abs = rlx.activation abs %x : tensor<4xf32>
  %half = rlx.constant dense<[0.5]> : tensor<1xf64>
  %sin = rlx.activation sin %half : tensor<1xf64>
  %cos = rlx.activation cos %half : tensor<1xf64>
  %halves = rlx.constant dense<[0.5, 1.5, 2.5, -0.5, -1.5, 2.75]> : tensor<6xf32>
  %round = rlx.activation round %halves : tensor<6xf32>
  %bytes = rlx.constant dense<[-128, 127]> : tensor<2xi8>
  %relu_i8 = rlx.activation relu %bytes : tensor<2xi8>
  %neg_i8 = rlx.activation neg %bytes : tensor<2xi8>
  %abs_i8 = rlx.activation abs %bytes : tensor<2xi8>
  rlx.output %relu, %gelu, %gelu_far, %gelu_tanh, %silu, %sigmoid, %tanh, %exp, %log, %sqrt, %rsqrt,
      %neg, %abs, %sin, %cos, %round, %relu_i8, %neg_i8, %abs_i8
      : tensor<4xf32>, tensor<3xf64>, tensor<1xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>,
        tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2xf64>, tensor<2xf64>, tensor<4xf32>,
        tensor<4xf32>, tensor<1xf64>, tensor<1xf64>, tensor<6xf32>, tensor<2xi8>, tensor<2xi8>,
        tensor<2xi8>
}
