// sizes: b = 1, 2, 5
rlx.graph @psa_parts(%x: tensor<?x96x5x7xf32> {rlx.dims = ["b", "", "", ""]})
    -> (tensor<?x4x3x35x8xf32>, tensor<?x48x5x7xf32>, tensor<?x3x35x8xf32>, tensor<?x3x35xf32>,
        tensor<?x3x35x8xf32>, tensor<?x48x5x7xf32>) {
  %packed = rlx.psa_pack_qkv %x num_heads = 3 key_dim = 8
      : (tensor<?x96x5x7xf32>) -> tensor<?x4x3x35x8xf32>
  %v = rlx.psa_extract_v %x num_heads = 3 key_dim = 8
      : (tensor<?x96x5x7xf32>) -> tensor<?x48x5x7xf32>
  %lo, %lse = rlx.psa_flash_attention lo %packed
      : (tensor<?x4x3x35x8xf32>) -> (tensor<?x3x35x8xf32>, tensor<?x3x35xf32>)
  %hi, %same = rlx.psa_flash_attention hi %packed
      : (tensor<?x4x3x35x8xf32>) -> (tensor<?x3x35x8xf32>, tensor<?x3x35xf32>)
  %y = rlx.psa_merge_attn %lo, %hi h = 5 w = 7
      : (tensor<?x3x35x8xf32>, tensor<?x3x35x8xf32>) -> tensor<?x48x5x7xf32>
  rlx.output %packed, %v, %lo, %lse, %hi, %y : tensor<?x4x3x35x8xf32>, tensor<?x48x5x7xf32>,
      tensor<?x3x35x8xf32>, tensor<?x3x35xf32>, tensor<?x3x35x8xf32>, tensor<?x48x5x7xf32>
}
// -----
// sizes: b = 1, 2, 5; h = 1, 12, 7; w = 1, 20, 9
rlx.graph @psa_attention(%x: tensor<?x64x?x?xf32> {rlx.dims = ["b", "", "h", "w"]})
    -> tensor<?x32x?x?xf32> {
  %y = rlx.psa_attention %x num_heads = 2 key_dim = 8
      : (tensor<?x64x?x?xf32>) -> tensor<?x32x?x?xf32>
  rlx.output %y : tensor<?x32x?x?xf32>
}
// -----
// sizes: b = 1, 2, 5; h = 1, 3, 8
rlx.graph @psa_dynamic_heads(%x: tensor<?x4x?x9x8xf32> {rlx.dims = ["b", "", "h", "", ""]})
    -> (tensor<?x?x9x8xf32>, tensor<?x?x9xf32>) {
  %y, %lse = rlx.psa_flash_attention hi %x
      : (tensor<?x4x?x9x8xf32>) -> (tensor<?x?x9x8xf32>, tensor<?x?x9xf32>)
  rlx.output %y, %lse : tensor<?x?x9x8xf32>, tensor<?x?x9xf32>
}
