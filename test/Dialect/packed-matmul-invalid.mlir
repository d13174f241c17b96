// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) the packed weight has rank 3.
func.func @packed_matmul_c1(%x: memref<7x8xf32>, %w: memref<8x16xf32>, %y: memref<7x16xf32>) {
  // expected-error@+1 {{op operand 'packed': expected rank 3, found memref<8x16xf32>}}
  rlx.packed_matmul ins(%x, %w : memref<7x8xf32>, memref<8x16xf32>) outs(%y : memref<7x16xf32>)
  return
}

// -----

// (C2) rows match.
func.func @packed_matmul_c2(%x: memref<7x8xf32>, %w: memref<1x8x16xf32>, %y: memref<5x16xf32>) {
  // expected-error@+1 {{op operand 'out': expected 7 rows along axis 0, found memref<5x16xf32>}}
  rlx.packed_matmul ins(%x, %w : memref<7x8xf32>, memref<1x8x16xf32>) outs(%y : memref<5x16xf32>)
  return
}

// -----

// (C3) depths match.
func.func @packed_matmul_c3(%x: memref<7x8xf32>, %w: memref<1x9x16xf32>, %y: memref<7x16xf32>) {
  // expected-error@+1 {{op operand 'packed': expected 8 rows, found memref<1x9x16xf32>}}
  rlx.packed_matmul ins(%x, %w : memref<7x8xf32>, memref<1x9x16xf32>) outs(%y : memref<7x16xf32>)
  return
}

// -----

// (C4) there are as many panels as the columns need.
func.func @packed_matmul_c4(%x: memref<7x8xf32>, %w: memref<1x8x16xf32>, %y: memref<7x19xf32>) {
  // expected-error@+1 {{op operand 'packed': expected 2 panels, found memref<1x8x16xf32>}}
  rlx.packed_matmul ins(%x, %w : memref<7x8xf32>, memref<1x8x16xf32>) outs(%y : memref<7x19xf32>)
  return
}

// -----

// (C4_bias) the bias has an element for each column.
func.func @packed_matmul_c4_bias(%x: memref<7x8xf32>, %w: memref<1x8x16xf32>, %b: memref<15xf32>, %y: memref<7x16xf32>) {
  // expected-error@+1 {{op operand 'bias': expected 16 elements, found memref<15xf32>}}
  rlx.packed_matmul ins(%x, %w : memref<7x8xf32>, memref<1x8x16xf32>) bias(%b : memref<15xf32>) outs(%y : memref<7x16xf32>)
  return
}

// -----

// (C4_width) a panel has columns.
func.func @packed_matmul_c4_width(%x: memref<7x8xf32>, %w: memref<1x8x0xf32>, %y: memref<7x16xf32>) {
  // expected-error@+1 {{op operand 'packed': expected a static panel width of at least 1, found memref<1x8x0xf32>}}
  rlx.packed_matmul ins(%x, %w : memref<7x8xf32>, memref<1x8x0xf32>) outs(%y : memref<7x16xf32>)
  return
}
