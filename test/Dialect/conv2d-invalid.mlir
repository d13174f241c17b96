// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) ranks.
func.func @conv2d_c1(%x: tensor<8x9x9xf32>, %w: tensor<4x8x3x3xf32>) {
  // expected-error@+1 {{op operand 'x': expected rank 4, found tensor<8x9x9xf32>}}
  %0 = rlx.conv2d %x, %w : (tensor<8x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

// (C2) operands have the same element type.
func.func @conv2d_c2(%x: tensor<1x8x9x9xf32>, %w: tensor<4x8x3x3xf32>, %b: tensor<4xf64>) {
  // expected-error@+1 {{op operand 'bias': expected element type f32, found tensor<4xf64>}}
  %0 = rlx.conv2d %x, %w, %b : (tensor<1x8x9x9xf32>, tensor<4x8x3x3xf32>, tensor<4xf64>) -> tensor<1x4x7x7xf32>
  return
}

// -----

// (C3) strides are two positive sizes.
func.func @conv2d_c3(%x: tensor<1x8x9x9xf32>, %w: tensor<4x8x3x3xf32>) {
  // expected-error@+1 {{op stride: expected two elements of at least 1, found [0, 1]}}
  %0 = rlx.conv2d %x, %w stride = [0, 1] : (tensor<1x8x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

// (C3_padding) paddings are two sizes.
func.func @conv2d_c3_padding(%x: tensor<1x8x9x9xf32>, %w: tensor<4x8x3x3xf32>) {
  // expected-error@+1 {{op padding: expected two elements of at least 0, found [1]}}
  %0 = rlx.conv2d %x, %w padding = [1] : (tensor<1x8x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

// (C3_dilation) dilations are two positive sizes.
func.func @conv2d_c3_dilation(%x: tensor<1x8x9x9xf32>, %w: tensor<4x8x3x3xf32>) {
  // expected-error@+1 {{op dilation: expected two elements of at least 1, found [1, -1]}}
  %0 = rlx.conv2d %x, %w dilation = [1, -1] : (tensor<1x8x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

// (C3_groups) there is at least one group.
func.func @conv2d_c3_groups(%x: tensor<1x8x9x9xf32>, %w: tensor<4x8x3x3xf32>) {
  // expected-error@+1 {{op groups: expected at least 1, found 0}}
  %0 = rlx.conv2d %x, %w groups = 0 : (tensor<1x8x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

// (C4) output channels divide among the groups.
func.func @conv2d_c4(%x: tensor<1x8x9x9xf32>, %w: tensor<4x8x3x3xf32>) {
  // expected-error@+1 {{op operand 'w': expected a static type with a multiple of 3 output channels, found tensor<4x8x3x3xf32>}}
  %0 = rlx.conv2d %x, %w groups = 3 : (tensor<1x8x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

// (C5) the image has the channels of the filter.
func.func @conv2d_c5(%x: tensor<1x8x9x9xf32>, %w: tensor<4x8x3x3xf32>) {
  // expected-error@+1 {{op operand 'x': expected 16 channels, found tensor<1x8x9x9xf32>}}
  %0 = rlx.conv2d %x, %w groups = 2 : (tensor<1x8x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

// (C6) the bias has an element for each output channel.
func.func @conv2d_c6(%x: tensor<1x8x9x9xf32>, %w: tensor<4x8x3x3xf32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{op operand 'bias': expected 4 elements, found tensor<8xf32>}}
  %0 = rlx.conv2d %x, %w, %b : (tensor<1x8x9x9xf32>, tensor<4x8x3x3xf32>, tensor<8xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

// (C7) the filter fits into the image.
func.func @conv2d_c7(%x: tensor<1x8x9x9xf32>, %w: tensor<4x8x3x3xf32>) {
  // expected-error@+1 {{op operand 'x': expected an image that holds the dilated filter of tensor<4x8x3x3xf32>, found tensor<1x8x9x9xf32>}}
  %0 = rlx.conv2d %x, %w dilation = [1, 5] : (tensor<1x8x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x7x1xf32>
  return
}
