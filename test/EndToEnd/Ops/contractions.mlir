// sizes: b = 1, 3, 5; m = 7, 1, 33
rlx.graph @matmul(%x: tensor<?x?x37xf32> {rlx.dims = ["b", "m", ""]}) -> tensor<?x?x29xf32> {
  %w = rlx.param "w" : tensor<37x29xf32>
  %y = rlx.matmul %x, %w : (tensor<?x?x37xf32>, tensor<37x29xf32>) -> tensor<?x?x29xf32>
  rlx.output %y : tensor<?x?x29xf32>
}
// -----
// sizes: m = 1, 5, 64; k = 1, 17, 130; n = 3, 1, 48
rlx.graph @matmul_dynamic(%x: tensor<?x?xf32> {rlx.dims = ["m", "k"]},
                          %w: tensor<?x?xf32> {rlx.dims = ["k", "n"]}) -> tensor<?x?xf32> {
  %y = rlx.matmul %x, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  rlx.output %y : tensor<?x?xf32>
}
// -----
// sizes: b = 1, 2, 7
rlx.graph @matmul_batched(%x: tensor<?x1x4x5xf64> {rlx.dims = ["b", "", "", ""]},
                          %w: tensor<3x5x6xf64>) -> tensor<?x3x4x6xf64> {
  %y = rlx.matmul %x, %w : (tensor<?x1x4x5xf64>, tensor<3x5x6xf64>) -> tensor<?x3x4x6xf64>
  rlx.output %y : tensor<?x3x4x6xf64>
}
// -----
// sizes: m = 1, 9, 70
rlx.graph @matmul_f16(%x: tensor<?x33xf16> {rlx.dims = ["m", ""]}) -> tensor<?x17xf16> {
  %w = rlx.param "w" : tensor<33x17xf16>
  %y = rlx.matmul %x, %w : (tensor<?x33xf16>, tensor<33x17xf16>) -> tensor<?x17xf16>
  rlx.output %y : tensor<?x17xf16>
}
// -----
rlx.graph @matmul_empty(%x: tensor<3x0xf32>, %w: tensor<0x4xf32>) -> tensor<3x4xf32> {
  %y = rlx.matmul %x, %w : (tensor<3x0xf32>, tensor<0x4xf32>) -> tensor<3x4xf32>
  rlx.output %y : tensor<3x4xf32>
}
// -----
// sizes: n = 1, 7, 65
rlx.graph @linear(%x: tensor<1x?x40xf32> {rlx.dims = ["", "n", ""]})
    -> (tensor<1x?x24xf32>, tensor<1x?x24xf32>, tensor<1x?x24xf32>) {
  %w = rlx.param "w" : tensor<40x24xf32>
  %b = rlx.param "b" : tensor<24xf32>
  %plain = rlx.fused_matmul_bias_act %x, %w, %b
      : (tensor<1x?x40xf32>, tensor<40x24xf32>, tensor<24xf32>) -> tensor<1x?x24xf32>
  %relu = rlx.fused_matmul_bias_act %x, %w, %b act = relu
      : (tensor<1x?x40xf32>, tensor<40x24xf32>, tensor<24xf32>) -> tensor<1x?x24xf32>
  %gelu = rlx.fused_matmul_bias_act %x, %w, %b act = gelu
      : (tensor<1x?x40xf32>, tensor<40x24xf32>, tensor<24xf32>) -> tensor<1x?x24xf32>
  rlx.output %plain, %relu, %gelu : tensor<1x?x24xf32>, tensor<1x?x24xf32>, tensor<1x?x24xf32>
}
// -----
// sizes: n = 1, 7, 65
rlx.graph @linear_bf16(%x: tensor<?x40xbf16> {rlx.dims = ["n", ""]}) -> tensor<?x24xbf16> {
  %w = rlx.param "w" : tensor<40x24xbf16>
  %b = rlx.param "b" : tensor<24xbf16>
  %y = rlx.fused_matmul_bias_act %x, %w, %b act = silu
      : (tensor<?x40xbf16>, tensor<40x24xbf16>, tensor<24xbf16>) -> tensor<?x24xbf16>
  rlx.output %y : tensor<?x24xbf16>
}
// -----
// sizes: b = 1, 2, 5; h = 1, 7, 12; w = 1, 9, 20
rlx.graph @conv_pointwise(%x: tensor<?x20x?x?xf32> {rlx.dims = ["b", "", "h", "w"]})
    -> (tensor<?x12x?x?xf32>, tensor<?x12x?x?xf32>) {
  %w = rlx.param "w" : tensor<12x20x1x1xf32>
  %b = rlx.param "b" : tensor<12xf32>
  %y = rlx.conv2d %x, %w, %b : (tensor<?x20x?x?xf32>, tensor<12x20x1x1xf32>, tensor<12xf32>)
      -> tensor<?x12x?x?xf32>
  %z = rlx.conv2d %x, %w stride = [2, 2] : (tensor<?x20x?x?xf32>, tensor<12x20x1x1xf32>)
      -> tensor<?x12x?x?xf32>
  rlx.output %y, %z : tensor<?x12x?x?xf32>, tensor<?x12x?x?xf32>
}
// -----
// sizes: b = 1, 2, 3; h = 3, 7, 20; w = 5, 9, 12
rlx.graph @conv_windows(%x: tensor<?x4x?x?xf32> {rlx.dims = ["b", "", "h", "w"]})
    -> (tensor<?x6x?x?xf32>, tensor<?x6x?x?xf32>) {
  %w = rlx.param "w" : tensor<6x4x3x3xf32>
  %b = rlx.param "b" : tensor<6xf32>
  %y = rlx.conv2d %x, %w, %b stride = [2, 1] padding = [1, 2]
      : (tensor<?x4x?x?xf32>, tensor<6x4x3x3xf32>, tensor<6xf32>) -> tensor<?x6x?x?xf32>
  %z = rlx.conv2d %x, %w dilation = [1, 2] : (tensor<?x4x?x?xf32>, tensor<6x4x3x3xf32>)
      -> tensor<?x6x?x?xf32>
  rlx.output %y, %z : tensor<?x6x?x?xf32>, tensor<?x6x?x?xf32>
}
// -----
// sizes: b = 1, 2, 3; h = 1, 7, 20; w = 1, 9, 12
rlx.graph @conv_groups(%x: tensor<?x6x?x?xf32> {rlx.dims = ["b", "", "h", "w"]})
    -> (tensor<?x6x?x?xf32>, tensor<?x9x?x?xf32>, tensor<?x12x?x?xf32>) {
  %w0 = rlx.param "depthwise" : tensor<6x1x3x3xf32>
  %w1 = rlx.param "grouped" : tensor<9x2x3x3xf32>
  %w2 = rlx.param "multiplied" : tensor<12x1x3x3xf32>
  %b = rlx.param "b" : tensor<6xf32>
  %b1 = rlx.param "b1" : tensor<9xf32>
  %y0 = rlx.conv2d %x, %w0, %b padding = [1, 1] groups = 6
      : (tensor<?x6x?x?xf32>, tensor<6x1x3x3xf32>, tensor<6xf32>) -> tensor<?x6x?x?xf32>
  %y1 = rlx.conv2d %x, %w1, %b1 padding = [1, 1] groups = 3
      : (tensor<?x6x?x?xf32>, tensor<9x2x3x3xf32>, tensor<9xf32>) -> tensor<?x9x?x?xf32>
  %y2 = rlx.conv2d %x, %w2 padding = [1, 1] groups = 6
      : (tensor<?x6x?x?xf32>, tensor<12x1x3x3xf32>) -> tensor<?x12x?x?xf32>
  rlx.output %y0, %y1, %y2 : tensor<?x6x?x?xf32>, tensor<?x9x?x?xf32>, tensor<?x12x?x?xf32>
}
// -----
// Products whose sums begin with the same bias, in two outputs.
// sizes: n = 1, 7, 65
rlx.graph @linear_twice(%x: tensor<?x40xf32> {rlx.dims = ["n", ""]},
                        %y: tensor<?x40xf32> {rlx.dims = ["n", ""]}, %v: tensor<40x24xf32>)
    -> (tensor<?x24xf32>, tensor<?x24xf32>, tensor<?x24xf32>, tensor<?x24xf32>) {
  %w = rlx.param "w" : tensor<40x24xf32>
  %b = rlx.param "b" : tensor<24xf32>
  %0 = rlx.fused_matmul_bias_act %x, %v, %b
      : (tensor<?x40xf32>, tensor<40x24xf32>, tensor<24xf32>) -> tensor<?x24xf32>
  %1 = rlx.fused_matmul_bias_act %y, %v, %b
      : (tensor<?x40xf32>, tensor<40x24xf32>, tensor<24xf32>) -> tensor<?x24xf32>
  %2 = rlx.matmul %x, %v : (tensor<?x40xf32>, tensor<40x24xf32>) -> tensor<?x24xf32>
  %3 = rlx.matmul %y, %w : (tensor<?x40xf32>, tensor<40x24xf32>) -> tensor<?x24xf32>
  rlx.output %0, %1, %2, %3 : tensor<?x24xf32>, tensor<?x24xf32>, tensor<?x24xf32>,
                              tensor<?x24xf32>
}
