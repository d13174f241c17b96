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
// -----
// Keys and values that all heads share, wide enough for products by panels.
// sizes: b = 1, 2, 3; n = 1, 7, 39; m = 5, 59, 130
rlx.graph @attention_shared_keys(%q: tensor<?x?x120xf32> {rlx.dims = ["b", "n", ""]},
                                 %k: tensor<?x?x40xf32> {rlx.dims = ["b", "m", ""]},
                                 %v: tensor<?x?x37xf32> {rlx.dims = ["b", "m", ""]},
                                 %key_bias: tensor<1x3x?xf32> {rlx.dims = ["", "", "m"]},
                                 %mask: tensor<?x3x?x?xf32> {rlx.dims = ["b", "", "n", "m"]})
    -> (tensor<?x?x111xf32>, tensor<?x?x111xf32>, tensor<?x?x111xf32>, tensor<?x?x111xf32>) {
  %x = rlx.attention none %q, %k, %v key_bias(%key_bias) num_heads = 3 head_dim = 40 sharing = keys
      : (tensor<?x?x120xf32>, tensor<?x?x40xf32>, tensor<?x?x37xf32>, tensor<1x3x?xf32>)
      -> tensor<?x?x111xf32>
  %y = rlx.attention custom %q, %k, %v, %mask num_heads = 3 head_dim = 40 sharing = keys scale = 0.5
      : (tensor<?x?x120xf32>, tensor<?x?x40xf32>, tensor<?x?x37xf32>, tensor<?x3x?x?xf32>)
      -> tensor<?x?x111xf32>
  %z = rlx.attention causal %q, %k, %v num_heads = 3 head_dim = 40 sharing = keys
      : (tensor<?x?x120xf32>, tensor<?x?x40xf32>, tensor<?x?x37xf32>) -> tensor<?x?x111xf32>
  %w = rlx.attention bias %q, %k, %v, %mask num_heads = 3 head_dim = 40 sharing = keys
      : (tensor<?x?x120xf32>, tensor<?x?x40xf32>, tensor<?x?x37xf32>, tensor<?x3x?x?xf32>)
      -> tensor<?x?x111xf32>
  rlx.output %x, %y, %z, %w : tensor<?x?x111xf32>, tensor<?x?x111xf32>, tensor<?x?x111xf32>,
                              tensor<?x?x111xf32>
}
// -----
// Queries that all heads share, and few keys.
// sizes: b = 1, 2, 3; n = 1, 7, 130
rlx.graph @attention_shared_queries(%q: tensor<?x?x40xf32> {rlx.dims = ["b", "n", ""]},
                                    %k: tensor<?x7x120xf32> {rlx.dims = ["b", "", ""]},
                                    %v: tensor<?x7x111xf32> {rlx.dims = ["b", "", ""]},
                                    %key_bias: tensor<?x3x7xf32> {rlx.dims = ["b", "", ""]},
                                    %mask: tensor<1x3x?x7xf32> {rlx.dims = ["", "", "n", ""]},
                                    %keys: tensor<?x7xi1> {rlx.dims = ["b", ""]})
    -> (tensor<?x?x37xf32>, tensor<?x?x37xf32>, tensor<?x?x37xf32>, tensor<?x?x37xf32>) {
  %x = rlx.attention none %q, %k, %v key_bias(%key_bias) num_heads = 3 head_dim = 40
      sharing = queries
      : (tensor<?x?x40xf32>, tensor<?x7x120xf32>, tensor<?x7x111xf32>, tensor<?x3x7xf32>)
      -> tensor<?x?x37xf32>
  %y = rlx.attention custom %q, %k, %v, %mask num_heads = 3 head_dim = 40 sharing = queries
      : (tensor<?x?x40xf32>, tensor<?x7x120xf32>, tensor<?x7x111xf32>, tensor<1x3x?x7xf32>)
      -> tensor<?x?x37xf32>
  %z = rlx.attention sliding_window %q, %k, %v num_heads = 3 head_dim = 40 window = 2
      sharing = queries
      : (tensor<?x?x40xf32>, tensor<?x7x120xf32>, tensor<?x7x111xf32>) -> tensor<?x?x37xf32>
  %w = rlx.attention custom %q, %k, %v, %keys key_bias(%key_bias) num_heads = 3 head_dim = 40
      sharing = queries
      : (tensor<?x?x40xf32>, tensor<?x7x120xf32>, tensor<?x7x111xf32>, tensor<?x7xi1>,
         tensor<?x3x7xf32>) -> tensor<?x?x37xf32>
  rlx.output %x, %y, %z, %w : tensor<?x?x37xf32>, tensor<?x?x37xf32>, tensor<?x?x37xf32>,
                              tensor<?x?x37xf32>
}
// -----
// Queries that all heads share, and a dynamic number of keys.
// sizes: n = 1, 7, 39; m = 5, 59, 130
rlx.graph @attention_shared_queries_many_keys(%q: tensor<2x?x8xf32> {rlx.dims = ["", "n", ""]},
                                              %k: tensor<2x?x24xf32> {rlx.dims = ["", "m", ""]})
    -> tensor<2x?x8xf32> {
  %y = rlx.attention none %q, %k, %k num_heads = 3 head_dim = 8 sharing = queries
      : (tensor<2x?x8xf32>, tensor<2x?x24xf32>, tensor<2x?x24xf32>) -> tensor<2x?x8xf32>
  rlx.output %y : tensor<2x?x8xf32>
}
// -----
// Keys in chunks.
// sizes: b = 1, 2, 3; n = 1, 3, 59
rlx.graph @attention_chunks(%q: tensor<?x?x24xf32> {rlx.dims = ["b", "n", ""]},
                            %k: tensor<?x768x24xf32> {rlx.dims = ["b", "", ""]},
                            %v: tensor<?x768x15xf32> {rlx.dims = ["b", "", ""]},
                            %mask: tensor<1x1x?x768xf32> {rlx.dims = ["", "", "n", ""]})
    -> (tensor<?x?x15xf32>, tensor<?x?x15xf32>, tensor<?x?x15xf32>, tensor<?x?x15xf32>) {
  %x = rlx.attention none %q, %k, %v num_heads = 3 head_dim = 8
      : (tensor<?x?x24xf32>, tensor<?x768x24xf32>, tensor<?x768x15xf32>) -> tensor<?x?x15xf32>
  %y = rlx.attention custom %q, %k, %v, %mask num_heads = 3 head_dim = 8
      : (tensor<?x?x24xf32>, tensor<?x768x24xf32>, tensor<?x768x15xf32>, tensor<1x1x?x768xf32>)
      -> tensor<?x?x15xf32>
  %z = rlx.attention causal %q, %k, %v num_heads = 3 head_dim = 8
      : (tensor<?x?x24xf32>, tensor<?x768x24xf32>, tensor<?x768x15xf32>) -> tensor<?x?x15xf32>
  %w = rlx.attention sliding_window %q, %k, %v num_heads = 3 head_dim = 8 window = 3
      : (tensor<?x?x24xf32>, tensor<?x768x24xf32>, tensor<?x768x15xf32>) -> tensor<?x?x15xf32>
  rlx.output %x, %y, %z, %w : tensor<?x?x15xf32>, tensor<?x?x15xf32>, tensor<?x?x15xf32>,
                              tensor<?x?x15xf32>
}
// -----
// Chunks of keys that all heads share, with wide values in f16.
// sizes: n = 1, 3, 7
rlx.graph @attention_chunks_shared(%q: tensor<1x?x160xf16> {rlx.dims = ["", "n", ""]},
                                   %k: tensor<1x600x40xf16>) -> tensor<1x?x160xf16> {
  %y = rlx.attention none %q, %k, %k num_heads = 4 head_dim = 40 sharing = keys
      : (tensor<1x?x160xf16>, tensor<1x600x40xf16>, tensor<1x600x40xf16>) -> tensor<1x?x160xf16>
  rlx.output %y : tensor<1x?x160xf16>
}
// -----
// Linear layers around attention with a long side, which is not projected.
// sizes: b = 1, 2, 3
rlx.graph @attention_reassociated(%x: tensor<?x3x24xf32> {rlx.dims = ["b", "", ""]},
                                  %image: tensor<?x520x24xf32> {rlx.dims = ["b", "", ""]})
    -> (tensor<?x3x16xf32>, tensor<?x520x24xf32>) {
  %wq = rlx.param "q.w" : tensor<24x16xf32>
  %wk = rlx.param "k.w" : tensor<24x16xf32>
  %wv = rlx.param "v.w" : tensor<24x16xf32>
  %wi = rlx.param "image.q.w" : tensor<24x16xf32>
  %wo = rlx.param "o.w" : tensor<16x24xf32>
  %b = rlx.param "b" : tensor<16xf32>
  %bo = rlx.param "o.b" : tensor<24xf32>
  %q = rlx.fused_matmul_bias_act %x, %wq, %b
      : (tensor<?x3x24xf32>, tensor<24x16xf32>, tensor<16xf32>) -> tensor<?x3x16xf32>
  %k = rlx.fused_matmul_bias_act %image, %wk, %b
      : (tensor<?x520x24xf32>, tensor<24x16xf32>, tensor<16xf32>) -> tensor<?x520x16xf32>
  %v = rlx.fused_matmul_bias_act %image, %wv, %b
      : (tensor<?x520x24xf32>, tensor<24x16xf32>, tensor<16xf32>) -> tensor<?x520x16xf32>
  %y = rlx.attention none %q, %k, %v num_heads = 2 head_dim = 8 scale = 0.1
      : (tensor<?x3x16xf32>, tensor<?x520x16xf32>, tensor<?x520x16xf32>) -> tensor<?x3x16xf32>
  %iq = rlx.fused_matmul_bias_act %image, %wi, %b
      : (tensor<?x520x24xf32>, tensor<24x16xf32>, tensor<16xf32>) -> tensor<?x520x16xf32>
  %ia = rlx.attention causal %iq, %q, %y num_heads = 2 head_dim = 8 scale = 0.1
      : (tensor<?x520x16xf32>, tensor<?x3x16xf32>, tensor<?x3x16xf32>) -> tensor<?x520x16xf32>
  %z = rlx.fused_matmul_bias_act %ia, %wo, %bo
      : (tensor<?x520x16xf32>, tensor<16x24xf32>, tensor<24xf32>) -> tensor<?x520x24xf32>
  rlx.output %y, %z : tensor<?x3x16xf32>, tensor<?x520x24xf32>
}
// -----
// The log-sum-exp, of chunks and without them, of rows without keys among them.
// sizes: b = 1, 2, 3; n = 1, 3, 39
rlx.graph @attention_lse(%q: tensor<?x?x16xf32> {rlx.dims = ["b", "n", ""]},
                         %k: tensor<?x520x16xf32> {rlx.dims = ["b", "", ""]},
                         %s: tensor<?x520x8xf32> {rlx.dims = ["b", "", ""]},
                         %few: tensor<?x5x16xf32> {rlx.dims = ["b", "", ""]},
                         %mask: tensor<?x1x?x5xi1> {rlx.dims = ["b", "", "n", ""]})
    -> (tensor<?x?x16xf32>, tensor<?x2x?xf32>, tensor<?x2x?xf32>, tensor<?x2x?xf32>) {
  %y, %a = rlx.attention none %q, %k, %k num_heads = 2 head_dim = 8 with_lse
      : (tensor<?x?x16xf32>, tensor<?x520x16xf32>, tensor<?x520x16xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x2x?xf32>)
  %z, %b = rlx.attention causal %q, %s, %s num_heads = 2 head_dim = 8 sharing = keys with_lse
      : (tensor<?x?x16xf32>, tensor<?x520x8xf32>, tensor<?x520x8xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x2x?xf32>)
  %w, %c = rlx.attention custom %q, %few, %few, %mask num_heads = 2 head_dim = 8 with_lse
      : (tensor<?x?x16xf32>, tensor<?x5x16xf32>, tensor<?x5x16xf32>, tensor<?x1x?x5xi1>)
      -> (tensor<?x?x16xf32>, tensor<?x2x?xf32>)
  rlx.output %y, %a, %b, %c : tensor<?x?x16xf32>, tensor<?x2x?xf32>, tensor<?x2x?xf32>,
                              tensor<?x2x?xf32>
}
// -----
// Padded rows around a long side: the mask leaves few of them active, and some none.
// sizes: b = 1, 2, 3
rlx.graph @attention_reassociated_masked(%x: tensor<?x59x24xf32> {rlx.dims = ["b", "", ""]},
                                         %image: tensor<?x520x24xf32> {rlx.dims = ["b", "", ""]},
                                         %mask: tensor<1x2x59x520xi1>,
                                         %bias: tensor<1x1x59x1xf32>)
    -> tensor<?x59x16xf32> {
  %wk = rlx.param "k.w" : tensor<24x16xf32>
  %wv = rlx.param "v.w" : tensor<24x16xf32>
  %b = rlx.param "b" : tensor<16xf32>
  %none = rlx.constant dense<1.0> : tensor<f32>
  %off = rlx.constant dense<0.0> : tensor<f32>
  %rows = rlx.compare gt %bias, %none : (tensor<1x1x59x1xf32>, tensor<f32>) -> tensor<1x1x59x1xi1>
  %coins = rlx.cast %mask : (tensor<1x2x59x520xi1>) -> tensor<1x2x59x520xf32>
  %active = rlx.where %rows, %coins, %off
      : (tensor<1x1x59x1xi1>, tensor<1x2x59x520xf32>, tensor<f32>) -> tensor<1x2x59x520xf32>
  %q = rlx.fused_matmul_bias_act %x, %wk, %b
      : (tensor<?x59x24xf32>, tensor<24x16xf32>, tensor<16xf32>) -> tensor<?x59x16xf32>
  %k = rlx.fused_matmul_bias_act %image, %wk, %b
      : (tensor<?x520x24xf32>, tensor<24x16xf32>, tensor<16xf32>) -> tensor<?x520x16xf32>
  %v = rlx.fused_matmul_bias_act %image, %wv, %b
      : (tensor<?x520x24xf32>, tensor<24x16xf32>, tensor<16xf32>) -> tensor<?x520x16xf32>
  %y = rlx.attention custom %q, %k, %v, %active num_heads = 2 head_dim = 8 scale = 0.1
      : (tensor<?x59x16xf32>, tensor<?x520x16xf32>, tensor<?x520x16xf32>, tensor<1x2x59x520xf32>)
      -> tensor<?x59x16xf32>
  rlx.output %y : tensor<?x59x16xf32>
}
// -----
// Every kind of mask over keys that all heads share, and of chunks of them where there
// are few queries.
// sizes: b = 1, 2, 3; n = 1, 3, 67
rlx.graph @attention_shared_keys_masks(%q: tensor<?x?x27xf32> {rlx.dims = ["b", "n", ""]},
                                       %k: tensor<?x512x9xf32> {rlx.dims = ["b", "", ""]},
                                       %v: tensor<?x512x5xf32> {rlx.dims = ["b", "", ""]},
                                       %key_bias: tensor<?x3x512xf32> {rlx.dims = ["b", "", ""]},
                                       %keys: tensor<?x512xi1> {rlx.dims = ["b", ""]},
                                       %bools: tensor<?x3x?x512xi1> {rlx.dims = ["b", "", "n", ""]},
                                       %floats: tensor<1x1x?x512xf32> {rlx.dims = ["", "", "n", ""]})
    -> (tensor<?x?x15xf32>, tensor<?x?x15xf32>, tensor<?x?x15xf32>, tensor<?x?x15xf32>,
        tensor<?x?x15xf32>, tensor<?x?x15xf32>) {
  %a = rlx.attention none %q, %k, %v key_bias(%key_bias) num_heads = 3 head_dim = 9 sharing = keys
      scale = -0.25
      : (tensor<?x?x27xf32>, tensor<?x512x9xf32>, tensor<?x512x5xf32>, tensor<?x3x512xf32>)
      -> tensor<?x?x15xf32>
  %b = rlx.attention custom %q, %k, %v, %keys key_bias(%key_bias) num_heads = 3 head_dim = 9
      sharing = keys
      : (tensor<?x?x27xf32>, tensor<?x512x9xf32>, tensor<?x512x5xf32>, tensor<?x512xi1>,
         tensor<?x3x512xf32>) -> tensor<?x?x15xf32>
  %c = rlx.attention custom %q, %k, %v, %bools num_heads = 3 head_dim = 9 sharing = keys
      : (tensor<?x?x27xf32>, tensor<?x512x9xf32>, tensor<?x512x5xf32>, tensor<?x3x?x512xi1>)
      -> tensor<?x?x15xf32>
  %d = rlx.attention bias %q, %k, %v, %floats key_bias(%key_bias) num_heads = 3 head_dim = 9
      sharing = keys
      : (tensor<?x?x27xf32>, tensor<?x512x9xf32>, tensor<?x512x5xf32>, tensor<1x1x?x512xf32>,
         tensor<?x3x512xf32>) -> tensor<?x?x15xf32>
  %e = rlx.attention causal %q, %k, %v key_bias(%key_bias) num_heads = 3 head_dim = 9
      sharing = keys
      : (tensor<?x?x27xf32>, tensor<?x512x9xf32>, tensor<?x512x5xf32>, tensor<?x3x512xf32>)
      -> tensor<?x?x15xf32>
  %f = rlx.attention sliding_window %q, %k, %v key_bias(%key_bias) num_heads = 3 head_dim = 9
      window = 2 sharing = keys
      : (tensor<?x?x27xf32>, tensor<?x512x9xf32>, tensor<?x512x5xf32>, tensor<?x3x512xf32>)
      -> tensor<?x?x15xf32>
  rlx.output %a, %b, %c, %d, %e, %f : tensor<?x?x15xf32>, tensor<?x?x15xf32>, tensor<?x?x15xf32>,
                                      tensor<?x?x15xf32>, tensor<?x?x15xf32>, tensor<?x?x15xf32>
}
// -----
// Every kind of mask over queries that all heads share, with a dynamic number of keys.
// sizes: b = 1, 2, 3; n = 1, 7, 67; m = 5, 130, 3
rlx.graph @attention_shared_queries_masks(%q: tensor<?x?x9xf32> {rlx.dims = ["b", "n", ""]},
                                          %k: tensor<?x?x27xf32> {rlx.dims = ["b", "m", ""]},
                                          %v: tensor<?x?x15xf32> {rlx.dims = ["b", "m", ""]},
                                          %key_bias: tensor<1x3x?xf32> {rlx.dims = ["", "", "m"]},
                                          %keys: tensor<?x?xi1> {rlx.dims = ["b", "m"]},
                                          %bools: tensor<?x3x?x?xi1> {rlx.dims = ["b", "", "n", "m"]},
                                          %floats: tensor<1x3x1x?xf32> {rlx.dims = ["", "", "", "m"]})
    -> (tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>,
        tensor<?x?x5xf32>) {
  %a = rlx.attention custom %q, %k, %v, %keys key_bias(%key_bias) num_heads = 3 head_dim = 9
      sharing = queries scale = 0.75
      : (tensor<?x?x9xf32>, tensor<?x?x27xf32>, tensor<?x?x15xf32>, tensor<?x?xi1>,
         tensor<1x3x?xf32>) -> tensor<?x?x5xf32>
  %b = rlx.attention custom %q, %k, %v, %bools num_heads = 3 head_dim = 9 sharing = queries
      : (tensor<?x?x9xf32>, tensor<?x?x27xf32>, tensor<?x?x15xf32>, tensor<?x3x?x?xi1>)
      -> tensor<?x?x5xf32>
  %c = rlx.attention bias %q, %k, %v, %floats key_bias(%key_bias) num_heads = 3 head_dim = 9
      sharing = queries
      : (tensor<?x?x9xf32>, tensor<?x?x27xf32>, tensor<?x?x15xf32>, tensor<1x3x1x?xf32>,
         tensor<1x3x?xf32>) -> tensor<?x?x5xf32>
  %d = rlx.attention causal %q, %k, %v key_bias(%key_bias) num_heads = 3 head_dim = 9
      sharing = queries
      : (tensor<?x?x9xf32>, tensor<?x?x27xf32>, tensor<?x?x15xf32>, tensor<1x3x?xf32>)
      -> tensor<?x?x5xf32>
  %e = rlx.attention sliding_window %q, %k, %v num_heads = 3 head_dim = 9 window = 1
      sharing = queries
      : (tensor<?x?x9xf32>, tensor<?x?x27xf32>, tensor<?x?x15xf32>) -> tensor<?x?x5xf32>
  rlx.output %a, %b, %c, %d, %e : tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x5xf32>,
                                  tensor<?x?x5xf32>, tensor<?x?x5xf32>
}
// -----
// A bias for each key and a scale, with heads of their own, of whole keys and of chunks.
// sizes: b = 1, 2, 3; n = 1, 3, 67; m = 5, 130, 59
rlx.graph @attention_key_bias(%q: tensor<?x?x27xf32> {rlx.dims = ["b", "n", ""]},
                              %k: tensor<?x?x27xf32> {rlx.dims = ["b", "m", ""]},
                              %bias: tensor<?x3x?xf32> {rlx.dims = ["b", "", "m"]},
                              %mask: tensor<?x?xi1> {rlx.dims = ["b", "m"]},
                              %many: tensor<?x512x27xf32> {rlx.dims = ["b", "", ""]},
                              %many_bias: tensor<1x3x512xf32>)
    -> (tensor<?x?x27xf32>, tensor<?x?x27xf32>, tensor<?x?x27xf32>) {
  %a = rlx.attention custom %q, %k, %k, %mask key_bias(%bias) num_heads = 3 head_dim = 9
      scale = 0.125
      : (tensor<?x?x27xf32>, tensor<?x?x27xf32>, tensor<?x?x27xf32>, tensor<?x?xi1>,
         tensor<?x3x?xf32>) -> tensor<?x?x27xf32>
  %b = rlx.attention causal %q, %many, %many key_bias(%many_bias) num_heads = 3 head_dim = 9
      : (tensor<?x?x27xf32>, tensor<?x512x27xf32>, tensor<?x512x27xf32>, tensor<1x3x512xf32>)
      -> tensor<?x?x27xf32>
  %c = rlx.attention none %q, %many, %many key_bias(%many_bias) num_heads = 3 head_dim = 9
      scale = 0.0
      : (tensor<?x?x27xf32>, tensor<?x512x27xf32>, tensor<?x512x27xf32>, tensor<1x3x512xf32>)
      -> tensor<?x?x27xf32>
  rlx.output %a, %b, %c : tensor<?x?x27xf32>, tensor<?x?x27xf32>, tensor<?x?x27xf32>
}
