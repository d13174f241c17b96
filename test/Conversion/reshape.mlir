// RUN: rlx-opt %s -rlx-convert-to-linalg -split-input-file | FileCheck %s

// Dynamic dims carry over in order; only dims that mix are in one group.

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3]] {{.*}} : tensor<?x?x256xf32> into tensor<?x?x8x32xf32>
rlx.graph @heads(%x: tensor<?x?x256xf32>) -> tensor<?x?x8x32xf32> {
  %y = rlx.reshape %x : (tensor<?x?x256xf32>) -> tensor<?x?x8x32xf32>
  rlx.output %y : tensor<?x?x8x32xf32>
}

// -----

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         %[[C:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2], [3]] : tensor<5x4x6x7xf32> into tensor<5x24x7xf32>
// CHECK:         tensor.expand_shape %[[C]] {{\[\[}}0], [1, 2], [3, 4]] {{.*}} into tensor<5x3x8x7x1xf32>
rlx.graph @mixed(%x: tensor<5x4x6x7xf32>) -> tensor<5x3x8x7x1xf32> {
  %y = rlx.reshape %x : (tensor<5x4x6x7xf32>) -> tensor<5x3x8x7x1xf32>
  rlx.output %y : tensor<5x3x8x7x1xf32>
}

// -----

// One dim is computed; what surrounds it stays apart.

// CHECK-LABEL: func.func @rlx_run(
// CHECK-NOT:     cf.assert
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2], [3]] : tensor<3x?x7x64xf32> into tensor<3x?x64xf32>
rlx.graph @computed(%x: tensor<3x?x7x64xf32>) -> tensor<3x?x64xf32> {
  %y = rlx.reshape %x : (tensor<3x?x7x64xf32>) -> tensor<3x?x64xf32>
  rlx.output %y : tensor<3x?x64xf32>
}

// -----

// CHECK-DAG:   #[[REST:.*]] = affine_map<()[s0] -> (s0 * 4 - (s0 floordiv 2) * 8)>
// CHECK-LABEL: func.func @rlx_shapes(
// CHECK:         cf.assert %{{.*}}, "'rlx.reshape' x: expected a multiple of 8 elements at run time"
// CHECK-LABEL: func.func @rlx_run(
// CHECK:         cf.assert
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<?x4xf32> into tensor<?xf32>
// CHECK:         tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1]] {{.*}} : tensor<?xf32> into tensor<?x8xf32>
rlx.graph @divided(%x: tensor<?x4xf32>) -> tensor<?x8xf32> {
  %y = rlx.reshape %x : (tensor<?x4xf32>) -> tensor<?x8xf32>
  rlx.output %y : tensor<?x8xf32>
}

// -----

// A dynamic dim that must turn out to be 1.

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         cf.assert %{{.*}}, "'rlx.reshape' x: expected 4 elements at run time"
// CHECK:         tensor.collapse_shape
rlx.graph @vanishing(%x: tensor<?x4xf32>) -> tensor<4xf32> {
  %y = rlx.reshape %x : (tensor<?x4xf32>) -> tensor<4xf32>
  rlx.output %y : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @rlx_run(
// CHECK-DAG:     tensor.collapse_shape %{{.*}} [] : tensor<1x1xf32> into tensor<f32>
// CHECK-DAG:     tensor.expand_shape %{{.*}} [] output_shape [1, 1, 1] : tensor<f32> into tensor<1x1x1xf32>
rlx.graph @scalars(%x: tensor<1x1xf32>, %s: tensor<f32>) -> (tensor<f32>, tensor<1x1x1xf32>) {
  %y = rlx.reshape %x : (tensor<1x1xf32>) -> tensor<f32>
  %z = rlx.reshape %s : (tensor<f32>) -> tensor<1x1x1xf32>
  rlx.output %y, %z : tensor<f32>, tensor<1x1x1xf32>
}

// -----

// Several dynamic dims in one group are copied.

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1, 2]] : tensor<?x?x6xf32> into tensor<?xf32>
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<2x?x?x3xf32>)
// CHECK:           tensor.extract %[[FLAT]]
rlx.graph @several(%x: tensor<?x?x6xf32>) -> tensor<2x?x?x3xf32> {
  %y = rlx.reshape %x : (tensor<?x?x6xf32>) -> tensor<2x?x?x3xf32>
  rlx.output %y : tensor<2x?x?x3xf32>
}
