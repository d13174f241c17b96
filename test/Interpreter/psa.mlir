// Two heads of key size 1 over two pixels: channel c of the QKV image holds c*10 and
// c*10 + 1, but the queries of head 0 are zeros.
// RUN: rlx-interpret %s --print | FileCheck %s

// CHECK-LABEL: packed: tensor<1x4x2x2x1xf64>
// CHECK-SAME: {{\[\[\[\[}}[0], [0]], {{\[}}[1], [1]]], {{\[\[}}[10], [11]], {{\[}}[0], [0]]],
// CHECK-SAME: {{\[\[}}[20], [21]], {{\[}}[60], [61]]], {{\[\[}}[30], [31]], {{\[}}[70], [71]]]]]
// CHECK-NEXT: v: tensor<1x4x1x2xf64> {{\[\[\[}}[20, 21]], {{\[}}[30, 31]], {{\[}}[60, 61]], {{\[}}[70, 71]]]]
// CHECK-NEXT: lo: tensor<1x2x2x1xf64> {{\[\[\[}}[20.5], [20.5]], {{\[}}[60.5], [60.5]]]]
// CHECK-NEXT: lse: tensor<1x2x2xf64> {{\[\[}}[0.6931471805599453, 0.6931471805599453], [0.6931471805599453, 0.6931471805599453]]]
// CHECK-NEXT: merged: tensor<1x4x1x2xf64> {{\[\[\[}}[20.5, 20.5]], {{\[}}[30.5, 30.5]], {{\[}}[60.5, 60.5]], {{\[}}[70.5, 70.5]]]]
// CHECK-NEXT: fused: tensor<1x4x1x2xf64> {{\[\[\[}}[20.5, 20.5]], {{\[}}[30.5, 30.5]], {{\[}}[60.5, 60.5]], {{\[}}[70.5, 70.5]]]]
rlx.graph @psa() -> (
    tensor<1x4x2x2x1xf64> {rlx.name = "packed"}, tensor<1x4x1x2xf64> {rlx.name = "v"},
    tensor<1x2x2x1xf64> {rlx.name = "lo"}, tensor<1x2x2xf64> {rlx.name = "lse"},
    tensor<1x4x1x2xf64> {rlx.name = "merged"}, tensor<1x4x1x2xf64> {rlx.name = "fused"}) {
  %qkv = rlx.constant dense<[[
      [[0.0, 0.0]], [[10.0, 11.0]], [[20.0, 21.0]], [[30.0, 31.0]],
      [[1.0, 1.0]], [[0.0, 0.0]], [[60.0, 61.0]], [[70.0, 71.0]]]]> : tensor<1x8x1x2xf64>
  %packed = rlx.psa_pack_qkv %qkv num_heads = 2 key_dim = 1
      : (tensor<1x8x1x2xf64>) -> tensor<1x4x2x2x1xf64>
  %v = rlx.psa_extract_v %qkv num_heads = 2 key_dim = 1
      : (tensor<1x8x1x2xf64>) -> tensor<1x4x1x2xf64>
  %lo, %lse = rlx.psa_flash_attention lo %packed
      : (tensor<1x4x2x2x1xf64>) -> (tensor<1x2x2x1xf64>, tensor<1x2x2xf64>)
  %hi, %lse_hi = rlx.psa_flash_attention hi %packed
      : (tensor<1x4x2x2x1xf64>) -> (tensor<1x2x2x1xf64>, tensor<1x2x2xf64>)
  %merged = rlx.psa_merge_attn %lo, %hi h = 1 w = 2
      : (tensor<1x2x2x1xf64>, tensor<1x2x2x1xf64>) -> tensor<1x4x1x2xf64>
  %fused = rlx.psa_attention %qkv num_heads = 2 key_dim = 1
      : (tensor<1x8x1x2xf64>) -> tensor<1x4x1x2xf64>
  rlx.output %packed, %v, %lo, %lse, %merged, %fused
      : tensor<1x4x2x2x1xf64>, tensor<1x4x1x2xf64>, tensor<1x2x2x1xf64>, tensor<1x2x2xf64>,
        tensor<1x4x1x2xf64>, tensor<1x4x1x2xf64>
}
