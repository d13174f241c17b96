// RUN: rlx-opt %s -rlx-split-keys=cache-bytes=65536 -split-input-file | FileCheck %s
// RUN: rlx-opt %s -rlx-split-keys="cache-bytes=65536 min-keys-per-query=1000" -split-input-file | FileCheck %s --check-prefix=FEWER

// The chunk divides the number of keys, and its keys and values fit in the cache.
// CHECK-LABEL: func.func @few_queries
// CHECK-SAME: %[[Q:.*]]: tensor<1x7x32xf32>, %[[K:.*]]: tensor<1x1000x32xf32>, %[[V:.*]]: tensor<1x1000x64xf32>
// CHECK: %[[PARTS:.*]]:3 = rlx.online_attention sequence mask none ins(%[[Q]], %[[K]], %[[V]]
// CHECK-SAME: outs(%{{.*}} : tensor<8x1x7x64xf32>, tensor<8x1x4x7xf32>, tensor<8x1x4x7xf32>)
// CHECK-SAME: key_chunk = 125
// CHECK: %[[OUT:.*]] = rlx.combine_chunks ins(%[[PARTS]]#0, %[[PARTS]]#1, %[[PARTS]]#2
// CHECK-SAME: {num_heads = 4 : i64} -> tensor<1x7x64xf32>
// CHECK: return %[[OUT]]
// FEWER-LABEL: func.func @few_queries
// FEWER-NOT: key_chunk
func.func @few_queries(%q: tensor<1x7x32xf32>, %k: tensor<1x1000x32xf32>, %v: tensor<1x1000x64xf32>, %e: tensor<1x7x64xf32>) -> tensor<1x7x64xf32> {
  %0 = rlx.online_attention sequence mask none ins(%q, %k, %v : tensor<1x7x32xf32>, tensor<1x1000x32xf32>, tensor<1x1000x64xf32>) outs(%e : tensor<1x7x64xf32>) {num_heads = 4 : i64, scale = 1.0 : f64} -> tensor<1x7x64xf32>
  return %0 : tensor<1x7x64xf32>
}

// -----

// Dynamic queries are few; heads that share the keys have statistics of their own.
// CHECK-LABEL: func.func @shared_keys
// CHECK: rlx.online_attention sequence mask custom sharing keys
// CHECK-SAME: outs(%{{.*}} : tensor<4x1x?x128xf32>, tensor<4x1x4x?xf32>, tensor<4x1x4x?xf32>)
func.func @shared_keys(%q: tensor<1x?x128xf32>, %k: tensor<1x1024x32xf32>, %m: tensor<1x1x1x1024xi8>, %e: tensor<1x?x128xf32>) -> tensor<1x?x128xf32> {
  %0 = rlx.online_attention sequence mask custom sharing keys ins(%q, %k, %k : tensor<1x?x128xf32>, tensor<1x1024x32xf32>, tensor<1x1024x32xf32>) masked_by(%m : tensor<1x1x1x1024xi8>) outs(%e : tensor<1x?x128xf32>) {num_heads = 4 : i64, scale = 1.0 : f64} -> tensor<1x?x128xf32>
  return %0 : tensor<1x?x128xf32>
}

// -----

// The log-sum-exp of all chunks.
// CHECK-LABEL: func.func @log_sum_exp
// CHECK: rlx.online_attention {{.*}}key_chunk = 256
// CHECK: %[[OUT:.*]]:2 = rlx.combine_chunks {{.*}} -> tensor<1x7x32xf32>, tensor<1x4x7xf32>
// CHECK: return %[[OUT]]#0, %[[OUT]]#1
func.func @log_sum_exp(%q: tensor<1x7x32xf32>, %k: tensor<1x1024x32xf32>, %e: tensor<1x7x32xf32>, %l: tensor<1x4x7xf32>) -> (tensor<1x7x32xf32>, tensor<1x4x7xf32>) {
  %0:2 = rlx.online_attention sequence mask none ins(%q, %k, %k : tensor<1x7x32xf32>, tensor<1x1024x32xf32>, tensor<1x1024x32xf32>) outs(%e, %l : tensor<1x7x32xf32>, tensor<1x4x7xf32>) {num_heads = 4 : i64, scale = 1.0 : f64} -> tensor<1x7x32xf32>, tensor<1x4x7xf32>
  return %0#0, %0#1 : tensor<1x7x32xf32>, tensor<1x4x7xf32>
}

// -----

// Left whole: a prime number of keys, a dynamic one, as many queries as keys, other layouts.
// CHECK-LABEL: func.func @declined
// CHECK-NOT: key_chunk
func.func @declined(%q: tensor<1x7x32xf32>, %prime: tensor<1x997x32xf32>, %dynamic: tensor<1x?x32xf32>, %many: tensor<1x1024x32xf32>, %e: tensor<1x7x32xf32>, %f: tensor<1x1024x32xf32>, %hq: tensor<1x4x8x7xf32>, %hk: tensor<1x4x8x1024xf32>) -> (tensor<1x7x32xf32>, tensor<1x7x32xf32>, tensor<1x1024x32xf32>, tensor<1x4x8x7xf32>) {
  %0 = rlx.online_attention sequence mask none ins(%q, %prime, %prime : tensor<1x7x32xf32>, tensor<1x997x32xf32>, tensor<1x997x32xf32>) outs(%e : tensor<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64} -> tensor<1x7x32xf32>
  %1 = rlx.online_attention sequence mask none ins(%q, %dynamic, %dynamic : tensor<1x7x32xf32>, tensor<1x?x32xf32>, tensor<1x?x32xf32>) outs(%e : tensor<1x7x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64} -> tensor<1x7x32xf32>
  %2 = rlx.online_attention sequence mask none ins(%many, %many, %many : tensor<1x1024x32xf32>, tensor<1x1024x32xf32>, tensor<1x1024x32xf32>) outs(%f : tensor<1x1024x32xf32>) {num_heads = 4 : i64, scale = 1.0 : f64} -> tensor<1x1024x32xf32>
  %3 = rlx.online_attention head_channel mask none ins(%hq, %hk, %hk : tensor<1x4x8x7xf32>, tensor<1x4x8x1024xf32>, tensor<1x4x8x1024xf32>) outs(%hq : tensor<1x4x8x7xf32>) {num_heads = 4 : i64, scale = 1.0 : f64} -> tensor<1x4x8x7xf32>
  return %0, %1, %2, %3 : tensor<1x7x32xf32>, tensor<1x7x32xf32>, tensor<1x1024x32xf32>, tensor<1x4x8x7xf32>
}
