rlx.graph @dynamic(%x: tensor<?x?xf32> {rlx.name = "x", rlx.dims = ["rows", "cols"]},
                   %b: tensor<?xf32> {rlx.name = "b", rlx.dims = ["cols"]}) -> (tensor<?xf32> {rlx.name = "y"}) {
  %0 = rlx.softmax %x axis = -1 : tensor<?x?xf32>
  %1 = rlx.binary add %0, %b : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %2 = rlx.transpose %1 permutation = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %3 = rlx.reshape %2 : (tensor<?x?xf32>) -> tensor<?xf32>
  rlx.output %3 : tensor<?xf32>
}
