// sizes: n = 1, 5, 33; m = 7, 1, 12
rlx.graph @reshape(%x: tensor<?x?x24xf32> {rlx.dims = ["n", "m", ""]})
    -> (tensor<?x?x4x6xf32>, tensor<?x24xf32>, tensor<?xf32>, tensor<2x?x?x12xf32>) {
  %a = rlx.reshape %x : (tensor<?x?x24xf32>) -> tensor<?x?x4x6xf32>
  %b = rlx.reshape %x : (tensor<?x?x24xf32>) -> tensor<?x24xf32>
  %c = rlx.reshape %x : (tensor<?x?x24xf32>) -> tensor<?xf32>
  %d = rlx.reshape %x : (tensor<?x?x24xf32>) -> tensor<2x?x?x12xf32>
  rlx.output %a, %b, %c, %d
      : tensor<?x?x4x6xf32>, tensor<?x24xf32>, tensor<?xf32>, tensor<2x?x?x12xf32>
}
// -----
rlx.graph @reshape_static(%x: tensor<5x4x6x7xf32>, %u: tensor<1x1xi64>, %s: tensor<i64>,
                          %e: tensor<0x4xi8>)
    -> (tensor<5x3x8x7x1xf32>, tensor<840xf32>, tensor<i64>, tensor<1x1x1xi64>, tensor<2x0xi8>) {
  %a = rlx.reshape %x : (tensor<5x4x6x7xf32>) -> tensor<5x3x8x7x1xf32>
  %b = rlx.reshape %x : (tensor<5x4x6x7xf32>) -> tensor<840xf32>
  %c = rlx.reshape %u : (tensor<1x1xi64>) -> tensor<i64>
  %d = rlx.reshape %s : (tensor<i64>) -> tensor<1x1x1xi64>
  %f = rlx.reshape %e : (tensor<0x4xi8>) -> tensor<2x0xi8>
  rlx.output %a, %b, %c, %d, %f
      : tensor<5x3x8x7x1xf32>, tensor<840xf32>, tensor<i64>, tensor<1x1x1xi64>, tensor<2x0xi8>
}
// -----
// sizes: n = 2, 6, 34
rlx.graph @reshape_divided(%x: tensor<?x4xf32> {rlx.dims = ["n", ""]}) -> tensor<?x8xf32> {
  %y = rlx.reshape %x : (tensor<?x4xf32>) -> tensor<?x8xf32>
  rlx.output %y : tensor<?x8xf32>
}
// -----
// sizes: n = 1, 5, 33; m = 7, 1, 70
rlx.graph @transpose(%x: tensor<?x3x?xf32> {rlx.dims = ["n", "", "m"]}, %b: tensor<?x5xi1> {rlx.dims = ["n", ""]})
    -> (tensor<?x?x3xf32>, tensor<?x3x?xf32>, tensor<5x?xi1>) {
  %a = rlx.transpose %x permutation = [0, 2, 1] : (tensor<?x3x?xf32>) -> tensor<?x?x3xf32>
  %c = rlx.transpose %x permutation = [2, 1, 0] : (tensor<?x3x?xf32>) -> tensor<?x3x?xf32>
  %d = rlx.transpose %b permutation = [1, 0] : (tensor<?x5xi1>) -> tensor<5x?xi1>
  rlx.output %a, %c, %d : tensor<?x?x3xf32>, tensor<?x3x?xf32>, tensor<5x?xi1>
}
// -----
// sizes: n = 5, 6, 33
rlx.graph @narrow(%x: tensor<?x9xf32> {rlx.dims = ["n", ""]})
    -> (tensor<3x9xf32>, tensor<?x4xf32>, tensor<?x0xf32>) {
  %a = rlx.narrow %x axis = 0 start = 2 length = 3 : (tensor<?x9xf32>) -> tensor<3x9xf32>
  %b = rlx.narrow %x axis = -1 start = 5 length = 4 : (tensor<?x9xf32>) -> tensor<?x4xf32>
  %c = rlx.narrow %x axis = 1 start = 9 length = 0 : (tensor<?x9xf32>) -> tensor<?x0xf32>
  rlx.output %a, %b, %c : tensor<3x9xf32>, tensor<?x4xf32>, tensor<?x0xf32>
}
// -----
// sizes: n = 1, 5, 33; m = 4, 0, 7
rlx.graph @concat(%x: tensor<?x6xf32> {rlx.dims = ["n", ""]}, %y: tensor<?x6xf32> {rlx.dims = ["m", ""]},
                  %b: tensor<?x2xi1> {rlx.dims = ["n", ""]}, %c: tensor<?x3xi1> {rlx.dims = ["n", ""]})
    -> (tensor<?x6xf32>, tensor<?x7xi1>) {
  %r = rlx.concat %x, %y, %x axis = 0
      : (tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %s = rlx.concat %b, %c, %b axis = -1
      : (tensor<?x2xi1>, tensor<?x3xi1>, tensor<?x2xi1>) -> tensor<?x7xi1>
  rlx.output %r, %s : tensor<?x6xf32>, tensor<?x7xi1>
}
// -----
// sizes: n = 1, 5, 33
rlx.graph @expand(%x: tensor<?x1x6xf32> {rlx.dims = ["n", "", ""]}, %s: tensor<f64>)
    -> (tensor<?x4x6xf32>, tensor<2x?x1x6xf32>, tensor<3x?x5x6xf32>, tensor<2x3xf64>) {
  %a = rlx.expand %x : (tensor<?x1x6xf32>) -> tensor<?x4x6xf32>
  %b = rlx.expand %x : (tensor<?x1x6xf32>) -> tensor<2x?x1x6xf32>
  %c = rlx.expand %x : (tensor<?x1x6xf32>) -> tensor<3x?x5x6xf32>
  %d = rlx.expand %s : (tensor<f64>) -> tensor<2x3xf64>
  rlx.output %a, %b, %c, %d
      : tensor<?x4x6xf32>, tensor<2x?x1x6xf32>, tensor<3x?x5x6xf32>, tensor<2x3xf64>
}
// -----
// sizes: n = 1, 5, 33
// values: index 6
rlx.graph @gather(%x: tensor<6x7x6xf32>, %i: tensor<?x2xi32> {rlx.dims = ["n", ""]}, %j: tensor<?xi64> {rlx.dims = ["n"]},
                  %s: tensor<i32>)
    -> (tensor<?x2x7x6xf32>, tensor<6x7x?xf32>, tensor<7x6xf32>) {
  %a = rlx.gather %x, %i axis = 0 : (tensor<6x7x6xf32>, tensor<?x2xi32>) -> tensor<?x2x7x6xf32>
  %b = rlx.gather %x, %j axis = -1 : (tensor<6x7x6xf32>, tensor<?xi64>) -> tensor<6x7x?xf32>
  %c = rlx.gather %x, %s axis = 0 : (tensor<6x7x6xf32>, tensor<i32>) -> tensor<7x6xf32>
  rlx.output %a, %b, %c : tensor<?x2x7x6xf32>, tensor<6x7x?xf32>, tensor<7x6xf32>
}
// -----
rlx.graph @constants(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi1>, tensor<2x2xi64>) {
  %c = rlx.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %y = rlx.binary add %x, %c : tensor<3xf32>
  %b = rlx.constant dense<[true, false, true]> : tensor<3xi1>
  %i = rlx.constant dense<7> : tensor<2x2xi64>
  rlx.output %y, %b, %i : tensor<3xf32>, tensor<3xi1>, tensor<2x2xi64>
}
// -----
// sizes: n = 4, 4, 4
rlx.graph @same_value_twice(%x: tensor<?x3xf32> {rlx.dims = ["n", ""]})
    -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<4x3xf32>) {
  %y = rlx.activation neg %x : tensor<?x3xf32>
  rlx.output %x, %y, %y : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}
// -----
// Results that begin with the same rows, in two outputs.
// sizes: n = 1, 5, 67
rlx.graph @concat_twice(%x: tensor<?x7xf32> {rlx.dims = ["n", ""]},
                        %y: tensor<?x7xf32> {rlx.dims = ["n", ""]}, %a: tensor<3x5xf32>,
                        %b: tensor<3x5xf32>, %c: tensor<3x5xf32>)
    -> (tensor<?x7xf32>, tensor<?x7xf32>, tensor<6x5xf32>, tensor<6x5xf32>) {
  %0 = rlx.concat %x, %y axis = 0 : (tensor<?x7xf32>, tensor<?x7xf32>) -> tensor<?x7xf32>
  %1 = rlx.concat %x, %x axis = 0 : (tensor<?x7xf32>, tensor<?x7xf32>) -> tensor<?x7xf32>
  %2 = rlx.concat %a, %b axis = 0 : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<6x5xf32>
  %3 = rlx.concat %a, %c axis = 0 : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<6x5xf32>
  rlx.output %0, %1, %2, %3 : tensor<?x7xf32>, tensor<?x7xf32>, tensor<6x5xf32>, tensor<6x5xf32>
}
