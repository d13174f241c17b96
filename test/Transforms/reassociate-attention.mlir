// RUN: rlx-opt %s -rlx-reassociate-attention -split-input-file -verify-diagnostics | FileCheck %s
// RUN: rlx-opt %s -rlx-reassociate-attention=flops-per-byte=0 -split-input-file 2>/dev/null | FileCheck %s --check-prefix=FLOPS

// Few queries: keys and values stay as they are, and the bias of the keys is gone.
// CHECK-LABEL: rlx.graph @few_queries
// CHECK-SAME: %[[Q:.*]]: tensor<?x3x16xf32>, %[[X:.*]]: tensor<?x520x24xf32>, %[[Y:.*]]: tensor<?x520x20xf32>
// CHECK-DAG: %[[WK:.*]] = rlx.param "wk"
// CHECK-DAG: %[[WV:.*]] = rlx.param "wv"
// CHECK-DAG: %[[BV:.*]] = rlx.param "bv"
// CHECK-NOT: rlx.fused_matmul_bias_act
// CHECK: %[[QS:.*]] = rlx.reshape %[[Q]] : (tensor<?x3x16xf32>) -> tensor<?x3x2x8xf32>
// CHECK: %[[QH:.*]] = rlx.transpose %[[QS]] permutation = [0, 2, 1, 3]
// CHECK: %[[KS:.*]] = rlx.reshape %[[WK]] : (tensor<24x16xf32>) -> tensor<24x2x8xf32>
// CHECK: %[[KH:.*]] = rlx.transpose %[[KS]] permutation = [1, 2, 0]
// CHECK: %[[WIDE:.*]] = rlx.matmul %[[QH]], %[[KH]] : (tensor<?x2x3x8xf32>, tensor<2x8x24xf32>) -> tensor<?x2x3x24xf32>
// CHECK: %[[ROWS:.*]] = rlx.reshape %{{.*}} : (tensor<?x3x2x24xf32>) -> tensor<?x3x48xf32>
// CHECK: rlx.attention none %[[ROWS]], %[[X]], %[[Y]] num_heads = 2 head_dim = 24 sharing = keys scale = 0.35355339059327373
// CHECK-SAME: -> tensor<?x3x40xf32>
// CHECK: rlx.matmul %{{.*}}, %{{.*}} : (tensor<?x2x3x20xf32>, tensor<2x20x8xf32>) -> tensor<?x2x3x8xf32>
// CHECK: rlx.binary add %{{.*}}, %[[BV]]
rlx.graph @few_queries(%q: tensor<?x3x16xf32>, %x: tensor<?x520x24xf32>, %y: tensor<?x520x20xf32>) -> tensor<?x3x16xf32> {
  %wk = rlx.param "wk" : tensor<24x16xf32>
  %bk = rlx.param "bk" : tensor<16xf32>
  %wv = rlx.param "wv" : tensor<20x16xf32>
  %bv = rlx.param "bv" : tensor<16xf32>
  %k = rlx.fused_matmul_bias_act %x, %wk, %bk : (tensor<?x520x24xf32>, tensor<24x16xf32>, tensor<16xf32>) -> tensor<?x520x16xf32>
  %v = rlx.fused_matmul_bias_act %y, %wv, %bv : (tensor<?x520x20xf32>, tensor<20x16xf32>, tensor<16xf32>) -> tensor<?x520x16xf32>
  %0 = rlx.attention none %q, %k, %v num_heads = 2 head_dim = 8 : (tensor<?x3x16xf32>, tensor<?x520x16xf32>, tensor<?x520x16xf32>) -> tensor<?x3x16xf32>
  rlx.output %0 : tensor<?x3x16xf32>
}

// -----

// Few keys, under a mask: queries stay, and the output projection becomes part of the
// values.
// CHECK-LABEL: rlx.graph @few_keys
// CHECK-SAME: %[[X:.*]]: tensor<1x397x24xf32>
// CHECK-NOT: rlx.fused_matmul_bias_act
// CHECK: %[[BIAS:.*]] = rlx.reshape %{{.*}} : (tensor<1x2x5x1xf32>) -> tensor<1x2x5xf32>
// CHECK: %[[SUM:.*]] = rlx.attention custom %[[X]], %{{.*}}, %{{.*}}, %{{.*}} key_bias(%[[BIAS]]) num_heads = 2 head_dim = 24 sharing = queries
// CHECK-SAME: (tensor<1x397x24xf32>, tensor<1x5x48xf32>, tensor<1x5x60xf32>, tensor<1x5xi1>, tensor<1x2x5xf32>) -> tensor<1x397x30xf32>
// CHECK: rlx.binary add %[[SUM]], %{{.*}} : (tensor<1x397x30xf32>, tensor<30xf32>)
rlx.graph @few_keys(%x: tensor<1x397x24xf32>, %k: tensor<1x5x16xf32>, %v: tensor<1x5x16xf32>, %mask: tensor<1x5xi1>) -> tensor<1x397x30xf32> {
  %wq = rlx.param "wq" : tensor<24x16xf32>
  %bq = rlx.param "bq" : tensor<16xf32>
  %wo = rlx.param "wo" : tensor<16x30xf32>
  %bo = rlx.param "bo" : tensor<30xf32>
  %q = rlx.fused_matmul_bias_act %x, %wq, %bq : (tensor<1x397x24xf32>, tensor<24x16xf32>, tensor<16xf32>) -> tensor<1x397x16xf32>
  %0 = rlx.attention custom %q, %k, %v, %mask num_heads = 2 head_dim = 8 : (tensor<1x397x16xf32>, tensor<1x5x16xf32>, tensor<1x5x16xf32>, tensor<1x5xi1>) -> tensor<1x397x16xf32>
  %1 = rlx.fused_matmul_bias_act %0, %wo, %bo : (tensor<1x397x16xf32>, tensor<16x30xf32>, tensor<30xf32>) -> tensor<1x397x30xf32>
  rlx.output %1 : tensor<1x397x30xf32>
}

