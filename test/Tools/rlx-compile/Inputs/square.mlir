rlx.graph @square(%x: tensor<?x8xf32> {rlx.name = "x", rlx.dims = ["n", ""]})
    -> (tensor<?x8xf32> {rlx.name = "y"}) {
  %y = rlx.binary mul %x, %x : tensor<?x8xf32>
  rlx.output %y : tensor<?x8xf32>
}
