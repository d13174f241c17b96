// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @psa_pack_qkv(
// CHECK:         rlx.psa_pack_qkv %arg0 num_heads = 2 key_dim = 4 : (tensor<?x32x2x3xf32>) -> tensor<?x4x2x6x4xf32>
func.func @psa_pack_qkv(%qkv: tensor<?x32x2x3xf32>) {
  %0 = rlx.psa_pack_qkv %qkv num_heads = 2 key_dim = 4 : (tensor<?x32x2x3xf32>) -> tensor<?x4x2x6x4xf32>
  return
}

// SIZES-LABEL: func.func @psa_pack_qkv_sizes(
// SIZES-DAG: %[[C0:.*]] = arith.constant 0
// SIZES-DAG: %[[C2:.*]] = arith.constant 2
// SIZES-DAG: %[[D0:.*]] = tensor.dim %arg0, %[[C0]]
// SIZES-DAG: %[[H:.*]] = tensor.dim %arg0, %[[C2]]
// SIZES: %[[N:.*]] = affine.apply #{{.*}}()[%[[H]]]
// SIZES: return %[[D0]], %[[N]]
func.func @psa_pack_qkv_sizes(%x: tensor<?x32x?x3xf32>) -> (index, index) {
  %0 = rlx.psa_pack_qkv %x num_heads = 2 key_dim = 4 : (tensor<?x32x?x3xf32>) -> tensor<?x4x2x?x4xf32>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x4x2x?x4xf32>
  %c3 = arith.constant 3 : index
  %d3 = tensor.dim %0, %c3 : tensor<?x4x2x?x4xf32>
  return %d0, %d3 : index, index
}