// -----

// Many queries: more operations without projections. Operations alone say the same.
// CHECK-LABEL: rlx.graph @many_queries
// CHECK: rlx.attention none {{.*}} num_heads = 2 head_dim = 8 :
// FLOPS-LABEL: rlx.graph @many_queries
// FLOPS: rlx.attention none {{.*}} num_heads = 2 head_dim = 8 :
rlx.graph @many_queries(%q: tensor<1x59x16xf32>, %x: tensor<1x520x24xf32>) -> tensor<1x59x16xf32> {
  %wk = rlx.param "wk" : tensor<24x16xf32>
  %wv = rlx.param "wv" : tensor<24x16xf32>
  %b = rlx.param "b" : tensor<16xf32>
  %k = rlx.fused_matmul_bias_act %x, %wk, %b : (tensor<1x520x24xf32>, tensor<24x16xf32>, tensor<16xf32>) -> tensor<1x520x16xf32>
  %v = rlx.fused_matmul_bias_act %x, %wv, %b : (tensor<1x520x24xf32>, tensor<24x16xf32>, tensor<16xf32>) -> tensor<1x520x16xf32>
  // expected-remark@+1 {{not reassociated: 5981184 FLOP and 122496 bytes, as it is 2762240 FLOP and 232960 bytes}}
  %0 = rlx.attention none %q, %k, %v num_heads = 2 head_dim = 8 : (tensor<1x59x16xf32>, tensor<1x520x16xf32>, tensor<1x520x16xf32>) -> tensor<1x59x16xf32>
  rlx.output %0 : tensor<1x59x16xf32>
}

// -----

// A mask switches padding off; a row that sees no key does not get the bias of the
// values.
// CHECK-LABEL: rlx.graph @masked_keys
// CHECK-SAME: %[[Q:.*]]: tensor<1x59x16xf32>, %[[X:.*]]: tensor<1x520x24xf32>, %[[MASK:.*]]: tensor<1x2x59x520xf32>
// CHECK: %[[MIXED:.*]], %[[LSE:.*]] = rlx.attention custom %{{.*}}, %[[X]], %[[X]], %[[MASK]] num_heads = 2 head_dim = 24 sharing = keys scale = 0.35355339059327373 with_lse
// CHECK: %[[COLUMN:.*]] = rlx.reshape %[[LSE]] : (tensor<1x2x59xf32>) -> tensor<1x2x59x1xf32>
// CHECK: %[[SEES:.*]] = rlx.compare ne %[[COLUMN]], %{{.*}}
// CHECK: rlx.where %[[SEES]], %{{.*}}, %{{.*}} : (tensor<1x2x59x1xi1>, tensor<2x1x8xf32>, tensor<f32>) -> tensor<1x2x59x8xf32>
rlx.graph @masked_keys(%q: tensor<1x59x16xf32>, %x: tensor<1x520x24xf32>, %mask: tensor<1x2x59x520xf32>) -> tensor<1x59x16xf32> {
  %wk = rlx.param "wk" : tensor<24x16xf32>
  %wv = rlx.param "wv" : tensor<24x16xf32>
  %b = rlx.param "b" : tensor<16xf32>
  %k = rlx.fused_matmul_bias_act %x, %wk, %b : (tensor<1x520x24xf32>, tensor<24x16xf32>, tensor<16xf32>) -> tensor<1x520x16xf32>
  %v = rlx.fused_matmul_bias_act %x, %wv, %b : (tensor<1x520x24xf32>, tensor<24x16xf32>, tensor<16xf32>) -> tensor<1x520x16xf32>
  %0 = rlx.attention custom %q, %k, %v, %mask num_heads = 2 head_dim = 8 : (tensor<1x59x16xf32>, tensor<1x520x16xf32>, tensor<1x520x16xf32>, tensor<1x2x59x520xf32>) -> tensor<1x59x16xf32>
  rlx.output %0 : tensor<1x59x16xf32>
}

// -----

// Projections that something else needs as well, and a dynamic number of rows.
// CHECK-LABEL: rlx.graph @declined
// CHECK-COUNT-2: rlx.attention none {{.*}} head_dim = 8 :
rlx.graph @declined(%q: tensor<1x3x16xf32>, %n: tensor<1x?x16xf32>, %x: tensor<1x520x24xf32>) -> (tensor<1x3x16xf32>, tensor<1x?x16xf32>) {
  %wk = rlx.param "wk" : tensor<24x16xf32>
  %b = rlx.param "b" : tensor<16xf32>
  %k = rlx.fused_matmul_bias_act %x, %wk, %b : (tensor<1x520x24xf32>, tensor<24x16xf32>, tensor<16xf32>) -> tensor<1x520x16xf32>
  // expected-remark@+1 {{not reassociated: expected linear layers around its long side}}
  %0 = rlx.attention none %q, %k, %k num_heads = 2 head_dim = 8 : (tensor<1x3x16xf32>, tensor<1x520x16xf32>, tensor<1x520x16xf32>) -> tensor<1x3x16xf32>
  // expected-remark@+1 {{not reassociated: expected static numbers of queries and keys, found 'tensor<1x?x16xf32>' and 'tensor<1x520x16xf32>'}}
  %1 = rlx.attention none %n, %k, %k num_heads = 2 head_dim = 8 : (tensor<1x?x16xf32>, tensor<1x520x16xf32>, tensor<1x520x16xf32>) -> tensor<1x?x16xf32>
  rlx.output %0, %1 : tensor<1x3x16xf32>, tensor<1x?x16xf32>
}
