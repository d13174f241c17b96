// RUN: rlx-opt %s | rlx-opt | FileCheck %s

// CHECK-LABEL: func.func @tensors
// CHECK: rlx.online_attention sequence mask none ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<1x7x32xf32>, tensor<1x?x32xf32>, tensor<1x?x64xf32>) outs(%{{.*}} : tensor<1x7x64xf32>) {num_heads = 4 : i64, scale = 5.000000e-01 : f64} -> tensor<1x7x64xf32>
// CHECK: rlx.online_attention sequence mask causal sharing keys offset(%{{.*}})
// CHECK: rlx.online_attention sequence mask none sharing queries
// CHECK-SAME: key_bias(%{{.*}} : tensor<1x4x7xf32>)
// CHECK: rlx.online_attention head_channel mask custom
// CHECK-SAME: masked_by(%{{.*}} : tensor<1x1x5x9xi8>)
// CHECK-SAME: key_chunk = 3
func.func @tensors(%q: tensor<1x7x32xf32>, %k: tensor<1x?x32xf32>, %v: tensor<1x?x64xf32>, %e: tensor<1x7x64xf32>, %k1: tensor<1x9x8xf32>, %e1: tensor<1x7x32xf32>, %b: tensor<1x4x7xf32>, %e2: tensor<1x9x8xf32>, %i: index,
                   %q4: tensor<2x3x8x5xf32>, %k4: tensor<2x3x8x9xf32>, %m: tensor<1x1x5x9xi8>, %e4: tensor<3x2x3x8x5xf32>, %s: tensor<3x2x3x5xf32>) {
  %0 = rlx.online_attention sequence mask none ins(%q, %k, %v : tensor<1x7x32xf32>, tensor<1x?x32xf32>, tensor<1x?x64xf32>) outs(%e : tensor<1x7x64xf32>) {num_heads = 4 : i64, scale = 0.5 : f64} -> tensor<1x7x64xf32>
  %1 = rlx.online_attention sequence mask causal sharing keys offset(%i) ins(%q, %k1, %k1 : tensor<1x7x32xf32>, tensor<1x9x8xf32>, tensor<1x9x8xf32>) outs(%e1 : tensor<1x7x32xf32>) {num_heads = 4 : i64, scale = 0.5 : f64} -> tensor<1x7x32xf32>
  %2 = rlx.online_attention sequence mask none sharing queries ins(%k1, %q, %q : tensor<1x9x8xf32>, tensor<1x7x32xf32>, tensor<1x7x32xf32>) key_bias(%b : tensor<1x4x7xf32>) outs(%e2 : tensor<1x9x8xf32>) {num_heads = 4 : i64, scale = 0.5 : f64} -> tensor<1x9x8xf32>
  %3:3 = rlx.online_attention head_channel mask custom ins(%q4, %k4, %k4 : tensor<2x3x8x5xf32>, tensor<2x3x8x9xf32>, tensor<2x3x8x9xf32>) masked_by(%m : tensor<1x1x5x9xi8>) outs(%e4, %s, %s : tensor<3x2x3x8x5xf32>, tensor<3x2x3x5xf32>, tensor<3x2x3x5xf32>) {num_heads = 3 : i64, scale = 0.5 : f64, key_chunk = 3 : i64} -> tensor<3x2x3x8x5xf32>, tensor<3x2x3x5xf32>, tensor<3x2x3x5xf32>
  return
}
