// RUN: rlx-opt %s -canonicalize | FileCheck %s

// A mask that lets all keys through is none.
// CHECK-LABEL: func.func @custom_true(
// CHECK-NOT:     rlx.constant
// CHECK: rlx.attention none %arg0, %arg1, %arg1 num_heads = 4 head_dim = 8 :
func.func @custom_true(%q: tensor<2x7x32xf32>, %k: tensor<2x7x32xf32>) -> tensor<2x7x32xf32> {
  %m = rlx.constant dense<true> : tensor<2x7xi1>
  %0 = rlx.attention custom %q, %k, %k, %m num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<2x7xi1>) -> tensor<2x7x32xf32>
  return %0 : tensor<2x7x32xf32>
}

// CHECK-LABEL: func.func @custom_half(
// CHECK-NOT:     rlx.constant
// CHECK: rlx.attention none %arg0, %arg1, %arg1 num_heads = 4 head_dim = 8 :
func.func @custom_half(%q: tensor<2x7x32xf32>, %k: tensor<2x7x32xf32>) -> tensor<2x7x32xf32> {
  %m = rlx.constant dense<0.5> : tensor<1x1x1x7xf32>
  %0 = rlx.attention custom %q, %k, %k, %m num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<1x1x1x7xf32>) -> tensor<2x7x32xf32>
  return %0 : tensor<2x7x32xf32>
}

// CHECK-LABEL: func.func @custom_below(
// CHECK: rlx.attention custom
func.func @custom_below(%q: tensor<2x7x32xf32>, %k: tensor<2x7x32xf32>) -> tensor<2x7x32xf32> {
  %m = rlx.constant dense<0.49> : tensor<1x1x1x7xf32>
  %0 = rlx.attention custom %q, %k, %k, %m num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<1x1x1x7xf32>) -> tensor<2x7x32xf32>
  return %0 : tensor<2x7x32xf32>
}

// CHECK-LABEL: func.func @custom_false(
// CHECK: rlx.attention custom
func.func @custom_false(%q: tensor<2x7x32xf32>, %k: tensor<2x7x32xf32>) -> tensor<2x7x32xf32> {
  %m = rlx.constant dense<false> : tensor<2x7xi1>
  %0 = rlx.attention custom %q, %k, %k, %m num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<2x7xi1>) -> tensor<2x7x32xf32>
  return %0 : tensor<2x7x32xf32>
}

// CHECK-LABEL: func.func @custom_nan(
// CHECK: rlx.attention custom
func.func @custom_nan(%q: tensor<2x7x32xf32>, %k: tensor<2x7x32xf32>) -> tensor<2x7x32xf32> {
  %m = rlx.constant dense<0x7FC00000> : tensor<2x7xf32>
  %0 = rlx.attention custom %q, %k, %k, %m num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<2x7xf32>) -> tensor<2x7x32xf32>
  return %0 : tensor<2x7x32xf32>
}

// CHECK-LABEL: func.func @bias_zero(
// CHECK-NOT:     rlx.constant
// CHECK: rlx.attention none %arg0, %arg1, %arg1 num_heads = 4 head_dim = 8 :
func.func @bias_zero(%q: tensor<2x7x32xf32>, %k: tensor<2x7x32xf32>) -> tensor<2x7x32xf32> {
  %m = rlx.constant dense<0.0> : tensor<2x7xf16>
  %0 = rlx.attention bias %q, %k, %k, %m num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<2x7xf16>) -> tensor<2x7x32xf32>
  return %0 : tensor<2x7x32xf32>
}

// CHECK-LABEL: func.func @bias_one(
// CHECK: rlx.attention bias
func.func @bias_one(%q: tensor<2x7x32xf32>, %k: tensor<2x7x32xf32>) -> tensor<2x7x32xf32> {
  %m = rlx.constant dense<1.0> : tensor<2x7xf32>
  %0 = rlx.attention bias %q, %k, %k, %m num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<2x7x32xf32>, tensor<2x7xf32>) -> tensor<2x7x32xf32>
  return %0 : tensor<2x7x32xf32>
}
