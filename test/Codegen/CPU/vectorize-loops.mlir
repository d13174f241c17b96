// RUN: rlx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(rlx-vectorize-loops{triple=x86_64-linux-gnu cpu=x86-64-v3},canonicalize,cse))' | FileCheck %s

// Merged into one loop of 60 N elements, with a masked vector for the rest.

// CHECK-LABEL: func @dynamic_elementwise
func.func @dynamic_elementwise(%x: memref<3x?x20xf32>, %o: memref<3x?x20xf32>) {
  // CHECK-DAG: %[[X:.*]] = memref.collapse_shape %{{.*}} {{\[}}[0, 1, 2]] : memref<3x?x20xf32> into memref<?xf32>
  // CHECK-DAG: %[[O:.*]] = memref.collapse_shape %{{.*}} {{\[}}[0, 1, 2]] : memref<3x?x20xf32> into memref<?xf32>
  // CHECK:     %[[SIZE:.*]] = memref.dim %[[X]]
  // CHECK:     %[[WHOLE:.*]] = arith.andi %[[SIZE]], %c-8
  // CHECK:     scf.for %[[I:.*]] = %c0 to %[[WHOLE]] step %c8
  // CHECK:       vector.load %[[X]][%[[I]]] : memref<?xf32>, vector<8xf32>
  // CHECK:       math.exp %{{.*}} : vector<8xf32>
  // CHECK:       vector.store %{{.*}}, %[[O]][%[[I]]]
  // CHECK:     %[[LEFT:.*]] = arith.subi %[[SIZE]], %[[WHOLE]]
  // CHECK:     scf.if
  // CHECK:       %[[MASK:.*]] = vector.create_mask %[[LEFT]] : vector<8xi1>
  // CHECK:       vector.maskedload %[[X]][%[[WHOLE]]], %[[MASK]]
  // CHECK:       vector.maskedstore %[[O]][%[[WHOLE]]], %[[MASK]]
  linalg.exp ins(%x : memref<3x?x20xf32>) outs(%o : memref<3x?x20xf32>)
  return
}

// -----

