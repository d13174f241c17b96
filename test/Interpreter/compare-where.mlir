// RUN: rlx-interpret %s --print | FileCheck %s

// CHECK-LABEL: eq: tensor<4xbool> [false, true, false, false]
// CHECK-NEXT: ne: tensor<4xbool> [true, false, true, true]
// CHECK-NEXT: lt: tensor<4xbool> [true, false, false, false]
// CHECK-NEXT: le: tensor<4xbool> [true, true, false, false]
// CHECK-NEXT: gt: tensor<4xbool> [false, false, true, false]
// CHECK-NEXT: ge: tensor<4xbool> [false, true, true, false]
// CHECK-NEXT: eq_bool: tensor<2xbool> [true, false]
// CHECK-NEXT: lt_i8: tensor<2x2xbool> {{\[\[}}true, true], [false, true]]
// CHECK-NEXT: where: tensor<2x2xf32> {{\[\[}}1, -1], [2, -1]]
// CHECK-NEXT: where_nan: tensor<2xf32> [1, nan]
rlx.graph @compare() -> (
    tensor<4xi1> {rlx.name = "eq"}, tensor<4xi1> {rlx.name = "ne"}, tensor<4xi1> {rlx.name = "lt"},
    tensor<4xi1> {rlx.name = "le"}, tensor<4xi1> {rlx.name = "gt"}, tensor<4xi1> {rlx.name = "ge"},
    tensor<2xi1> {rlx.name = "eq_bool"}, tensor<2x2xi1> {rlx.name = "lt_i8"},
    tensor<2x2xf32> {rlx.name = "where"}, tensor<2xf32> {rlx.name = "where_nan"}) {
  %a = rlx.constant dense<[1.0, 2.0, 3.0, 0x7FC00000]> : tensor<4xf32>
  %b = rlx.constant dense<2.0> : tensor<f32>
  %eq = rlx.compare eq %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
  %ne = rlx.compare ne %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
  %lt = rlx.compare lt %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
  %le = rlx.compare le %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
  %gt = rlx.compare gt %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
  %ge = rlx.compare ge %a, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
  %p = rlx.constant dense<[true, false]> : tensor<2xi1>
  %q = rlx.constant dense<true> : tensor<2xi1>
  %eq_bool = rlx.compare eq %p, %q : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %i = rlx.constant dense<[[-1], [1]]> : tensor<2x1xi8>
  %j = rlx.constant dense<[0, 2]> : tensor<2xi8>
  %lt_i8 = rlx.compare lt %i, %j : (tensor<2x1xi8>, tensor<2xi8>) -> tensor<2x2xi1>
  %column = rlx.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %minus = rlx.constant dense<-1.0> : tensor<f32>
  %where = rlx.where %p, %column, %minus
      : (tensor<2xi1>, tensor<2x1xf32>, tensor<f32>) -> tensor<2x2xf32>
  %x = rlx.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %nans = rlx.constant dense<0x7FC00000> : tensor<2xf32>
  %where_nan = rlx.where %p, %x, %nans
      : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  rlx.output %eq, %ne, %lt, %le, %gt, %ge, %eq_bool, %lt_i8, %where, %where_nan
      : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>,
        tensor<2xi1>, tensor<2x2xi1>, tensor<2x2xf32>, tensor<2xf32>
}
