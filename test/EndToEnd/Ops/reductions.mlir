// sizes: n = 1, 5, 33; m = 7, 1, 70
rlx.graph @reduce(%x: tensor<?x3x?xf32> {rlx.dims = ["n", "", "m"]})
    -> (tensor<?x3xf32>, tensor<?x1x?xf32>, tensor<f32>, tensor<1x1x?xf32>, tensor<3xf32>,
        tensor<?x3x?xf32>) {
  %sum = rlx.reduce sum %x axes = [2] : (tensor<?x3x?xf32>) -> tensor<?x3xf32>
  %mean = rlx.reduce mean %x axes = [1] keep_dims : (tensor<?x3x?xf32>) -> tensor<?x1x?xf32>
  %max = rlx.reduce max %x axes = [0, 1, 2] : (tensor<?x3x?xf32>) -> tensor<f32>
  %min = rlx.reduce min %x axes = [0, -2] keep_dims : (tensor<?x3x?xf32>) -> tensor<1x1x?xf32>
  %rows = rlx.reduce mean %x axes = [0, 2] : (tensor<?x3x?xf32>) -> tensor<3xf32>
  %none = rlx.reduce sum %x axes = [] : (tensor<?x3x?xf32>) -> tensor<?x3x?xf32>
  rlx.output %sum, %mean, %max, %min, %rows, %none : tensor<?x3xf32>, tensor<?x1x?xf32>,
      tensor<f32>, tensor<1x1x?xf32>, tensor<3xf32>, tensor<?x3x?xf32>
}
// -----
// sizes: n = 1, 5, 9
rlx.graph @reduce_prod(%x: tensor<?x3xf64> {rlx.dims = ["n", ""]}, %i: tensor<?x3xi8> {rlx.dims = ["n", ""]},
                       %h: tensor<?x3xf16> {rlx.dims = ["n", ""]})
    -> (tensor<3xf64>, tensor<?xi8>, tensor<3xi8>, tensor<?xf16>, tensor<3xf16>) {
  %a = rlx.reduce prod %x axes = [0] : (tensor<?x3xf64>) -> tensor<3xf64>
  %b = rlx.reduce prod %i axes = [1] : (tensor<?x3xi8>) -> tensor<?xi8>
  %c = rlx.reduce max %i axes = [0] : (tensor<?x3xi8>) -> tensor<3xi8>
  %d = rlx.reduce sum %h axes = [1] : (tensor<?x3xf16>) -> tensor<?xf16>
  %e = rlx.reduce mean %h axes = [0] : (tensor<?x3xf16>) -> tensor<3xf16>
  rlx.output %a, %b, %c, %d, %e
      : tensor<3xf64>, tensor<?xi8>, tensor<3xi8>, tensor<?xf16>, tensor<3xf16>
}
// -----
// sizes: n = 2, 5, 33
// values: special
rlx.graph @reduce_special(%x: tensor<?x9xf32> {rlx.dims = ["n", ""]}) -> (tensor<?xf32>, tensor<?xf32>) {
  %max = rlx.reduce max %x axes = [1] : (tensor<?x9xf32>) -> tensor<?xf32>
  %min = rlx.reduce min %x axes = [1] : (tensor<?x9xf32>) -> tensor<?xf32>
  rlx.output %max, %min : tensor<?xf32>, tensor<?xf32>
}
// -----
// sizes: n = 0, 1, 2
rlx.graph @reduce_empty(%x: tensor<?x4xf32> {rlx.dims = ["n", ""]}, %i: tensor<?x4xi32> {rlx.dims = ["n", ""]})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  %sum = rlx.reduce sum %x axes = [0] : (tensor<?x4xf32>) -> tensor<4xf32>
  %prod = rlx.reduce prod %x axes = [0] : (tensor<?x4xf32>) -> tensor<4xf32>
  %mean = rlx.reduce mean %x axes = [0] : (tensor<?x4xf32>) -> tensor<4xf32>
  %max = rlx.reduce max %x axes = [0] : (tensor<?x4xf32>) -> tensor<4xf32>
  %min = rlx.reduce min %i axes = [0] : (tensor<?x4xi32>) -> tensor<4xi32>
  rlx.output %sum, %prod, %mean, %max, %min
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}
// -----
// sizes: n = 1, 5, 33; m = 7, 1, 70
rlx.graph @softmax(%x: tensor<?x3x?xf32> {rlx.dims = ["n", "", "m"]}, %h: tensor<?x?xbf16> {rlx.dims = ["n", "m"]})
    -> (tensor<?x3x?xf32>, tensor<?x3x?xf32>, tensor<?x3x?xf32>, tensor<?x?xbf16>) {
  %a = rlx.softmax %x axis = -1 : tensor<?x3x?xf32>
  %b = rlx.softmax %x axis = 0 : tensor<?x3x?xf32>
  %c = rlx.softmax %x axis = 1 : tensor<?x3x?xf32>
  %d = rlx.softmax %h axis = 1 : tensor<?x?xbf16>
  rlx.output %a, %b, %c, %d
      : tensor<?x3x?xf32>, tensor<?x3x?xf32>, tensor<?x3x?xf32>, tensor<?x?xbf16>
}
// -----
// sizes: n = 1, 5, 33
rlx.graph @layer_norm(%x: tensor<?x3x40xf32> {rlx.dims = ["n", "", ""]}, %r: tensor<?x3x40xf32> {rlx.dims = ["n", "", ""]})
    -> (tensor<?x3x40xf32>, tensor<?x3x40xf32>, tensor<?x3x40xf32>) {
  %g = rlx.param "g" : tensor<40xf32>
  %b = rlx.param "b" : tensor<40xf32>
  %g2 = rlx.param "g2" : tensor<3x40xf32>
  %b2 = rlx.param "b2" : tensor<3x40xf32>
  %y = rlx.layer_norm %x, %g, %b axis = -1 epsilon = 1.0e-5
      : (tensor<?x3x40xf32>, tensor<40xf32>, tensor<40xf32>) -> tensor<?x3x40xf32>
  %z = rlx.layer_norm %x, %g2, %b2 axis = 1 epsilon = 1.0e-5
      : (tensor<?x3x40xf32>, tensor<3x40xf32>, tensor<3x40xf32>) -> tensor<?x3x40xf32>
  %s = rlx.fused_residual_layer_norm %x, %r, %g, %b axis = 2 epsilon = 1.0e-5
      : (tensor<?x3x40xf32>, tensor<?x3x40xf32>, tensor<40xf32>, tensor<40xf32>)
      -> tensor<?x3x40xf32>
  rlx.output %y, %z, %s : tensor<?x3x40xf32>, tensor<?x3x40xf32>, tensor<?x3x40xf32>
}
// -----
// sizes: n = 1, 5, 33; m = 2, 9, 17
rlx.graph @layer_norm_dynamic(%x: tensor<?x?xbf16> {rlx.dims = ["n", "m"]}, %r: tensor<?x?xbf16> {rlx.dims = ["n", "m"]},
                              %g: tensor<?xbf16> {rlx.dims = ["m"]}) -> (tensor<?x?xbf16>, tensor<?x?xbf16>) {
  %y = rlx.layer_norm %x, %g, %g axis = 1 epsilon = 1.0e-5
      : (tensor<?x?xbf16>, tensor<?xbf16>, tensor<?xbf16>) -> tensor<?x?xbf16>
  %s = rlx.fused_residual_layer_norm %x, %r, %g, %g axis = 1 epsilon = 1.0e-5
      : (tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?xbf16>, tensor<?xbf16>) -> tensor<?x?xbf16>
  rlx.output %y, %s : tensor<?x?xbf16>, tensor<?x?xbf16>
}
// -----
// Results whose sums begin in the same place, in two outputs.
// sizes: n = 1, 5, 67; m = 3, 130, 7
rlx.graph @reduce_twice(%x: tensor<?x?xf32> {rlx.dims = ["n", "m"]},
                        %y: tensor<?x?xf32> {rlx.dims = ["n", "m"]},
                        %z: tensor<64x2051xf32>, %w: tensor<64x2051xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %a = rlx.reduce sum %x axes = [1] : (tensor<?x?xf32>) -> tensor<?xf32>
  %b = rlx.reduce sum %y axes = [1] : (tensor<?x?xf32>) -> tensor<?xf32>
  %c = rlx.reduce sum %z axes = [1] : (tensor<64x2051xf32>) -> tensor<64xf32>
  %d = rlx.reduce sum %w axes = [1] : (tensor<64x2051xf32>) -> tensor<64xf32>
  %e = rlx.binary add %c, %d : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  rlx.output %a, %b, %c, %d, %e : tensor<?xf32>, tensor<?xf32>, tensor<64xf32>, tensor<64xf32>,
                                  tensor<64xf32>
}
// -----
rlx.graph @reduce_twice_static(%x: tensor<5x6xf32>, %y: tensor<5x6xf32>)
    -> (tensor<5xf32>, tensor<5xf32>) {
  %0 = rlx.reduce sum %x axes = [1] : (tensor<5x6xf32>) -> tensor<5xf32>
  %1 = rlx.reduce sum %y axes = [1] : (tensor<5x6xf32>) -> tensor<5xf32>
  rlx.output %0, %1 : tensor<5xf32>, tensor<5xf32>
}
// -----
// Nothing to reduce, to multiply or to normalize.
rlx.graph @empty_sizes(%x: tensor<0x3xf32>, %y: tensor<3x4xf32>, %z: tensor<3x0xf32>, %s: tensor<2x0xf32>, %g: tensor<3xf32>)
    -> (tensor<3xf32>, tensor<0x4xf32>, tensor<4x0xf32>, tensor<2x0xf32>, tensor<0x3xf32>) {
  %0 = rlx.reduce sum %x axes = [0] : (tensor<0x3xf32>) -> tensor<3xf32>
  %1 = rlx.matmul %x, %y : (tensor<0x3xf32>, tensor<3x4xf32>) -> tensor<0x4xf32>
  %2 = rlx.transpose %y permutation = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %3 = rlx.matmul %2, %z : (tensor<4x3xf32>, tensor<3x0xf32>) -> tensor<4x0xf32>
  %4 = rlx.softmax %s axis = -1 : tensor<2x0xf32>
  %5 = rlx.layer_norm %x, %g, %g axis = -1 epsilon = 1.0e-05 : (tensor<0x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<0x3xf32>
  rlx.output %0, %1, %3, %4, %5 : tensor<3xf32>, tensor<0x4xf32>, tensor<4x0xf32>, tensor<2x0xf32>, tensor<0x3xf32>
}
