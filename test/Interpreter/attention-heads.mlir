// Heads own consecutive channels; values may be wider than keys.
// RUN: rlx-interpret %s --print | FileCheck %s

// CHECK-LABEL: heads: tensor<1x1x4xf32> {{\[\[}}[1, 2, 5, 6]]]
// exp(2 * log(2) / sqrt(4)) = 2, so the first key weighs twice as much.
// CHECK-NEXT: scaled: tensor<1x1x1xf64> {{\[\[}}[{{4|4.0000000000000[0-9]*|3.999999999999[0-9]*}}]]]
// CHECK-NEXT: batch: tensor<2x1x1xf32> {{\[\[}}[3]], {{\[}}[12]]]
// CHECK-NEXT: no_keys: tensor<1x2x1xf32> {{\[\[}}[0], [0]]]
rlx.graph @attention() -> (
    tensor<1x1x4xf32> {rlx.name = "heads"}, tensor<1x1x1xf64> {rlx.name = "scaled"},
    tensor<2x1x1xf32> {rlx.name = "batch"}, tensor<1x2x1xf32> {rlx.name = "no_keys"}) {
  %q = rlx.constant dense<0.0> : tensor<1x1x2xf32>
  %k = rlx.constant dense<1.0> : tensor<1x2x2xf32>
  %v = rlx.constant dense<[[[1.0, 2.0, 3.0, 4.0], [3.0, 4.0, 5.0, 6.0]]]> : tensor<1x2x4xf32>
  %mask = rlx.constant dense<[[[[1.0, 0.0]], [[0.0, 1.0]]]]> : tensor<1x2x1x2xf32>
  %heads = rlx.attention custom %q, %k, %v, %mask num_heads = 2 head_dim = 1
      : (tensor<1x1x2xf32>, tensor<1x2x2xf32>, tensor<1x2x4xf32>, tensor<1x2x1x2xf32>)
      -> tensor<1x1x4xf32>
  %q4 = rlx.constant dense<[[[2.0, 0.0, 0.0, 0.0]]]> : tensor<1x1x4xf64>
  %k4 = rlx.constant dense<[[[0.6931471805599453, 1.0, 1.0, 1.0], [0.0, 2.0, 2.0, 2.0]]]>
      : tensor<1x2x4xf64>
  %v1 = rlx.constant dense<[[[3.0], [6.0]]]> : tensor<1x2x1xf64>
  %scaled = rlx.attention none %q4, %k4, %v1 num_heads = 1 head_dim = 4
      : (tensor<1x1x4xf64>, tensor<1x2x4xf64>, tensor<1x2x1xf64>) -> tensor<1x1x1xf64>
  %qb = rlx.constant dense<0.0> : tensor<2x1x1xf32>
  %kb = rlx.constant dense<1.0> : tensor<2x2x1xf32>
  %vb = rlx.constant dense<[[[3.0], [6.0]], [[9.0], [12.0]]]> : tensor<2x2x1xf32>
  %per_batch = rlx.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  %batch = rlx.attention custom %qb, %kb, %vb, %per_batch num_heads = 1 head_dim = 1
      : (tensor<2x1x1xf32>, tensor<2x2x1xf32>, tensor<2x2x1xf32>, tensor<2x2xi1>)
      -> tensor<2x1x1xf32>
  %q2 = rlx.constant dense<0.0> : tensor<1x2x1xf32>
  %k0 = rlx.constant dense<> : tensor<1x0x1xf32>
  %no_keys = rlx.attention none %q2, %k0, %k0 num_heads = 1 head_dim = 1
      : (tensor<1x2x1xf32>, tensor<1x0x1xf32>, tensor<1x0x1xf32>) -> tensor<1x2x1xf32>
  rlx.output %heads, %scaled, %batch, %no_keys
      : tensor<1x1x4xf32>, tensor<1x1x1xf64>, tensor<2x1x1xf32>, tensor<1x2x1xf32>
}