// What is the same for a whole row is read once for it. A static rest takes the vector that fits.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func @row_scalar
func.func @row_scalar(%x: memref<?x20xf32>, %m: memref<?xf32>, %o: memref<?x20xf32>) {
  // CHECK:     scf.for %[[I:.*]] =
  // CHECK-NEXT:  %[[SCALAR:.*]] = memref.load %{{.*}}[%[[I]]]
  // CHECK-NEXT:  scf.for %[[J:.*]] = %c0 to %c16 step %c8
  // CHECK:         vector.broadcast %[[SCALAR]] : f32 to vector<8xf32>
  // CHECK:         arith.subf %{{.*}} fastmath<contract> : vector<8xf32>
  // CHECK:       vector.load %{{.*}}[%[[I]], %c16] : memref<?x20xf32>, vector<4xf32>
  // CHECK-NOT:   mask
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : memref<?x20xf32>, memref<?xf32>) outs(%o : memref<?x20xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Fewer elements than lanes: one masked vector and no loop.

// CHECK-LABEL: func @fewer_than_lanes
func.func @fewer_than_lanes(%x: memref<7xf32>, %o: memref<7xf32>) {
  // CHECK-NOT: scf
  // CHECK:     %[[MASK:.*]] = vector.constant_mask [7] : vector<8xi1>
  // CHECK:     vector.maskedload %{{.*}}[%c0], %[[MASK]]
  // CHECK:     vector.maskedstore
  // CHECK-NOT: scf
  memref.copy %x, %o : memref<7xf32> to memref<7xf32>
  return
}

// -----

// Partial sums in the lanes of four vectors, folded by halves in a fixed order.

// CHECK-LABEL: func @row_sums
func.func @row_sums(%x: memref<4x256xf32>, %o: memref<4xf32>) {
  // CHECK:     scf.for %[[I:.*]] = %c0 to %c4
  // CHECK:       %[[INITIAL:.*]] = memref.load
  // CHECK:       %[[PARTS:.*]] = scf.for {{.*}} to %c256 step %c32 iter_args(%{{.*}} = %cst) -> (vector<32xf32>)
  // CHECK:       %[[LOW:.*]] = vector.extract_strided_slice %[[PARTS]] {offsets = [0], sizes = [16]
  // CHECK:       %[[HIGH:.*]] = vector.extract_strided_slice %[[PARTS]] {offsets = [16], sizes = [16]
  // CHECK:       arith.addf %[[LOW]], %[[HIGH]]
  // CHECK:       %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : f32
  // CHECK:       arith.addf %[[INITIAL]], %[[SUM]] : f32
  linalg.reduce {arith.addf} ins(%x : memref<4x256xf32>) outs(%o : memref<4xf32>) dimensions = [1]
  return
}

// -----

// Columns stay in their lanes, and are carried along the rows.

// CHECK-LABEL: func @column_sums
func.func @column_sums(%x: memref<?x32xf32>, %o: memref<32xf32>) {
  // CHECK:     %[[INITIAL:.*]] = vector.load %{{.*}}[%c0] : memref<32xf32>, vector<32xf32>
  // CHECK:     scf.for %[[I:.*]] = {{.*}} iter_args(%{{.*}} = %[[INITIAL]]) -> (vector<32xf32>)
  // CHECK:       vector.load %{{.*}}[%[[I]], %c0] : memref<?x32xf32>, vector<32xf32>
  // CHECK:     vector.store
  linalg.reduce {arith.addf} ins(%x : memref<?x32xf32>) outs(%o : memref<32xf32>) dimensions = [0]
  return
}

// -----

// The nine taps of a window are unrolled.

#in = affine_map<(c, h, w, i, j) -> (c, h + i, w + j)>
#filter = affine_map<(c, h, w, i, j) -> (c, i, j)>
#out = affine_map<(c, h, w, i, j) -> (c, h, w)>
// CHECK-LABEL: func @depthwise
func.func @depthwise(%x: memref<8x22x18xf32>, %f: memref<8x3x3xf32>, %o: memref<8x20x16xf32>) {
  // CHECK-COUNT-3: scf.for
  // CHECK-COUNT-9: arith.mulf %{{.*}} fastmath<contract> : vector<8xf32>
  // CHECK-NOT:     arith.mulf
  // CHECK:         vector.store
  linalg.generic {indexing_maps = [#in, #filter, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %f : memref<8x22x18xf32>, memref<8x3x3xf32>) outs(%o : memref<8x20x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// An index along the lanes is a step; masks of bytes stay vectors, without masked loads of them.

#id = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func @index_and_bytes
func.func @index_and_bytes(%m: memref<?x?xi8>, %o: memref<?x?xi32>) {
  // CHECK:     scf.for %[[I:.*]] =
  // CHECK:       scf.for %[[J:.*]] = %c0 to %{{.*}} step %c8
  // CHECK:         vector.load %{{.*}} : memref<?x?xi8>, vector<8xi8>
  // CHECK:         vector.broadcast %[[J]] : index to vector<8xindex>
  // CHECK:         arith.select %{{.*}} : vector<8xi1>, vector<8xi32>
  // CHECK:       scf.for %{{.*}} step %c1
  // CHECK:         memref.load %{{.*}} : memref<?x?xi8>
  %zero = arith.constant 0 : i8
  %none = arith.constant -1 : i32
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m : memref<?x?xi8>) outs(%o : memref<?x?xi32>) {
  ^bb0(%a: i8, %b: i32):
    %0 = arith.cmpi ne, %a, %zero : i8
    %j = linalg.index 1 : index
    %1 = arith.index_cast %j : index to i32
    %2 = arith.select %0, %1, %none : i32
    linalg.yield %2 : i32
  }
  return
}

// -----

// Rows that an index picks are read as vectors.

#row = affine_map<(i, j) -> (i)>
#id = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func @gather_rows
func.func @gather_rows(%t: memref<?x64xf32>, %x: memref<?xi64>, %o: memref<?x64xf32>) {
  // CHECK:     scf.for %[[I:.*]] =
  // CHECK:       %[[ROW:.*]] = memref.load %{{.*}}[%[[I]]] : memref<?xi64>
  // CHECK:       scf.for %[[J:.*]] = %c0 to %c64 step %c8
  // CHECK:         %[[ROW_INDEX:.*]] = arith.index_cast %[[ROW]]
  // CHECK:         vector.load %{{.*}}[%[[ROW_INDEX]], %[[J]]] : memref<?x64xf32>, vector<8xf32>
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?xi64>) outs(%o : memref<?x64xf32>) {
  ^bb0(%a: i64, %b: f32):
    %i = arith.index_cast %a : i64 to index
    %j = linalg.index 1 : index
    %0 = memref.load %t[%i, %j] : memref<?x64xf32>
    linalg.yield %0 : f32
  }
  return
}
