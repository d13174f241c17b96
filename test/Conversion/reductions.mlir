// RUN: rlx-opt %s -rlx-convert-to-linalg -split-input-file | FileCheck %s

// CHECK-DAG:   #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG:   #[[ROWS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: func.func @rlx_run(
// CHECK:         %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[ROWS]]], iterator_types = ["parallel", "reduction", "parallel"]}
// CHECK:         %[[MEAN:.*]] = linalg.generic {{.*}} ins(%[[SUM]]
// CHECK:           arith.divf
// CHECK:         tensor.expand_shape %[[MEAN]] {{.*}} : tensor<?x64xf32> into tensor<?x1x64xf32>
rlx.graph @mean(%x: tensor<?x7x64xf32>) -> tensor<?x1x64xf32> {
  %y = rlx.reduce mean %x axes = [1] keep_dims : (tensor<?x7x64xf32>) -> tensor<?x1x64xf32>
  rlx.output %y : tensor<?x1x64xf32>
}

// -----

// CHECK-LABEL: func.func @rlx_run(
// CHECK-DAG:     %[[LEAST:.*]] = arith.constant -2147483648 : i32
// CHECK:         linalg.fill ins(%[[LEAST]] : i32) outs(%{{.*}} : tensor<i32>)
// CHECK:         arith.maxsi
rlx.graph @max(%x: tensor<4x8xi32>) -> tensor<i32> {
  %y = rlx.reduce max %x axes = [0, 1] : (tensor<4x8xi32>) -> tensor<i32>
  rlx.output %y : tensor<i32>
}

// -----

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<4x8xf16>) outs(%{{.*}} : tensor<4xf32>)
// CHECK:           arith.extf
// CHECK:           arith.mulf
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<4xf32>) outs(%{{.*}} : tensor<4xf16>)
rlx.graph @prod(%x: tensor<4x8xf16>) -> tensor<4xf16> {
  %y = rlx.reduce prod %x axes = [-1] : (tensor<4x8xf16>) -> tensor<4xf16>
  rlx.output %y : tensor<4xf16>
}

// -----

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         %[[MAX:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK:           arith.maximumf
// CHECK:         %[[EXP:.*]] = linalg.generic {{.*}} ins(%[[X:.*]], %[[MAX]] :
// CHECK:           arith.subf
// CHECK:           math.exp
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[EXP]] :
// CHECK:         linalg.generic {{.*}} ins(%[[EXP]], %[[SUM]] :
// CHECK:           arith.divf
rlx.graph @softmax(%x: tensor<?x7x9xf32>) -> tensor<?x7x9xf32> {
  %y = rlx.softmax %x axis = -1 : tensor<?x7x9xf32>
  rlx.output %y : tensor<?x7x9xf32>
}

// -----

// The mean, then the variance of the centered elements.

// CHECK-LABEL: func.func @rlx_run(
// CHECK-SAME:      %[[X:.*]]: tensor<1x7x256xf32> {{{.*}}}, %[[G:.*]]: tensor<256xf32> {{{.*}}}, %[[B:.*]]: tensor<256xf32> {
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[X]] :
// CHECK:         %[[MEAN:.*]] = linalg.generic {{.*}} ins(%[[SUM]] :
// CHECK:         %[[SQUARES:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %[[MEAN]] :
// CHECK:           %[[C:.*]] = arith.subf
// CHECK:           arith.mulf %[[C]], %[[C]]
// CHECK:         %[[SCALE:.*]] = linalg.generic {{.*}} ins(%[[SQUARES]] :
// CHECK:           math.sqrt
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[X]], %[[MEAN]], %[[SCALE]], %[[G]], %[[B]] :
rlx.graph @layer_norm(%x: tensor<1x7x256xf32>) -> tensor<1x7x256xf32> {
  %g = rlx.param "g" : tensor<256xf32>
  %b = rlx.param "b" : tensor<256xf32>
  %y = rlx.layer_norm %x, %g, %b axis = -1 epsilon = 1.0e-5
      : (tensor<1x7x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<1x7x256xf32>
  rlx.output %y : tensor<1x7x256xf32>
}

// -----

// The sum stays f32; dims from the axis on are normalized together, here of a size
// known at run time.

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x?x8xf32>)
// CHECK:           arith.addf
// CHECK:         cf.assert %{{.*}}, "'rlx.fused_residual_layer_norm' x dim 1 and gamma dim 0: sizes differ at run time"
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "reduction"]}
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<4x?x8xbf16>)
rlx.graph @residual(%x: tensor<4x?x8xbf16> {rlx.dims = ["", "n", ""]},
                    %r: tensor<4x?x8xbf16> {rlx.dims = ["", "n", ""]}, %g: tensor<?x8xbf16>)
    -> tensor<4x?x8xbf16> {
  %y = rlx.fused_residual_layer_norm %x, %r, %g, %g axis = 1 epsilon = 1.0e-5
      : (tensor<4x?x8xbf16>, tensor<4x?x8xbf16>, tensor<?x8xbf16>, tensor<?x8xbf16>)
      -> tensor<4x?x8xbf16>
  rlx.output %y : tensor<4x?x8xbf16>
}
