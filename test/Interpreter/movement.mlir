// RUN: rlx-interpret %s --print | FileCheck %s

// CHECK-LABEL: reshape: tensor<3x2xi32> {{\[\[}}0, 1], [2, 3], [4, 5]]
// CHECK-NEXT: transpose: tensor<3x2xi32> {{\[\[}}0, 3], [1, 4], [2, 5]]
// CHECK-NEXT: transpose_3d: tensor<3x1x2xi32> {{\[\[}}[0, 3]], {{\[}}[1, 4]], {{\[}}[2, 5]]]
// CHECK-NEXT: narrow: tensor<2x2xi32> {{\[\[}}1, 2], [4, 5]]
// CHECK-NEXT: narrow_empty: tensor<2x0xi32> {{\[\[}}], []]
// CHECK-NEXT: concat: tensor<2x4xi32> {{\[\[}}0, 1, 2, 7], [3, 4, 5, 8]]
// CHECK-NEXT: concat_0: tensor<3x3xi32> {{\[\[}}0, 1, 2], [3, 4, 5], [9, 9, 9]]
// CHECK-NEXT: expand: tensor<2x2x3xi32> {{\[\[}}[9, 9, 9], [9, 9, 9]], {{\[}}[9, 9, 9], [9, 9, 9]]]
// CHECK-NEXT: expand_column: tensor<2x3xi32> {{\[\[}}7, 7, 7], [8, 8, 8]]
// CHECK-NEXT: gather: tensor<3x3xi32> {{\[\[}}3, 4, 5], [0, 1, 2], [3, 4, 5]]
// CHECK-NEXT: gather_2d: tensor<2x2x1xi32> {{\[\[}}[2], [0]], {{\[}}[5], [3]]]
// CHECK-NEXT: booleans: tensor<2xbool> [false, true]
rlx.graph @movement() -> (
    tensor<3x2xi32> {rlx.name = "reshape"}, tensor<3x2xi32> {rlx.name = "transpose"},
    tensor<3x1x2xi32> {rlx.name = "transpose_3d"}, tensor<2x2xi32> {rlx.name = "narrow"},
    tensor<2x0xi32> {rlx.name = "narrow_empty"}, tensor<2x4xi32> {rlx.name = "concat"},
    tensor<3x3xi32> {rlx.name = "concat_0"}, tensor<2x2x3xi32> {rlx.name = "expand"},
    tensor<2x3xi32> {rlx.name = "expand_column"}, tensor<3x3xi32> {rlx.name = "gather"},
    tensor<2x2x1xi32> {rlx.name = "gather_2d"}, tensor<2xi1> {rlx.name = "booleans"}) {
  %x = rlx.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %column = rlx.constant dense<[[7], [8]]> : tensor<2x1xi32>
  %nines = rlx.constant dense<9> : tensor<1x3xi32>
  %reshape = rlx.reshape %x : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %transpose = rlx.transpose %x permutation = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %x3 = rlx.reshape %x : (tensor<2x3xi32>) -> tensor<1x2x3xi32>
  %transpose_3d = rlx.transpose %x3 permutation = [2, 0, 1]
      : (tensor<1x2x3xi32>) -> tensor<3x1x2xi32>
  %narrow = rlx.narrow %x axis = -1 start = 1 length = 2 : (tensor<2x3xi32>) -> tensor<2x2xi32>
  %narrow_empty = rlx.narrow %x axis = 1 start = 3 length = 0
      : (tensor<2x3xi32>) -> tensor<2x0xi32>
  %concat = rlx.concat %x, %column axis = 1
      : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x4xi32>
  %concat_0 = rlx.concat %x, %nines axis = -2
      : (tensor<2x3xi32>, tensor<1x3xi32>) -> tensor<3x3xi32>
  %expand = rlx.expand %nines : (tensor<1x3xi32>) -> tensor<2x2x3xi32>
  %expand_column = rlx.expand %column : (tensor<2x1xi32>) -> tensor<2x3xi32>
  %ids = rlx.constant dense<[1, 0, 1]> : tensor<3xi64>
  %gather = rlx.gather %x, %ids axis = 0 : (tensor<2x3xi32>, tensor<3xi64>) -> tensor<3x3xi32>
  %grid = rlx.constant dense<[[2], [0]]> : tensor<2x1xi32>
  %gather_2d = rlx.gather %x, %grid axis = 1 : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x2x1xi32>
  %flags = rlx.constant dense<[true, false]> : tensor<2xi1>
  %swap = rlx.constant dense<[1, 0]> : tensor<2xi64>
  %booleans = rlx.gather %flags, %swap axis = 0 : (tensor<2xi1>, tensor<2xi64>) -> tensor<2xi1>
  rlx.output %reshape, %transpose, %transpose_3d, %narrow, %narrow_empty, %concat, %concat_0,
      %expand, %expand_column, %gather, %gather_2d, %booleans
      : tensor<3x2xi32>, tensor<3x2xi32>, tensor<3x1x2xi32>, tensor<2x2xi32>, tensor<2x0xi32>,
        tensor<2x4xi32>, tensor<3x3xi32>, tensor<2x2x3xi32>, tensor<2x3xi32>, tensor<3x3xi32>,
        tensor<2x2x1xi32>, tensor<2xi1>
}
