// RUN: rlx-interpret %s --print | FileCheck %s

// Queries of zeros weigh all keys that they see alike.
// CHECK-LABEL: none: tensor<1x3x1xf32> {{\[\[}}[7], [7], [7]]]
// CHECK-NEXT: causal: tensor<1x3x1xf32> {{\[\[}}[3], [4.5], [7]]]
// Causal masks are aligned at the end; a row that sees no key gives zeros.
// CHECK-NEXT: causal_more_keys: tensor<1x2x1xf32> {{\[\[}}[4.5], [7]]]
// CHECK-NEXT: causal_more_queries: tensor<1x3x1xf32> {{\[\[}}[0], [3], [4.5]]]
// CHECK-NEXT: window: tensor<1x3x1xf32> {{\[\[}}[3], [4.5], [9]]]
// CHECK-NEXT: window_0: tensor<1x3x1xf32> {{\[\[}}[3], [6], [12]]]
// Windows are not aligned: query i sees the keys [i - window, i].
// CHECK-NEXT: window_more_keys: tensor<1x2x1xf32> {{\[\[}}[3], [4.5]]]
// CHECK-NEXT: window_more_queries: tensor<1x3x1xf32> {{\[\[}}[3], [6], [0]]]
// 0.5 attends, anything below doesn't.
// CHECK-NEXT: custom: tensor<1x3x1xf32> {{\[\[}}[7.5], [7.5], [7.5]]]
// CHECK-NEXT: custom_bool: tensor<1x3x1xf32> {{\[\[}}[7.5], [7.5], [7.5]]]
// CHECK-NEXT: custom_rows: tensor<1x3x1xf32> {{\[\[}}[3], [0], [9]]]
// CHECK-NEXT: bias: tensor<1x1x1xf32> {{\[\[}}[{{4|4.0000000000000[0-9]*|3.999999999999[0-9]*}}]]]
// A bias of -inf hides a key.
// CHECK-NEXT: bias_hides: tensor<1x3x1xf32> {{\[\[}}[7.5], [7.5], [7.5]]]
// CHECK-NEXT: bias_hides_all: tensor<1x3x1xf32> {{\[\[}}[0], [0], [0]]]
rlx.graph @attention() -> (
    tensor<1x3x1xf32> {rlx.name = "none"}, tensor<1x3x1xf32> {rlx.name = "causal"},
    tensor<1x2x1xf32> {rlx.name = "causal_more_keys"},
    tensor<1x3x1xf32> {rlx.name = "causal_more_queries"}, tensor<1x3x1xf32> {rlx.name = "window"},
    tensor<1x3x1xf32> {rlx.name = "window_0"}, tensor<1x2x1xf32> {rlx.name = "window_more_keys"},
    tensor<1x3x1xf32> {rlx.name = "window_more_queries"}, tensor<1x3x1xf32> {rlx.name = "custom"},
    tensor<1x3x1xf32> {rlx.name = "custom_bool"}, tensor<1x3x1xf32> {rlx.name = "custom_rows"},
    tensor<1x1x1xf32> {rlx.name = "bias"}, tensor<1x3x1xf32> {rlx.name = "bias_hides"},
    tensor<1x3x1xf32> {rlx.name = "bias_hides_all"}) {
  %q = rlx.constant dense<0.0> : tensor<1x3x1xf32>
  %k = rlx.constant dense<[[[1.0], [-2.0], [3.0]]]> : tensor<1x3x1xf32>
  %v = rlx.constant dense<[[[3.0], [6.0], [12.0]]]> : tensor<1x3x1xf32>
  %q2 = rlx.narrow %q axis = 1 start = 0 length = 2 : (tensor<1x3x1xf32>) -> tensor<1x2x1xf32>
  %k2 = rlx.narrow %k axis = 1 start = 0 length = 2 : (tensor<1x3x1xf32>) -> tensor<1x2x1xf32>
  %v2 = rlx.narrow %v axis = 1 start = 0 length = 2 : (tensor<1x3x1xf32>) -> tensor<1x2x1xf32>
  %none = rlx.attention none %q, %k, %v num_heads = 1 head_dim = 1
      : (tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
  %causal = rlx.attention causal %q, %k, %v num_heads = 1 head_dim = 1
      : (tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
  %causal_more_keys = rlx.attention causal %q2, %k, %v num_heads = 1 head_dim = 1
      : (tensor<1x2x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>) -> tensor<1x2x1xf32>
  %causal_more_queries = rlx.attention causal %q, %k2, %v2 num_heads = 1 head_dim = 1
      : (tensor<1x3x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>) -> tensor<1x3x1xf32>
  %window = rlx.attention sliding_window %q, %k, %v num_heads = 1 head_dim = 1 window = 1
      : (tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
  %window_0 = rlx.attention sliding_window %q, %k, %v num_heads = 1 head_dim = 1 window = 0
      : (tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
  %window_more_keys = rlx.attention sliding_window %q2, %k, %v num_heads = 1 head_dim = 1 window = 1
      : (tensor<1x2x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>) -> tensor<1x2x1xf32>
  %window_more_queries = rlx.attention sliding_window %q, %k2, %v2
      num_heads = 1 head_dim = 1 window = 0
      : (tensor<1x3x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>) -> tensor<1x3x1xf32>
  %threshold = rlx.constant dense<[[[[0.5, 0.499, 7.0]]]]> : tensor<1x1x1x3xf32>
  %custom = rlx.attention custom %q, %k, %v, %threshold num_heads = 1 head_dim = 1
      : (tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x1x1x3xf32>)
      -> tensor<1x3x1xf32>
  %flags = rlx.constant dense<[[true, false, true]]> : tensor<1x3xi1>
  %custom_bool = rlx.attention custom %q, %k, %v, %flags num_heads = 1 head_dim = 1
      : (tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3xi1>)
      -> tensor<1x3x1xf32>
  %rows = rlx.constant dense<[[[[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 1.0]]]]>
      : tensor<1x1x3x3xf32>
  %custom_rows = rlx.attention custom %q, %k, %v, %rows num_heads = 1 head_dim = 1
      : (tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x1x3x3xf32>)
      -> tensor<1x3x1xf32>
  %q1 = rlx.narrow %q axis = 1 start = 0 length = 1 : (tensor<1x3x1xf32>) -> tensor<1x1x1xf32>
  %logs = rlx.constant dense<[[0.6931471805599453, 0.0]]> : tensor<1x2xf64>
  %q64 = rlx.cast %q1 : (tensor<1x1x1xf32>) -> tensor<1x1x1xf64>
  %k64 = rlx.cast %k2 : (tensor<1x2x1xf32>) -> tensor<1x2x1xf64>
  %v64 = rlx.cast %v2 : (tensor<1x2x1xf32>) -> tensor<1x2x1xf64>
  %bias64 = rlx.attention bias %q64, %k64, %v64, %logs num_heads = 1 head_dim = 1
      : (tensor<1x1x1xf64>, tensor<1x2x1xf64>, tensor<1x2x1xf64>, tensor<1x2xf64>)
      -> tensor<1x1x1xf64>
  %bias = rlx.cast %bias64 : (tensor<1x1x1xf64>) -> tensor<1x1x1xf32>
  %minus = rlx.constant dense<[[0.0, 0xFF800000, 0.0]]> : tensor<1x3xf32>
  %bias_hides = rlx.attention bias %q, %k, %v, %minus num_heads = 1 head_dim = 1
      : (tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3xf32>)
      -> tensor<1x3x1xf32>
  %all = rlx.constant dense<0xFF800000> : tensor<1x3xf32>
  %bias_hides_all = rlx.attention bias %q, %k, %v, %all num_heads = 1 head_dim = 1
      : (tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3xf32>)
      -> tensor<1x3x1xf32>
  rlx.output %none, %causal, %causal_more_keys, %causal_more_queries, %window, %window_0,
      %window_more_keys, %window_more_queries, %custom, %custom_bool, %custom_rows, %bias,
      %bias_hides, %bias_hides_all
      : tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x2x1xf32>, tensor<1x3x1xf32>,
        tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x2x1xf32>, tensor<1x3x1xf32>,
        tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>, tensor<1x1x1xf32>,
        tensor<1x3x1xf32>, tensor<1x3x1xf32>
}
