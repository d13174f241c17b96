// RUN: rlx-opt %s -rlx-convert-to-linalg -split-input-file | FileCheck %s

// Values are read where they are by a loop that can be fused into their users: no view of the image has
// their shape.

// CHECK:       #[[CHANNEL:.*]] = affine_map<()[s0] -> (s0 + (s0 floordiv 64) * 64 + 64)>
// CHECK-LABEL: func.func @rlx_run(
// CHECK-SAME:      %[[X:.*]]: tensor<?x256x20x20xf32>
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<?x128x20x20xf32>)
// CHECK:           %[[C:.*]] = linalg.index 1 : index
// CHECK:           %[[SOURCE:.*]] = affine.apply #[[CHANNEL]]()[%[[C]]]
// CHECK:           tensor.extract %[[X]][%{{.*}}, %[[SOURCE]], %{{.*}}, %{{.*}}]
rlx.graph @values(%x: tensor<?x256x20x20xf32>) -> tensor<?x128x20x20xf32> {
  %y = rlx.psa_extract_v %x num_heads = 2 key_dim = 32
      : (tensor<?x256x20x20xf32>) -> tensor<?x128x20x20xf32>
  rlx.output %y : tensor<?x128x20x20xf32>
}

// -----

// CHECK-LABEL: func.func @rlx_run(
// CHECK-DAG:     %[[Q:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0, 0, 0] {{.*}} to tensor<3x2x400x32xf32>
// CHECK-DAG:     %[[K:.*]] = tensor.extract_slice %{{.*}}[0, 1, 0, 0, 0] {{.*}} to tensor<3x2x400x32xf32>
// CHECK-DAG:     %[[V:.*]] = tensor.extract_slice %{{.*}}[0, 3, 0, 0, 0] {{.*}} to tensor<3x2x400x32xf32>
// CHECK:         rlx.online_attention head_sequence mask none ins(%[[Q]], %[[K]], %[[V]] :
// CHECK-SAME:      outs({{.*}} : tensor<3x2x400x32xf32>, tensor<3x2x400xf32>) {num_heads = 2 : i64,
rlx.graph @flash(%x: tensor<3x4x2x400x32xf32>) -> (tensor<3x2x400x32xf32>, tensor<3x2x400xf32>) {
  %y, %lse = rlx.psa_flash_attention hi %x
      : (tensor<3x4x2x400x32xf32>) -> (tensor<3x2x400x32xf32>, tensor<3x2x400xf32>)
  rlx.output %y, %lse : tensor<3x2x400x32xf32>, tensor<3x2x400xf32>
}

// -----

// Heads that are counted at run time only are taken as batches.

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         rlx.online_attention head_sequence {{.*}} outs({{.*}} : tensor<?x1x9x8xf32>, tensor<?x1x9xf32>) {num_heads = 1 : i64,
rlx.graph @dynamic_heads(%x: tensor<3x4x?x9x8xf32>) -> tensor<3x?x9x8xf32> {
  %y, %lse = rlx.psa_flash_attention lo %x
      : (tensor<3x4x?x9x8xf32>) -> (tensor<3x?x9x8xf32>, tensor<3x?x9xf32>)
  rlx.output %y : tensor<3x?x9x8xf32>
}

// -----

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         linalg.transpose {{.*}} outs(%{{.*}} : tensor<?x2x32x400xf32>) permutation = [0, 1, 3, 2]
// CHECK:         tensor.insert_slice {{.*}}[0, 0, 0, 0, 0]
// CHECK:         linalg.transpose
// CHECK:         %[[MERGED:.*]] = tensor.insert_slice {{.*}}[0, 0, 1, 0, 0] {{.*}} into tensor<?x2x2x32x400xf32>
// CHECK:         %[[ROWS:.*]] = tensor.collapse_shape %[[MERGED]] {{.*}} into tensor<?x128x400xf32>
// CHECK:         tensor.expand_shape %[[ROWS]] {{.*}} into tensor<?x128x20x20xf32>
rlx.graph @merge(%lo: tensor<?x2x400x32xf32> {rlx.dims = ["b", "", "", ""]},
                 %hi: tensor<?x2x400x32xf32> {rlx.dims = ["b", "", "", ""]})
    -> tensor<?x128x20x20xf32> {
  %y = rlx.psa_merge_attn %lo, %hi h = 20 w = 20
      : (tensor<?x2x400x32xf32>, tensor<?x2x400x32xf32>) -> tensor<?x128x20x20xf32>
  rlx.output %y : tensor<?x128x20x20xf32>
}

// -----

// The fused op works on views of the images.

// CHECK-LABEL: func.func @rlx_run(
// CHECK-NOT:     linalg.
// CHECK-DAG:     %[[Q:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0, 0] {{.*}} to tensor<?x2x32x400xf32>
// CHECK-DAG:     %[[K:.*]] = tensor.extract_slice %{{.*}}[0, 0, 32, 0] {{.*}} to tensor<?x2x32x400xf32>
// CHECK-DAG:     %[[V:.*]] = tensor.extract_slice %{{.*}}[0, 0, 64, 0] {{.*}} to tensor<?x2x64x400xf32>
// CHECK:         %[[OUT:.*]] = rlx.online_attention head_channel mask none ins(%[[Q]], %[[K]], %[[V]] :
// CHECK-SAME:      -> tensor<?x2x64x400xf32>
// CHECK:         %[[ROWS:.*]] = tensor.collapse_shape %[[OUT]] {{.*}} into tensor<?x128x400xf32>
// CHECK:         tensor.expand_shape %[[ROWS]] {{.*}} into tensor<?x128x20x20xf32>
rlx.graph @fused(%x: tensor<?x256x20x20xf32>) -> tensor<?x128x20x20xf32> {
  %y = rlx.psa_attention %x num_heads = 2 key_dim = 32
      : (tensor<?x256x20x20xf32>) -> tensor<?x128x20x20xf32>
  rlx.output %y : tensor<?x128x20x20xf32>
}
