// RUN: rlx-opt %s -rlx-fuse-psa-attention -canonicalize | FileCheck %s

// CHECK-LABEL: rlx.graph @both_halves
// CHECK-NEXT: %[[Y:.*]] = rlx.psa_attention %{{.*}} num_heads = 2 key_dim = 4
// CHECK-NEXT: rlx.output %[[Y]]
rlx.graph @both_halves(%x: tensor<?x32x3x5xf32>) -> tensor<?x16x3x5xf32> {
  %p = rlx.psa_pack_qkv %x num_heads = 2 key_dim = 4 : (tensor<?x32x3x5xf32>) -> tensor<?x4x2x15x4xf32>
  %lo, %lse0 = rlx.psa_flash_attention lo %p : (tensor<?x4x2x15x4xf32>) -> (tensor<?x2x15x4xf32>, tensor<?x2x15xf32>)
  %hi, %lse1 = rlx.psa_flash_attention hi %p : (tensor<?x4x2x15x4xf32>) -> (tensor<?x2x15x4xf32>, tensor<?x2x15xf32>)
  %y = rlx.psa_merge_attn %lo, %hi h = 3 w = 5 : (tensor<?x2x15x4xf32>, tensor<?x2x15x4xf32>) -> tensor<?x16x3x5xf32>
  rlx.output %y : tensor<?x16x3x5xf32>
}

// Swapped halves are not an attention of the image.
// CHECK-LABEL: rlx.graph @swapped
// CHECK: rlx.psa_merge_attn
rlx.graph @swapped(%x: tensor<1x32x3x5xf32>) -> tensor<1x16x3x5xf32> {
  %p = rlx.psa_pack_qkv %x num_heads = 2 key_dim = 4 : (tensor<1x32x3x5xf32>) -> tensor<1x4x2x15x4xf32>
  %lo, %lse0 = rlx.psa_flash_attention lo %p : (tensor<1x4x2x15x4xf32>) -> (tensor<1x2x15x4xf32>, tensor<1x2x15xf32>)
  %hi, %lse1 = rlx.psa_flash_attention hi %p : (tensor<1x4x2x15x4xf32>) -> (tensor<1x2x15x4xf32>, tensor<1x2x15xf32>)
  %y = rlx.psa_merge_attn %hi, %lo h = 3 w = 5 : (tensor<1x2x15x4xf32>, tensor<1x2x15x4xf32>) -> tensor<1x16x3x5xf32>
  rlx.output %y : tensor<1x16x3x5xf32>
}

// The log-sum-exp of a half is needed.
// CHECK-LABEL: rlx.graph @keeps_lse
// CHECK: rlx.psa_flash_attention lo
rlx.graph @keeps_lse(%x: tensor<1x32x3x5xf32>) -> (tensor<1x16x3x5xf32>, tensor<1x2x15xf32>) {
  %p = rlx.psa_pack_qkv %x num_heads = 2 key_dim = 4 : (tensor<1x32x3x5xf32>) -> tensor<1x4x2x15x4xf32>
  %lo, %lse0 = rlx.psa_flash_attention lo %p : (tensor<1x4x2x15x4xf32>) -> (tensor<1x2x15x4xf32>, tensor<1x2x15xf32>)
  %hi, %lse1 = rlx.psa_flash_attention hi %p : (tensor<1x4x2x15x4xf32>) -> (tensor<1x2x15x4xf32>, tensor<1x2x15xf32>)
  %y = rlx.psa_merge_attn %lo, %hi h = 3 w = 5 : (tensor<1x2x15x4xf32>, tensor<1x2x15x4xf32>) -> tensor<1x16x3x5xf32>
  rlx.output %y, %lse0 : tensor<1x16x3x5xf32>, tensor<1x2x15xf32>
}
