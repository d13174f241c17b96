// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @activation_relu(
// CHECK:         rlx.activation relu %arg0 : tensor<?x4xf32>
func.func @activation_relu(%x: tensor<?x4xf32>) {
  %0 = rlx.activation relu %x : tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @activation_gelu(
// CHECK:         rlx.activation gelu %arg0 : tensor<?x4xf32>
func.func @activation_gelu(%x: tensor<?x4xf32>) {
  %0 = rlx.activation gelu %x : tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @activation_gelu_tanh(
// CHECK:         rlx.activation gelu_tanh %arg0 : tensor<?x4xf32>
func.func @activation_gelu_tanh(%x: tensor<?x4xf32>) {
  %0 = rlx.activation gelu_tanh %x : tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @activation_silu(
// CHECK:         rlx.activation silu %arg0 : tensor<?x4xf32>
func.func @activation_silu(%x: tensor<?x4xf32>) {
  %0 = rlx.activation silu %x : tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @activation_sigmoid(
// CHECK:         rlx.activation sigmoid %arg0 : tensor<?x4xf32>
func.func @activation_sigmoid(%x: tensor<?x4xf32>) {
  %0 = rlx.activation sigmoid %x : tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @activation_tanh(
// CHECK:         rlx.activation tanh %arg0 : tensor<?x4xf32>
func.func @activation_tanh(%x: tensor<?x4xf32>) {
  %0 = rlx.activation tanh %x : tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @activation_exp(
// CHECK:         rlx.activation exp %arg0 : tensor<?x4xf32>
func.func @activation_exp(%x: tensor<?x4xf32>) {
  %0 = rlx.activation exp %x : tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @activation_log(
// CHECK:         rlx.activation log %arg0 : tensor<?x4xf32>
func.func @activation_log(%x: tensor<?x4xf32>) {
  %0 = rlx.activation log %x : tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @activation_sqrt(
// CHECK:         rlx.activation sqrt %arg0 : tensor<?x4xf32>
func.func @activation_sqrt(%x: tensor<?x4xf32>) {
  %0 = rlx.activation sqrt %x : tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @activation_rsqrt(
// CHECK:         rlx.activation rsqrt %arg0 : tensor<?x4xf32>
func.func @activation_rsqrt(%x: tensor<?x4xf32>) {
  %0 = rlx.activation rsqrt %x : tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @activation_neg(
// CHECK:         rlx.activation neg %arg0 : tensor<?x4xf32>
func.func @activation_neg(%x: tensor<?x4xf32>) {
  %0 = rlx.activation neg %x : tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @activation_abs(
// CHECK:         rlx.activation abs %arg0 : tensor<?x4xf32>
func.func @activation_abs(%x: tensor<?x4xf32>) {
  %0 = rlx.activation abs %x : tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @activation_sin(
// CHECK:         rlx.activation sin %arg0 : tensor<?x4xf32>
func.func @activation_sin(%x: tensor<?x4xf32>) {
  %0 = rlx.activation sin %x : tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @activation_cos(
// CHECK:         rlx.activation cos %arg0 : tensor<?x4xf32>
func.func @activation_cos(%x: tensor<?x4xf32>) {
  %0 = rlx.activation cos %x : tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @activation_round(
// CHECK:         rlx.activation round %arg0 : tensor<?x4xf32>
func.func @activation_round(%x: tensor<?x4xf32>) {
  %0 = rlx.activation round %x : tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @activation_relu_int(
// CHECK:         rlx.activation relu %arg0 : tensor<4xi8>
func.func @activation_relu_int(%x: tensor<4xi8>) {
  %0 = rlx.activation relu %x : tensor<4xi8>
  return
}

// CHECK-LABEL: func.func @activation_neg_int(
// CHECK:         rlx.activation neg %arg0 : tensor<4xi32>
func.func @activation_neg_int(%x: tensor<4xi32>) {
  %0 = rlx.activation neg %x : tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @activation_abs_int(
// CHECK:         rlx.activation abs %arg0 : tensor<4xi64>
func.func @activation_abs_int(%x: tensor<4xi64>) {
  %0 = rlx.activation abs %x : tensor<4xi64>
  return
}

// Types that differ are all written.
// CHECK-LABEL: func.func @activation_refined(
// CHECK:         rlx.activation relu %arg0 : (tensor<?x4xf32>) -> tensor<3x4xf32>
func.func @activation_refined(%x: tensor<?x4xf32>) {
  %0 = rlx.activation relu %x : (tensor<?x4xf32>) -> tensor<3x4xf32>
  return
}

// SIZES-LABEL: func.func @activation_sizes(
// SIZES: %[[D0:.*]] = tensor.dim %arg0, %c0
// SIZES: return %[[D0]]
func.func @activation_sizes(%x: tensor<?x4xf32>) -> (index) {
  %0 = rlx.activation relu %x : tensor<?x4xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x4xf32>
  return %d0 : index
}
