// RUN: rlx-opt %s -split-input-file -verify-diagnostics

// (C1) ranks follow the layout.
func.func @online_attention_c1(%q: memref<7x32xf32>, %k: memref<1x9x32xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{expected operands of rank 3 (C1), found 'memref<7x32xf32>'}}
  rlx.online_attention sequence mask none ins(%q, %k, %k : memref<7x32xf32>, memref<1x9x32xf32>, memref<1x9x32xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C1_heads) num_heads divides the channels.
func.func @online_attention_c1_heads(%q: memref<1x7x32xf32>, %k: memref<1x9x32xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{expected channels that num_heads 5 divides (C1)}}
  rlx.online_attention sequence mask none ins(%q, %k, %k : memref<1x7x32xf32>, memref<1x9x32xf32>, memref<1x9x32xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 5 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C2) batches agree.
func.func @online_attention_c2(%q: memref<1x7x32xf32>, %k: memref<2x9x32xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{expected equal batch and heads (C2)}}
  rlx.online_attention sequence mask none ins(%q, %k, %k : memref<1x7x32xf32>, memref<2x9x32xf32>, memref<2x9x32xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C2_rows) keys and values are of the same number.
func.func @online_attention_c2_rows(%q: memref<1x7x32xf32>, %k: memref<1x9x32xf32>, %v: memref<1x8x32xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{k and v of as many keys (C2)}}
  rlx.online_attention sequence mask none ins(%q, %k, %v : memref<1x7x32xf32>, memref<1x9x32xf32>, memref<1x8x32xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C3) a custom mask is given.
func.func @online_attention_c3(%q: memref<1x7x32xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{expected a mask of rank 4 exactly for custom and bias (C3)}}
  rlx.online_attention sequence mask custom ins(%q, %q, %q : memref<1x7x32xf32>, memref<1x7x32xf32>, memref<1x7x32xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C4) a sliding window has a width.
func.func @online_attention_c4(%q: memref<1x7x32xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{expected a window >= 0 exactly for sliding_window (C4)}}
  rlx.online_attention sequence mask sliding_window ins(%q, %q, %q : memref<1x7x32xf32>, memref<1x7x32xf32>, memref<1x7x32xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C5) sharing is of the sequence layout.
func.func @online_attention_c5(%q: memref<1x4x7x8xf32>, %o: memref<1x4x7x8xf32>) {
  // expected-error@+1 {{sharing keys: expected the layout sequence (C5), found head_sequence}}
  rlx.online_attention head_sequence mask none sharing keys ins(%q, %q, %q : memref<1x4x7x8xf32>, memref<1x4x7x8xf32>, memref<1x4x7x8xf32>) outs(%o : memref<1x4x7x8xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C5_outs) shared queries have one output.
func.func @online_attention_c5_outs(%q: memref<1x7x8xf32>, %k: memref<1x9x32xf32>, %o: memref<1x7x8xf32>, %l: memref<1x4x7xf32>) {
  // expected-error@+1 {{sharing queries: expected one out (C5), found 2}}
  rlx.online_attention sequence mask none sharing queries ins(%q, %k, %k : memref<1x7x8xf32>, memref<1x9x32xf32>, memref<1x9x32xf32>) outs(%o, %l : memref<1x7x8xf32>, memref<1x4x7xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C6) a key bias has rank 3.
func.func @online_attention_c6(%q: memref<1x7x32xf32>, %b: memref<4x7xf32>, %o: memref<1x7x32xf32>) {
  // expected-error@+1 {{key_bias: expected rank 3 (C6), found 'memref<4x7xf32>'}}
  rlx.online_attention sequence mask none ins(%q, %q, %q : memref<1x7x32xf32>, memref<1x7x32xf32>, memref<1x7x32xf32>) key_bias(%b : memref<4x7xf32>) outs(%o : memref<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64}
  return
}

// -----

// (C7) chunks divide the keys.
func.func @online_attention_c7(%q: memref<1x7x32xf32>, %k: memref<1x9x32xf32>, %o: memref<2x1x7x32xf32>, %s: memref<2x1x4x7xf32>) {
  // expected-error@+1 {{key_chunk: expected a divisor of the static number of keys (C7), found 4}}
  rlx.online_attention sequence mask none ins(%q, %k, %k : memref<1x7x32xf32>, memref<1x9x32xf32>, memref<1x9x32xf32>) outs(%o, %s, %s : memref<2x1x7x32xf32>, memref<2x1x4x7xf32>, memref<2x1x4x7xf32>) {num_heads = 4 : i64, scale = 1.0 : f64, key_chunk = 4 : i64}
  return
}

// -----

// (C7_outs) chunks have maxima and sums.
func.func @online_attention_c7_outs(%q: memref<1x7x32xf32>, %k: memref<1x9x32xf32>, %o: memref<3x1x7x32xf32>) {
  // expected-error@+1 {{key_chunk: expected three outs (C7), found 1}}
  rlx.online_attention sequence mask none ins(%q, %k, %k : memref<1x7x32xf32>, memref<1x9x32xf32>, memref<1x9x32xf32>) outs(%o : memref<3x1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64, key_chunk = 3 : i64}
  return
}
