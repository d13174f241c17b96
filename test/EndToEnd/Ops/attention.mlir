// sizes: b = 1, 2, 3; n = 1, 7, 39; m = 5, 59, 130
rlx.graph @attention(%q: tensor<?x?x24xf32> {rlx.dims = ["b", "n", ""]},
                     %k: tensor<?x?x24xf32> {rlx.dims = ["b", "m", ""]},
                     %v: tensor<?x?x15xf32> {rlx.dims = ["b", "m", ""]})
    -> (tensor<?x?x15xf32>, tensor<?x?x15xf32>) {
  %y = rlx.attention none %q, %k, %v num_heads = 3 head_dim = 8
      : (tensor<?x?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x15xf32>) -> tensor<?x?x15xf32>
  %z = rlx.attention causal %q, %k, %v num_heads = 3 head_dim = 8
      : (tensor<?x?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x15xf32>) -> tensor<?x?x15xf32>
  rlx.output %y, %z : tensor<?x?x15xf32>, tensor<?x?x15xf32>
}
// -----
// sizes: n = 7, 39, 130; m = 5, 39, 20
rlx.graph @attention_positions(%q: tensor<1x?x16xf32> {rlx.dims = ["", "n", ""]},
                               %k: tensor<1x?x16xf32> {rlx.dims = ["", "m", ""]})
    -> (tensor<1x?x16xf32>, tensor<1x?x16xf32>) {
  %y = rlx.attention causal %q, %k, %k num_heads = 2 head_dim = 8
      : (tensor<1x?x16xf32>, tensor<1x?x16xf32>, tensor<1x?x16xf32>) -> tensor<1x?x16xf32>
  %z = rlx.attention sliding_window %q, %k, %k num_heads = 2 head_dim = 8 window = 3
      : (tensor<1x?x16xf32>, tensor<1x?x16xf32>, tensor<1x?x16xf32>) -> tensor<1x?x16xf32>
  rlx.output %y, %z : tensor<1x?x16xf32>, tensor<1x?x16xf32>
}
// -----
// sizes: b = 1, 2, 3; n = 1, 7, 39; m = 5, 59, 130
rlx.graph @attention_masks(%q: tensor<?x?x16xf32> {rlx.dims = ["b", "n", ""]},
                           %k: tensor<?x?x16xf32> {rlx.dims = ["b", "m", ""]},
                           %keys: tensor<?x?xi1> {rlx.dims = ["b", "m"]},
                           %floats: tensor<1x2x?x?xf32> {rlx.dims = ["", "", "n", "m"]},
                           %bias: tensor<?x1x1x?xf32> {rlx.dims = ["b", "", "", "m"]})
    -> (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>) {
  %x = rlx.attention custom %q, %k, %k, %keys num_heads = 2 head_dim = 8
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xi1>)
      -> tensor<?x?x16xf32>
  %y = rlx.attention custom %q, %k, %k, %floats num_heads = 2 head_dim = 8
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<1x2x?x?xf32>)
      -> tensor<?x?x16xf32>
  %z = rlx.attention bias %q, %k, %k, %bias num_heads = 2 head_dim = 8
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x1x1x?xf32>)
      -> tensor<?x?x16xf32>
  rlx.output %x, %y, %z : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
}
// -----
// sizes: n = 1, 7, 39; m = 5, 59, 130
rlx.graph @attention_f64(%q: tensor<2x?x16xf64> {rlx.dims = ["", "n", ""]},
                         %k: tensor<2x?x16xf64> {rlx.dims = ["", "m", ""]}) -> tensor<2x?x16xf64> {
  %y = rlx.attention none %q, %k, %k num_heads = 2 head_dim = 8
      : (tensor<2x?x16xf64>, tensor<2x?x16xf64>, tensor<2x?x16xf64>) -> tensor<2x?x16xf64>
  rlx.output %y : tensor<2x?x16xf64>
}
// -----
// sizes: n = 1, 7, 39; m = 5, 59, 130
rlx.graph @attention_bf16(%q: tensor<2x?x16xbf16> {rlx.dims = ["", "n", ""]},
                          %k: tensor<2x?x16xbf16> {rlx.dims = ["", "m", ""]})
    -> tensor<2x?x16xbf16> {
  %y = rlx.attention none %q, %k, %k num_heads = 2 head_dim = 8
      : (tensor<2x?x16xbf16>, tensor<2x?x16xbf16>, tensor<2x?x16xbf16>) -> tensor<2x?x16xbf16>
  rlx.output %y : tensor<2x?x16xbf16>
}
