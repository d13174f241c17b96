//===- RlxOps.td - Computing ops of the rlx dialect -------------*- tablegen -*-===//
//
// Contractions, norms, elementwise ops and reductions. Graphs and leaves are in
// RlxGraphOps.td, data movement in RlxShapeOps.td, PSA ops in RlxPsaOps.td.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_OPS_TD
#define RLX_OPS_TD

include "dialects/rlx/RlxAttrs.td"
include "dialects/rlx/RlxInterfaces.td"

def RLX_Decomposable : DeclareOpInterfaceMethods<RLX_DecomposableOpInterface>;

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

def RLX_MatmulOp : RLX_InferredOp<"matmul", [RLX_Differentiable]> {
  let summary = "Matrix product, batched over leading dims";
  let description = [{
    `[..., M, K] x [..., K, N] -> [..., M, N]`. Leading dims broadcast as in numpy.

    Constraints:
    - (C1) `x` and `w` have rank 2 or more.
    - (C2) `x` and `w` have the same element type.
    - (C3) the last dim of `x` and the last but one of `w` are equal.
    - (C4) the leading dims broadcast.

    Example:

    ```mlir
    %y = rlx.matmul %x, %w : (tensor<?x7x256xf32>, tensor<256x64xf32>) -> tensor<?x7x64xf32>
    ```
  }];
  let arguments = (ins RLX_FloatTensor:$x, RLX_FloatTensor:$w);
  let results = (outs RLX_FloatTensor:$result);
  let assemblyFormat = "$x `,` $w attr-dict `:` functional-type(operands, results)";
}

def RLX_FusedMatmulBiasActOp : RLX_InferredOp<"fused_matmul_bias_act", [RLX_Decomposable]> {
  let summary = "A linear layer: act(x @ w + bias)";
  let description = [{
    `[..., M, K] x [K, N] + [N] -> [..., M, N]`; without `act`, no activation.
    Decomposes into `matmul`, `binary add` and `activation`.

    Constraints:
    - (C1) `x` has rank 2 or more, `w` has rank 2, `bias` has rank 1.
    - (C2) `x`, `w` and `bias` have the same element type.
    - (C3) the last dim of `x` and the first of `w` are equal.
    - (C4) the last dim of `w` and the dim of `bias` are equal.

    Example:

    ```mlir
    %y = rlx.fused_matmul_bias_act %x, %w, %b act = relu
        : (tensor<1x7x256xf32>, tensor<256x64xf32>, tensor<64xf32>) -> tensor<1x7x64xf32>
    ```
  }];
  let arguments = (ins RLX_FloatTensor:$x, RLX_FloatTensor:$w, RLX_FloatTensor:$bias,
                       OptionalAttr<RLX_ActivationKindAttr>:$act);
  let results = (outs RLX_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $w `,` $bias (`act` `=` `` $act^)? attr-dict `:` functional-type(operands, results)
  }];
}

