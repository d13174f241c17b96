//===- RlxGradientOps.td - Gradients of ops as ops --------------*- tablegen -*-===//
//
// What `rlx-autodiff` emits where plain ops would need more memory or time. Names
// follow one pattern: `X_backward` takes operands of `X` and the gradient of its
// result. An operand `into` is a gradient that the op adds to; the result has its type.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_GRADIENT_OPS_TD
#define RLX_GRADIENT_OPS_TD

include "dialects/rlx/RlxAttrs.td"
include "dialects/rlx/RlxInterfaces.td"

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

def RLX_ActivationBackwardOp : RLX_InferredOp<"activation_backward"> {
  let summary = "Gradient of an activation";
  let description = [{
    `d * f'(x)` for the function `f` of `rlx.activation`. The derivatives of `relu`
    and `abs` at 0 are 0, as is that of `round` everywhere.

    Constraints:
    - (C1) `x` and `d` have the same element type.
    - (C2) `x` and `d` have the same dims.

    Example:

    ```mlir
    %dx = rlx.activation_backward silu %x, %d
        : (tensor<1x7x256xf32>, tensor<1x7x256xf32>) -> tensor<1x7x256xf32>
    ```
  }];
  let arguments = (ins RLX_ActivationKindAttr:$kind, RLX_FloatTensor:$x, RLX_FloatTensor:$d);
  let results = (outs RLX_FloatTensor:$result);
  let assemblyFormat = "`` $kind $x `,` $d attr-dict `:` functional-type(operands, results)";
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

def RLX_AttentionBackwardOp
    : RLX_InferredOp<"attention_backward", [AttrSizedOperandSegments]> {
  let summary = "Gradients of attention";
  let description = [{
    Gradients of `q`, `k` and `v` of an `rlx.attention` without shared operands and
    key bias, which has given `out` and the row log-sum-exp `lse`; for a mask of kind
    `bias` also that of `mask`. `d_out` is the gradient of `out`, `d_lse`, if given,
    that of `lse`. For each head, with `D = rowsum(out * d_out) - d_lse`:

    - `P = exp(scale * q k^T + bias - lse)`, 0 for a key that the query doesn't see;
    - `dS = P * (d_out v^T - D)`;
    - `d_q = scale * dS k`, `d_k = scale * dS^T q`, `d_v = P^T d_out`, `d_mask = dS`
      summed over the dims in which `mask` is 1.

    Scores are computed again, block by block: besides a gradient of the mask nothing
    of size Lq x Lk is stored. A pair of query and key whose weight is 0 contributes
    nothing to any gradient, whatever its vectors are, NaN and infinity included: rows
    that see no key give zeros.

    Constraints:
    - (C1) `q`, `k`, `v`, `out` and `d_out` have rank 3.
    - (C2) `q`, `k`, `v`, `out` and `d_out` have the same element type.
    - (C3) `num_heads` and `head_dim` are positive.
    - (C4) `q` and `k` have `num_heads * head_dim` channels.
    - (C5) the channels of `v` are static and a multiple of `num_heads`.
    - (C6) `k` and `v` have the same number of rows, and all operands the same batch size.
    - (C7) `out` and `d_out` have the rows of `q` and the channels of `v`.
    - (C8) `lse` and `d_lse` are `[B, num_heads, Lq]`, of the type of statistics.
    - (C9) `mask` is given for the kinds `custom` and `bias`, and only for them; it is
      `[B or 1, H or 1, Lq or 1, Lk]` or `[B, Lk]`, and not boolean for `bias`.
    - (C10) `window` is given for the kind `sliding_window`, and only for it, and is
      not negative.

    Example:

    ```mlir
    %dq, %dk, %dv = rlx.attention_backward causal %q, %k, %v of(%o, %lse) gradient(%do)
        num_heads = 8 head_dim = 16
        : (tensor<1x7x128xf32>, tensor<1x9x128xf32>, tensor<1x9x128xf32>,
           tensor<1x7x128xf32>, tensor<1x8x7xf32>, tensor<1x7x128xf32>)
        -> (tensor<1x7x128xf32>, tensor<1x9x128xf32>, tensor<1x9x128xf32>)
    ```
  }];
  let arguments = (ins RLX_FloatTensor:$q, RLX_FloatTensor:$k, RLX_FloatTensor:$v,
                       Optional<RLX_MaskTensor>:$mask, RLX_FloatTensor:$out,
                       RLX_FloatTensor:$lse, RLX_FloatTensor:$d_out,
                       Optional<RLX_FloatTensor>:$d_lse,
                       RLX_IntAttr:$num_heads, RLX_IntAttr:$head_dim,
                       RLX_MaskKindAttr:$mask_kind, OptionalAttr<RLX_IntAttr>:$window,
                       OptionalAttr<F64Attr>:$scale);
  let results = (outs RLX_FloatTensor:$d_q, RLX_FloatTensor:$d_k, RLX_FloatTensor:$d_v,
                      Optional<RLX_FloatTensor>:$d_mask);
  let assemblyFormat = [{
    `` $mask_kind $q `,` $k `,` $v (`,` $mask^)? `of` `(` $out `,` $lse `)`
    `gradient` `(` $d_out (`,` $d_lse^)? `)`
    `num_heads` `=` $num_heads `head_dim` `=` $head_dim (`window` `=` $window^)?
    (`scale` `=` $scale^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// What scores are multiplied by.
    double getScaleValue();
    /// Channels of one head of `v`, Dv.
    int64_t getValueDim() { return getV().getType().getDimSize(2) / getNumHeads(); }
  }];
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

def RLX_Conv2dBackwardInputOp : RLX_InferredOp<"conv2d_backward_input"> {
  let summary = "Gradient of a convolution's image";
  let description = [{
    The gradient of the image `x` of an `rlx.conv2d` with the filter `w` and the same
    attributes; `d` is the gradient of its result. Of `x` only the dims matter.

    Constraints:
    - (C1) `d`, `w` and `x` have rank 4.
    - (C2) `d`, `w` and `x` have the same element type.
    - (C3) the attributes, `w` and `x` are those of a valid `rlx.conv2d`.
    - (C4) `d` has the dims of its result.

    Example:

    ```mlir
    %dx = rlx.conv2d_backward_input %d, %w, %x padding = [1, 1] groups = 128
        : (tensor<?x128x20x20xf32>, tensor<128x1x3x3xf32>, tensor<?x128x20x20xf32>)
        -> tensor<?x128x20x20xf32>
    ```
  }];
  let arguments = (ins RLX_FloatTensor:$d, RLX_FloatTensor:$w, RLX_FloatTensor:$x,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$stride,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$padding,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilation,
                       DefaultValuedAttr<RLX_IntAttr, "1">:$groups);
  let results = (outs RLX_FloatTensor:$result);
  let assemblyFormat = [{
    $d `,` $w `,` $x (`stride` `=` $stride^)? (`padding` `=` $padding^)?
    (`dilation` `=` $dilation^)? (`groups` `=` $groups^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def RLX_Conv2dBackwardWeightOp : RLX_InferredOp<"conv2d_backward_weight"> {
  let summary = "Gradient of a convolution's filter";
  let description = [{
    The gradient of the filter `w` of an `rlx.conv2d` of the image `x` with the same
    attributes; `d` is the gradient of its result. Of `w` only the dims matter.

    Constraints:
    - (C1) `d`, `x` and `w` have rank 4.
    - (C2) `d`, `x` and `w` have the same element type.
    - (C3) the attributes, `w` and `x` are those of a valid `rlx.conv2d`.
    - (C4) `d` has the dims of its result.

    Example:

    ```mlir
    %dw = rlx.conv2d_backward_weight %d, %x, %w padding = [1, 1] groups = 128
        : (tensor<?x128x20x20xf32>, tensor<?x128x20x20xf32>, tensor<128x1x3x3xf32>)
        -> tensor<128x1x3x3xf32>
    ```
  }];
  let arguments = (ins RLX_FloatTensor:$d, RLX_FloatTensor:$x, RLX_FloatTensor:$w,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$stride,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$padding,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilation,
                       DefaultValuedAttr<RLX_IntAttr, "1">:$groups);
  let results = (outs RLX_FloatTensor:$result);
  let assemblyFormat = [{
    $d `,` $x `,` $w (`stride` `=` $stride^)? (`padding` `=` $padding^)?
    (`dilation` `=` $dilation^)? (`groups` `=` $groups^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

def RLX_ScatterAddOp : RLX_InferredOp<"scatter_add", [RLX_Differentiable]> {
  let summary = "Adds slices by index along one dim";
  let description = [{
    `into` with each slice of `updates` added where `rlx.gather` with the same indices
    and axis would have read it. Updates of one place are added in the order of their
    indices. An index outside `[0, into.dim(axis))` makes the run fail.

    Constraints:
    - (C1) `axis` is in `[-rank, rank)`.
    - (C2) `into` and `updates` have the same element type.
    - (C3) `updates` has the dims of what `rlx.gather` gives.

    Example:

    ```mlir
    %sum = rlx.scatter_add %table, %ids, %rows axis = 0
        : (tensor<1000x64xf32>, tensor<?x7xi32>, tensor<?x7x64xf32>) -> tensor<1000x64xf32>
    ```
  }];
  let arguments = (ins RLX_FloatTensor:$into, RLX_IndexTensor:$indices, RLX_FloatTensor:$updates,
                       RLX_IntAttr:$axis);
  let results = (outs RLX_FloatTensor:$result);
  let assemblyFormat = [{
    $into `,` $indices `,` $updates `axis` `=` $axis attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The axis, counted from 0.
    int64_t normalizedAxis() {
      return ::rlx::ir::normalizeAxis(getAxis(), getInto().getType());
    }
  }];
}

//===----------------------------------------------------------------------===//
// Position-sensitive attention
//===----------------------------------------------------------------------===//

/// An op that adds to the gradient of the image that the QKV convolution gives.
class RLX_PsaImageBackwardOp<string mnemonic> : RLX_InferredOp<mnemonic> {
  let arguments = (ins RLX_FloatTensor:$d, RLX_FloatTensor:$into, RLX_IntAttr:$num_heads,
                       RLX_IntAttr:$key_dim);
  let results = (outs RLX_FloatTensor:$result);
  let assemblyFormat = [{
    $d `into` $into `num_heads` `=` $num_heads `key_dim` `=` $key_dim attr-dict
    `:` functional-type(operands, results)
  }];
}

def RLX_PsaPackQkvBackwardOp : RLX_PsaImageBackwardOp<"psa_pack_qkv_backward"> {
  let summary = "Gradient of psa_pack_qkv";
  let description = [{
    `out[b, h*4*KD + s*KD + e, n] = into[b, h*4*KD + s*KD + e, n] + d[b, s, h, n, e]`.

    Constraints:
    - (C1) `num_heads` and `key_dim` are positive.
    - (C2) `into` has rank 4 and `num_heads * 4 * key_dim` channels.
    - (C3) `d` has the dims that `rlx.psa_pack_qkv` of `into` gives.
    - (C4) `d` and `into` have the same element type.

    Example:

    ```mlir
    %dqkv = rlx.psa_pack_qkv_backward %d into %sum num_heads = 2 key_dim = 32
        : (tensor<?x4x2x400x32xf32>, tensor<?x256x20x20xf32>) -> tensor<?x256x20x20xf32>
    ```
  }];
}

def RLX_PsaExtractVBackwardOp : RLX_PsaImageBackwardOp<"psa_extract_v_backward"> {
  let summary = "Gradient of psa_extract_v";
  let description = [{
    `into`, with `d[b, h*2*KD + j]` added to the channel `h*4*KD + 2*KD + j` for each
    `j < 2*KD`. The channels of queries and keys stay as they are.

    Constraints:
    - (C1) `num_heads` and `key_dim` are positive.
    - (C2) `into` has rank 4 and `num_heads * 4 * key_dim` channels.
    - (C3) `d` has the dims that `rlx.psa_extract_v` of `into` gives.
    - (C4) `d` and `into` have the same element type.

    Example:

    ```mlir
    %dqkv = rlx.psa_extract_v_backward %d into %sum num_heads = 2 key_dim = 32
        : (tensor<?x128x20x20xf32>, tensor<?x256x20x20xf32>) -> tensor<?x256x20x20xf32>
    ```
  }];
}

def RLX_PsaMergeAttnBackwardOp : RLX_InferredOp<"psa_merge_attn_backward"> {
  let summary = "Gradients of psa_merge_attn";
  let description = [{
    `d_lo[b, h, n, e] = d[b, h*2*KD + e, n]` and
    `d_hi[b, h, n, e] = d[b, h*2*KD + KD + e, n]`, both `[B, H, N, KD]`.

    Constraints:
    - (C1) `num_heads` is positive.
    - (C2) `d` has rank 4.
    - (C3) the channels of `d` are static and a multiple of `2 * num_heads`.

    Example:

    ```mlir
    %dlo, %dhi = rlx.psa_merge_attn_backward %d num_heads = 2
        : (tensor<?x128x20x20xf32>) -> (tensor<?x2x400x32xf32>, tensor<?x2x400x32xf32>)
    ```
  }];
  let arguments = (ins RLX_FloatTensor:$d, RLX_IntAttr:$num_heads);
  let results = (outs RLX_FloatTensor:$d_lo, RLX_FloatTensor:$d_hi);
  let assemblyFormat = [{
    $d `num_heads` `=` $num_heads attr-dict `:` functional-type(operands, results)
  }];
}

def RLX_PsaFlashAttentionBackwardOp
    : RLX_InferredOp<"psa_flash_attention_backward"> {
  let summary = "Gradients of psa_flash_attention";
  let description = [{
    `into` plus the gradient of the packed tensor of an `rlx.psa_flash_attention` of
    `section`, which has given `out` and `lse`; `d_out` and `d_lse` are their
    gradients. The sections Q, K and that of the values are those of `d_q`, `d_k` and
    `d_v` of `rlx.attention_backward`; the other values get nothing.

    Constraints:
    - (C1) `packed` and `into` have rank 5, equal dims and element types.
    - (C2) dimension 1 of `packed` is 4.
    - (C3) the key size, dimension 4 of `packed`, is static.
    - (C4) `out` and `d_out` are `[B, H, N, KD]`, of the element type of `packed`.
    - (C5) `lse` and `d_lse` are `[B, H, N]`, of the type of statistics.

    Example:

    ```mlir
    %d = rlx.psa_flash_attention_backward lo %packed of(%lo, %lse) gradient(%dlo) into %sum
        : (tensor<?x4x2x400x32xf32>, tensor<?x2x400x32xf32>, tensor<?x2x400xf32>,
           tensor<?x2x400x32xf32>, tensor<?x4x2x400x32xf32>) -> tensor<?x4x2x400x32xf32>
    ```
  }];
  let arguments = (ins RLX_FloatTensor:$packed, RLX_FloatTensor:$out, RLX_FloatTensor:$lse,
                       RLX_FloatTensor:$d_out, Optional<RLX_FloatTensor>:$d_lse,
                       RLX_FloatTensor:$into, RLX_PsaSectionAttr:$section);
  let results = (outs RLX_FloatTensor:$result);
  let assemblyFormat = [{
    `` $section $packed `of` `(` $out `,` $lse `)` `gradient` `(` $d_out (`,` $d_lse^)? `)`
    `into` $into attr-dict `:` functional-type(operands, results)
  }];
}

#endif // RLX_GRADIENT_OPS_TD
