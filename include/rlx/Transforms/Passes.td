//===- Passes.td - passes on graphs -------------------------*- tablegen -*-===//
#ifndef RLX_TRANSFORMS_PASSES_TD
#define RLX_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertPrecision : Pass<"rlx-convert-precision"> {
  let summary = "compute products in bf16 or f16";
  let description = [{
    Casts the f32 operands of matrix products, convolutions and attention to the
    type `to`, and their results back. Sums, softmax and norm statistics stay in
    f32, and so do the graph's inputs and outputs.

    Before:
    ```mlir
    %y = rlx.matmul %x, %w : (tensor<7x4xf32>, tensor<4x8xf32>) -> tensor<7x8xf32>
    ```
    After, with `to=bf16`:
    ```mlir
    %0 = rlx.cast %x : (tensor<7x4xf32>) -> tensor<7x4xbf16>
    %1 = rlx.cast %w : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %2 = rlx.matmul %0, %1 : (tensor<7x4xbf16>, tensor<4x8xbf16>) -> tensor<7x8xbf16>
    %y = rlx.cast %2 : (tensor<7x8xbf16>) -> tensor<7x8xf32>
    ```
  }];
  let options = [Option<"to", "to", "std::string", "\"bf16\"", "bf16 or f16">];
  let statistics = [Statistic<"numConverted", "converted", "Number of converted ops">];
}

def FuseMatmulBiasAct : Pass<"rlx-fuse-matmul-bias-act"> {
  let summary = "fuse a matrix product with its bias and activation";
  let description = [{
    A `rlx.matmul` with a weight of rank 2 whose only use adds a vector along the
    last dim becomes `rlx.fused_matmul_bias_act`, and an activation that is the only
    use of that joins it.

    Before:
    ```mlir
    %0 = rlx.matmul %x, %w : (tensor<7x4xf32>, tensor<4x8xf32>) -> tensor<7x8xf32>
    %1 = rlx.binary add %0, %b : (tensor<7x8xf32>, tensor<8xf32>) -> tensor<7x8xf32>
    %2 = rlx.activation relu %1 : (tensor<7x8xf32>) -> tensor<7x8xf32>
    ```
    After:
    ```mlir
    %2 = rlx.fused_matmul_bias_act %x, %w, %b act = relu : (tensor<7x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<7x8xf32>
    ```
  }];
  let statistics = [Statistic<"numFused", "fused", "Number of ops fused into a matmul">];
}

def FusePsaAttention : Pass<"rlx-fuse-psa-attention"> {
  let summary = "compute PSA attention straight from and to images";
  let description = [{
    `rlx.psa_pack_qkv`, the lo and hi `rlx.psa_flash_attention` of its result and
    `rlx.psa_merge_attn` of theirs become one `rlx.psa_attention` with values of
    twice the key size, which needs no packed buffer and computes scores once.
    The log-sum-exps must be unused.

    Before:
    ```mlir
    %p = rlx.psa_pack_qkv %x num_heads = 2 key_dim = 4 : ...
    %lo, %lse0 = rlx.psa_flash_attention lo %p : ...
    %hi, %lse1 = rlx.psa_flash_attention hi %p : ...
    %y = rlx.psa_merge_attn %lo, %hi h = 3 w = 5 : ...
    ```
    After:
    ```mlir
    %y = rlx.psa_attention %x num_heads = 2 key_dim = 4 : (tensor<1x32x3x5xf32>) -> tensor<1x16x3x5xf32>
    ```
  }];
  let statistics = [Statistic<"numFused", "fused", "Number of fused PSA attentions">];
}

#endif // RLX_TRANSFORMS_PASSES_TD