def RLX_AttentionOp : RLX_InferredOp<"attention",
    [AttrSizedOperandSegments, RLX_Differentiable]> {
  let summary = "Multi-head scaled dot-product attention";
  let description = [{
    `q: [B, Lq, H*D]`, `k: [B, Lk, H*D]`, `v: [B, Lk, H*Dv]` give `[B, Lq, H*Dv]`,
    where H is `num_heads` and D is `head_dim`. Head h owns channels `[h*D, (h+1)*D)`,
    and of `v` and the result `[h*Dv, (h+1)*Dv)`. For each head
    `softmax(scale * (q k^T + key_bias)) v`, with the row maximum subtracted before
    `exp`. `scale` is `1 / sqrt(D)` unless given, and `key_bias`, `[B or 1, H, Lk]`, is
    zero.

    | `sharing` | effect |
    |---|---|
    | `none` | every operand has its own channels for each head |
    | `keys` | `k: [B, Lk, D]` and `v: [B, Lk, Dv]` serve all heads (multi-query attention: Shazeer, "Fast transformer decoding", 2019) |
    | `queries` | `q: [B, Lq, D]` serves all heads, and their results are added up: `[B, Lq, Dv]` |

    | `mask_kind` | effect |
    |---|---|
    | `none` | every query sees every key |
    | `causal` | query `i` sees the keys `j <= i + (Lk - Lq)` |
    | `sliding_window` | query `i` sees the keys `j` in `[i - window, i]` |
    | `custom` | keys whose `mask` is `>= 0.5`, or true, are seen |
    | `bias` | `mask` is added to the scaled scores; `-inf` hides the key |

    With `with_lse` a second result is the row log-sum-exp of the scores,
    `[B, H, Lq]`, in the type of statistics: `-inf` for a row that sees no key.

    A row that sees no key gives zeros. A key that a query doesn't see has no
    influence on its row, whatever its key and value are, NaN and infinity included.
    A key that is seen and whose score is -inf has the weight zero; a row of such
    scores gives zeros too.

    Constraints:
    - (C1) `q`, `k` and `v` have rank 3.
    - (C2) `q`, `k` and `v` have the same element type.
    - (C3) `num_heads` and `head_dim` are positive.
    - (C4) `q`, `k` and `v` have the same batch size.
    - (C5) `k` and `v` have the same number of rows.
    - (C6) `q` and `k` have `num_heads * head_dim` channels, one that is shared `head_dim`.
    - (C7) the channels of `v` are static and, unless `v` is shared, a multiple of
      `num_heads`.
    - (C8) `mask` is given for the kinds `custom` and `bias`, and only for them.
    - (C9) `mask` is `[B or 1, H or 1, Lq or 1, Lk]` or `[B, Lk]`.
    - (C10) a mask of kind `bias` is not boolean.
    - (C11) `window` is given for the kind `sliding_window`, and only for it, and is
      not negative.
    - (C12) `key_bias` is `[B or 1, H, Lk]`, of the element type of `q`.
    - (C13) `scale` is finite.
    - (C14) heads that share the queries have no log-sum-exp.

    Example:

    ```mlir
    %y = rlx.attention custom %q, %k, %v, %mask num_heads = 8 head_dim = 16
        : (tensor<1x7x128xf32>, tensor<1x4096x128xf32>, tensor<1x4096x128xf32>,
           tensor<1x1x1x4096xi1>) -> tensor<1x7x128xf32>
    ```
  }];
  let arguments = (ins RLX_FloatTensor:$q, RLX_FloatTensor:$k, RLX_FloatTensor:$v,
                       Optional<RLX_MaskTensor>:$mask, Optional<RLX_FloatTensor>:$key_bias,
                       RLX_IntAttr:$num_heads, RLX_IntAttr:$head_dim,
                       RLX_MaskKindAttr:$mask_kind, OptionalAttr<RLX_IntAttr>:$window,
                       DefaultValuedAttr<RLX_HeadSharingAttr, "::rlx::ir::HeadSharing::None">:$sharing,
                       OptionalAttr<F64Attr>:$scale, UnitAttr:$with_lse);
  let results = (outs RLX_FloatTensor:$result, Optional<RLX_FloatTensor>:$lse);
  let assemblyFormat = [{
    `` $mask_kind $q `,` $k `,` $v (`,` $mask^)? (`key_bias` `(` $key_bias^ `)`)?
    `num_heads` `=` $num_heads `head_dim` `=` $head_dim (`window` `=` $window^)?
    (`sharing` `=` `` $sharing^)? (`scale` `=` $scale^)? (`with_lse` $with_lse^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// What scores are multiplied by.
    double getScaleValue();
    /// Channels of one head of `v` and of the result, Dv.
    int64_t getValueDim();
  }];
  let hasCanonicalizeMethod = 1;
}

def RLX_Conv2dOp : RLX_InferredOp<"conv2d", [RLX_Differentiable]> {
  let summary = "Two-dimensional convolution of NCHW images";
  let description = [{
    `x: [B, C, H, W]`, `w: [O, C/groups, Kh, Kw]`, `bias: [O]` give `[B, O, Ho, Wo]`
    with `Ho = (H + 2*padding[0] - dilation[0]*(Kh - 1) - 1) / stride[0] + 1`, rounded
    down, and `Wo` alike. Padding is zeros on both sides; the filter is not flipped.

    Constraints:
    - (C1) `x` and `w` have rank 4, `bias` has rank 1.
    - (C2) `x`, `w` and `bias` have the same element type.
    - (C3) `stride`, `padding` and `dilation` have two elements; those of `stride` and
      `dilation` are positive, those of `padding` not negative; `groups` is positive.
    - (C4) the type of `w` is static, and its output channels are a multiple of `groups`.
    - (C5) `x` has `groups * w.dim(1)` channels.
    - (C6) `bias` has one element for each output channel.
    - (C7) the dilated filter fits into the padded image.

    Example:

    ```mlir
    %y = rlx.conv2d %x, %w, %b padding = [1, 1] groups = 128
        : (tensor<?x128x20x20xf32>, tensor<128x1x3x3xf32>, tensor<128xf32>)
        -> tensor<?x128x20x20xf32>
    ```
  }];
  let arguments = (ins RLX_FloatTensor:$x, RLX_FloatTensor:$w, Optional<RLX_FloatTensor>:$bias,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$stride,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$padding,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilation,
                       DefaultValuedAttr<RLX_IntAttr, "1">:$groups);
  let results = (outs RLX_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $w (`,` $bias^)? (`stride` `=` $stride^)? (`padding` `=` $padding^)?
    (`dilation` `=` $dilation^)? (`groups` `=` $groups^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

def RLX_LayerNormOp : RLX_InferredOp<"layer_norm", [RLX_Decomposable, RLX_Differentiable]> {
  let summary = "Layer normalization over trailing dims";
  let description = [{
    `(x - mean) / sqrt(var + epsilon) * gamma + beta`. All dims from `axis` to the last
    are normalized together: there is one mean and one biased variance for each index
    into the dims before `axis`, and `gamma` and `beta` have an element for each index
    into the rest. `axis = -1` normalizes the last dim, `axis = 0` the whole tensor.
    Statistics of f16 and bf16 are computed in f32. Decomposes into reductions and
    elementwise ops.

    Constraints:
    - (C1) `axis` is in `[-rank, rank)`.
    - (C2) `x`, `gamma` and `beta` have the same element type.
    - (C3) `gamma` and `beta` have the dims of `x` from `axis` on.
    - (C4) `epsilon` is not negative.

    Example:

    ```mlir
    %y = rlx.layer_norm %x, %g, %b axis = -1 epsilon = 1.0e-5
        : (tensor<1x7x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<1x7x256xf32>
    ```
  }];
  let arguments = (ins RLX_FloatTensor:$x, RLX_FloatTensor:$gamma, RLX_FloatTensor:$beta,
                       RLX_IntAttr:$axis, F64Attr:$epsilon);
  let results = (outs RLX_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $gamma `,` $beta `axis` `=` $axis `epsilon` `=` $epsilon attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The first normalized dimension, counted from 0.
    int64_t normalizedAxis() { return ::rlx::ir::normalizeAxis(getAxis(), getX().getType()); }
  }];
}

def RLX_FusedResidualLayerNormOp
    : RLX_InferredOp<"fused_residual_layer_norm", [RLX_Decomposable]> {
  let summary = "layer_norm(x + residual)";
  let description = [{
    `axis` means what it means to `layer_norm`. Decomposes into `binary add` and
    `layer_norm`.

    Constraints:
    - (C1) `axis` is in `[-rank, rank)`.
    - (C2) `x`, `residual`, `gamma` and `beta` have the same element type.
    - (C3) `gamma` and `beta` have the dims of `x` from `axis` on.
    - (C4) `epsilon` is not negative.
    - (C5) `x` and `residual` have the same dims.

    Example:

    ```mlir
    %y = rlx.fused_residual_layer_norm %x, %r, %g, %b axis = -1 epsilon = 1.0e-5
        : (tensor<1x7x256xf32>, tensor<1x7x256xf32>, tensor<256xf32>, tensor<256xf32>)
        -> tensor<1x7x256xf32>
    ```
  }];
  let arguments = (ins RLX_FloatTensor:$x, RLX_FloatTensor:$residual, RLX_FloatTensor:$gamma,
                       RLX_FloatTensor:$beta, RLX_IntAttr:$axis, F64Attr:$epsilon);
  let results = (outs RLX_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $residual `,` $gamma `,` $beta `axis` `=` $axis `epsilon` `=` $epsilon attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The first normalized dimension, counted from 0.
    int64_t normalizedAxis() { return ::rlx::ir::normalizeAxis(getAxis(), getX().getType()); }
  }];
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

def RLX_ActivationOp : RLX_InferredOp<"activation", [RLX_Decomposable, RLX_Differentiable]> {
  let summary = "A function applied to each element";
  let description = [{
    `gelu` is `x/2 * (1 + erf(x/sqrt(2)))`, `gelu_tanh`
    `x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715*x^3)))`, `silu` `x * sigmoid(x)`;
    `round` rounds halves to even; `relu` keeps NaN. `silu` and `gelu_tanh` decompose.

    Constraints:
    - (C1) `x` is a tensor of floats, or of integers for `relu`, `neg` and `abs`.

    Example:

    ```mlir
    %y = rlx.activation gelu %x : tensor<1x7x256xf32>
    ```
  }];
  let arguments = (ins RLX_ActivationKindAttr:$kind, RLX_NumericTensor:$x);
  let results = (outs RLX_NumericTensor:$result);
  let assemblyFormat = "`` $kind $x attr-dict `:` custom<SameTypes>(type($x), type($result))";
  let hasFolder = 1;
}

def RLX_BinaryOp : RLX_InferredOp<"binary", [RLX_Differentiable]> {
  let summary = "A function applied to each pair of elements";
  let description = [{
    Operands broadcast as in numpy. `max` and `min` of a NaN are NaN. Integer results
    wrap; integer `div` rounds toward zero, and dividing by zero gives zero. The sign
    of a sum that is zero is not specified.

    Constraints:
    - (C1) `lhs` and `rhs` have the same element type.
    - (C2) the dims of `lhs` and `rhs` broadcast.
    - (C3) `pow` takes floats.

    Example:

    ```mlir
    %y = rlx.binary add %x, %b : (tensor<?x7x64xf32>, tensor<64xf32>) -> tensor<?x7x64xf32>
    ```
  }];
  let arguments = (ins RLX_BinaryKindAttr:$kind, RLX_NumericTensor:$lhs, RLX_NumericTensor:$rhs);
  let results = (outs RLX_NumericTensor:$result);
  let assemblyFormat = [{
    `` $kind $lhs `,` $rhs attr-dict `:` custom<SameTypes>(type($lhs), type($rhs), type($result))
  }];
  let hasFolder = 1;
}

def RLX_CompareOp : RLX_InferredOp<"compare"> {
  let summary = "A relation of each pair of elements";
  let description = [{
    Operands broadcast as in numpy. Float relations are ordered, but for `ne`: a NaN
    is unequal to everything.

    Constraints:
    - (C1) `lhs` and `rhs` have the same element type.
    - (C2) the dims of `lhs` and `rhs` broadcast.
    - (C3) booleans are compared by `eq` and `ne` only.

    Example:

    ```mlir
    %c = rlx.compare ge %x, %zero : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xi1>
    ```
  }];
  let arguments = (ins RLX_CompareKindAttr:$kind, RLX_Tensor:$lhs, RLX_Tensor:$rhs);
  let results = (outs RLX_BoolTensor:$result);
  let assemblyFormat = "`` $kind $lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def RLX_WhereOp : RLX_InferredOp<"where", [RLX_Differentiable]> {
  let summary = "Chooses each element from one of two tensors";
  let description = [{
    `condition ? lhs : rhs`; the three operands broadcast as in numpy.

    Constraints:
    - (C1) `lhs` and `rhs` have the same element type.
    - (C2) the dims of the operands broadcast.

    Example:

    ```mlir
    %y = rlx.where %c, %x, %zero : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins RLX_BoolTensor:$condition, RLX_Tensor:$lhs, RLX_Tensor:$rhs);
  let results = (outs RLX_Tensor:$result);
  let assemblyFormat = [{
    $condition `,` $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

def RLX_ReduceOp : RLX_InferredOp<"reduce", [RLX_Differentiable]> {
  let summary = "Reduces over axes";
  let description = [{
    With `keep_dims` reduced dims stay as 1, else they go. No axes: the identity.
    `max` and `min` of a NaN are NaN. Over an empty dim, `sum` is 0, `prod` 1, `mean`
    NaN, `max` and `min` the least and greatest value of the type. Sums of f16 and
    bf16 accumulate in f32.

    Constraints:
    - (C1) each axis is in `[-rank, rank)`.
    - (C2) no axis occurs twice.
    - (C3) `mean` takes floats.

    Example:

    ```mlir
    %y = rlx.reduce sum %x axes = [1] keep_dims : (tensor<?x7x64xf32>) -> tensor<?x1x64xf32>
    ```
  }];
  let arguments = (ins RLX_ReduceKindAttr:$kind, RLX_NumericTensor:$x, DenseI64ArrayAttr:$axes,
                       UnitAttr:$keep_dims);
  let results = (outs RLX_NumericTensor:$result);
  let assemblyFormat = [{
    `` $kind $x `axes` `=` $axes (`keep_dims` $keep_dims^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The reduced axes, counted from 0, in ascending order.
    ::llvm::SmallVector<int64_t> normalizedAxes() {
      return ::rlx::ir::normalizeAxes(getAxes(), getX().getType());
    }
  }];
}

def RLX_SoftmaxOp : RLX_InferredOp<"softmax", [RLX_Decomposable, RLX_Differentiable]> {
  let summary = "Softmax along an axis";
  let description = [{
    `exp(x - max(x)) / sum(exp(x - max(x)))` along `axis`. Decomposes into reductions
    and elementwise ops.

    Constraints:
    - (C1) `axis` is in `[-rank, rank)`.

    Example:

    ```mlir
    %y = rlx.softmax %x axis = -1 : tensor<?x7x7xf32>
    ```
  }];
  let arguments = (ins RLX_FloatTensor:$x, RLX_IntAttr:$axis);
  let results = (outs RLX_FloatTensor:$result);
  let assemblyFormat = [{
    $x `axis` `=` $axis attr-dict `:` custom<SameTypes>(type($x), type($result))
  }];
  let extraClassDeclaration = [{
    /// The axis, counted from 0.
    int64_t normalizedAxis() { return ::rlx::ir::normalizeAxis(getAxis(), getX().getType()); }
  }];
}

#endif // RLX_OPS_TD
