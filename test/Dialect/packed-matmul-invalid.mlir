// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) the packed weight has rank 3.
func.func @packed_matmul_c1(%x: memref<7x8xf32>, %w: memref<8x16xf32>, %y: memref<7x16xf32>) {
  // expected-error@+1 {{expected packed of rank 3, bias of rank 1, and x and out of one rank >= 2 (C1)}}
  rlx.packed_matmul ins(%x, %w : memref<7x8xf32>, memref<8x16xf32>) outs(%y : memref<7x16xf32>)
  return
}

// -----

// (C2) rows match.
func.func @packed_matmul_c2(%x: memref<7x8xf32>, %w: memref<1x8x16xf32>, %y: memref<5x16xf32>) {
  // expected-error@+1 {{x and out: expected equal sizes of dim 0 (C2), found 7 and 5}}
  rlx.packed_matmul ins(%x, %w : memref<7x8xf32>, memref<1x8x16xf32>) outs(%y : memref<5x16xf32>)
  return
}

// -----

// (C3) depths match.
func.func @packed_matmul_c3(%x: memref<7x8xf32>, %w: memref<1x9x16xf32>, %y: memref<7x16xf32>) {
  // expected-error@+1 {{x: expected a last dim of 9 (C3), found 8}}
  rlx.packed_matmul ins(%x, %w : memref<7x8xf32>, memref<1x9x16xf32>) outs(%y : memref<7x16xf32>)
  return
}

// -----

// (C4) there are as many panels as the columns need.
func.func @packed_matmul_c4(%x: memref<7x8xf32>, %w: memref<1x8x16xf32>, %y: memref<7x19xf32>) {
  // expected-error@+1 {{packed: expected 2 panels for 19 columns (C4), found 1}}
  rlx.packed_matmul ins(%x, %w : memref<7x8xf32>, memref<1x8x16xf32>) outs(%y : memref<7x19xf32>)
  return
}

// -----

// (C4_bias) the bias has an element for each column.
func.func @packed_matmul_c4_bias(%x: memref<7x8xf32>, %w: memref<1x8x16xf32>, %b: memref<15xf32>, %y: memref<7x16xf32>) {
  // expected-error@+1 {{bias: expected 16 elements (C4), found 15}}
  rlx.packed_matmul ins(%x, %w : memref<7x8xf32>, memref<1x8x16xf32>) bias(%b : memref<15xf32>) outs(%y : memref<7x16xf32>)
  return
}
