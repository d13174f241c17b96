// RUN: rlx-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @cast_same(
// CHECK-NEXT:    return %arg0
func.func @cast_same(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = rlx.cast %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// Through a type that holds every value.
// CHECK-LABEL: func.func @cast_back(
// CHECK-NEXT:    return %arg0
func.func @cast_back(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = rlx.cast %x : (tensor<4xbf16>) -> tensor<4xf32>
  %1 = rlx.cast %0 : (tensor<4xf32>) -> tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// CHECK-LABEL: func.func @cast_back_bool(
// CHECK-NEXT:    return %arg0
func.func @cast_back_bool(%x: tensor<4xi1>) -> tensor<4xi1> {
  %0 = rlx.cast %x : (tensor<4xi1>) -> tensor<4xf16>
  %1 = rlx.cast %0 : (tensor<4xf16>) -> tensor<4xi1>
  return %1 : tensor<4xi1>
}

// CHECK-LABEL: func.func @cast_back_int(
// CHECK-NEXT:    return %arg0
func.func @cast_back_int(%x: tensor<4xi8>) -> tensor<4xi8> {
  %0 = rlx.cast %x : (tensor<4xi8>) -> tensor<4xbf16>
  %1 = rlx.cast %0 : (tensor<4xbf16>) -> tensor<4xi8>
  return %1 : tensor<4xi8>
}

// CHECK-LABEL: func.func @cast_wider(
// CHECK-NEXT:    %[[Y:.*]] = rlx.cast %arg0 : (tensor<4xf16>) -> tensor<4xf64>
// CHECK-NEXT:    return %[[Y]]
func.func @cast_wider(%x: tensor<4xf16>) -> tensor<4xf64> {
  %0 = rlx.cast %x : (tensor<4xf16>) -> tensor<4xf32>
  %1 = rlx.cast %0 : (tensor<4xf32>) -> tensor<4xf64>
  return %1 : tensor<4xf64>
}

// CHECK-LABEL: func.func @cast_wide_int(
// CHECK-NEXT:    %[[Y:.*]] = rlx.cast %arg0 : (tensor<4xi8>) -> tensor<4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @cast_wide_int(%x: tensor<4xi8>) -> tensor<4xf32> {
  %0 = rlx.cast %x : (tensor<4xi8>) -> tensor<4xi32>
  %1 = rlx.cast %0 : (tensor<4xi32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Through a type that rounds.
// CHECK-LABEL: func.func @cast_lossy(
// CHECK-COUNT-2: rlx.cast
func.func @cast_lossy(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = rlx.cast %x : (tensor<4xf32>) -> tensor<4xbf16>
  %1 = rlx.cast %0 : (tensor<4xbf16>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @cast_lossy_range(
// CHECK-COUNT-2: rlx.cast
func.func @cast_lossy_range(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = rlx.cast %x : (tensor<4xbf16>) -> tensor<4xf16>
  %1 = rlx.cast %0 : (tensor<4xf16>) -> tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// CHECK-LABEL: func.func @cast_lossy_int(
// CHECK-COUNT-2: rlx.cast
func.func @cast_lossy_int(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = rlx.cast %x : (tensor<4xi32>) -> tensor<4xf32>
  %1 = rlx.cast %0 : (tensor<4xf32>) -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

// CHECK-LABEL: func.func @cast_lossy_bool(
// CHECK-COUNT-2: rlx.cast
func.func @cast_lossy_bool(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = rlx.cast %x : (tensor<4xi32>) -> tensor<4xi1>
  %1 = rlx.cast %0 : (tensor<4xi1>) -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

// CHECK-LABEL: func.func @cast_constant_f32_bf16(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<1.000000e+00> : tensor<4xbf16>
// CHECK-NEXT:    return %[[C]]
func.func @cast_constant_f32_bf16() -> tensor<4xbf16> {
  %c = rlx.constant dense<1.00390625> : tensor<4xf32>
  %0 = rlx.cast %c : (tensor<4xf32>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: func.func @cast_constant_i1_f32(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT:    return %[[C]]
func.func @cast_constant_i1_f32() -> tensor<4xf32> {
  %c = rlx.constant dense<true> : tensor<4xi1>
  %0 = rlx.cast %c : (tensor<4xi1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @cast_constant_i8_f16(
// CHECK-NEXT:    %[[C:.*]] = rlx.constant dense<-3.000000e+00> : tensor<4xf16>
// CHECK-NEXT:    return %[[C]]
func.func @cast_constant_i8_f16() -> tensor<4xf16> {
  %c = rlx.constant dense<-3> : tensor<4xi8>
  %0 = rlx.cast %c : (tensor<4xi8>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}
