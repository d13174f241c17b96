// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @psa_attention(
// CHECK:         rlx.psa_attention %arg0 num_heads = 2 key_dim = 4 : (tensor<?x32x2x3xf32>) -> tensor<?x16x2x3xf32>
func.func @psa_attention(%qkv: tensor<?x32x2x3xf32>) {
  %0 = rlx.psa_attention %qkv num_heads = 2 key_dim = 4 : (tensor<?x32x2x3xf32>) -> tensor<?x16x2x3xf32>
  return
}

// SIZES-LABEL: func.func @psa_attention_sizes(
// SIZES-DAG: %[[C0:.*]] = arith.constant 0
// SIZES-DAG: %[[C2:.*]] = arith.constant 2
// SIZES-DAG: %[[D0:.*]] = tensor.dim %arg0, %[[C0]]
// SIZES-DAG: %[[D2:.*]] = tensor.dim %arg0, %[[C2]]
// SIZES: return %[[D0]], %[[D2]]
func.func @psa_attention_sizes(%x: tensor<?x32x?x3xf32>) -> (index, index) {
  %0 = rlx.psa_attention %x num_heads = 2 key_dim = 4 : (tensor<?x32x?x3xf32>) -> tensor<?x16x?x3xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x16x?x3xf32>
  %c2 = arith.constant 2 : index
  %d2 = tensor.dim %0, %c2 : tensor<?x16x?x3xf32>
  return %d0, %d2 : index, index
}
