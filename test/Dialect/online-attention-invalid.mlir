// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) ranks follow the layout.
func.func @online_attention_c1(%q: memref<7x32xf32>, %k: memref<1x9x32xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{op operand 'q': expected rank 3, found memref<7x32xf32>}}
  rlx.online_attention sequence mask none ins(%q, %k, %k : memref<7x32xf32>, memref<1x9x32xf32>, memref<1x9x32xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C1_heads) num_heads divides the channels.
func.func @online_attention_c1_heads(%q: memref<1x7x32xf32>, %k: memref<1x9x32xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{op operand 'q': expected a multiple of 5 channels, found memref<1x7x32xf32>}}
  rlx.online_attention sequence mask none ins(%q, %k, %k : memref<1x7x32xf32>, memref<1x9x32xf32>, memref<1x9x32xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 5 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C2) batches agree.
func.func @online_attention_c2(%q: memref<1x7x32xf32>, %k: memref<2x9x32xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{op operand 'k': expected 1 batches, found memref<2x9x32xf32>}}
  rlx.online_attention sequence mask none ins(%q, %k, %k : memref<1x7x32xf32>, memref<2x9x32xf32>, memref<2x9x32xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C2_rows) keys and values are of the same number.
func.func @online_attention_c2_rows(%q: memref<1x7x32xf32>, %k: memref<1x9x32xf32>, %v: memref<1x8x32xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{op operand 'v': expected 9 keys, found memref<1x8x32xf32>}}
  rlx.online_attention sequence mask none ins(%q, %k, %v : memref<1x7x32xf32>, memref<1x9x32xf32>, memref<1x8x32xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C3) a custom mask is given.
func.func @online_attention_c3(%q: memref<1x7x32xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{op mask kind custom: expected a mask, found none}}
  rlx.online_attention sequence mask custom ins(%q, %q, %q : memref<1x7x32xf32>, memref<1x7x32xf32>, memref<1x7x32xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C4) a sliding window has a width.
func.func @online_attention_c4(%q: memref<1x7x32xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{op mask kind sliding_window: expected a window, found none}}
  rlx.online_attention sequence mask sliding_window ins(%q, %q, %q : memref<1x7x32xf32>, memref<1x7x32xf32>, memref<1x7x32xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C5) sharing is of the sequence layout.
