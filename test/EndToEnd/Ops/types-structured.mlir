// sizes: b = 1, 3, 2; m = 7, 1, 33; k = 5, 1, 40
// types: f32, f64, f16, bf16
rlx.graph @matmul_typed(%x: tensor<?x?x?xTYPE> {rlx.dims = ["b", "m", "k"]},
                        %w: tensor<?x19xTYPE> {rlx.dims = ["k", ""]})
    -> (tensor<?x?x19xTYPE>) {
  %y = rlx.matmul %x, %w : (tensor<?x?x?xTYPE>, tensor<?x19xTYPE>) -> tensor<?x?x19xTYPE>
  rlx.output %y
      : tensor<?x?x19xTYPE>
}
// -----
// sizes: n = 1, 7, 40
// types: f32, f64, f16, bf16
rlx.graph @matmul_param_typed(%x: tensor<?x40xTYPE> {rlx.dims = ["n", ""]})
    -> (tensor<?x24xTYPE>, tensor<?x24xTYPE>) {
  %w = rlx.param "w" : tensor<40x24xTYPE>
  %b = rlx.param "b" : tensor<24xTYPE>
  %y = rlx.matmul %x, %w : (tensor<?x40xTYPE>, tensor<40x24xTYPE>) -> tensor<?x24xTYPE>
  %z = rlx.fused_matmul_bias_act %x, %w, %b act = gelu
      : (tensor<?x40xTYPE>, tensor<40x24xTYPE>, tensor<24xTYPE>) -> tensor<?x24xTYPE>
  rlx.output %y, %z
      : tensor<?x24xTYPE>, tensor<?x24xTYPE>
}
// -----
// sizes: b = 1, 2, 3; h = 3, 7, 12; w = 5, 9, 20
// types: f64, f16, bf16
rlx.graph @conv_typed(%x: tensor<?x6x?x?xTYPE> {rlx.dims = ["b", "", "h", "w"]})
    -> (tensor<?x8x?x?xTYPE>, tensor<?x8x?x?xTYPE>, tensor<?x6x?x?xTYPE>) {
  %w0 = rlx.param "pointwise" : tensor<8x6x1x1xTYPE>
  %w1 = rlx.param "window" : tensor<8x6x3x3xTYPE>
  %w2 = rlx.param "depthwise" : tensor<6x1x3x3xTYPE>
  %b = rlx.param "b" : tensor<8xTYPE>
  %c = rlx.param "c" : tensor<6xTYPE>
  %y0 = rlx.conv2d %x, %w0, %b
      : (tensor<?x6x?x?xTYPE>, tensor<8x6x1x1xTYPE>, tensor<8xTYPE>) -> tensor<?x8x?x?xTYPE>
  %y1 = rlx.conv2d %x, %w1, %b padding = [1, 1]
      : (tensor<?x6x?x?xTYPE>, tensor<8x6x3x3xTYPE>, tensor<8xTYPE>) -> tensor<?x8x?x?xTYPE>
  %y2 = rlx.conv2d %x, %w2, %c padding = [1, 1] groups = 6
      : (tensor<?x6x?x?xTYPE>, tensor<6x1x3x3xTYPE>, tensor<6xTYPE>) -> tensor<?x6x?x?xTYPE>
  rlx.output %y0, %y1, %y2
      : tensor<?x8x?x?xTYPE>, tensor<?x8x?x?xTYPE>, tensor<?x6x?x?xTYPE>
}
// -----
// sizes: n = 1, 7, 39; m = 5, 59, 130
// types: f64, f16, bf16
rlx.graph @attention_typed(%q: tensor<2x?x16xTYPE> {rlx.dims = ["", "n", ""]},
                           %k: tensor<2x?x16xTYPE> {rlx.dims = ["", "m", ""]},
                           %v: tensor<2x?x10xTYPE> {rlx.dims = ["", "m", ""]},
                           %mask: tensor<1x2x?x?xTYPE> {rlx.dims = ["", "", "n", "m"]},
                           %seen: tensor<2x?xi1> {rlx.dims = ["", "m"]})
    -> (tensor<2x?x10xTYPE>, tensor<2x?x10xTYPE>, tensor<2x?x10xTYPE>, tensor<2x?x10xTYPE>,
        tensor<2x?x10xTYPE>, tensor<2x?x10xTYPE>) {
  %none = rlx.attention none %q, %k, %v num_heads = 2 head_dim = 8
      : (tensor<2x?x16xTYPE>, tensor<2x?x16xTYPE>, tensor<2x?x10xTYPE>)
      -> tensor<2x?x10xTYPE>
  %causal = rlx.attention causal %q, %k, %v num_heads = 2 head_dim = 8
      : (tensor<2x?x16xTYPE>, tensor<2x?x16xTYPE>, tensor<2x?x10xTYPE>)
      -> tensor<2x?x10xTYPE>
  %window = rlx.attention sliding_window %q, %k, %v num_heads = 2 head_dim = 8 window = 4
      : (tensor<2x?x16xTYPE>, tensor<2x?x16xTYPE>, tensor<2x?x10xTYPE>)
      -> tensor<2x?x10xTYPE>
  %custom = rlx.attention custom %q, %k, %v, %mask num_heads = 2 head_dim = 8
      : (tensor<2x?x16xTYPE>, tensor<2x?x16xTYPE>, tensor<2x?x10xTYPE>, tensor<1x2x?x?xTYPE>)
      -> tensor<2x?x10xTYPE>
  %seen_only = rlx.attention custom %q, %k, %v, %seen num_heads = 2 head_dim = 8
      : (tensor<2x?x16xTYPE>, tensor<2x?x16xTYPE>, tensor<2x?x10xTYPE>, tensor<2x?xi1>)
      -> tensor<2x?x10xTYPE>
  %bias = rlx.attention bias %q, %k, %v, %mask num_heads = 2 head_dim = 8
      : (tensor<2x?x16xTYPE>, tensor<2x?x16xTYPE>, tensor<2x?x10xTYPE>, tensor<1x2x?x?xTYPE>)
      -> tensor<2x?x10xTYPE>
  rlx.output %none, %causal, %window, %custom, %seen_only, %bias
      : tensor<2x?x10xTYPE>, tensor<2x?x10xTYPE>, tensor<2x?x10xTYPE>, tensor<2x?x10xTYPE>,
      tensor<2x?x10xTYPE>, tensor<2x?x10xTYPE>
}
// -----
// sizes: b = 1, 2, 5
// types: f64, f16, bf16
rlx.graph @psa_typed(%x: tensor<?x96x5x7xTYPE> {rlx.dims = ["b", "", "", ""]})
    -> (tensor<?x4x3x35x8xTYPE>, tensor<?x48x5x7xTYPE>, tensor<?x48x5x7xTYPE>) {
  %packed = rlx.psa_pack_qkv %x num_heads = 3 key_dim = 8
      : (tensor<?x96x5x7xTYPE>) -> tensor<?x4x3x35x8xTYPE>
  %v = rlx.psa_extract_v %x num_heads = 3 key_dim = 8
      : (tensor<?x96x5x7xTYPE>) -> tensor<?x48x5x7xTYPE>
  %y = rlx.psa_attention %x num_heads = 3 key_dim = 8
      : (tensor<?x96x5x7xTYPE>) -> tensor<?x48x5x7xTYPE>
  rlx.output %packed, %v, %y
      : tensor<?x4x3x35x8xTYPE>, tensor<?x48x5x7xTYPE>, tensor<?x48x5x7xTYPE>
}
// -----
// sizes: b = 1, 2, 5
rlx.graph @psa_flash_f64(%p: tensor<?x4x3x35x8xf64> {rlx.dims = ["b", "", "", "", ""]})
    -> (tensor<?x3x35xf64>, tensor<?x3x35x8xf64>, tensor<?x48x5x7xf64>) {
  %lo, %lse = rlx.psa_flash_attention lo %p : (tensor<?x4x3x35x8xf64>) -> (tensor<?x3x35x8xf64>, tensor<?x3x35xf64>)
  %hi, %same = rlx.psa_flash_attention hi %p : (tensor<?x4x3x35x8xf64>) -> (tensor<?x3x35x8xf64>, tensor<?x3x35xf64>)
  %y = rlx.psa_merge_attn %lo, %hi h = 5 w = 7
      : (tensor<?x3x35x8xf64>, tensor<?x3x35x8xf64>) -> tensor<?x48x5x7xf64>
  rlx.output %lse, %hi, %y
      : tensor<?x3x35xf64>, tensor<?x3x35x8xf64>, tensor<?x48x5x7xf64>
}
// -----
// sizes: b = 1, 2, 5
rlx.graph @psa_flash_f16(%p: tensor<?x4x3x35x8xf16> {rlx.dims = ["b", "", "", "", ""]})
    -> (tensor<?x3x35xf32>, tensor<?x3x35x8xf16>, tensor<?x48x5x7xf16>) {
  %lo, %lse = rlx.psa_flash_attention lo %p : (tensor<?x4x3x35x8xf16>) -> (tensor<?x3x35x8xf16>, tensor<?x3x35xf32>)
  %hi, %same = rlx.psa_flash_attention hi %p : (tensor<?x4x3x35x8xf16>) -> (tensor<?x3x35x8xf16>, tensor<?x3x35xf32>)
  %y = rlx.psa_merge_attn %lo, %hi h = 5 w = 7
      : (tensor<?x3x35x8xf16>, tensor<?x3x35x8xf16>) -> tensor<?x48x5x7xf16>
  rlx.output %lse, %hi, %y
      : tensor<?x3x35xf32>, tensor<?x3x35x8xf16>, tensor<?x48x5x7xf16>
}
// -----
// sizes: b = 1, 2, 5
rlx.graph @psa_flash_bf16(%p: tensor<?x4x3x35x8xbf16> {rlx.dims = ["b", "", "", "", ""]})
    -> (tensor<?x3x35xf32>, tensor<?x3x35x8xbf16>, tensor<?x48x5x7xbf16>) {
  %lo, %lse = rlx.psa_flash_attention lo %p : (tensor<?x4x3x35x8xbf16>) -> (tensor<?x3x35x8xbf16>, tensor<?x3x35xf32>)
  %hi, %same = rlx.psa_flash_attention hi %p : (tensor<?x4x3x35x8xbf16>) -> (tensor<?x3x35x8xbf16>, tensor<?x3x35xf32>)
  %y = rlx.psa_merge_attn %lo, %hi h = 5 w = 7
      : (tensor<?x3x35x8xbf16>, tensor<?x3x35x8xbf16>) -> tensor<?x48x5x7xbf16>
  rlx.output %lse, %hi, %y
      : tensor<?x3x35xf32>, tensor<?x3x35x8xbf16>, tensor<?x48x5x7xbf16>
}
// -----
// sizes: n = 1, 5, 33; m = 7, 4, 20
// values: index 3
// types: f64, f16, bf16, i8, i32, i64, i1
rlx.graph @movement_typed(%x: tensor<?x3x?xTYPE> {rlx.dims = ["n", "", "m"]},
                          %i: tensor<?xi32> {rlx.dims = ["n"]},
                          %j: tensor<?x1xTYPE> {rlx.dims = ["n", ""]})
    -> (tensor<?xTYPE>, tensor<?x?x3xTYPE>, tensor<?x3x3xTYPE>, tensor<?x6x?xTYPE>,
        tensor<2x?x5xTYPE>, tensor<?x?x?xTYPE>) {
  %reshaped = rlx.reshape %x : (tensor<?x3x?xTYPE>) -> tensor<?xTYPE>
  %transposed = rlx.transpose %x permutation = [2, 0, 1]
      : (tensor<?x3x?xTYPE>) -> tensor<?x?x3xTYPE>
  %narrowed = rlx.narrow %x axis = 2 start = 1 length = 3
      : (tensor<?x3x?xTYPE>) -> tensor<?x3x3xTYPE>
  %joined = rlx.concat %x, %x axis = 1 : (tensor<?x3x?xTYPE>, tensor<?x3x?xTYPE>) -> tensor<?x6x?xTYPE>
  %expanded = rlx.expand %j : (tensor<?x1xTYPE>) -> tensor<2x?x5xTYPE>
  %gathered = rlx.gather %x, %i axis = 1
      : (tensor<?x3x?xTYPE>, tensor<?xi32>) -> tensor<?x?x?xTYPE>
  rlx.output %reshaped, %transposed, %narrowed, %joined, %expanded, %gathered
      : tensor<?xTYPE>, tensor<?x?x3xTYPE>, tensor<?x3x3xTYPE>, tensor<?x6x?xTYPE>,
      tensor<2x?x5xTYPE>, tensor<?x?x?xTYPE>
}
// -----
// sizes: n = 1, 5, 33
// types: f64, f16, bf16
rlx.graph @constants_typed(%x: tensor<?x3xTYPE> {rlx.dims = ["n", ""]})
    -> (tensor<?x3xTYPE>, tensor<3xTYPE>) {
  %c = rlx.constant dense<[1.5, -2.0, 0.25]> : tensor<3xTYPE>
  %y = rlx.binary mul %x, %c : (tensor<?x3xTYPE>, tensor<3xTYPE>) -> tensor<?x3xTYPE>
  rlx.output %y, %c : tensor<?x3xTYPE>, tensor<3xTYPE>
}
// -----
// sizes: n = 1, 5, 33
// types: i8, i32, i64
rlx.graph @constants_integer_typed(%x: tensor<?x3xTYPE> {rlx.dims = ["n", ""]})
    -> (tensor<?x3xTYPE>, tensor<3xTYPE>) {
  %c = rlx.constant dense<[7, -2, 100]> : tensor<3xTYPE>
  %y = rlx.binary mul %x, %c : (tensor<?x3xTYPE>, tensor<3xTYPE>) -> tensor<?x3xTYPE>
  rlx.output %y, %c : tensor<?x3xTYPE>, tensor<3xTYPE>
}
