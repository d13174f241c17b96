// types: f32, f64, bf16
// sizes: n = 1, 7, 33
rlx.graph @activation_backward(%x: tensor<?x5xTYPE> {rlx.dims = ["n", ""]},
                               %d: tensor<?x5xTYPE> {rlx.dims = ["n", ""]})
    -> (tensor<?x5xTYPE>, tensor<?x5xTYPE>, tensor<?x5xTYPE>, tensor<?x5xTYPE>, tensor<?x5xTYPE>,
        tensor<?x5xTYPE>, tensor<?x5xTYPE>, tensor<?x5xTYPE>, tensor<?x5xTYPE>, tensor<?x5xTYPE>) {
  %0 = rlx.activation_backward relu %x, %d : (tensor<?x5xTYPE>, tensor<?x5xTYPE>) -> tensor<?x5xTYPE>
  %1 = rlx.activation_backward gelu %x, %d : (tensor<?x5xTYPE>, tensor<?x5xTYPE>) -> tensor<?x5xTYPE>
  %2 = rlx.activation_backward gelu_tanh %x, %d : (tensor<?x5xTYPE>, tensor<?x5xTYPE>) -> tensor<?x5xTYPE>
  %3 = rlx.activation_backward silu %x, %d : (tensor<?x5xTYPE>, tensor<?x5xTYPE>) -> tensor<?x5xTYPE>
  %4 = rlx.activation_backward sigmoid %x, %d : (tensor<?x5xTYPE>, tensor<?x5xTYPE>) -> tensor<?x5xTYPE>
  %5 = rlx.activation_backward tanh %x, %d : (tensor<?x5xTYPE>, tensor<?x5xTYPE>) -> tensor<?x5xTYPE>
  %6 = rlx.activation_backward exp %x, %d : (tensor<?x5xTYPE>, tensor<?x5xTYPE>) -> tensor<?x5xTYPE>
  %7 = rlx.activation_backward abs %x, %d : (tensor<?x5xTYPE>, tensor<?x5xTYPE>) -> tensor<?x5xTYPE>
  %8 = rlx.activation_backward sin %x, %d : (tensor<?x5xTYPE>, tensor<?x5xTYPE>) -> tensor<?x5xTYPE>
  %9 = rlx.activation_backward cos %x, %d : (tensor<?x5xTYPE>, tensor<?x5xTYPE>) -> tensor<?x5xTYPE>
  rlx.output %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<?x5xTYPE>, tensor<?x5xTYPE>, tensor<?x5xTYPE>,
      tensor<?x5xTYPE>, tensor<?x5xTYPE>, tensor<?x5xTYPE>, tensor<?x5xTYPE>, tensor<?x5xTYPE>,
      tensor<?x5xTYPE>, tensor<?x5xTYPE>
}
// -----
// values: positive
rlx.graph @activation_backward_positive(%x: tensor<7x33xf32>, %d: tensor<7x33xf32>)
    -> (tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>) {
  %0 = rlx.activation_backward log %x, %d : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %1 = rlx.activation_backward sqrt %x, %d : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %2 = rlx.activation_backward rsqrt %x, %d : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %3 = rlx.activation_backward neg %x, %d : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %4 = rlx.activation_backward round %x, %d : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  rlx.output %0, %1, %2, %3, %4 : tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>,
      tensor<7x33xf32>, tensor<7x33xf32>
}
// -----
// sizes: b = 1, 2, 3; h = 1, 6, 20; w = 1, 9, 7
rlx.graph @conv2d_backward_pointwise(%x: tensor<?x5x?x?xf32> {rlx.dims = ["b", "", "h", "w"]},
                                     %d: tensor<?x17x?x?xf32> {rlx.dims = ["b", "", "h", "w"]},
                                     %w: tensor<17x5x1x1xf32>)
    -> (tensor<?x5x?x?xf32>, tensor<17x5x1x1xf32>) {
  %dx = rlx.conv2d_backward_input %d, %w, %x
      : (tensor<?x17x?x?xf32>, tensor<17x5x1x1xf32>, tensor<?x5x?x?xf32>) -> tensor<?x5x?x?xf32>
  %dw = rlx.conv2d_backward_weight %d, %x, %w
      : (tensor<?x17x?x?xf32>, tensor<?x5x?x?xf32>, tensor<17x5x1x1xf32>) -> tensor<17x5x1x1xf32>
  rlx.output %dx, %dw : tensor<?x5x?x?xf32>, tensor<17x5x1x1xf32>
}
// -----
// types: f32, f64, bf16
// sizes: b = 1, 2, 3; h = 1, 6, 20; w = 1, 9, 7
rlx.graph @conv2d_backward_depthwise(%x: tensor<?x6x?x?xTYPE> {rlx.dims = ["b", "", "h", "w"]},
                                     %d: tensor<?x6x?x?xTYPE> {rlx.dims = ["b", "", "h", "w"]},
                                     %w: tensor<6x1x3x3xTYPE>)
    -> (tensor<?x6x?x?xTYPE>, tensor<6x1x3x3xTYPE>) {
  %dx = rlx.conv2d_backward_input %d, %w, %x padding = [1, 1] groups = 6
      : (tensor<?x6x?x?xTYPE>, tensor<6x1x3x3xTYPE>, tensor<?x6x?x?xTYPE>) -> tensor<?x6x?x?xTYPE>
  %dw = rlx.conv2d_backward_weight %d, %x, %w padding = [1, 1] groups = 6
      : (tensor<?x6x?x?xTYPE>, tensor<?x6x?x?xTYPE>, tensor<6x1x3x3xTYPE>) -> tensor<6x1x3x3xTYPE>
  rlx.output %dx, %dw : tensor<?x6x?x?xTYPE>, tensor<6x1x3x3xTYPE>
}
// -----
// A stride, a dilation, and padding wider than the filter reaches.
rlx.graph @conv2d_backward_strided(%x: tensor<2x4x9x8xf32>, %d: tensor<2x6x4x11xf32>,
                                   %w: tensor<6x4x3x2xf32>)
    -> (tensor<2x4x9x8xf32>, tensor<6x4x3x2xf32>) {
  %dx = rlx.conv2d_backward_input %d, %w, %x stride = [2, 1] padding = [1, 2] dilation = [2, 1]
      : (tensor<2x6x4x11xf32>, tensor<6x4x3x2xf32>, tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  %dw = rlx.conv2d_backward_weight %d, %x, %w stride = [2, 1] padding = [1, 2] dilation = [2, 1]
      : (tensor<2x6x4x11xf32>, tensor<2x4x9x8xf32>, tensor<6x4x3x2xf32>) -> tensor<6x4x3x2xf32>
  rlx.output %dx, %dw : tensor<2x4x9x8xf32>, tensor<6x4x3x2xf32>
}
// -----
// sizes: b = 1, 2, 3; h = 3, 6, 20
rlx.graph @conv2d_backward_groups(%x: tensor<?x6x?x5xf32> {rlx.dims = ["b", "", "h", ""]},
                                  %w: tensor<4x3x3x3xf32>, %d: tensor<?x4x?x5xf32>
                                  {rlx.dims = ["b", "", "h", ""]})
    -> (tensor<?x6x?x5xf32>, tensor<4x3x3x3xf32>) {
  %dx = rlx.conv2d_backward_input %d, %w, %x padding = [1, 1] groups = 2
      : (tensor<?x4x?x5xf32>, tensor<4x3x3x3xf32>, tensor<?x6x?x5xf32>) -> tensor<?x6x?x5xf32>
  %dw = rlx.conv2d_backward_weight %d, %x, %w padding = [1, 1] groups = 2
      : (tensor<?x4x?x5xf32>, tensor<?x6x?x5xf32>, tensor<4x3x3x3xf32>) -> tensor<4x3x3x3xf32>
  rlx.output %dx, %dw : tensor<?x6x?x5xf32>, tensor<4x3x3x3xf32>
}
// -----
// values: index 3
// sizes: n = 1, 7, 33
rlx.graph @scatter_add(%x: tensor<3x4xf32>, %i: tensor<?xi32> {rlx.dims = ["n"]},
                       %u: tensor<?x4xf32> {rlx.dims = ["n", ""]},
                       %v: tensor<3x?xf32> {rlx.dims = ["", "n"]}, %y: tensor<5x3x2xbf16>,
                       %j: tensor<2x2xi64>, %z: tensor<5x2x2x2xbf16>, %s: tensor<i64>,
                       %t: tensor<4xf32>)
    -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<5x3x2xbf16>, tensor<3x4xf32>) {
  %0 = rlx.scatter_add %x, %i, %u axis = 0
      : (tensor<3x4xf32>, tensor<?xi32>, tensor<?x4xf32>) -> tensor<3x4xf32>
  %1 = rlx.scatter_add %x, %i, %v axis = 1
      : (tensor<3x4xf32>, tensor<?xi32>, tensor<3x?xf32>) -> tensor<3x4xf32>
  %2 = rlx.scatter_add %y, %j, %z axis = 1
      : (tensor<5x3x2xbf16>, tensor<2x2xi64>, tensor<5x2x2x2xbf16>) -> tensor<5x3x2xbf16>
  %3 = rlx.scatter_add %x, %s, %t axis = 0
      : (tensor<3x4xf32>, tensor<i64>, tensor<4xf32>) -> tensor<3x4xf32>
  rlx.output %0, %1, %2, %3 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<5x3x2xbf16>, tensor<3x4xf32>
}
// -----
// sizes: b = 1, 2, 3; n = 1, 7, 139; m = 5, 159, 70
rlx.graph @attention_backward_f32(%q: tensor<?x?x24xf32> {rlx.dims = ["b", "n", ""]},
                              %k: tensor<?x?x24xf32> {rlx.dims = ["b", "m", ""]},
                              %v: tensor<?x?x15xf32> {rlx.dims = ["b", "m", ""]},
                              %d: tensor<?x?x15xf32> {rlx.dims = ["b", "n", ""]})
    -> (tensor<?x?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x15xf32>) {
  %o, %lse = rlx.attention none %q, %k, %v num_heads = 3 head_dim = 8 scale = 0.25 with_lse
      : (tensor<?x?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x15xf32>)
      -> (tensor<?x?x15xf32>, tensor<?x3x?xf32>)
  %dq, %dk, %dv = rlx.attention_backward none %q, %k, %v of(%o, %lse) gradient(%d)
      num_heads = 3 head_dim = 8 scale = 0.25
      : (tensor<?x?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x15xf32>, tensor<?x?x15xf32>,
         tensor<?x3x?xf32>, tensor<?x?x15xf32>)
      -> (tensor<?x?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x15xf32>)
  rlx.output %dq, %dk, %dv : tensor<?x?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x15xf32>
}
// -----
// sizes: b = 1, 2, 3; n = 1, 7, 139; m = 5, 159, 70
rlx.graph @attention_backward_f64(%q: tensor<?x?x24xf64> {rlx.dims = ["b", "n", ""]},
                              %k: tensor<?x?x24xf64> {rlx.dims = ["b", "m", ""]},
                              %v: tensor<?x?x15xf64> {rlx.dims = ["b", "m", ""]},
                              %d: tensor<?x?x15xf64> {rlx.dims = ["b", "n", ""]})
    -> (tensor<?x?x24xf64>, tensor<?x?x24xf64>, tensor<?x?x15xf64>) {
  %o, %lse = rlx.attention none %q, %k, %v num_heads = 3 head_dim = 8 scale = 0.25 with_lse
      : (tensor<?x?x24xf64>, tensor<?x?x24xf64>, tensor<?x?x15xf64>)
      -> (tensor<?x?x15xf64>, tensor<?x3x?xf64>)
  %dq, %dk, %dv = rlx.attention_backward none %q, %k, %v of(%o, %lse) gradient(%d)
      num_heads = 3 head_dim = 8 scale = 0.25
      : (tensor<?x?x24xf64>, tensor<?x?x24xf64>, tensor<?x?x15xf64>, tensor<?x?x15xf64>,
         tensor<?x3x?xf64>, tensor<?x?x15xf64>)
      -> (tensor<?x?x24xf64>, tensor<?x?x24xf64>, tensor<?x?x15xf64>)
  rlx.output %dq, %dk, %dv : tensor<?x?x24xf64>, tensor<?x?x24xf64>, tensor<?x?x15xf64>
}
// -----
// sizes: b = 1, 2, 3; n = 7, 39, 130; m = 5, 39, 70
rlx.graph @attention_backward_positions(%q: tensor<?x?x16xf32> {rlx.dims = ["b", "n", ""]},
                                        %k: tensor<?x?x16xf32> {rlx.dims = ["b", "m", ""]},
                                        %d: tensor<?x?x16xf32> {rlx.dims = ["b", "n", ""]},
                                        %dl: tensor<?x2x?xf32> {rlx.dims = ["b", "", "n"]})
    -> (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>,
        tensor<?x?x16xf32>, tensor<?x?x16xf32>) {
  %o, %l = rlx.attention causal %q, %k, %k num_heads = 2 head_dim = 8 with_lse
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x2x?xf32>)
  %dq, %dk, %dv = rlx.attention_backward causal %q, %k, %k of(%o, %l) gradient(%d, %dl)
      num_heads = 2 head_dim = 8
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>,
         tensor<?x2x?xf32>, tensor<?x?x16xf32>, tensor<?x2x?xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
  %p, %m = rlx.attention sliding_window %q, %k, %k num_heads = 2 head_dim = 8 window = 3 with_lse
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x2x?xf32>)
  %eq, %ek, %ev = rlx.attention_backward sliding_window %q, %k, %k of(%p, %m) gradient(%d)
      num_heads = 2 head_dim = 8 window = 3
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>,
         tensor<?x2x?xf32>, tensor<?x?x16xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
  rlx.output %dq, %dk, %dv, %eq, %ek, %ev : tensor<?x?x16xf32>, tensor<?x?x16xf32>,
      tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
}
// -----
// sizes: b = 1, 2, 3; n = 1, 39, 130; m = 5, 39, 70
rlx.graph @attention_backward_keys(%q: tensor<?x?x16xf32> {rlx.dims = ["b", "n", ""]},
    %k: tensor<?x?x16xf32> {rlx.dims = ["b", "m", ""]}, %v: tensor<?x?x16xf32> {rlx.dims = ["b", "m", ""]},
    %mask: tensor<?x?xi1> {rlx.dims = ["b", "m"]}, %d: tensor<?x?x16xf32> {rlx.dims = ["b", "n", ""]})
    -> (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>) {
  %o, %l = rlx.attention custom %q, %k, %v, %mask num_heads = 2 head_dim = 8 with_lse
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xi1>)
      -> (tensor<?x?x16xf32>, tensor<?x2x?xf32>)
  %dq, %dk, %dv = rlx.attention_backward custom %q, %k, %v, %mask of(%o, %l)
      gradient(%d) num_heads = 2 head_dim = 8
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xi1>, tensor<?x?x16xf32>, tensor<?x2x?xf32>, tensor<?x?x16xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
  rlx.output %dq, %dk, %dv : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
}
// -----
// sizes: b = 1, 2, 3; n = 1, 39, 130; m = 5, 39, 70
rlx.graph @attention_backward_floats(%q: tensor<?x?x16xf32> {rlx.dims = ["b", "n", ""]},
    %k: tensor<?x?x16xf32> {rlx.dims = ["b", "m", ""]}, %v: tensor<?x?x16xf32> {rlx.dims = ["b", "m", ""]},
    %mask: tensor<1x2x?x?xf32> {rlx.dims = ["", "", "n", "m"]}, %d: tensor<?x?x16xf32> {rlx.dims = ["b", "n", ""]})
    -> (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>) {
  %o, %l = rlx.attention custom %q, %k, %v, %mask num_heads = 2 head_dim = 8 with_lse
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<1x2x?x?xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x2x?xf32>)
  %dq, %dk, %dv = rlx.attention_backward custom %q, %k, %v, %mask of(%o, %l)
      gradient(%d) num_heads = 2 head_dim = 8
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<1x2x?x?xf32>, tensor<?x?x16xf32>, tensor<?x2x?xf32>, tensor<?x?x16xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>)
  rlx.output %dq, %dk, %dv : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
}
// -----
// sizes: b = 1, 2, 3; n = 1, 39, 130; m = 5, 39, 70
rlx.graph @attention_backward_bias(%q: tensor<?x?x16xf32> {rlx.dims = ["b", "n", ""]},
    %k: tensor<?x?x16xf32> {rlx.dims = ["b", "m", ""]}, %v: tensor<?x?x16xf32> {rlx.dims = ["b", "m", ""]},
    %mask: tensor<?x2x?x?xf32> {rlx.dims = ["b", "", "n", "m"]}, %d: tensor<?x?x16xf32> {rlx.dims = ["b", "n", ""]})
    -> (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x2x?x?xf32>) {
  %o, %l = rlx.attention bias %q, %k, %v, %mask num_heads = 2 head_dim = 8 with_lse
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x2x?x?xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x2x?xf32>)
  %dq, %dk, %dv, %dm = rlx.attention_backward bias %q, %k, %v, %mask of(%o, %l)
      gradient(%d) num_heads = 2 head_dim = 8
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x2x?x?xf32>, tensor<?x?x16xf32>, tensor<?x2x?xf32>, tensor<?x?x16xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x2x?x?xf32>)
  rlx.output %dq, %dk, %dv, %dm : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x2x?x?xf32>
}
// -----
// sizes: b = 1, 2, 3; n = 1, 39, 130; m = 5, 39, 70
rlx.graph @attention_backward_bias_keys(%q: tensor<?x?x16xf32> {rlx.dims = ["b", "n", ""]},
    %k: tensor<?x?x16xf32> {rlx.dims = ["b", "m", ""]}, %v: tensor<?x?x16xf32> {rlx.dims = ["b", "m", ""]},
    %mask: tensor<?x?xf32> {rlx.dims = ["b", "m"]}, %d: tensor<?x?x16xf32> {rlx.dims = ["b", "n", ""]})
    -> (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>) {
  %o, %l = rlx.attention bias %q, %k, %v, %mask num_heads = 2 head_dim = 8 with_lse
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x2x?xf32>)
  %dq, %dk, %dv, %dm = rlx.attention_backward bias %q, %k, %v, %mask of(%o, %l)
      gradient(%d) num_heads = 2 head_dim = 8
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>, tensor<?x?x16xf32>, tensor<?x2x?xf32>, tensor<?x?x16xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>)
  rlx.output %dq, %dk, %dv, %dm : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?xf32>
}
// -----
// sizes: b = 1, 2, 3; n = 1, 39, 130; m = 5, 39, 70
rlx.graph @attention_backward_bias_shared(%q: tensor<?x?x16xf32> {rlx.dims = ["b", "n", ""]},
    %k: tensor<?x?x16xf32> {rlx.dims = ["b", "m", ""]}, %v: tensor<?x?x16xf32> {rlx.dims = ["b", "m", ""]},
    %mask: tensor<1x1x?x?xf32> {rlx.dims = ["", "", "n", "m"]}, %d: tensor<?x?x16xf32> {rlx.dims = ["b", "n", ""]})
    -> (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<1x1x?x?xf32>) {
  %o, %l = rlx.attention bias %q, %k, %v, %mask num_heads = 2 head_dim = 8 with_lse
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<1x1x?x?xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x2x?xf32>)
  %dq, %dk, %dv, %dm = rlx.attention_backward bias %q, %k, %v, %mask of(%o, %l)
      gradient(%d) num_heads = 2 head_dim = 8
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<1x1x?x?xf32>, tensor<?x?x16xf32>, tensor<?x2x?xf32>, tensor<?x?x16xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<1x1x?x?xf32>)
  rlx.output %dq, %dk, %dv, %dm : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<1x1x?x?xf32>
}
// -----
// sizes: b = 1, 2, 3; n = 1, 39, 130; m = 5, 39, 70
rlx.graph @attention_backward_bias_rows(%q: tensor<?x?x16xf32> {rlx.dims = ["b", "n", ""]},
    %k: tensor<?x?x16xf32> {rlx.dims = ["b", "m", ""]}, %v: tensor<?x?x16xf32> {rlx.dims = ["b", "m", ""]},
    %mask: tensor<?x1x1x?xf32> {rlx.dims = ["b", "", "", "m"]}, %d: tensor<?x?x16xf32> {rlx.dims = ["b", "n", ""]})
    -> (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x1x1x?xf32>) {
  %o, %l = rlx.attention bias %q, %k, %v, %mask num_heads = 2 head_dim = 8 with_lse
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x1x1x?xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x2x?xf32>)
  %dq, %dk, %dv, %dm = rlx.attention_backward bias %q, %k, %v, %mask of(%o, %l)
      gradient(%d) num_heads = 2 head_dim = 8
      : (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x1x1x?xf32>, tensor<?x?x16xf32>, tensor<?x2x?xf32>, tensor<?x?x16xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x1x1x?xf32>)
  rlx.output %dq, %dk, %dv, %dm : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x1x1x?xf32>
}
// -----
// sizes: b = 1, 2, 5
rlx.graph @psa_backward(%x: tensor<?x96x5x7xf32> {rlx.dims = ["b", "", "", ""]},
                        %d: tensor<?x48x5x7xf32> {rlx.dims = ["b", "", "", ""]},
                        %dl: tensor<?x3x35xf32> {rlx.dims = ["b", "", ""]},
                        %into: tensor<?x4x3x35x8xf32> {rlx.dims = ["b", "", "", "", ""]})
    -> (tensor<?x96x5x7xf32>, tensor<?x96x5x7xf32>) {
  %packed = rlx.psa_pack_qkv %x num_heads = 3 key_dim = 8
      : (tensor<?x96x5x7xf32>) -> tensor<?x4x3x35x8xf32>
  %lo, %l = rlx.psa_flash_attention lo %packed
      : (tensor<?x4x3x35x8xf32>) -> (tensor<?x3x35x8xf32>, tensor<?x3x35xf32>)
  %hi, %m = rlx.psa_flash_attention hi %packed
      : (tensor<?x4x3x35x8xf32>) -> (tensor<?x3x35x8xf32>, tensor<?x3x35xf32>)
  %dlo, %dhi = rlx.psa_merge_attn_backward %d num_heads = 3
      : (tensor<?x48x5x7xf32>) -> (tensor<?x3x35x8xf32>, tensor<?x3x35x8xf32>)
  %0 = rlx.psa_flash_attention_backward lo %packed of(%lo, %l) gradient(%dlo) into %into
      : (tensor<?x4x3x35x8xf32>, tensor<?x3x35x8xf32>, tensor<?x3x35xf32>, tensor<?x3x35x8xf32>,
         tensor<?x4x3x35x8xf32>) -> tensor<?x4x3x35x8xf32>
  %1 = rlx.psa_flash_attention_backward hi %packed of(%hi, %m) gradient(%dhi, %dl) into %0
      : (tensor<?x4x3x35x8xf32>, tensor<?x3x35x8xf32>, tensor<?x3x35xf32>, tensor<?x3x35x8xf32>,
         tensor<?x3x35xf32>, tensor<?x4x3x35x8xf32>) -> tensor<?x4x3x35x8xf32>
  %y = rlx.psa_pack_qkv_backward %1 into %x num_heads = 3 key_dim = 8
      : (tensor<?x4x3x35x8xf32>, tensor<?x96x5x7xf32>) -> tensor<?x96x5x7xf32>
  %z = rlx.psa_extract_v_backward %d into %x num_heads = 3 key_dim = 8
      : (tensor<?x48x5x7xf32>, tensor<?x96x5x7xf32>) -> tensor<?x96x5x7xf32>
  rlx.output %y, %z : tensor<?x96x5x7xf32>, tensor<?x96x5x7xf32>
}
