rlx.graph @linear(%x: tensor<?x2xf32> {rlx.name = "x", rlx.dims = ["batch", ""]})
    -> (tensor<?x1xf32> {rlx.name = "y"}) {
  %w = rlx.param "w" : tensor<2x1xf32>
  %y = rlx.matmul %x, %w : (tensor<?x2xf32>, tensor<2x1xf32>) -> tensor<?x1xf32>
  rlx.output %y : tensor<?x1xf32>
}
