// RUN: rlx-opt %s | FileCheck %s --strict-whitespace
// RUN: rlx-opt %s --mlir-print-op-generic | rlx-opt | FileCheck %s --strict-whitespace

// Keywords stand between single spaces, and have a form of their own in generic assembly.
// CHECK: rlx.fused_matmul_bias_act %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} act = gelu : (
// CHECK: rlx.activation relu %
// CHECK: rlx.binary add %
// CHECK: rlx.compare ge %
// CHECK: rlx.reduce sum %{{[^ ]+}} axes = [1] keep_dims : (
// CHECK: rlx.attention causal %
// CHECK: rlx.psa_flash_attention lo %
// CHECK: rlx.packed_matmul act = relu ins(
// CHECK: rlx.online_attention sequence mask none sharing keys ins(
func.func @keywords(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>, %q: tensor<1x4x8xf32>, %k: tensor<1x4x4xf32>,
                    %packed: tensor<1x4x2x9x8xf32>, %panels: tensor<1x8x8xf32>) {
  %0 = rlx.fused_matmul_bias_act %x, %w, %b act = gelu : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %1 = rlx.activation relu %x : tensor<4x8xf32>
  %2 = rlx.binary add %x, %x : tensor<4x8xf32>
  %3 = rlx.compare ge %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  %4 = rlx.reduce sum %x axes = [1] keep_dims : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %5 = rlx.attention causal %q, %q, %q num_heads = 2 head_dim = 4 : (tensor<1x4x8xf32>, tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  %6, %7 = rlx.psa_flash_attention lo %packed : (tensor<1x4x2x9x8xf32>) -> (tensor<1x2x9x8xf32>, tensor<1x2x9xf32>)
  %8 = rlx.packed_matmul act = relu ins(%x, %panels : tensor<4x8xf32>, tensor<1x8x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  %9 = rlx.online_attention sequence mask none sharing keys ins(%q, %k, %k : tensor<1x4x8xf32>, tensor<1x4x4xf32>, tensor<1x4x4xf32>) outs(%q : tensor<1x4x8xf32>) {num_heads = 2 : i64, scale = 0.5 : f64} -> tensor<1x4x8xf32>
  return
}
