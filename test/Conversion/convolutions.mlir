// RUN: rlx-opt %s -rlx-convert-to-linalg -split-input-file | FileCheck %s

// A 1x1 convolution is a contraction over channels, without a reshape of the image.

// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d4)>
// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d2, d3)>
// CHECK-DAG:   #[[Y:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @rlx_run(
// CHECK-SAME:      %[[IMAGE:.*]]: tensor<?x128x20x20xf32>
// CHECK-DAG:     %[[INIT:.*]] = linalg.broadcast {{.*}} outs(%{{.*}} : tensor<?x256x20x20xf32>) dimensions = [0, 2, 3]
// CHECK-DAG:     %[[MATRIX:.*]] = tensor.collapse_shape {{.*}} : tensor<256x128x1x1xf32> into tensor<256x128xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[W]], #[[X]], #[[Y]]]
// CHECK-SAME:      ins(%[[MATRIX]], %[[IMAGE]] :
// CHECK-SAME:      outs(%[[INIT]] :
rlx.graph @pointwise(%x: tensor<?x128x20x20xf32>) -> tensor<?x256x20x20xf32> {
  %w = rlx.param "w" : tensor<256x128x1x1xf32>
  %b = rlx.param "b" : tensor<256xf32>
  %y = rlx.conv2d %x, %w, %b
      : (tensor<?x128x20x20xf32>, tensor<256x128x1x1xf32>, tensor<256xf32>)
      -> tensor<?x256x20x20xf32>
  rlx.output %y : tensor<?x256x20x20xf32>
}

// -----

// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2 + d4, d3 + d5)>
// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d4, d5)>
// CHECK-LABEL: func.func @rlx_run(
// CHECK:         %[[PADDED:.*]] = tensor.pad %{{.*}} low[0, 0, 1, 1] high[0, 0, 1, 1]
// CHECK:         linalg.generic {indexing_maps = [#[[X]], #[[W]], #{{.*}}]
// CHECK-SAME:      ins(%[[PADDED]]
rlx.graph @depthwise(%x: tensor<1x128x20x20xf32>) -> tensor<1x128x20x20xf32> {
  %w = rlx.param "w" : tensor<128x1x3x3xf32>
  %b = rlx.param "b" : tensor<128xf32>
  %y = rlx.conv2d %x, %w, %b padding = [1, 1] groups = 128
      : (tensor<1x128x20x20xf32>, tensor<128x1x3x3xf32>, tensor<128xf32>)
      -> tensor<1x128x20x20xf32>
  rlx.output %y : tensor<1x128x20x20xf32>
}

// -----

// Strides and dilations are part of the map; sizes of the result are computed.

// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5, d3 + d6 * 3)>
// CHECK-DAG:   #[[H:.*]] = affine_map<()[s0] -> ((s0 - 3) floordiv 2 + 1)>
// CHECK-DAG:   #[[WIDTH:.*]] = affine_map<()[s0] -> (s0 - 6)>
// CHECK-LABEL: func.func @rlx_shapes(
// CHECK-SAME:      %[[H0:.*]]: index, %[[W0:.*]]: index)
// CHECK-DAG:     cf.assert %{{.*}}, "'rlx.conv2d' x dim 2: the filter does not fit into the image at run time"
// CHECK-DAG:     cf.assert %{{.*}}, "'rlx.conv2d' x dim 3: the filter does not fit into the image at run time"
// CHECK-DAG:     %[[H1:.*]] = affine.apply #[[H]]()[%[[H0]]]
// CHECK-DAG:     %[[W1:.*]] = affine.apply #[[WIDTH]]()[%[[W0]]]
// CHECK:         return %c1, %c8, %[[H1]], %[[W1]], %c0
// CHECK-LABEL: func.func @rlx_run(
// CHECK:         linalg.fill
// CHECK:         linalg.generic {indexing_maps = [#[[X]],
rlx.graph @strided(%x: tensor<1x4x?x?xf32>) -> tensor<1x8x?x?xf32> {
  %w = rlx.param "w" : tensor<8x4x3x3xf32>
  %y = rlx.conv2d %x, %w stride = [2, 1] dilation = [1, 3]
      : (tensor<1x4x?x?xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x?x?xf32>
  rlx.output %y : tensor<1x8x?x?xf32>
}

// -----

// Groups are a dim of their own, also of the bias and of the accumulator.

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         %[[BIAS:.*]] = tensor.expand_shape %{{.*}} : tensor<6xf32> into tensor<2x3xf32>
// CHECK:         %[[INIT:.*]] = linalg.broadcast ins(%[[BIAS]] : tensor<2x3xf32>) outs(%{{.*}} : tensor<1x2x3x3x3xf32>) dimensions = [0, 3, 4]
// CHECK-DAG:     tensor.expand_shape %{{.*}} : tensor<1x4x5x5xf32> into tensor<1x2x2x5x5xf32>
// CHECK-DAG:     tensor.expand_shape %{{.*}} : tensor<6x2x3x3xf32> into tensor<2x3x2x3x3xf32>
// CHECK:         linalg.generic {{.*}} outs(%[[INIT]] : tensor<1x2x3x3x3xf32>)
// CHECK:         tensor.collapse_shape %{{.*}} : tensor<1x2x3x3x3xf32> into tensor<1x6x3x3xf32>
rlx.graph @grouped(%x: tensor<1x4x5x5xf32>) -> tensor<1x6x3x3xf32> {
  %w = rlx.param "w" : tensor<6x2x3x3xf32>
  %b = rlx.param "b" : tensor<6xf32>
  %y = rlx.conv2d %x, %w, %b groups = 2
      : (tensor<1x4x5x5xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<1x6x3x3xf32>
  rlx.output %y : tensor<1x6x3x3xf32>
}
