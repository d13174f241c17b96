// RUN: rlx-opt %s | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -mlir-print-op-generic | rlx-opt | FileCheck %s
// RUN: rlx-opt %s -resolve-ranked-shaped-type-result-dims -canonicalize | FileCheck %s -check-prefix=SIZES

// CHECK-LABEL: func.func @cast_to_f32(
// CHECK:         rlx.cast %arg0 : (tensor<?x4xf32>) -> tensor<?x4xf32>
func.func @cast_to_f32(%x: tensor<?x4xf32>) {
  %0 = rlx.cast %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @cast_to_f16(
// CHECK:         rlx.cast %arg0 : (tensor<?x4xf32>) -> tensor<?x4xf16>
func.func @cast_to_f16(%x: tensor<?x4xf32>) {
  %0 = rlx.cast %x : (tensor<?x4xf32>) -> tensor<?x4xf16>
  return
}

// CHECK-LABEL: func.func @cast_to_bf16(
// CHECK:         rlx.cast %arg0 : (tensor<?x4xf32>) -> tensor<?x4xbf16>
func.func @cast_to_bf16(%x: tensor<?x4xf32>) {
  %0 = rlx.cast %x : (tensor<?x4xf32>) -> tensor<?x4xbf16>
  return
}

// CHECK-LABEL: func.func @cast_to_f64(
// CHECK:         rlx.cast %arg0 : (tensor<?x4xf32>) -> tensor<?x4xf64>
func.func @cast_to_f64(%x: tensor<?x4xf32>) {
  %0 = rlx.cast %x : (tensor<?x4xf32>) -> tensor<?x4xf64>
  return
}

// CHECK-LABEL: func.func @cast_to_i8(
// CHECK:         rlx.cast %arg0 : (tensor<?x4xf32>) -> tensor<?x4xi8>
func.func @cast_to_i8(%x: tensor<?x4xf32>) {
  %0 = rlx.cast %x : (tensor<?x4xf32>) -> tensor<?x4xi8>
  return
}

// CHECK-LABEL: func.func @cast_to_i32(
// CHECK:         rlx.cast %arg0 : (tensor<?x4xf32>) -> tensor<?x4xi32>
func.func @cast_to_i32(%x: tensor<?x4xf32>) {
  %0 = rlx.cast %x : (tensor<?x4xf32>) -> tensor<?x4xi32>
  return
}

// CHECK-LABEL: func.func @cast_to_i64(
// CHECK:         rlx.cast %arg0 : (tensor<?x4xf32>) -> tensor<?x4xi64>
func.func @cast_to_i64(%x: tensor<?x4xf32>) {
  %0 = rlx.cast %x : (tensor<?x4xf32>) -> tensor<?x4xi64>
  return
}

// CHECK-LABEL: func.func @cast_to_i1(
// CHECK:         rlx.cast %arg0 : (tensor<?x4xf32>) -> tensor<?x4xi1>
func.func @cast_to_i1(%x: tensor<?x4xf32>) {
  %0 = rlx.cast %x : (tensor<?x4xf32>) -> tensor<?x4xi1>
  return
}

// CHECK-LABEL: func.func @cast_from_f16(
// CHECK:         rlx.cast %arg0 : (tensor<?x4xf16>) -> tensor<?x4xf32>
func.func @cast_from_f16(%x: tensor<?x4xf16>) {
  %0 = rlx.cast %x : (tensor<?x4xf16>) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @cast_from_bf16(
// CHECK:         rlx.cast %arg0 : (tensor<?x4xbf16>) -> tensor<?x4xf32>
func.func @cast_from_bf16(%x: tensor<?x4xbf16>) {
  %0 = rlx.cast %x : (tensor<?x4xbf16>) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @cast_from_f64(
// CHECK:         rlx.cast %arg0 : (tensor<?x4xf64>) -> tensor<?x4xf32>
func.func @cast_from_f64(%x: tensor<?x4xf64>) {
  %0 = rlx.cast %x : (tensor<?x4xf64>) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @cast_from_i8(
// CHECK:         rlx.cast %arg0 : (tensor<?x4xi8>) -> tensor<?x4xf32>
func.func @cast_from_i8(%x: tensor<?x4xi8>) {
  %0 = rlx.cast %x : (tensor<?x4xi8>) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @cast_from_i32(
// CHECK:         rlx.cast %arg0 : (tensor<?x4xi32>) -> tensor<?x4xf32>
func.func @cast_from_i32(%x: tensor<?x4xi32>) {
  %0 = rlx.cast %x : (tensor<?x4xi32>) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @cast_from_i64(
// CHECK:         rlx.cast %arg0 : (tensor<?x4xi64>) -> tensor<?x4xf32>
func.func @cast_from_i64(%x: tensor<?x4xi64>) {
  %0 = rlx.cast %x : (tensor<?x4xi64>) -> tensor<?x4xf32>
  return
}

// CHECK-LABEL: func.func @cast_from_i1(
// CHECK:         rlx.cast %arg0 : (tensor<?x4xi1>) -> tensor<?x4xf32>
func.func @cast_from_i1(%x: tensor<?x4xi1>) {
  %0 = rlx.cast %x : (tensor<?x4xi1>) -> tensor<?x4xf32>
  return
}

// A cast may change which dims are dynamic.
// CHECK-LABEL: func.func @cast_dims(
// CHECK:         rlx.cast %arg0 : (tensor<?x4xf32>) -> tensor<3x?xf32>
func.func @cast_dims(%x: tensor<?x4xf32>) {
  %0 = rlx.cast %x : (tensor<?x4xf32>) -> tensor<3x?xf32>
  return
}

// SIZES-LABEL: func.func @cast_sizes(
// SIZES: %[[D0:.*]] = tensor.dim %arg0, %c0
// SIZES: return %[[D0]]
func.func @cast_sizes(%x: tensor<?x4xf32>) -> (index) {
  %0 = rlx.cast %x : (tensor<?x4xf32>) -> tensor<?x4xi8>
  %c0 = arith.constant 0 : index
  %d0 = tensor.dim %0, %c0 : tensor<?x4xi8>
  return %d0 : index
}
