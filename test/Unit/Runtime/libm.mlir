rlx.graph @libm(%x: tensor<5xf64> {rlx.name = "x"}) -> (tensor<5xf64> {rlx.name = "y"}) {
  %y = rlx.activation exp %x : tensor<5xf64>
  rlx.output %y : tensor<5xf64>
}
