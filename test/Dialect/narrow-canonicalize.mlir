// RUN: rlx-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @narrow_all(
// CHECK-NEXT:    return %arg0
func.func @narrow_all(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = rlx.narrow %x axis = 1 start = 0 length = 4 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @narrow_narrow(
// CHECK-NEXT:    %[[Y:.*]] = rlx.narrow %arg0 axis = -1 start = 5 length = 2
// CHECK-NEXT:    return %[[Y]]
func.func @narrow_narrow(%x: tensor<?x9xf32>) -> tensor<?x2xf32> {
  %0 = rlx.narrow %x axis = 1 start = 2 length = 6 : (tensor<?x9xf32>) -> tensor<?x6xf32>
  %1 = rlx.narrow %0 axis = -1 start = 3 length = 2 : (tensor<?x6xf32>) -> tensor<?x2xf32>
  return %1 : tensor<?x2xf32>
}

// CHECK-LABEL: func.func @narrow_other_axis(
// CHECK-COUNT-2: rlx.narrow
func.func @narrow_other_axis(%x: tensor<9x9xf32>) -> tensor<2x6xf32> {
  %0 = rlx.narrow %x axis = 1 start = 2 length = 6 : (tensor<9x9xf32>) -> tensor<9x6xf32>
  %1 = rlx.narrow %0 axis = 0 start = 3 length = 2 : (tensor<9x6xf32>) -> tensor<2x6xf32>
  return %1 : tensor<2x6xf32>
}

// A dynamic dim may be longer.
// CHECK-LABEL: func.func @narrow_unchecked(
// CHECK: rlx.narrow
func.func @narrow_unchecked(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = rlx.narrow %x axis = 0 start = 0 length = 4 : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @narrow_constant(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<1> : tensor<3xi8>
// CHECK-NEXT:    return %[[C]]
func.func @narrow_constant() -> tensor<3xi8> {
  %c = rlx.constant dense<1> : tensor<8xi8>
  %0 = rlx.narrow %c axis = 0 start = 1 length = 3 : (tensor<8xi8>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}