func.func @online_attention_c5(%q: memref<1x4x7x8xf32>, %o: memref<1x4x7x8xf32>) {
  // expected-error@+1 {{sharing keys: expected the layout sequence, found head_sequence}}
  rlx.online_attention head_sequence mask none sharing keys ins(%q, %q, %q : memref<1x4x7x8xf32>, memref<1x4x7x8xf32>, memref<1x4x7x8xf32>) outs(%o : memref<1x4x7x8xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C5_outs) shared queries have one output.
func.func @online_attention_c5_outs(%q: memref<1x7x8xf32>, %k: memref<1x9x32xf32>, %o: memref<1x7x8xf32>, %l: memref<1x4x7xf32>) {
  // expected-error@+1 {{sharing queries: expected one out, found 2}}
  rlx.online_attention sequence mask none sharing queries ins(%q, %k, %k : memref<1x7x8xf32>, memref<1x9x32xf32>, memref<1x9x32xf32>) outs(%o, %l : memref<1x7x8xf32>, memref<1x4x7xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C6) a key bias has rank 3.
func.func @online_attention_c6(%q: memref<1x7x32xf32>, %b: memref<4x7xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{op operand 'key_bias': expected rank 3, found memref<4x7xf32>}}
  rlx.online_attention sequence mask none ins(%q, %q, %q : memref<1x7x32xf32>, memref<1x7x32xf32>, memref<1x7x32xf32>) key_bias(%b : memref<4x7xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C7) chunks divide the keys.
func.func @online_attention_c7(%q: memref<1x7x32xf32>, %k: memref<1x9x32xf32>, %o: memref<2x1x7x32xf32>, %s: memref<2x1x4x7xf32>) {
  // expected-error@+1 {{key_chunk: expected a divisor of 9 keys, which are static, found 4}}
  rlx.online_attention sequence mask none ins(%q, %k, %k : memref<1x7x32xf32>, memref<1x9x32xf32>, memref<1x9x32xf32>) outs(%o, %s, %s : memref<2x1x7x32xf32>, memref<2x1x4x7xf32>, memref<2x1x4x7xf32>) {num_heads = 4 : i64, scale = 1.0 : f64, key_chunk = 4 : i64}
  return
}

// -----

// (C7_outs) chunks have maxima and sums.
func.func @online_attention_c7_outs(%q: memref<1x7x32xf32>, %k: memref<1x9x32xf32>, %o: memref<3x1x7x32xf32>) {
  // expected-error@+1 {{key_chunk: expected three outs, found 1}}
  rlx.online_attention sequence mask none ins(%q, %k, %k : memref<1x7x32xf32>, memref<1x9x32xf32>, memref<1x9x32xf32>) outs(%o : memref<3x1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64, key_chunk = 3 : i64}
  return
}

// -----

// (C1_no_heads) there is a head.
func.func @online_attention_c1_no_heads(%q: memref<1x7x32xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{op num_heads: expected at least 1, found 0}}
  rlx.online_attention sequence mask none ins(%q, %q, %q : memref<1x7x32xf32>, memref<1x7x32xf32>, memref<1x7x32xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 0 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C1_outs) there are at most three outs.
func.func @online_attention_c1_outs(%q: memref<1x7x32xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{op outs: expected one to three, found 4}}
  rlx.online_attention sequence mask none ins(%q, %q, %q : memref<1x7x32xf32>, memref<1x7x32xf32>, memref<1x7x32xf32>) outs(%o, %o, %o, %o : memref<1x7x32xf32>, memref<1x7x32xf32>, memref<1x7x32xf32>, memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C1_channels) channels are static.
func.func @online_attention_c1_channels(%q: memref<1x7x?xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{op operand 'q': expected static channels, found memref<1x7x?xf32>}}
  rlx.online_attention sequence mask none ins(%q, %q, %q : memref<1x7x?xf32>, memref<1x7x?xf32>, memref<1x7x?xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C2_heads) the heads of a layout that counts them are num_heads.
func.func @online_attention_c2_heads(%q: memref<1x4x7x8xf32>, %o: memref<1x4x7x8xf32>) {
  // expected-error@+1 {{op operand 'q': expected 9 heads, found memref<1x4x7x8xf32>}}
  rlx.online_attention head_sequence mask none ins(%q, %q, %q : memref<1x4x7x8xf32>, memref<1x4x7x8xf32>, memref<1x4x7x8xf32>) outs(%o : memref<1x4x7x8xf32>) {num_heads = 9 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C2_out) the result has the channels of the values.
func.func @online_attention_c2_out(%q: memref<1x7x32xf32>, %o: memref<1x7x16xf32>) {
  // expected-error@+1 {{op operand 'out': expected 32 channels, found memref<1x7x16xf32>}}
  rlx.online_attention sequence mask none ins(%q, %q, %q : memref<1x7x32xf32>, memref<1x7x32xf32>, memref<1x7x32xf32>) outs(%o : memref<1x7x16xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C2_lse) statistics are of the rows of heads.
func.func @online_attention_c2_lse(%q: memref<1x7x32xf32>, %o: memref<1x7x32xf32>, %l: memref<1x3x7xf32>) {
  // expected-error@+1 {{op operand 'out': expected 4 heads, found memref<1x3x7xf32>}}
  rlx.online_attention sequence mask none ins(%q, %q, %q : memref<1x7x32xf32>, memref<1x7x32xf32>, memref<1x7x32xf32>) outs(%o, %l : memref<1x7x32xf32>, memref<1x3x7xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C3_dims) a mask has the op's sizes, or 1 but for the keys.
func.func @online_attention_c3_dims(%q: memref<1x7x32xf32>, %o: memref<1x7x32xf32>, %m: memref<1x4x5x7xf32>) {
  // expected-error@+1 {{op operand 'mask': expected 7 queries, found memref<1x4x5x7xf32>}}
  rlx.online_attention sequence mask custom ins(%q, %q, %q : memref<1x7x32xf32>, memref<1x7x32xf32>, memref<1x7x32xf32>) masked_by(%m : memref<1x4x5x7xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C3_keys) the keys of a mask do not broadcast.
func.func @online_attention_c3_keys(%q: memref<1x7x32xf32>, %o: memref<1x7x32xf32>, %m: memref<1x1x1x1xf32>) {
  // expected-error@+1 {{op operand 'mask': expected 7 keys, found memref<1x1x1x1xf32>}}
  rlx.online_attention sequence mask custom ins(%q, %q, %q : memref<1x7x32xf32>, memref<1x7x32xf32>, memref<1x7x32xf32>) masked_by(%m : memref<1x1x1x1xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C4_negative) a window is not negative.
func.func @online_attention_c4_negative(%q: memref<1x7x32xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{op window: expected at least 0, found -1}}
  rlx.online_attention sequence mask sliding_window ins(%q, %q, %q : memref<1x7x32xf32>, memref<1x7x32xf32>, memref<1x7x32xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64, window = -1 : i64}
  return
}

// -----

// (C6_dims) a key bias is of each head.
func.func @online_attention_c6_dims(%q: memref<1x7x32xf32>, %o: memref<1x7x32xf32>, %b: memref<1x1x7xf32>) {
  // expected-error@+1 {{op operand 'key_bias': expected 4 heads, found memref<1x1x7xf32>}}
  rlx.online_attention sequence mask none ins(%q, %q, %q : memref<1x7x32xf32>, memref<1x7x32xf32>, memref<1x7x32xf32>) key_bias(%b : memref<1x1x7xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C7_chunks) an out has as many chunks as there are.
func.func @online_attention_c7_chunks(%q: memref<1x7x32xf32>, %k: memref<1x9x32xf32>, %o: memref<2x1x7x32xf32>, %s: memref<3x1x4x7xf32>) {
  // expected-error@+1 {{op operand 'out': expected 3 chunks, found memref<2x1x7x32xf32>}}
  rlx.online_attention sequence mask none ins(%q, %k, %k : memref<1x7x32xf32>, memref<1x9x32xf32>, memref<1x9x32xf32>) outs(%o, %s, %s : memref<2x1x7x32xf32>, memref<3x1x4x7xf32>, memref<3x1x4x7xf32>) {num_heads = 4 : i64, scale = 1.0 : f64, key_chunk = 3 : i64}
  return
}
