// What a query doesn't see has no influence, and a NaN stays in its row.
// RUN: rlx-interpret %s --print | FileCheck %s

// CHECK-LABEL: hidden: tensor<1x2x1xf32> {{\[\[}}[3], [3]]]
// CHECK-NEXT: hidden_by_bias: tensor<1x2x1xf32> {{\[\[}}[3], [3]]]
// CHECK-NEXT: causal: tensor<1x2x1xf32> {{\[\[}}[3], [nan]]]
// CHECK-NEXT: nan_query: tensor<1x2x1xf32> {{\[\[}}[nan], [4.5]]]
// CHECK-NEXT: large: tensor<1x2x1xf32> {{\[\[}}[3], [6]]]
rlx.graph @attention() -> (
    tensor<1x2x1xf32> {rlx.name = "hidden"}, tensor<1x2x1xf32> {rlx.name = "hidden_by_bias"},
    tensor<1x2x1xf32> {rlx.name = "causal"}, tensor<1x2x1xf32> {rlx.name = "nan_query"},
    tensor<1x2x1xf32> {rlx.name = "large"}) {
  %q = rlx.constant dense<[[[1.0], [-1.0]]]> : tensor<1x2x1xf32>
  %k = rlx.constant dense<[[[1.0], [0x7FC00000]]]> : tensor<1x2x1xf32>
  %v = rlx.constant dense<[[[3.0], [0x7F800000]]]> : tensor<1x2x1xf32>
  %mask = rlx.constant dense<[[true, false]]> : tensor<1x2xi1>
  %hidden = rlx.attention custom %q, %k, %v, %mask num_heads = 1 head_dim = 1
      : (tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x2xi1>)
      -> tensor<1x2x1xf32>
  %bias = rlx.constant dense<[[0.0, 0xFF800000]]> : tensor<1x2xf32>
  %hidden_by_bias = rlx.attention bias %q, %k, %v, %bias num_heads = 1 head_dim = 1
      : (tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x2xf32>)
      -> tensor<1x2x1xf32>
  %causal = rlx.attention causal %q, %k, %v num_heads = 1 head_dim = 1
      : (tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
  %nan = rlx.constant dense<[[[0x7FC00000], [0.0]]]> : tensor<1x2x1xf32>
  %values = rlx.constant dense<[[[3.0], [6.0]]]> : tensor<1x2x1xf32>
  %nan_query = rlx.attention none %nan, %q, %values num_heads = 1 head_dim = 1
      : (tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
  %far = rlx.constant dense<[[[1.0e4], [-1.0e4]]]> : tensor<1x2x1xf32>
  %large = rlx.attention none %far, %q, %values num_heads = 1 head_dim = 1
      : (tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
  rlx.output %hidden, %hidden_by_bias, %causal, %nan_query, %large
      : tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>,
        tensor<1x2x1xf32>
}
