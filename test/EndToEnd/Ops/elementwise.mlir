// sizes: n = 1, 7, 40
rlx.graph @activations(%x: tensor<?x13xf32> {rlx.dims = ["n", ""]})
    -> (tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>,
        tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>,
        tensor<?x13xf32>, tensor<?x13xf32>) {
  %relu = rlx.activation relu %x : tensor<?x13xf32>
  %gelu = rlx.activation gelu %x : tensor<?x13xf32>
  %gelu_tanh = rlx.activation gelu_tanh %x : tensor<?x13xf32>
  %silu = rlx.activation silu %x : tensor<?x13xf32>
  %sigmoid = rlx.activation sigmoid %x : tensor<?x13xf32>
  %tanh = rlx.activation tanh %x : tensor<?x13xf32>
  %exp = rlx.activation exp %x : tensor<?x13xf32>
  %neg = rlx.activation neg %x : tensor<?x13xf32>
  %abs = rlx.activation abs %x : tensor<?x13xf32>
  %sin = rlx.activation sin %x : tensor<?x13xf32>
  %cos = rlx.activation cos %x : tensor<?x13xf32>
  %round = rlx.activation round %x : tensor<?x13xf32>
  rlx.output %relu, %gelu, %gelu_tanh, %silu, %sigmoid, %tanh, %exp, %neg, %abs, %sin, %cos, %round
      : tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>,
        tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>,
        tensor<?x13xf32>, tensor<?x13xf32>
}
// -----
// sizes: n = 1, 7, 40
// values: positive
rlx.graph @activations_positive(%x: tensor<?x13xf32> {rlx.dims = ["n", ""]})
    -> (tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>) {
  %log = rlx.activation log %x : tensor<?x13xf32>
  %sqrt = rlx.activation sqrt %x : tensor<?x13xf32>
  %rsqrt = rlx.activation rsqrt %x : tensor<?x13xf32>
  rlx.output %log, %sqrt, %rsqrt : tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>
}
// -----
// sizes: n = 3, 7, 40
// values: special
rlx.graph @activations_special(%x: tensor<?x13xf32> {rlx.dims = ["n", ""]})
    -> (tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>,
        tensor<?x13xf32>) {
  %relu = rlx.activation relu %x : tensor<?x13xf32>
  %round = rlx.activation round %x : tensor<?x13xf32>
  %abs = rlx.activation abs %x : tensor<?x13xf32>
  %sqrt = rlx.activation sqrt %x : tensor<?x13xf32>
  %sigmoid = rlx.activation sigmoid %x : tensor<?x13xf32>
  %tanh = rlx.activation tanh %x : tensor<?x13xf32>
  rlx.output %relu, %round, %abs, %sqrt, %sigmoid, %tanh
      : tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>, tensor<?x13xf32>,
        tensor<?x13xf32>
}
// -----
// sizes: n = 1, 7, 40
rlx.graph @activations_narrow(%x: tensor<?xbf16> {rlx.dims = ["n"]}, %y: tensor<?xf16> {rlx.dims = ["n"]})
    -> (tensor<?xbf16>, tensor<?xf16>, tensor<?xf16>) {
  %a = rlx.activation gelu %x : tensor<?xbf16>
  %b = rlx.activation tanh %y : tensor<?xf16>
  %c = rlx.activation round %y : tensor<?xf16>
  rlx.output %a, %b, %c : tensor<?xbf16>, tensor<?xf16>, tensor<?xf16>
}
// -----
// sizes: n = 2, 7, 40
// values: special
rlx.graph @activations_integer(%x: tensor<?x5xi8> {rlx.dims = ["n", ""]}, %y: tensor<?xi64> {rlx.dims = ["n"]})
    -> (tensor<?x5xi8>, tensor<?xi64>, tensor<?xi64>) {
  %a = rlx.activation relu %x : tensor<?x5xi8>
  %b = rlx.activation neg %y : tensor<?xi64>
  %c = rlx.activation abs %y : tensor<?xi64>
  rlx.output %a, %b, %c : tensor<?x5xi8>, tensor<?xi64>, tensor<?xi64>
}
// -----
// sizes: n = 1, 5, 33; m = 9, 1, 20
rlx.graph @binary(%x: tensor<?x3x?xf32> {rlx.dims = ["n", "", "m"]}, %y: tensor<1x3x1xf32>,
                  %z: tensor<?xf32> {rlx.dims = ["m"]})
    -> (tensor<?x3x?xf32>, tensor<?x3x?xf32>, tensor<?x3x?xf32>, tensor<?x3x?xf32>,
        tensor<?x3x?xf32>) {
  %add = rlx.binary add %x, %y
      : (tensor<?x3x?xf32>, tensor<1x3x1xf32>) -> tensor<?x3x?xf32>
  %sub = rlx.binary sub %z, %x : (tensor<?xf32>, tensor<?x3x?xf32>) -> tensor<?x3x?xf32>
  %mul = rlx.binary mul %add, %z : (tensor<?x3x?xf32>, tensor<?xf32>) -> tensor<?x3x?xf32>
  %max = rlx.binary max %x, %sub : tensor<?x3x?xf32>
  %two = rlx.constant dense<2.0> : tensor<f32>
  %min = rlx.binary min %two, %mul : (tensor<f32>, tensor<?x3x?xf32>) -> tensor<?x3x?xf32>
  rlx.output %add, %sub, %mul, %max, %min : tensor<?x3x?xf32>, tensor<?x3x?xf32>,
      tensor<?x3x?xf32>, tensor<?x3x?xf32>, tensor<?x3x?xf32>
}
// -----
// sizes: n = 1, 5, 33
// values: positive
rlx.graph @binary_positive(%x: tensor<?x7xf32> {rlx.dims = ["n", ""]}, %y: tensor<7xf32>)
    -> (tensor<?x7xf32>, tensor<?x7xf32>) {
  %div = rlx.binary div %x, %y : (tensor<?x7xf32>, tensor<7xf32>) -> tensor<?x7xf32>
  %pow = rlx.binary pow %x, %y : (tensor<?x7xf32>, tensor<7xf32>) -> tensor<?x7xf32>
  rlx.output %div, %pow : tensor<?x7xf32>, tensor<?x7xf32>
}
// -----
// sizes: n = 30, 31, 64
// values: special
rlx.graph @binary_special(%x: tensor<?xf64> {rlx.dims = ["n"]}, %y: tensor<?x1xf64> {rlx.dims = ["n", ""]})
    -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %max = rlx.binary max %x, %y : (tensor<?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  %min = rlx.binary min %x, %y : (tensor<?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
  rlx.output %max, %min : tensor<?x?xf64>, tensor<?x?xf64>
}
// -----
// sizes: n = 7, 9, 33
// values: special
rlx.graph @binary_integer(%x: tensor<?xi32> {rlx.dims = ["n"]}, %y: tensor<?x1xi32> {rlx.dims = ["n", ""]})
    -> (tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>) {
  %add = rlx.binary add %x, %y : (tensor<?xi32>, tensor<?x1xi32>) -> tensor<?x?xi32>
  %mul = rlx.binary mul %x, %y : (tensor<?xi32>, tensor<?x1xi32>) -> tensor<?x?xi32>
  %div = rlx.binary div %x, %y : (tensor<?xi32>, tensor<?x1xi32>) -> tensor<?x?xi32>
  %min = rlx.binary min %x, %y : (tensor<?xi32>, tensor<?x1xi32>) -> tensor<?x?xi32>
  rlx.output %add, %mul, %div, %min
      : tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xi32>
}
// -----
// sizes: n = 1, 5, 33
rlx.graph @binary_narrow(%x: tensor<?x7xf16> {rlx.dims = ["n", ""]}, %y: tensor<7xf16>,
                         %z: tensor<?x7xbf16> {rlx.dims = ["n", ""]})
    -> (tensor<?x7xf16>, tensor<?x7xbf16>) {
  %a = rlx.binary mul %x, %y : (tensor<?x7xf16>, tensor<7xf16>) -> tensor<?x7xf16>
  %b = rlx.binary sub %z, %z : tensor<?x7xbf16>
  rlx.output %a, %b : tensor<?x7xf16>, tensor<?x7xbf16>
}
// -----
// sizes: n = 27, 31, 64
// values: special
rlx.graph @compare(%x: tensor<?xf32> {rlx.dims = ["n"]}, %y: tensor<?x1xf32> {rlx.dims = ["n", ""]})
    -> (tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>,
        tensor<?x?xi1>) {
  %eq = rlx.compare eq %x, %y : (tensor<?xf32>, tensor<?x1xf32>) -> tensor<?x?xi1>
  %ne = rlx.compare ne %x, %y : (tensor<?xf32>, tensor<?x1xf32>) -> tensor<?x?xi1>
  %lt = rlx.compare lt %x, %y : (tensor<?xf32>, tensor<?x1xf32>) -> tensor<?x?xi1>
  %le = rlx.compare le %x, %y : (tensor<?xf32>, tensor<?x1xf32>) -> tensor<?x?xi1>
  %gt = rlx.compare gt %x, %y : (tensor<?xf32>, tensor<?x1xf32>) -> tensor<?x?xi1>
  %ge = rlx.compare ge %x, %y : (tensor<?xf32>, tensor<?x1xf32>) -> tensor<?x?xi1>
  rlx.output %eq, %ne, %lt, %le, %gt, %ge : tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>,
      tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>
}
// -----
// sizes: n = 1, 7, 33
rlx.graph @where(%c: tensor<?x9xi1> {rlx.dims = ["n", ""]}, %x: tensor<9xf32>, %y: tensor<?x1xf32> {rlx.dims = ["n", ""]},
                 %b: tensor<9xi1>, %h: tensor<9xbf16>)
    -> (tensor<?x9xf32>, tensor<?x9xi1>, tensor<?x9xi1>, tensor<?x9xbf16>) {
  %f = rlx.where %c, %x, %y : (tensor<?x9xi1>, tensor<9xf32>, tensor<?x1xf32>) -> tensor<?x9xf32>
  %g = rlx.where %c, %b, %c : (tensor<?x9xi1>, tensor<9xi1>, tensor<?x9xi1>) -> tensor<?x9xi1>
  %e = rlx.compare eq %g, %b : (tensor<?x9xi1>, tensor<9xi1>) -> tensor<?x9xi1>
  %zero = rlx.constant dense<0.0> : tensor<bf16>
  %k = rlx.where %c, %h, %zero : (tensor<?x9xi1>, tensor<9xbf16>, tensor<bf16>) -> tensor<?x9xbf16>
  rlx.output %f, %g, %e, %k : tensor<?x9xf32>, tensor<?x9xi1>, tensor<?x9xi1>, tensor<?x9xbf16>
}
// -----
// sizes: n = 5, 7, 33
// values: special
rlx.graph @cast_from_float(%x: tensor<?x6xf32> {rlx.dims = ["n", ""]}, %y: tensor<?x6xf64> {rlx.dims = ["n", ""]})
    -> (tensor<?x6xi8>, tensor<?x6xi32>, tensor<?x6xi64>, tensor<?x6xi1>, tensor<?x6xf16>,
        tensor<?x6xbf16>, tensor<?x6xi64>, tensor<?x6xf32>, tensor<?x6xf16>, tensor<?x6xbf16>) {
  %a = rlx.cast %x : (tensor<?x6xf32>) -> tensor<?x6xi8>
  %b = rlx.cast %x : (tensor<?x6xf32>) -> tensor<?x6xi32>
  %c = rlx.cast %x : (tensor<?x6xf32>) -> tensor<?x6xi64>
  %d = rlx.cast %x : (tensor<?x6xf32>) -> tensor<?x6xi1>
  %e = rlx.cast %x : (tensor<?x6xf32>) -> tensor<?x6xf16>
  %f = rlx.cast %x : (tensor<?x6xf32>) -> tensor<?x6xbf16>
  %g = rlx.cast %y : (tensor<?x6xf64>) -> tensor<?x6xi64>
  %h = rlx.cast %y : (tensor<?x6xf64>) -> tensor<?x6xf32>
  %i = rlx.cast %y : (tensor<?x6xf64>) -> tensor<?x6xf16>
  %j = rlx.cast %y : (tensor<?x6xf64>) -> tensor<?x6xbf16>
  rlx.output %a, %b, %c, %d, %e, %f, %g, %h, %i, %j
      : tensor<?x6xi8>, tensor<?x6xi32>, tensor<?x6xi64>, tensor<?x6xi1>, tensor<?x6xf16>,
        tensor<?x6xbf16>, tensor<?x6xi64>, tensor<?x6xf32>, tensor<?x6xf16>, tensor<?x6xbf16>
}
// -----
// sizes: n = 2, 7, 33
// values: special
rlx.graph @cast_from_integer(%x: tensor<?x6xi64> {rlx.dims = ["n", ""]}, %y: tensor<?x6xi8> {rlx.dims = ["n", ""]},
                             %b: tensor<?xi1> {rlx.dims = ["n"]})
    -> (tensor<?x6xi32>, tensor<?x6xi8>, tensor<?x6xf32>, tensor<?x6xf64>, tensor<?x6xi1>,
        tensor<?x6xi64>, tensor<?x6xf16>, tensor<?x6xbf16>, tensor<?xi8>, tensor<?xf64>) {
  %a = rlx.cast %x : (tensor<?x6xi64>) -> tensor<?x6xi32>
  %c = rlx.cast %x : (tensor<?x6xi64>) -> tensor<?x6xi8>
  %d = rlx.cast %x : (tensor<?x6xi64>) -> tensor<?x6xf32>
  %e = rlx.cast %x : (tensor<?x6xi64>) -> tensor<?x6xf64>
  %f = rlx.cast %x : (tensor<?x6xi64>) -> tensor<?x6xi1>
  %g = rlx.cast %y : (tensor<?x6xi8>) -> tensor<?x6xi64>
  %h = rlx.cast %y : (tensor<?x6xi8>) -> tensor<?x6xf16>
  %i = rlx.cast %y : (tensor<?x6xi8>) -> tensor<?x6xbf16>
  %j = rlx.cast %b : (tensor<?xi1>) -> tensor<?xi8>
  %k = rlx.cast %b : (tensor<?xi1>) -> tensor<?xf64>
  rlx.output %a, %c, %d, %e, %f, %g, %h, %i, %j, %k
      : tensor<?x6xi32>, tensor<?x6xi8>, tensor<?x6xf32>, tensor<?x6xf64>, tensor<?x6xi1>,
        tensor<?x6xi64>, tensor<?x6xf16>, tensor<?x6xbf16>, tensor<?xi8>, tensor<?xf64>
}
