// RUN: rlx-opt %s -rlx-convert-to-linalg -split-input-file | FileCheck %s

// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
// CHECK-DAG:   #[[Y:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @rlx_run(
// CHECK-SAME:      %[[ARG0:.*]]: tensor<?x7x256xf32> {{{.*}}}, %[[ARG1:.*]]: tensor<256x64xf32>
// CHECK:         %[[INIT:.*]] = linalg.fill
// CHECK:         linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[Y]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[ARG0]], %[[ARG1]] : {{.*}}) outs(%[[INIT]] : tensor<?x7x64xf32>)
// CHECK:           arith.mulf
// CHECK:           arith.addf
rlx.graph @matmul(%x: tensor<?x7x256xf32>) -> tensor<?x7x64xf32> {
  %w = rlx.param "w" : tensor<256x64xf32>
  %y = rlx.matmul %x, %w : (tensor<?x7x256xf32>, tensor<256x64xf32>) -> tensor<?x7x64xf32>
  rlx.output %y : tensor<?x7x64xf32>
}

// -----

// Batch dims that broadcast are left out of the map.

// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d4)>
// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>
// CHECK-LABEL: func.func @rlx_run(
// CHECK:         %[[LHS:.*]] = tensor.collapse_shape %{{.*}} : tensor<1x3x4x5xf32> into tensor<3x4x5xf32>
// CHECK:         %[[RHS:.*]] = tensor.collapse_shape %{{.*}} : tensor<2x1x5x6xf32> into tensor<2x5x6xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[X]], #[[W]], #{{.*}}]
// CHECK-SAME:      ins(%[[LHS]], %[[RHS]] :
rlx.graph @batched(%x: tensor<1x3x4x5xf32>, %w: tensor<2x1x5x6xf32>) -> tensor<2x3x4x6xf32> {
  %y = rlx.matmul %x, %w : (tensor<1x3x4x5xf32>, tensor<2x1x5x6xf32>) -> tensor<2x3x4x6xf32>
  rlx.output %y : tensor<2x3x4x6xf32>
}

// -----

// The bias is the accumulator's initial value; the activation follows.

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         %[[INIT:.*]] = linalg.broadcast ins(%[[B:.*]] : tensor<64xf32>) outs(%{{.*}} : tensor<1x7x64xf32>) dimensions = [0, 1]
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} outs(%[[INIT]] : tensor<1x7x64xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[SUM]] : tensor<1x7x64xf32>)
// CHECK:           arith.maximumf
rlx.graph @fused(%x: tensor<1x7x256xf32>) -> tensor<1x7x64xf32> {
  %w = rlx.param "w" : tensor<256x64xf32>
  %b = rlx.param "b" : tensor<64xf32>
  %y = rlx.fused_matmul_bias_act %x, %w, %b act = relu
      : (tensor<1x7x256xf32>, tensor<256x64xf32>, tensor<64xf32>) -> tensor<1x7x64xf32>
  rlx.output %y : tensor<1x7x64xf32>
}

// -----

// Narrow floats accumulate in f32.

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<64xbf16>) outs(%{{.*}} : tensor<64xf32>)
// CHECK:           arith.extf
// CHECK:         %[[INIT:.*]] = linalg.broadcast {{.*}} outs(%{{.*}} : tensor<7x64xf32>)
// CHECK:         linalg.generic {{.*}} outs(%[[INIT]] : tensor<7x64xf32>)
// CHECK-COUNT-2:   arith.extf %{{.*}} : bf16 to f32
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<7x64xbf16>)
// CHECK:           math.exp
// CHECK:           arith.truncf %{{.*}} : f32 to bf16
rlx.graph @narrow(%x: tensor<7x256xbf16>) -> tensor<7x64xbf16> {
  %w = rlx.param "w" : tensor<256x64xbf16>
  %b = rlx.param "b" : tensor<64xbf16>
  %y = rlx.fused_matmul_bias_act %x, %w, %b act = silu
      : (tensor<7x256xbf16>, tensor<256x64xbf16>, tensor<64xbf16>) -> tensor<7x64xbf16>
  rlx.output %y : tensor<7x64xbf16>
}

// -----

// An inner size that is known at run time only.

// CHECK-LABEL: func.func @rlx_shapes(
// CHECK:         cf.assert %{{.*}}, "'rlx.matmul' x dim 1 and w dim 0: sizes differ at run time"
// CHECK-LABEL: func.func @rlx_run(
// CHECK:         cf.assert %{{.*}}, "'rlx.matmul' x dim 1 and w dim 0: sizes differ at run time"
rlx.graph @inner(%x: tensor<4x?xf64>, %w: tensor<?x5xf64>) -> tensor<4x5xf64> {
  %y = rlx.matmul %x, %w : (tensor<4x?xf64>, tensor<?x5xf64>) -> tensor<4x5xf64>
  rlx.output %y : tensor<4x5xf64>
}
