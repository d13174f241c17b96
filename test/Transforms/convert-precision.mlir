// RUN: rlx-opt %s -rlx-convert-precision=to=bf16 | FileCheck %s

// RUN: not rlx-opt %s -rlx-convert-precision=to=f8 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: rlx-convert-precision: to: expected bf16 or f16, found 'f8'

// CHECK-LABEL: rlx.graph @matmul
// CHECK: %[[X:.*]] = rlx.cast %{{.*}} : (tensor<7x4xf32>) -> tensor<7x4xbf16>
// CHECK: %[[P:.*]] = rlx.matmul %[[X]], %{{.*}} : (tensor<7x4xbf16>, tensor<4x8xbf16>) -> tensor<7x8xbf16>
// CHECK: %[[Y:.*]] = rlx.cast %[[P]] : (tensor<7x8xbf16>) -> tensor<7x8xf32>
// CHECK: rlx.activation relu %[[Y]] : tensor<7x8xf32>
rlx.graph @matmul(%x: tensor<7x4xf32>) -> tensor<7x8xf32> {
  %w = rlx.param "w" : tensor<4x8xf32>
  %0 = rlx.matmul %x, %w : (tensor<7x4xf32>, tensor<4x8xf32>) -> tensor<7x8xf32>
  %1 = rlx.activation relu %0 : (tensor<7x8xf32>) -> tensor<7x8xf32>
  rlx.output %1 : tensor<7x8xf32>
}

// A mask decides, and a log-sum-exp is a statistic: both keep their type.
// CHECK-LABEL: rlx.graph @attention
// CHECK-SAME:    %[[MASK:[a-z0-9]*]]: tensor<1x7xf32>
// CHECK:         rlx.attention custom %{{.*}}, %{{.*}}, %{{.*}}, %[[MASK]]
// CHECK-SAME:      (tensor<1x7x8xbf16>, tensor<1x7x8xbf16>, tensor<1x7x8xbf16>, tensor<1x7xf32>)
// CHECK:         rlx.psa_flash_attention lo %{{.*}} -> (tensor<1x2x6x4xbf16>, tensor<1x2x6xf32>)
rlx.graph @attention(%x: tensor<1x7x8xf32>, %m: tensor<1x7xf32>, %p: tensor<1x4x2x6x4xf32>)
    -> (tensor<1x7x8xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6xf32>) {
  %0 = rlx.attention custom %x, %x, %x, %m num_heads = 2 head_dim = 4
      : (tensor<1x7x8xf32>, tensor<1x7x8xf32>, tensor<1x7x8xf32>, tensor<1x7xf32>)
      -> tensor<1x7x8xf32>
  %1, %2 = rlx.psa_flash_attention lo %p
      : (tensor<1x4x2x6x4xf32>) -> (tensor<1x2x6x4xf32>, tensor<1x2x6xf32>)
  rlx.output %0, %1, %2 : tensor<1x7x8xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6xf32>
}

// Other types are the user's choice.
// CHECK-LABEL: rlx.graph @f64
// CHECK-NOT:     rlx.cast
rlx.graph @f64(%x: tensor<7x4xf64>, %w: tensor<4x8xf64>) -> tensor<7x8xf64> {
  %0 = rlx.matmul %x, %w : (tensor<7x4xf64>, tensor<4x8xf64>) -> tensor<7x8xf64>
  rlx.output %0 : tensor<7x8xf64>
}
