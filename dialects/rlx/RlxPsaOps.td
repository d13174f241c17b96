//===- RlxPsaOps.td - Position-sensitive attention of YOLO ------*- tablegen -*-===//
//
// Throughout: KD is `key_dim`, H is `num_heads`, c = H*2*KD, N = Hs*Ws. Head h of the
// [B, H*4*KD, Hs, Ws] image owns channels h*4*KD + [Q | K | V_lo | V_hi], each KD wide.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_PSA_OPS_TD
#define RLX_PSA_OPS_TD

include "dialects/rlx/RlxAttrs.td"
include "dialects/rlx/RlxInterfaces.td"

/// An op on the image that the QKV convolution gives.
class RLX_PsaImageOp<string mnemonic, list<Trait> traits = []>
    : RLX_InferredOp<mnemonic, traits> {
  let arguments = (ins RLX_FloatTensor:$qkv, RLX_IntAttr:$num_heads, RLX_IntAttr:$key_dim);
  let results = (outs RLX_FloatTensor:$result);
  let assemblyFormat = [{
    $qkv `num_heads` `=` $num_heads `key_dim` `=` $key_dim attr-dict
    `:` functional-type(operands, results)
  }];
}

def RLX_PsaPackQkvOp : RLX_PsaImageOp<"psa_pack_qkv", [RLX_Differentiable]> {
  let summary = "Splits a QKV image into its four sections";
  let description = [{
    `out[b, s, h, n, d] = qkv[b, h*4*KD + s*KD + d, n]`, with the sections s in the
    order Q, K, V_lo, V_hi. The result is `[B, 4, H, N, KD]`, also in memory.

    Constraints:
    - (C1) `num_heads` and `key_dim` are positive.
    - (C2) `qkv` has rank 4.
    - (C3) `qkv` has `num_heads * 4 * key_dim` channels.

    Example:

    ```mlir
    %packed = rlx.psa_pack_qkv %qkv num_heads = 2 key_dim = 32
        : (tensor<?x256x20x20xf32>) -> tensor<?x4x2x400x32xf32>
    ```
  }];
}

def RLX_PsaExtractVOp : RLX_PsaImageOp<"psa_extract_v", [RLX_Differentiable]> {
  let summary = "Takes the values of a QKV image, as an image";
  let description = [{
    `out[b, h*2*KD + j] = qkv[b, h*4*KD + 2*KD + j]` for `j < 2*KD`; the result is
    `[B, c, Hs, Ws]`.

    Constraints:
    - (C1) `num_heads` and `key_dim` are positive.
    - (C2) `qkv` has rank 4.
    - (C3) `qkv` has `num_heads * 4 * key_dim` channels.

    Example:

    ```mlir
    %v = rlx.psa_extract_v %qkv num_heads = 2 key_dim = 32
        : (tensor<?x256x20x20xf32>) -> tensor<?x128x20x20xf32>
    ```
  }];
}

def RLX_PsaFlashAttentionOp : RLX_InferredOp<"psa_flash_attention", [RLX_Differentiable]> {
  let summary = "Attention over one half of the values of a packed QKV tensor";
  let description = [{
    `out = softmax(Q K^T / sqrt(KD)) V_section`, `[B, H, N, KD]`, and `lse`, the row
    `max + log(sum(exp(score - max)))` of the scaled scores, `[B, H, N]`. `lse` is
    f32 for f32, f16 and bf16 inputs, and f64 for f64.

    Constraints:
    - (C1) `packed` has rank 5.
    - (C2) dimension 1 of `packed` is 4.
    - (C3) the key size, dimension 4 of `packed`, is static.

    Example:

    ```mlir
    %lo, %lse = rlx.psa_flash_attention lo %packed
        : (tensor<?x4x2x400x32xf32>) -> (tensor<?x2x400x32xf32>, tensor<?x2x400xf32>)
    ```
  }];
  let arguments = (ins RLX_FloatTensor:$packed, RLX_PsaSectionAttr:$section);
  let results = (outs RLX_FloatTensor:$out, RLX_FloatTensor:$lse);
  let assemblyFormat = "`` $section $packed attr-dict `:` functional-type(operands, results)";
}

def RLX_PsaMergeAttnOp : RLX_InferredOp<"psa_merge_attn", [RLX_Differentiable]> {
  let summary = "Merges both halves of an attention's output into an image";
  let description = [{
    `out[b, h*2*KD + d, n] = lo[b, h, n, d]` and
    `out[b, h*2*KD + KD + d, n] = hi[b, h, n, d]`; the result is `[B, c, h, w]`.

    Constraints:
    - (C1) `h` and `w` are positive.
    - (C2) `lo` and `hi` have rank 4.
    - (C3) `lo` and `hi` have the same type up to dynamic dims.
    - (C4) `lo` has `h * w` rows.
    - (C5) the head count and the key size, dimensions 1 and 3 of `lo`, are static.

    Example:

    ```mlir
    %image = rlx.psa_merge_attn %lo, %hi h = 20 w = 20
        : (tensor<?x2x400x32xf32>, tensor<?x2x400x32xf32>) -> tensor<?x128x20x20xf32>
    ```
  }];
  let arguments = (ins RLX_FloatTensor:$lo, RLX_FloatTensor:$hi, RLX_IntAttr:$h, RLX_IntAttr:$w);
  let results = (outs RLX_FloatTensor:$result);
  let assemblyFormat = [{
    $lo `,` $hi `h` `=` $h `w` `=` $w attr-dict `:` functional-type(operands, results)
  }];
}

def RLX_PsaAttentionOp : RLX_PsaImageOp<"psa_attention", [
    DeclareOpInterfaceMethods<RLX_DecomposableOpInterface>]> {
  let summary = "Position-sensitive attention from QKV image to image";
  let description = [{
    Pack, attention over both halves of the values, and merge as one op:
    `[B, H*4*KD, Hs, Ws] -> [B, c, Hs, Ws]`. Equal to one attention with values of
    size `2*KD`. Decomposes when the spatial size is static.

    Constraints:
    - (C1) `num_heads` and `key_dim` are positive.
    - (C2) `qkv` has rank 4.
    - (C3) `qkv` has `num_heads * 4 * key_dim` channels.

    Example:

    ```mlir
    %y = rlx.psa_attention %qkv num_heads = 2 key_dim = 32
        : (tensor<?x256x20x20xf32>) -> tensor<?x128x20x20xf32>
    ```
  }];
}

#endif // RLX_PSA_OPS_TD
