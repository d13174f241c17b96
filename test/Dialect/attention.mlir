// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @attention_none(
// CHECK:         rlx.attention none %arg0, %arg1, %arg2 num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>) -> tensor<2x7x64xf32>
func.func @attention_none(%q: tensor<2x7x32xf32>, %k: tensor<2x9x32xf32>, %v: tensor<2x9x64xf32>) {
  %0 = rlx.attention none %q, %k, %v num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>) -> tensor<2x7x64xf32>
  return
}

// CHECK-LABEL: func.func @attention_causal(
// CHECK:         rlx.attention causal %arg0, %arg1, %arg2 num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>) -> tensor<2x7x64xf32>
func.func @attention_causal(
    %q: tensor<2x7x32xf32>,
    %k: tensor<2x9x32xf32>,
    %v: tensor<2x9x64xf32>) {
  %0 = rlx.attention causal %q, %k, %v num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>) -> tensor<2x7x64xf32>
  return
}

// CHECK-LABEL: func.func @attention_sliding_window(
// CHECK:         rlx.attention sliding_window %arg0, %arg1, %arg2 num_heads = 4 head_dim = 8 window = 0 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>) -> tensor<2x7x64xf32>
func.func @attention_sliding_window(
    %q: tensor<2x7x32xf32>,
    %k: tensor<2x9x32xf32>,
    %v: tensor<2x9x64xf32>) {
  %0 = rlx.attention sliding_window %q, %k, %v num_heads = 4 head_dim = 8 window = 0 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>) -> tensor<2x7x64xf32>
  return
}

// CHECK-LABEL: func.func @attention_custom(
// CHECK:         rlx.attention custom %arg0, %arg1, %arg2, %arg3 num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>, tensor<2x9xi1>) -> tensor<2x7x64xf32>
func.func @attention_custom(
    %q: tensor<2x7x32xf32>,
    %k: tensor<2x9x32xf32>,
    %v: tensor<2x9x64xf32>,
    %m: tensor<2x9xi1>) {
  %0 = rlx.attention custom %q, %k, %v, %m num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>, tensor<2x9xi1>) -> tensor<2x7x64xf32>
  return
}

// CHECK-LABEL: func.func @attention_custom_float(
// CHECK:         rlx.attention custom %arg0, %arg1, %arg2, %arg3 num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>, tensor<1x4x1x9xf32>) -> tensor<2x7x64xf32>
func.func @attention_custom_float(
    %q: tensor<2x7x32xf32>,
    %k: tensor<2x9x32xf32>,
    %v: tensor<2x9x64xf32>,
    %m: tensor<1x4x1x9xf32>) {
  %0 = rlx.attention custom %q, %k, %v, %m num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>, tensor<1x4x1x9xf32>) -> tensor<2x7x64xf32>
  return
}

// A bias may have another float type.
// CHECK-LABEL: func.func @attention_bias(
// CHECK:         rlx.attention bias %arg0, %arg1, %arg2, %arg3 num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>, tensor<2x1x7x9xf16>) -> tensor<2x7x64xf32>
func.func @attention_bias(
    %q: tensor<2x7x32xf32>,
    %k: tensor<2x9x32xf32>,
    %v: tensor<2x9x64xf32>,
    %m: tensor<2x1x7x9xf16>) {
  %0 = rlx.attention bias %q, %k, %v, %m num_heads = 4 head_dim = 8 : (tensor<2x7x32xf32>, tensor<2x9x32xf32>, tensor<2x9x64xf32>, tensor<2x1x7x9xf16>) -> tensor<2x7x64xf32>
  return
}

// CHECK-LABEL: func.func @attention_dynamic(
// CHECK:         rlx.attention custom %arg0, %arg1, %arg2, %arg3 num_heads = 4 head_dim = 8 : (tensor<?x?x32xf32>, tensor<?x9x?xf32>, tensor<?x?x64xf32>, tensor<?x1x?x9xi1>) -> tensor<?x?x64xf32>
func.func @attention_dynamic(
    %q: tensor<?x?x32xf32>,
    %k: tensor<?x9x?xf32>,
    %v: tensor<?x?x64xf32>,
    %m: tensor<?x1x?x9xi1>) {
  %0 = rlx.attention custom %q, %k, %v, %m num_heads = 4 head_dim = 8 : (tensor<?x?x32xf32>, tensor<?x9x?xf32>, tensor<?x?x64xf32>, tensor<?x1x?x9xi1>) -> tensor<?x?x64xf32>
  return
}

// SIZES-LABEL: func.func @attention_sizes(
// SIZES-DAG: %[[C0:.*]] = arith.constant 0
// SIZES-DAG: %[[C1:.*]] = arith.constant 1
// SIZES-DAG: %[[D0:.*]] = tensor.dim %arg0, %[[C0]]
// SIZES-DAG: %[[D1:.*]] = tensor.dim %arg0, %[[C1]]
// SIZES: return %[[D0]], %[[D1]]
func.func @attention_sizes(%q: tensor<?x?x32xf32>, %k: tensor<?x9x32xf32>, %v: tensor<?x9x64xf32>) -> (index, index) {
  %0 = rlx.attention none %q, %k, %v num_heads = 4 head_dim = 8 : (tensor<?x?x32xf32>, tensor<?x9x32xf32>, tensor<?x9x64xf32>) -> tensor<?x?x64xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x?x64xf32>
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %0, %c1 : tensor<?x?x64xf32>
  return %d0, %d1 : index, index
}

// Heads that share one side, a bias for each key, and a scale of its own.
// CHECK-LABEL: rlx.graph @shared
// CHECK: rlx.attention none %{{.*}}, %{{.*}}, %{{.*}} key_bias(%{{.*}}) num_heads = 4 head_dim = 8 sharing = keys :
// CHECK-SAME: (tensor<?x7x32xf32>, tensor<?x9x8xf32>, tensor<?x9x5xf32>, tensor<1x4x9xf32>) -> tensor<?x7x20xf32>
// CHECK: rlx.attention custom %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} num_heads = 4 head_dim = 8 sharing = queries scale = 5.000000e-01 :
// CHECK-SAME: -> tensor<?x9x5xf32>
rlx.graph @shared(%q: tensor<?x7x32xf32>, %k: tensor<?x9x8xf32>, %v: tensor<?x9x5xf32>, %b: tensor<1x4x9xf32>, %w: tensor<?x7x20xf32>, %m: tensor<?x7xi1>) -> (tensor<?x7x20xf32>, tensor<?x9x5xf32>) {
  %0 = rlx.attention none %q, %k, %v key_bias(%b) num_heads = 4 head_dim = 8 sharing = keys : (tensor<?x7x32xf32>, tensor<?x9x8xf32>, tensor<?x9x5xf32>, tensor<1x4x9xf32>) -> tensor<?x7x20xf32>
  %1 = rlx.attention custom %k, %q, %w, %m num_heads = 4 head_dim = 8 sharing = queries scale = 0.5 : (tensor<?x9x8xf32>, tensor<?x7x32xf32>, tensor<?x7x20xf32>, tensor<?x7xi1>) -> tensor<?x9x5xf32>
  rlx.output %0, %1 : tensor<?x7x20xf32>, tensor<?x9x5xf32>
}
