// RUN: rlx-opt %s -rlx-convert-to-linalg -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         linalg.transpose ins(%{{.*}} : tensor<?x7x64xf32>) outs(%{{.*}} : tensor<?x64x7xf32>) permutation = [0, 2, 1]
rlx.graph @transpose(%x: tensor<?x7x64xf32>) -> tensor<?x64x7xf32> {
  %y = rlx.transpose %x permutation = [0, 2, 1] : (tensor<?x7x64xf32>) -> tensor<?x64x7xf32>
  rlx.output %y : tensor<?x64x7xf32>
}

// -----

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         cf.assert %{{.*}}, "'rlx.narrow' x dim 0: expected a size of at least 7 at run time"
// CHECK:         tensor.extract_slice %{{.*}}[2, 0] [5, 8] [1, 1] : tensor<?x8xi32>
rlx.graph @narrow(%x: tensor<?x8xi32>) -> tensor<5x8xi32> {
  %y = rlx.narrow %x axis = 0 start = 2 length = 5 : (tensor<?x8xi32>) -> tensor<5x8xi32>
  rlx.output %y : tensor<5x8xi32>
}

// -----

// CHECK-DAG:   #[[SUM:.*]] = affine_map<()[s0, s1] -> (s0 + s1)>
// CHECK-LABEL: func.func @rlx_shapes(
// CHECK-SAME:      %[[A:.*]]: index, %[[B:.*]]: index)
// CHECK:         %[[TOTAL:.*]] = affine.apply #[[SUM]]()[%[[A]], %[[B]]]
// CHECK:         return %[[TOTAL]], %c8, %c0
// CHECK-LABEL: func.func @rlx_run(
// CHECK:         %[[FIRST:.*]] = tensor.insert_slice %[[X:.*]] into %{{.*}}[0, 0]
// CHECK:         tensor.insert_slice %{{.*}} into %[[FIRST]][%{{.*}}, 0]
rlx.graph @concat(%a: tensor<?x8xf32>, %b: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = rlx.concat %a, %b axis = 0 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  rlx.output %y : tensor<?x8xf32>
}

// -----

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         linalg.broadcast ins(%{{.*}} : tensor<?x64xf32>) outs(%{{.*}} : tensor<3x?x64xf32>) dimensions = [0]
rlx.graph @new_dim(%x: tensor<?x64xf32>) -> tensor<3x?x64xf32> {
  %y = rlx.expand %x : (tensor<?x64xf32>) -> tensor<3x?x64xf32>
  rlx.output %y : tensor<3x?x64xf32>
}

// -----

// CHECK-DAG:   #[[REPEAT:.*]] = affine_map<(d0, d1, d2) -> (d0, 0, d2)>
// CHECK-LABEL: func.func @rlx_run(
// CHECK:         linalg.generic {indexing_maps = [#[[REPEAT]],
// CHECK-SAME:      outs(%{{.*}} : tensor<?x7x64xf32>)
rlx.graph @repeat(%x: tensor<?x1x64xf32>) -> tensor<?x7x64xf32> {
  %y = rlx.expand %x : (tensor<?x1x64xf32>) -> tensor<?x7x64xf32>
  rlx.output %y : tensor<?x7x64xf32>
}

// -----

// Indices are checked before they are used, by rlx_run only.

// CHECK-DAG:   #[[IDS:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @rlx_shapes(
// CHECK-NOT:     cf.assert
// CHECK:         return
// CHECK-LABEL: func.func @rlx_run(
// CHECK-SAME:      %[[TABLE:[^,]*]]: tensor<1000x64xf32> {{{.*}}}, %[[IDS_ARG:.*]]: tensor<?x7xi32> {
// CHECK:         linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]} ins(%[[IDS_ARG]]
// CHECK:           arith.cmpi ult, %{{.*}}, %c1000 : index
// CHECK:         cf.assert %{{.*}}, "'rlx.gather' indices: expected each in [0, 1000) for x dim 0, found one that is not" {rlx.data_check}
// CHECK:         linalg.generic {indexing_maps = [#[[IDS]],
// CHECK:           %[[COLUMN:.*]] = linalg.index 2
// CHECK:           tensor.extract %[[TABLE]][%{{.*}}, %[[COLUMN]]]
rlx.graph @gather(%x: tensor<1000x64xf32>, %ids: tensor<?x7xi32>) -> tensor<?x7x64xf32> {
  %y = rlx.gather %x, %ids axis = 0
      : (tensor<1000x64xf32>, tensor<?x7xi32>) -> tensor<?x7x64xf32>
  rlx.output %y : tensor<?x7x64xf32>
}

// -----

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         arith.constant dense<[1, 0, 1]> : tensor<3xi8>
rlx.graph @constant() -> tensor<3xi1> {
  %c = rlx.constant dense<[true, false, true]> : tensor<3xi1>
  rlx.output %c : tensor<3xi1>
}
