// RUN: rlx-opt %s -rlx-convert-to-linalg -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @rlx_run(
// CHECK-SAME:      %[[Q:.*]]: tensor<1x7x128xf32> {{{.*}}}, %[[K:.*]]: tensor<1x4096x128xf32> {{{.*}}}, %[[V:.*]]: tensor<1x4096x64xf32>
// CHECK:         %[[INIT:.*]] = tensor.empty() : tensor<1x7x64xf32>
// CHECK:         rlx.online_attention sequence mask none ins(%[[Q]], %[[K]], %[[V]] :
// CHECK-SAME:      outs(%[[INIT]] : tensor<1x7x64xf32>) {num_heads = 8 : i64, scale = 2.500000e-01 : f64}
rlx.graph @plain(%q: tensor<1x7x128xf32>, %k: tensor<1x4096x128xf32>, %v: tensor<1x4096x64xf32>)
    -> tensor<1x7x64xf32> {
  %y = rlx.attention none %q, %k, %v num_heads = 8 head_dim = 16
      : (tensor<1x7x128xf32>, tensor<1x4096x128xf32>, tensor<1x4096x64xf32>)
      -> tensor<1x7x64xf32>
  rlx.output %y : tensor<1x7x64xf32>
}

// -----

// A causal mask is aligned at the end.

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         %[[OFFSET:.*]] = affine.apply #{{.*}}()[%{{.*}}, %{{.*}}]
// CHECK:         rlx.online_attention sequence mask causal offset(%[[OFFSET]])
rlx.graph @causal(%q: tensor<2x?x8xf32> {rlx.dims = ["", "n", ""]},
                  %k: tensor<2x?x8xf32> {rlx.dims = ["", "m", ""]},
                  %v: tensor<2x?x8xf32> {rlx.dims = ["", "m", ""]}) -> tensor<2x?x8xf32> {
  %y = rlx.attention causal %q, %k, %v num_heads = 2 head_dim = 4
      : (tensor<2x?x8xf32>, tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
  rlx.output %y : tensor<2x?x8xf32>
}

// -----

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         rlx.online_attention sequence mask sliding_window ins(
// CHECK-SAME:      window = 3 : i64
rlx.graph @window(%x: tensor<1x7x8xf32>) -> tensor<1x7x8xf32> {
  %y = rlx.attention sliding_window %x, %x, %x num_heads = 2 head_dim = 4 window = 3
      : (tensor<1x7x8xf32>, tensor<1x7x8xf32>, tensor<1x7x8xf32>) -> tensor<1x7x8xf32>
  rlx.output %y : tensor<1x7x8xf32>
}

// -----

// A [B, Lk] mask of booleans; its size is compared with the keys'.

// CHECK-LABEL: func.func @rlx_run(
// CHECK-SAME:      %[[MASK:[^,]*]]: tensor<?x?xi8>
// CHECK-DAG:     cf.assert %{{.*}}, "'rlx.attention' mask dim 0 and q dim 0: sizes differ at run time"
// CHECK-DAG:     cf.assert %{{.*}}, "'rlx.attention' mask dim 1 and k dim 1: sizes differ at run time"
// CHECK-DAG:     %[[FULL:.*]] = tensor.expand_shape %[[MASK]] {{\[\[}}0, 1, 2], [3]] {{.*}} : tensor<?x?xi8> into tensor<?x1x1x?xi8>
// CHECK:         rlx.online_attention sequence mask custom ins({{.*}}) masked_by(%[[FULL]] : tensor<?x1x1x?xi8>)
rlx.graph @mask(%q: tensor<2x7x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>,
                %mask: tensor<?x?xi1>) -> tensor<2x7x8xf32> {
  %y = rlx.attention custom %q, %k, %v, %mask num_heads = 2 head_dim = 4
      : (tensor<2x7x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<?x?xi1>)
      -> tensor<2x7x8xf32>
  rlx.output %y : tensor<2x7x8xf32>
}

// -----

// CHECK-LABEL: func.func @rlx_run(
// CHECK-SAME:      %[[BIAS:[^,]*]]: tensor<1x2x1x9xf32>
// CHECK:         rlx.online_attention sequence mask bias ins({{.*}}) masked_by(%[[BIAS]] : tensor<1x2x1x9xf32>)
rlx.graph @bias(%q: tensor<2x7x8xf32>, %k: tensor<2x9x8xf32>, %mask: tensor<1x2x1x9xf32>)
    -> tensor<2x7x8xf32> {
  %y = rlx.attention bias %q, %k, %k, %mask num_heads = 2 head_dim = 4
      : (tensor<2x7x8xf32>, tensor<2x9x8xf32>, tensor<2x9x8xf32>, tensor<1x2x1x9xf32>)
      -> tensor<2x7x8xf32>
  rlx.output %y : tensor<2x7x8xf32>
}
