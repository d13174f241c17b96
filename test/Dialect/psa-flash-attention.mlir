// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @psa_flash_attention_lo(
// CHECK:         rlx.psa_flash_attention lo %arg0 : (tensor<?x4x2x6x4xf32>) -> (tensor<?x2x6x4xf32>, tensor<?x2x6xf32>)
func.func @psa_flash_attention_lo(%p: tensor<?x4x2x6x4xf32>) {
  %0, %1 = rlx.psa_flash_attention lo %p : (tensor<?x4x2x6x4xf32>) -> (tensor<?x2x6x4xf32>, tensor<?x2x6xf32>)
  return
}

// Row statistics of narrow types are f32.
// CHECK-LABEL: func.func @psa_flash_attention_hi(
// CHECK:         rlx.psa_flash_attention hi %arg0 : (tensor<1x4x2x6x4xbf16>) -> (tensor<1x2x6x4xbf16>, tensor<1x2x6xf32>)
func.func @psa_flash_attention_hi(%p: tensor<1x4x2x6x4xbf16>) {
  %0, %1 = rlx.psa_flash_attention hi %p : (tensor<1x4x2x6x4xbf16>) -> (tensor<1x2x6x4xbf16>, tensor<1x2x6xf32>)
  return
}

// SIZES-LABEL: func.func @psa_flash_attention_sizes(
// SIZES-DAG: %[[C0:.*]] = arith.constant 0
// SIZES-DAG: %[[C3:.*]] = arith.constant 3
// SIZES-DAG: %[[D0:.*]] = tensor.dim %arg0, %[[C0]]
// SIZES-DAG: %[[D2:.*]] = tensor.dim %arg0, %[[C3]]
// SIZES: return %[[D0]], %[[D2]]
func.func @psa_flash_attention_sizes(%x: tensor<?x4x2x?x4xf32>) -> (index, index) {
  %0, %1 = rlx.psa_flash_attention lo %x : (tensor<?x4x2x?x4xf32>) -> (tensor<?x2x?x4xf32>, tensor<?x2x?xf32>)
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %1, %c0 : tensor<?x2x?xf32>
  %c2 = arith.constant 2 : index
  %d2 = tensor.dim %1, %c2 : tensor<?x2x?xf32>
  return %d0, %d2 : index, index
}
