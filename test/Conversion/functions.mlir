// RUN: rlx-opt %s -rlx-convert-to-linalg -split-input-file -verify-diagnostics | FileCheck %s

// The functions, their arguments and the signature.

// CHECK:       module attributes {rlx.signature =
// CHECK-SAME:    inputs = [{dims = array<i64: -1, 4>, name = "x", type = f32},
// CHECK-SAME:      {dims = array<i64: -1, -2>, name = "arg1", type = i1}]
// CHECK-SAME:    name = "linear"
// CHECK-SAME:    outputs = [{dims = array<i64: -1, 2>, name = "y", type = f32}, {dims = array<i64: -2, -1>, name = "out1", type = i1}]
// CHECK-SAME:    params = [{dims = array<i64: 4, 2>, name = "w", type = f32}]
// CHECK-SAME:    symbols = ["n", "arg1.1"]

// CHECK-LABEL: func.func @rlx_shapes(
// CHECK-SAME:      %[[N:.*]]: index, %[[M:.*]]: index) -> (index, index, index, index, index) {
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT:    return %[[N]], %[[C2]], %[[M]], %[[N]], %[[C0]]

// CHECK-LABEL: func.func @rlx_run(
// CHECK-SAME:      %[[X:.*]]: tensor<?x4xf32> {rlx.input = 0 : i64},
// CHECK-SAME:      %[[MASK:.*]]: tensor<?x?xi8> {rlx.input = 1 : i64},
// CHECK-SAME:      %[[W:.*]]: tensor<4x2xf32> {rlx.param = 0 : i64},
// CHECK-SAME:      %[[OUT0:.*]]: memref<?x2xf32> {rlx.output = 0 : i64},
// CHECK-SAME:      %[[OUT1:.*]]: memref<?x?xi8> {rlx.output = 1 : i64}) {
// CHECK-NOT:     cf.assert
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[W]], %[[W]] :
// CHECK:         %[[Y:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[SUM]] :
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[MASK]]
// CHECK:         bufferization.materialize_in_destination %[[Y]] in restrict writable %[[OUT0]]
// CHECK:         bufferization.materialize_in_destination %[[T]] in restrict writable %[[OUT1]]
// CHECK-NEXT:    return
rlx.graph @linear(%x: tensor<?x4xf32> {rlx.name = "x", rlx.dims = ["n", ""]},
                  %mask: tensor<?x?xi1> {rlx.dims = ["n", ""]})
    -> (tensor<?x2xf32> {rlx.name = "y"}, tensor<?x?xi1>) {
  %w = rlx.param "w" : tensor<4x2xf32>
  %again = rlx.param "w" : tensor<4x2xf32>
  %sum = rlx.binary add %w, %again : tensor<4x2xf32>
  %y = rlx.matmul %x, %sum : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  %t = rlx.transpose %mask permutation = [1, 0] : (tensor<?x?xi1>) -> tensor<?x?xi1>
  rlx.output %y, %t : tensor<?x2xf32>, tensor<?x?xi1>
}

// -----

// Dims that the graph names alike are equal; others are compared, also by rlx_shapes.

// CHECK-LABEL: func.func @rlx_shapes(
// CHECK-SAME:      %[[N:.*]]: index, %[[M:.*]]: index)
// CHECK-NOT:     cf.assert
// CHECK:         %[[EQUAL:.*]] = arith.cmpi eq, %[[N]], %[[M]] : index
// CHECK-NEXT:    cf.assert %[[EQUAL]], "'rlx.binary' lhs dim 0 and rhs dim 0: sizes differ at run time"
// CHECK-NEXT:    return %[[N]]
// CHECK-LABEL: func.func @rlx_run(
// CHECK-SAME:      %[[A:.*]]: tensor<?xf32> {{{.*}}}, %{{.*}}: tensor<?xf32> {{{.*}}}, %[[C:.*]]: tensor<?xf32> {
// CHECK:         %[[N:.*]] = tensor.dim %[[A]], %c0
// CHECK:         %[[M:.*]] = tensor.dim %[[C]], %c0
// CHECK-NOT:     cf.assert
// CHECK:         arith.cmpi eq, %[[N]], %[[M]]
// CHECK-NEXT:    cf.assert
// CHECK-NOT:     cf.assert
rlx.graph @checks(%a: tensor<?xf32> {rlx.dims = ["n"]}, %b: tensor<?xf32> {rlx.dims = ["n"]},
                  %c: tensor<?xf32> {rlx.dims = ["m"]}) -> tensor<?xf32> {
  %ab = rlx.binary add %a, %b : tensor<?xf32>
  %abc = rlx.binary add %ab, %c : tensor<?xf32>
  rlx.output %abc : tensor<?xf32>
}

// -----

// A computed dim, and an output that is declared more static than what is computed.

// CHECK:       module attributes
// CHECK-SAME:    outputs = [{dims = array<i64: -9223372036854775808>, name = "out0", type = f32},
// CHECK-SAME:      {dims = array<i64: 3, 4>, name = "out1", type = f32}]
// CHECK-LABEL: func.func @rlx_shapes(
// CHECK-SAME:      %[[N:.*]]: index)
// CHECK-DAG:     %[[TOTAL:.*]] = affine.apply #{{.*}}()[%[[N]]]
// CHECK-DAG:     cf.assert %{{.*}}, "output 'out1' dim 0: expected size 3 at run time"
// CHECK:         return %[[TOTAL]], %c3, %c4, %c0
// CHECK-LABEL: func.func @rlx_run(
// CHECK-SAME:      memref<?xf32> {rlx.output = 0 : i64}
// CHECK-SAME:      memref<3x4xf32> {rlx.output = 1 : i64}
rlx.graph @computed(%x: tensor<?x4xf32>) -> (tensor<?xf32>, tensor<3x4xf32>) {
  %flat = rlx.reshape %x : (tensor<?x4xf32>) -> tensor<?xf32>
  rlx.output %flat, %x : tensor<?xf32>, tensor<?x4xf32>
}

// -----

rlx.graph @custom(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{custom op 'my.scale': no lowering is registered}}
  %y = rlx.custom "my.scale"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  rlx.output %y : tensor<4xf32>
}

// -----

rlx.graph @first(%x: tensor<4xf32>) -> tensor<4xf32> {
  rlx.output %x : tensor<4xf32>
}
// expected-error @below {{module: expected one graph, found 'first' and 'second'}}
rlx.graph @second(%x: tensor<4xf32>) -> tensor<4xf32> {
  rlx.output %x : tensor<4xf32>
}
