// RUN: rlx-opt %s -rlx-convert-to-linalg -split-input-file | FileCheck %s

// CHECK-DAG:   #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @rlx_run(
// CHECK:         linalg.generic {indexing_maps = [#[[ID]], #[[ID]]], iterator_types = ["parallel", "parallel"]}
// CHECK:         ^bb0(%[[X:.*]]: f32,
// CHECK:           %[[ERF:.*]] = math.erf
// CHECK:           %[[SUM:.*]] = arith.addf %[[ERF]],
// CHECK:           arith.mulf %{{.*}}, %[[SUM]]
rlx.graph @gelu(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = rlx.activation gelu %x : tensor<?x8xf32>
  rlx.output %y : tensor<?x8xf32>
}

// -----

// NaN stays NaN.

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         arith.maximumf
// CHECK:         math.roundeven
rlx.graph @relu_round(%x: tensor<8xf64>) -> tensor<8xf64> {
  %y = rlx.activation relu %x : tensor<8xf64>
  %z = rlx.activation round %y : tensor<8xf64>
  rlx.output %z : tensor<8xf64>
}

// -----

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         %[[WIDE:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK:         math.tanh %[[WIDE]] : f32
// CHECK:         arith.truncf %{{.*}} : f32 to f16
rlx.graph @narrow(%x: tensor<8xf16>) -> tensor<8xf16> {
  %y = rlx.activation tanh %x : tensor<8xf16>
  rlx.output %y : tensor<8xf16>
}

// -----

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         %[[NEG:.*]] = arith.subi %c0_i32, %[[X:.*]] : i32
// CHECK:         arith.maxsi %[[X]], %[[NEG]] : i32
rlx.graph @integers(%x: tensor<8xi32>) -> tensor<8xi32> {
  %y = rlx.activation abs %x : tensor<8xi32>
  rlx.output %y : tensor<8xi32>
}

// -----

// Missing dims and dims of size 1 broadcast; a splat constant is part of the body.

// CHECK-DAG:   #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG:   #[[LAST:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-DAG:   #[[UNIT:.*]] = affine_map<(d0, d1, d2) -> (0, d1, 0)>
// CHECK-LABEL: func.func @rlx_run(
// CHECK:         linalg.generic {indexing_maps = [#[[ID]], #[[LAST]], #[[ID]]]
// CHECK:           arith.addf
// CHECK:         linalg.generic {indexing_maps = [#[[ID]], #[[UNIT]], #[[ID]]]
// CHECK:           math.powf
// CHECK:         linalg.generic {indexing_maps = [#[[ID]], #[[ID]]]
// CHECK:           arith.mulf %{{.*}}, %cst
rlx.graph @broadcast(%x: tensor<?x7x64xf32>, %b: tensor<64xf32>, %c: tensor<1x7x1xf32>)
    -> tensor<?x7x64xf32> {
  %sum = rlx.binary add %x, %b : (tensor<?x7x64xf32>, tensor<64xf32>) -> tensor<?x7x64xf32>
  %pow = rlx.binary pow %sum, %c : (tensor<?x7x64xf32>, tensor<1x7x1xf32>) -> tensor<?x7x64xf32>
  %two = rlx.constant dense<2.0> : tensor<f32>
  %y = rlx.binary mul %pow, %two : (tensor<?x7x64xf32>, tensor<f32>) -> tensor<?x7x64xf32>
  rlx.output %y : tensor<?x7x64xf32>
}

// -----

// Division of integers never traps.

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         %[[ZERO:.*]] = arith.cmpi eq, %[[D:.*]], %c0_i64 : i64
// CHECK:         %[[MINUS:.*]] = arith.cmpi eq, %[[D]], %c-1_i64 : i64
// CHECK:         %[[TRAPS:.*]] = arith.ori %[[ZERO]], %[[MINUS]]
// CHECK:         %[[SAFE:.*]] = arith.select %[[TRAPS]], %c1_i64, %[[D]]
// CHECK:         arith.divsi %{{.*}}, %[[SAFE]]
rlx.graph @division(%a: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %y = rlx.binary div %a, %b : tensor<4xi64>
  rlx.output %y : tensor<4xi64>
}

// -----

// Booleans are bytes in memory and i1 in bodies; narrow floats are f32 there.

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<4x8xi8>)
// CHECK:           %[[C:.*]] = arith.cmpf une
// CHECK:           arith.extui %[[C]] : i1 to i8
// CHECK:         linalg.generic
// CHECK:           %[[B:.*]] = arith.trunci %{{.*}} : i8 to i1
// CHECK:           %[[Y:.*]] = arith.select %[[B]], %{{.*}}, %{{.*}} : f32
// CHECK:           arith.truncf %[[Y]] : f32 to bf16
rlx.graph @choose(%a: tensor<4x8xbf16>, %b: tensor<8xbf16>) -> tensor<4x8xbf16> {
  %c = rlx.compare ne %a, %b : (tensor<4x8xbf16>, tensor<8xbf16>) -> tensor<4x8xi1>
  %y = rlx.where %c, %a, %b : (tensor<4x8xi1>, tensor<4x8xbf16>, tensor<8xbf16>) -> tensor<4x8xbf16>
  rlx.output %y : tensor<4x8xbf16>
}

// -----

// Out of range saturates and NaN, which is in no range, gives 0.

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         %[[LARGE:.*]] = arith.cmpf oge, %[[X:.*]], %{{.*}} : f32
// CHECK:         %[[SMALL:.*]] = arith.cmpf olt, %[[X]], %{{.*}} : f32
// CHECK:         %[[SAFE:.*]] = arith.select %{{.*}}, %[[X]], %{{.*}} : f32
// CHECK:         %[[INT:.*]] = arith.fptosi %[[SAFE]] : f32 to i8
// CHECK:         %[[CAPPED:.*]] = arith.select %[[LARGE]], %c127_i8, %[[INT]] : i8
// CHECK:         arith.select %[[SMALL]], %c-128_i8, %[[CAPPED]] : i8
rlx.graph @saturate(%x: tensor<8xf32>) -> tensor<8xi8> {
  %y = rlx.cast %x : (tensor<8xf32>) -> tensor<8xi8>
  rlx.output %y : tensor<8xi8>
}

// -----

// CHECK-LABEL: func.func @rlx_run(
// CHECK:         arith.sitofp %{{.*}} : i64 to f16
// CHECK:         arith.extf %{{.*}} : f16 to f32
// CHECK:         arith.cmpf une
// CHECK:         arith.extui %{{.*}} : i1 to i8
// CHECK:         arith.trunci %{{.*}} : i8 to i1
// CHECK:         arith.extui %{{.*}} : i1 to i32
rlx.graph @chain(%x: tensor<8xi64>) -> (tensor<8xf16>, tensor<8xi1>, tensor<8xi32>) {
  %h = rlx.cast %x : (tensor<8xi64>) -> tensor<8xf16>
  %b = rlx.cast %h : (tensor<8xf16>) -> tensor<8xi1>
  %i = rlx.cast %b : (tensor<8xi1>) -> tensor<8xi32>
  rlx.output %h, %b, %i : tensor<8xf16>, tensor<8xi1>, tensor<8xi32>
}
