// sizes: n = 1, 7, 40
// types: f64, f16, bf16
rlx.graph @activations_typed(%x: tensor<?x13xTYPE> {rlx.dims = ["n", ""]})
    -> (tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>,
        tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>,
        tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>) {
  %relu = rlx.activation relu %x : tensor<?x13xTYPE>
  %gelu = rlx.activation gelu %x : tensor<?x13xTYPE>
  %gelu_tanh = rlx.activation gelu_tanh %x : tensor<?x13xTYPE>
  %silu = rlx.activation silu %x : tensor<?x13xTYPE>
  %sigmoid = rlx.activation sigmoid %x : tensor<?x13xTYPE>
  %tanh = rlx.activation tanh %x : tensor<?x13xTYPE>
  %exp = rlx.activation exp %x : tensor<?x13xTYPE>
  %neg = rlx.activation neg %x : tensor<?x13xTYPE>
  %abs = rlx.activation abs %x : tensor<?x13xTYPE>
  %sin = rlx.activation sin %x : tensor<?x13xTYPE>
  %cos = rlx.activation cos %x : tensor<?x13xTYPE>
  %round = rlx.activation round %x : tensor<?x13xTYPE>
  rlx.output %relu, %gelu, %gelu_tanh, %silu, %sigmoid, %tanh, %exp, %neg, %abs, %sin, %cos, %round
      : tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>,
      tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>,
      tensor<?x13xTYPE>, tensor<?x13xTYPE>
}
// -----
// sizes: n = 1, 7, 40
// values: positive
// types: f64, f16, bf16
rlx.graph @activations_positive_typed(%x: tensor<?x13xTYPE> {rlx.dims = ["n", ""]})
    -> (tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>) {
  %log = rlx.activation log %x : tensor<?x13xTYPE>
  %sqrt = rlx.activation sqrt %x : tensor<?x13xTYPE>
  %rsqrt = rlx.activation rsqrt %x : tensor<?x13xTYPE>
  rlx.output %log, %sqrt, %rsqrt
      : tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>
}
// -----
// sizes: n = 4, 7, 40
// values: nonfinite
// types: f32, f64, f16, bf16
rlx.graph @activations_nonfinite(%x: tensor<?x13xTYPE> {rlx.dims = ["n", ""]})
    -> (tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>,
        tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>,
        tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>,
        tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>) {
  %relu = rlx.activation relu %x : tensor<?x13xTYPE>
  %gelu = rlx.activation gelu %x : tensor<?x13xTYPE>
  %gelu_tanh = rlx.activation gelu_tanh %x : tensor<?x13xTYPE>
  %silu = rlx.activation silu %x : tensor<?x13xTYPE>
  %sigmoid = rlx.activation sigmoid %x : tensor<?x13xTYPE>
  %tanh = rlx.activation tanh %x : tensor<?x13xTYPE>
  %exp = rlx.activation exp %x : tensor<?x13xTYPE>
  %neg = rlx.activation neg %x : tensor<?x13xTYPE>
  %abs = rlx.activation abs %x : tensor<?x13xTYPE>
  %sin = rlx.activation sin %x : tensor<?x13xTYPE>
  %cos = rlx.activation cos %x : tensor<?x13xTYPE>
  %round = rlx.activation round %x : tensor<?x13xTYPE>
  %log = rlx.activation log %x : tensor<?x13xTYPE>
  %sqrt = rlx.activation sqrt %x : tensor<?x13xTYPE>
  %rsqrt = rlx.activation rsqrt %x : tensor<?x13xTYPE>
  rlx.output %relu, %gelu, %gelu_tanh, %silu, %sigmoid, %tanh, %exp, %neg, %abs, %sin, %cos, %round, %log,
      %sqrt, %rsqrt
      : tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>,
      tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>,
      tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>
}
// -----
// sizes: n = 2, 7, 40
// values: special
// types: i8, i32, i64
rlx.graph @activations_integer_typed(%x: tensor<?x13xTYPE> {rlx.dims = ["n", ""]})
    -> (tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>) {
  %relu = rlx.activation relu %x : tensor<?x13xTYPE>
  %neg = rlx.activation neg %x : tensor<?x13xTYPE>
  %abs = rlx.activation abs %x : tensor<?x13xTYPE>
  rlx.output %relu, %neg, %abs
      : tensor<?x13xTYPE>, tensor<?x13xTYPE>, tensor<?x13xTYPE>
}
// -----
// sizes: n = 1, 5, 33; m = 9, 1, 20
// types: f64, f16, bf16, i8, i32, i64
rlx.graph @binary_typed(%x: tensor<?xTYPE> {rlx.dims = ["m"]},
                        %y: tensor<?x1xTYPE> {rlx.dims = ["n", ""]})
    -> (tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>) {
  %add = rlx.binary add %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xTYPE>
  %sub = rlx.binary sub %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xTYPE>
  %mul = rlx.binary mul %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xTYPE>
  %max = rlx.binary max %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xTYPE>
  %min = rlx.binary min %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xTYPE>
  rlx.output %add, %sub, %mul, %max, %min
      : tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>
}
// -----
// sizes: n = 1, 5, 33; m = 9, 1, 20
// values: positive
// types: f64, f16, bf16
rlx.graph @binary_positive_typed(%x: tensor<?xTYPE> {rlx.dims = ["m"]},
                                 %y: tensor<?x1xTYPE> {rlx.dims = ["n", ""]})
    -> (tensor<?x?xTYPE>, tensor<?x?xTYPE>) {
  %div = rlx.binary div %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xTYPE>
  %pow = rlx.binary pow %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xTYPE>
  rlx.output %div, %pow
      : tensor<?x?xTYPE>, tensor<?x?xTYPE>
}
// -----
// sizes: n = 7, 9, 33; m = 9, 7, 20
// values: special
// types: i8, i32, i64
rlx.graph @binary_division(%x: tensor<?xTYPE> {rlx.dims = ["m"]},
                           %y: tensor<?x1xTYPE> {rlx.dims = ["n", ""]})
    -> (tensor<?x?xTYPE>) {
  %div = rlx.binary div %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xTYPE>
  rlx.output %div
      : tensor<?x?xTYPE>
}
// -----
// sizes: n = 52, 7, 40; m = 9, 60, 52
// values: nonfinite
// types: f32, f64, f16, bf16
rlx.graph @binary_nonfinite(%x: tensor<?xTYPE> {rlx.dims = ["m"]},
                            %y: tensor<?x1xTYPE> {rlx.dims = ["n", ""]})
    -> (tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>,
        tensor<?x?xTYPE>) {
  %add = rlx.binary add %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xTYPE>
  %sub = rlx.binary sub %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xTYPE>
  %mul = rlx.binary mul %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xTYPE>
  %max = rlx.binary max %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xTYPE>
  %min = rlx.binary min %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xTYPE>
  %div = rlx.binary div %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xTYPE>
  rlx.output %add, %sub, %mul, %max, %min, %div
      : tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>,
      tensor<?x?xTYPE>
}
// -----
// sizes: n = 27, 31, 64; m = 9, 1, 20
// values: special
// types: f64, f16, bf16, i8, i32, i64
rlx.graph @compare_typed(%x: tensor<?xTYPE> {rlx.dims = ["m"]},
                         %y: tensor<?x1xTYPE> {rlx.dims = ["n", ""]})
    -> (tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>,
        tensor<?x?xi1>) {
  %eq = rlx.compare eq %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xi1>
  %ne = rlx.compare ne %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xi1>
  %lt = rlx.compare lt %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xi1>
  %le = rlx.compare le %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xi1>
  %gt = rlx.compare gt %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xi1>
  %ge = rlx.compare ge %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xi1>
  rlx.output %eq, %ne, %lt, %le, %gt, %ge
      : tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>
}
// -----
// sizes: n = 1, 5, 33; m = 9, 1, 20
// types: i1
rlx.graph @compare_booleans(%x: tensor<?xTYPE> {rlx.dims = ["m"]},
                            %y: tensor<?x1xTYPE> {rlx.dims = ["n", ""]})
    -> (tensor<?x?xi1>, tensor<?x?xi1>) {
  %eq = rlx.compare eq %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xi1>
  %ne = rlx.compare ne %x, %y : (tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xi1>
  rlx.output %eq, %ne
      : tensor<?x?xi1>, tensor<?x?xi1>
}
// -----
// sizes: n = 1, 5, 33; m = 9, 1, 20
// types: f64, f16, i8, i32, i64
rlx.graph @where_typed(%c: tensor<?x?xi1> {rlx.dims = ["n", "m"]},
                       %x: tensor<?xTYPE> {rlx.dims = ["m"]},
                       %y: tensor<?x1xTYPE> {rlx.dims = ["n", ""]})
    -> (tensor<?x?xTYPE>) {
  %z = rlx.where %c, %x, %y : (tensor<?x?xi1>, tensor<?xTYPE>, tensor<?x1xTYPE>) -> tensor<?x?xTYPE>
  rlx.output %z
      : tensor<?x?xTYPE>
}
// -----
// sizes: n = 1, 7, 33
// types: f32, f64, f16, bf16, i8, i32, i64, i1
rlx.graph @cast_typed(%x: tensor<?x13xTYPE> {rlx.dims = ["n", ""]})
    -> (tensor<?x13xf32>, tensor<?x13xf64>, tensor<?x13xf16>, tensor<?x13xbf16>, tensor<?x13xi8>,
        tensor<?x13xi32>, tensor<?x13xi64>, tensor<?x13xi1>) {
  %cf32 = rlx.cast %x : (tensor<?x13xTYPE>) -> tensor<?x13xf32>
  %cf64 = rlx.cast %x : (tensor<?x13xTYPE>) -> tensor<?x13xf64>
  %cf16 = rlx.cast %x : (tensor<?x13xTYPE>) -> tensor<?x13xf16>
  %cbf16 = rlx.cast %x : (tensor<?x13xTYPE>) -> tensor<?x13xbf16>
  %ci8 = rlx.cast %x : (tensor<?x13xTYPE>) -> tensor<?x13xi8>
  %ci32 = rlx.cast %x : (tensor<?x13xTYPE>) -> tensor<?x13xi32>
  %ci64 = rlx.cast %x : (tensor<?x13xTYPE>) -> tensor<?x13xi64>
  %ci1 = rlx.cast %x : (tensor<?x13xTYPE>) -> tensor<?x13xi1>
  rlx.output %cf32, %cf64, %cf16, %cbf16, %ci8, %ci32, %ci64, %ci1
      : tensor<?x13xf32>, tensor<?x13xf64>, tensor<?x13xf16>, tensor<?x13xbf16>, tensor<?x13xi8>,
      tensor<?x13xi32>, tensor<?x13xi64>, tensor<?x13xi1>
}
// -----
// sizes: n = 1, 5, 33; m = 7, 1, 20
// types: f64, f16, bf16
rlx.graph @reduce_typed(%x: tensor<?x3x?xTYPE> {rlx.dims = ["n", "", "m"]})
    -> (tensor<?x3xTYPE>, tensor<?xTYPE>, tensor<?x3xTYPE>, tensor<?xTYPE>, tensor<?x3xTYPE>,
        tensor<?xTYPE>, tensor<?x3xTYPE>, tensor<?xTYPE>) {
  %sum_rows = rlx.reduce sum %x axes = [2] : (tensor<?x3x?xTYPE>) -> tensor<?x3xTYPE>
  %sum_columns = rlx.reduce sum %x axes = [0, 1] : (tensor<?x3x?xTYPE>) -> tensor<?xTYPE>
  %mean_rows = rlx.reduce mean %x axes = [2] : (tensor<?x3x?xTYPE>) -> tensor<?x3xTYPE>
  %mean_columns = rlx.reduce mean %x axes = [0, 1] : (tensor<?x3x?xTYPE>) -> tensor<?xTYPE>
  %max_rows = rlx.reduce max %x axes = [2] : (tensor<?x3x?xTYPE>) -> tensor<?x3xTYPE>
  %max_columns = rlx.reduce max %x axes = [0, 1] : (tensor<?x3x?xTYPE>) -> tensor<?xTYPE>
  %min_rows = rlx.reduce min %x axes = [2] : (tensor<?x3x?xTYPE>) -> tensor<?x3xTYPE>
  %min_columns = rlx.reduce min %x axes = [0, 1] : (tensor<?x3x?xTYPE>) -> tensor<?xTYPE>
  rlx.output %sum_rows, %sum_columns, %mean_rows, %mean_columns, %max_rows, %max_columns, %min_rows,
      %min_columns
      : tensor<?x3xTYPE>, tensor<?xTYPE>, tensor<?x3xTYPE>, tensor<?xTYPE>, tensor<?x3xTYPE>,
      tensor<?xTYPE>, tensor<?x3xTYPE>, tensor<?xTYPE>
}
// -----
// sizes: n = 1, 5, 33; m = 7, 1, 20
// types: i8, i32, i64
rlx.graph @reduce_integer_typed(%x: tensor<?x3x?xTYPE> {rlx.dims = ["n", "", "m"]})
    -> (tensor<?x3xTYPE>, tensor<?xTYPE>, tensor<?x3xTYPE>, tensor<?xTYPE>, tensor<?x3xTYPE>,
        tensor<?xTYPE>, tensor<?x3xTYPE>, tensor<?xTYPE>) {
  %sum_rows = rlx.reduce sum %x axes = [2] : (tensor<?x3x?xTYPE>) -> tensor<?x3xTYPE>
  %sum_columns = rlx.reduce sum %x axes = [0, 1] : (tensor<?x3x?xTYPE>) -> tensor<?xTYPE>
  %max_rows = rlx.reduce max %x axes = [2] : (tensor<?x3x?xTYPE>) -> tensor<?x3xTYPE>
  %max_columns = rlx.reduce max %x axes = [0, 1] : (tensor<?x3x?xTYPE>) -> tensor<?xTYPE>
  %min_rows = rlx.reduce min %x axes = [2] : (tensor<?x3x?xTYPE>) -> tensor<?x3xTYPE>
  %min_columns = rlx.reduce min %x axes = [0, 1] : (tensor<?x3x?xTYPE>) -> tensor<?xTYPE>
  %prod_rows = rlx.reduce prod %x axes = [2] : (tensor<?x3x?xTYPE>) -> tensor<?x3xTYPE>
  %prod_columns = rlx.reduce prod %x axes = [0, 1] : (tensor<?x3x?xTYPE>) -> tensor<?xTYPE>
  rlx.output %sum_rows, %sum_columns, %max_rows, %max_columns, %min_rows, %min_columns, %prod_rows,
      %prod_columns
      : tensor<?x3xTYPE>, tensor<?xTYPE>, tensor<?x3xTYPE>, tensor<?xTYPE>, tensor<?x3xTYPE>,
      tensor<?xTYPE>, tensor<?x3xTYPE>, tensor<?xTYPE>
}
// -----
// sizes: n = 1, 5, 9; m = 7, 1, 20
// values: nonfinite
// types: f32, f64, f16, bf16
rlx.graph @reduce_nonfinite(%x: tensor<?x3x?xTYPE> {rlx.dims = ["n", "", "m"]})
    -> (tensor<?x3xTYPE>, tensor<?xTYPE>, tensor<?x3xTYPE>, tensor<?xTYPE>, tensor<?x3xTYPE>,
        tensor<?xTYPE>, tensor<?x3xTYPE>, tensor<?xTYPE>, tensor<?x3xTYPE>, tensor<?xTYPE>) {
  %sum_rows = rlx.reduce sum %x axes = [2] : (tensor<?x3x?xTYPE>) -> tensor<?x3xTYPE>
  %sum_columns = rlx.reduce sum %x axes = [0, 1] : (tensor<?x3x?xTYPE>) -> tensor<?xTYPE>
  %mean_rows = rlx.reduce mean %x axes = [2] : (tensor<?x3x?xTYPE>) -> tensor<?x3xTYPE>
  %mean_columns = rlx.reduce mean %x axes = [0, 1] : (tensor<?x3x?xTYPE>) -> tensor<?xTYPE>
  %max_rows = rlx.reduce max %x axes = [2] : (tensor<?x3x?xTYPE>) -> tensor<?x3xTYPE>
  %max_columns = rlx.reduce max %x axes = [0, 1] : (tensor<?x3x?xTYPE>) -> tensor<?xTYPE>
  %min_rows = rlx.reduce min %x axes = [2] : (tensor<?x3x?xTYPE>) -> tensor<?x3xTYPE>
  %min_columns = rlx.reduce min %x axes = [0, 1] : (tensor<?x3x?xTYPE>) -> tensor<?xTYPE>
  %prod_rows = rlx.reduce prod %x axes = [2] : (tensor<?x3x?xTYPE>) -> tensor<?x3xTYPE>
  %prod_columns = rlx.reduce prod %x axes = [0, 1] : (tensor<?x3x?xTYPE>) -> tensor<?xTYPE>
  rlx.output %sum_rows, %sum_columns, %mean_rows, %mean_columns, %max_rows, %max_columns, %min_rows,
      %min_columns, %prod_rows, %prod_columns
      : tensor<?x3xTYPE>, tensor<?xTYPE>, tensor<?x3xTYPE>, tensor<?xTYPE>, tensor<?x3xTYPE>,
      tensor<?xTYPE>, tensor<?x3xTYPE>, tensor<?xTYPE>, tensor<?x3xTYPE>, tensor<?xTYPE>
}
// -----
// sizes: n = 1, 5, 33; m = 7, 1, 20
// types: f64, f16, bf16
rlx.graph @softmax_typed(%x: tensor<?x3x?xTYPE> {rlx.dims = ["n", "", "m"]})
    -> (tensor<?x3x?xTYPE>, tensor<?x3x?xTYPE>, tensor<?x3x?xTYPE>) {
  %a0 = rlx.softmax %x axis = 0 : tensor<?x3x?xTYPE>
  %a1 = rlx.softmax %x axis = 1 : tensor<?x3x?xTYPE>
  %a2 = rlx.softmax %x axis = 2 : tensor<?x3x?xTYPE>
  rlx.output %a0, %a1, %a2
      : tensor<?x3x?xTYPE>, tensor<?x3x?xTYPE>, tensor<?x3x?xTYPE>
}
// -----
// sizes: n = 1, 5, 33; m = 7, 1, 20
// values: nonfinite
// types: f32, f64, f16, bf16
rlx.graph @softmax_nonfinite(%x: tensor<?x3x?xTYPE> {rlx.dims = ["n", "", "m"]})
    -> (tensor<?x3x?xTYPE>, tensor<?x3x?xTYPE>, tensor<?x3x?xTYPE>) {
  %a0 = rlx.softmax %x axis = 0 : tensor<?x3x?xTYPE>
  %a1 = rlx.softmax %x axis = 1 : tensor<?x3x?xTYPE>
  %a2 = rlx.softmax %x axis = 2 : tensor<?x3x?xTYPE>
  rlx.output %a0, %a1, %a2
      : tensor<?x3x?xTYPE>, tensor<?x3x?xTYPE>, tensor<?x3x?xTYPE>
}
// -----
// sizes: n = 1, 7, 40
// types: f64, f16, bf16
rlx.graph @layer_norm_typed(%x: tensor<?x3x20xTYPE> {rlx.dims = ["n", "", ""]},
                            %r: tensor<?x3x20xTYPE> {rlx.dims = ["n", "", ""]},
                            %g: tensor<20xTYPE>,
                            %b: tensor<20xTYPE>)
    -> (tensor<?x3x20xTYPE>, tensor<?x3x20xTYPE>) {
  %y = rlx.layer_norm %x, %g, %b axis = -1 epsilon = 1.0e-5
      : (tensor<?x3x20xTYPE>, tensor<20xTYPE>, tensor<20xTYPE>) -> tensor<?x3x20xTYPE>
  %z = rlx.fused_residual_layer_norm %x, %r, %g, %b axis = -1 epsilon = 1.0e-5
      : (tensor<?x3x20xTYPE>, tensor<?x3x20xTYPE>, tensor<20xTYPE>, tensor<20xTYPE>)
      -> tensor<?x3x20xTYPE>
  rlx.output %y, %z
      : tensor<?x3x20xTYPE>, tensor<?x3x20xTYPE>
}
// -----
// sizes: n = 1, 7, 40
// values: nonfinite
// types: f32, f64, f16, bf16
rlx.graph @layer_norm_nonfinite(%x: tensor<?x3x20xTYPE> {rlx.dims = ["n", "", ""]},
                                %r: tensor<?x3x20xTYPE> {rlx.dims = ["n", "", ""]},
                                %g: tensor<20xTYPE>,
                                %b: tensor<20xTYPE>)
    -> (tensor<?x3x20xTYPE>, tensor<?x3x20xTYPE>) {
  %y = rlx.layer_norm %x, %g, %b axis = -1 epsilon = 1.0e-5
      : (tensor<?x3x20xTYPE>, tensor<20xTYPE>, tensor<20xTYPE>) -> tensor<?x3x20xTYPE>
  %z = rlx.fused_residual_layer_norm %x, %r, %g, %b axis = -1 epsilon = 1.0e-5
      : (tensor<?x3x20xTYPE>, tensor<?x3x20xTYPE>, tensor<20xTYPE>, tensor<20xTYPE>)
      -> tensor<?x3x20xTYPE>
  rlx.output %y, %z
      : tensor<?x3x20xTYPE>, tensor<?x3x20xTYPE>
}
