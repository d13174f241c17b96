// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) there are one or two outs.
func.func @combine_chunks_c1_outs(%p: memref<4x2x5x6xf32>, %m: memref<4x2x3x5xf32>, %s: memref<4x2x3x5xf32>, %o: memref<2x5x6xf32>) {
  // expected-error@+1 {{outs: expected one or two, found 3}}
  rlx.combine_chunks ins(%p, %m, %s : memref<4x2x5x6xf32>, memref<4x2x3x5xf32>, memref<4x2x3x5xf32>) outs(%o, %o, %o : memref<2x5x6xf32>, memref<2x5x6xf32>, memref<2x5x6xf32>) {num_heads = 3 : i64}
  return
}

// -----

// (C1) the number of heads is positive.
func.func @combine_chunks_c1_heads(%p: memref<4x2x5x6xf32>, %m: memref<4x2x3x5xf32>, %s: memref<4x2x3x5xf32>, %o: memref<2x5x6xf32>) {
  // expected-error@+1 {{num_heads: expected at least 1, found 0}}
  rlx.combine_chunks ins(%p, %m, %s : memref<4x2x5x6xf32>, memref<4x2x3x5xf32>, memref<4x2x3x5xf32>) outs(%o : memref<2x5x6xf32>) {num_heads = 0 : i64}
  return
}

// -----

// (C1) heads divide the channels.
func.func @combine_chunks_c1_channels(%p: memref<4x2x5x6xf32>, %m: memref<4x2x3x5xf32>, %s: memref<4x2x3x5xf32>, %o: memref<2x5x6xf32>) {
  // expected-error@+1 {{operand 'out': expected a static multiple of 4 channels, found memref<2x5x6xf32>}}
  rlx.combine_chunks ins(%p, %m, %s : memref<4x2x5x6xf32>, memref<4x2x3x5xf32>, memref<4x2x3x5xf32>) outs(%o : memref<2x5x6xf32>) {num_heads = 4 : i64}
  return
}

// -----

// (C2) parts have the rows of the result.
func.func @combine_chunks_c2_parts(%p: memref<4x2x7x6xf32>, %m: memref<4x2x3x5xf32>, %s: memref<4x2x3x5xf32>, %o: memref<2x5x6xf32>) {
  // expected-error@+1 {{operand 'parts': expected 5 queries, found memref<4x2x7x6xf32>}}
  rlx.combine_chunks ins(%p, %m, %s : memref<4x2x7x6xf32>, memref<4x2x3x5xf32>, memref<4x2x3x5xf32>) outs(%o : memref<2x5x6xf32>) {num_heads = 3 : i64}
  return
}

// -----

// (C2) statistics have a row for each head.
func.func @combine_chunks_c2_maxima(%p: memref<4x2x5x6xf32>, %m: memref<4x2x2x5xf32>, %s: memref<4x2x3x5xf32>, %o: memref<2x5x6xf32>) {
  // expected-error@+1 {{operand 'maxima': expected 3 heads, found memref<4x2x2x5xf32>}}
  rlx.combine_chunks ins(%p, %m, %s : memref<4x2x5x6xf32>, memref<4x2x2x5xf32>, memref<4x2x3x5xf32>) outs(%o : memref<2x5x6xf32>) {num_heads = 3 : i64}
  return
}

// -----

// (C2) statistics are of the same chunks.
func.func @combine_chunks_c2_sums(%p: memref<4x2x5x6xf32>, %m: memref<4x2x3x5xf32>, %s: memref<3x2x3x5xf32>, %o: memref<2x5x6xf32>) {
  // expected-error@+1 {{operand 'sums': expected 4 chunks, found memref<3x2x3x5xf32>}}
  rlx.combine_chunks ins(%p, %m, %s : memref<4x2x5x6xf32>, memref<4x2x3x5xf32>, memref<3x2x3x5xf32>) outs(%o : memref<2x5x6xf32>) {num_heads = 3 : i64}
  return
}

// -----

// (C2) so is the log-sum-exp.
func.func @combine_chunks_c2_lse(%p: memref<4x2x5x6xf32>, %m: memref<4x2x3x5xf32>, %s: memref<4x2x3x5xf32>, %o: memref<2x5x6xf32>) {
  // expected-error@+1 {{operand 'lse': expected rank 3, found memref<4x2x3x5xf32>}}
  rlx.combine_chunks ins(%p, %m, %s : memref<4x2x5x6xf32>, memref<4x2x3x5xf32>, memref<4x2x3x5xf32>) outs(%o, %m : memref<2x5x6xf32>, memref<4x2x3x5xf32>) {num_heads = 3 : i64}
  return
}
