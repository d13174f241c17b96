// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @psa_merge_attn(
// CHECK:         rlx.psa_merge_attn %arg0, %arg1 h = 2 w = 3 : (tensor<?x2x6x4xf32>, tensor<?x2x?x4xf32>) -> tensor<?x16x2x3xf32>
func.func @psa_merge_attn(%lo: tensor<?x2x6x4xf32>, %hi: tensor<?x2x?x4xf32>) {
  %0 = rlx.psa_merge_attn %lo, %hi h = 2 w = 3 : (tensor<?x2x6x4xf32>, tensor<?x2x?x4xf32>) -> tensor<?x16x2x3xf32>
  return
}

// SIZES-LABEL: func.func @psa_merge_attn_sizes(
// SIZES: %[[D0:.*]] = tensor.dim %arg0, %c0
// SIZES: return %[[D0]]
func.func @psa_merge_attn_sizes(%x: tensor<?x2x?x4xf32>) -> (index) {
  %0 = rlx.psa_merge_attn %x, %x h = 2 w = 3 : (tensor<?x2x?x4xf32>, tensor<?x2x?x4xf32>) -> tensor<?x16x2x3xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x16x2x3xf32>
  return %d0 : index
}
