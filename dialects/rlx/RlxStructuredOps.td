//===- RlxStructuredOps.td - Structured ops of code generation --*- tablegen -*-===//
//
// Destination-style ops below the graph level, beside linalg: what linalg cannot
// say without losing what its code generation needs. They tile and fuse through
// TilingInterface and bufferize like linalg ops.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_STRUCTURED_OPS_TD
#define RLX_STRUCTURED_OPS_TD

include "dialects/rlx/RlxAttrs.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/TilingInterface.td"

def RLX_AttentionLayout : RLX_Enum<"AttentionLayout", "how attention operands are laid out", [
  I32EnumCase<"Sequence", 0, "sequence">,
  I32EnumCase<"HeadSequence", 1, "head_sequence">,
  I32EnumCase<"HeadChannel", 2, "head_channel">
]>;
def RLX_AttentionLayoutAttr : RLX_EnumAttr<RLX_AttentionLayout, "attention_layout">;

/// A tensor before bufferization, a memref after it.
def RLX_Shaped : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>;

class RLX_StructuredOp<string mnemonic, list<Trait> traits = []>
    : RLX_Op<mnemonic, !listconcat([
        DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<TilingInterface, [
          "getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
          "getResultTilePosition", "generateResultTileValue"]>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>
      ], traits)>;

def RLX_PackedMatmulOp : RLX_StructuredOp<"packed_matmul"> {
  let summary = "Matrix product with a weight packed in column panels";
  let description = [{
    `out[r..., n] = act(sum_k x[r..., k] * w[k, n] + bias[n])`, where `w` is held
    as panels of `P` columns: `packed[n floordiv P, k, n mod P]`, the last panel
    padded with zeros. Panels keep the micro-kernel's reads of the weight
    contiguous; the packing itself runs once, when params are bound.

    The iteration domain is `(r..., n)`; the whole reduction belongs to one tile,
    so that every element is summed in the same order however it is tiled. Tiles
    of `n` start at multiples of `P`.

    Constraints:
    - (C1) `packed` has rank 3, `bias` rank 1, `x` and `out` equal ranks >= 2.
    - (C2) the leading dims of `x` and `out` match.
    - (C3) the last dim of `x` is dim 1 of `packed`.
    - (C4) `packed` has `ceildiv(N, P)` panels for the `N` columns of `out` and `bias`;
      `P` is static and positive.

    Example:

    ```mlir
    %y = rlx.packed_matmul act = relu ins(%x, %packed : tensor<?x256xf32>, tensor<128x256x16xf32>)
           bias(%b : tensor<2048xf32>) outs(%init : tensor<?x2048xf32>) -> tensor<?x2048xf32>
    ```
  }];
  let arguments = (ins RLX_Shaped:$x, RLX_Shaped:$packed, Optional<RLX_Shaped>:$bias,
                       RLX_Shaped:$init, OptionalAttr<RLX_ActivationKindAttr>:$act);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    (`act` `=` `` $act^)? `ins` `(` $x `,` $packed `:` type($x) `,` type($packed) `)`
    (`bias` `(` $bias^ `:` type($bias) `)`)? `outs` `(` $init `:` type($init) `)`
    attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
    ::mlir::ShapedType getXType() { return ::llvm::cast<::mlir::ShapedType>(getX().getType()); }
    ::mlir::ShapedType getPackedType() {
      return ::llvm::cast<::mlir::ShapedType>(getPacked().getType());
    }
    ::mlir::ShapedType getInitType() {
      return ::llvm::cast<::mlir::ShapedType>(getInit().getType());
    }
    /// Columns of one panel, P.
    int64_t getPanelWidth() { return getPackedType().getDimSize(2); }
  }];
}

def RLX_OnlineAttentionOp : RLX_StructuredOp<"online_attention", [AttrSizedOperandSegments]> {
  let summary = "Attention that never stores its scores";
  let description = [{
    For each batch `b`, head `h` and query `i`: scores
    `scale * (q . k_j + key_bias_j)` over the keys `j`, masked, softmax over `j`,
    times `v_j`. The implementation walks key blocks with a running maximum, sum and
    accumulator (Milakov and Gimelshein, "Online normalizer calculation for
    softmax", 2018; Dao et al., "FlashAttention", 2022). Key size `D` and value size
    `Dv` are independent.

    | layout | q | k | v | out |
    |---|---|---|---|---|
    | sequence | `[B, Lq, H*D]` | `[B, Lk, H*D]` | `[B, Lk, H*Dv]` | `[B, Lq, H*Dv]` |
    | head_sequence | `[B, H, Lq, D]` | `[B, H, Lk, D]` | `[B, H, Lk, Dv]` | `[B, H, Lq, Dv]` |
    | head_channel | `[B, H, D, Lq]` | `[B, H, D, Lk]` | `[B, H, Dv, Lk]` | `[B, H, Dv, Lq]` |

    In the sequence layout one side may be shared by all heads: with `sharing` =
    `keys`, `k` is `[B, Lk, D]` and `v` is `[B, Lk, Dv]`; with `queries`, `q` is
    `[B, Lq, D]`, and the heads' results add up to `out: [B, Lq, Dv]`.

    Mask kinds: `none`; `causal`, where query `i` sees keys `j <= i + offset`;
    `sliding_window`, where it sees `j` in `[i + offset - window, i + offset]`;
    `custom`, where it sees `j` if `mask[b, h, i, j] >= 0.5` (integers: `!= 0`);
    `bias`, which adds `mask[b, h, i, j]` to the scaled scores. `mask` is
    `[B or 1, H or 1, Lq or 1, Lk]`; `offset` is the operand `position_offset`, 0
    when absent. A query whose keys are all masked gives zeros, and masked keys do
    not influence a result even if they hold NaN or Inf. `key_bias` is
    `[B or 1, H, Lk]`.

    The optional second output is the row log-sum-exp `[B, H, Lq]`, `-inf` for a
    query whose keys are all masked. Three outputs are the result, the rows' largest
    scores and the sums of `exp(score - largest)`, from which results over different
    keys can be combined (`combine_chunks`). Then the result of a row that sees no key
    is not written, which its sum of 0 shows.

    With `key_chunk = n`, every chunk of `n` keys is attended to by itself, and all
    three outputs get a leading dim that counts chunks, which are what few queries
    have to offer to many threads ("Flash-Decoding", Dao et al., 2023).

    The iteration domain is `(b, h, i, j)`. Keys `j` are tiled by single chunks
    alone, and a tile of a chunked op has all its heads and queries.

    Constraints:
    - (C1) there are one to three outs; ranks follow the layout; channels are static;
      `num_heads` is positive and divides the channels of `sequence`.
    - (C2) operands and outs agree in `B`, `Lq`, `Lk`, `D` and `Dv`, and `H` is
      `num_heads`.
    - (C3) `mask` is given for the kinds `custom` and `bias`, and only for them, with
      the dims above.
    - (C4) `window` is given for the kind `sliding_window`, and only for it, and is not
      negative.
    - (C5) `sharing` is of the `sequence` layout, and shared queries have one output.
    - (C6) `key_bias` has the dims above.
    - (C7) `key_chunk` is positive, divides the number of keys, which is static, and
      comes with three outputs.

    Example:

    ```mlir
    %o = rlx.online_attention sequence mask none
           ins(%q, %k, %v : tensor<1x7x128xf32>, tensor<1x4096x128xf32>, tensor<1x4096x128xf32>)
           outs(%init : tensor<1x7x128xf32>) {num_heads = 8 : i64, scale = 2.5e-01 : f64}
           -> tensor<1x7x128xf32>
    ```
  }];
  let arguments = (ins RLX_Shaped:$q, RLX_Shaped:$k, RLX_Shaped:$v, Optional<RLX_Shaped>:$mask,
                       Optional<RLX_Shaped>:$key_bias, Optional<Index>:$position_offset,
                       Variadic<RLX_Shaped>:$inits,
                       RLX_AttentionLayoutAttr:$layout, RLX_MaskKindAttr:$mask_kind,
                       RLX_IntAttr:$num_heads, F64Attr:$scale, OptionalAttr<RLX_IntAttr>:$window,
                       DefaultValuedAttr<RLX_HeadSharingAttr, "::rlx::ir::HeadSharing::None">:$sharing,
                       OptionalAttr<RLX_IntAttr>:$key_chunk);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `` $layout `mask` `` $mask_kind (`sharing` `` $sharing^)? (`offset` `(` $position_offset^ `)`)?
    `ins` `(` $q `,` $k `,` $v `:` type($q) `,` type($k) `,` type($v) `)`
    (`masked_by` `(` $mask^ `:` type($mask) `)`)?
    (`key_bias` `(` $key_bias^ `:` type($key_bias) `)`)?
    `outs` `(` $inits `:` type($inits) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
    ::mlir::ShapedType getShaped(::mlir::Value value) {
      return ::llvm::cast<::mlir::ShapedType>(value.getType());
    }
    ::mlir::Value getOut() { return getInits().front(); }
    /// The row log-sum-exp's destination, or null.
    ::mlir::Value getLse() { return getInits().size() == 2 ? getInits()[1] : ::mlir::Value(); }
    /// The destinations of the rows' maxima and sums, or null.
    ::mlir::Value getMaxima() { return getInits().size() == 3 ? getInits()[1] : ::mlir::Value(); }
    ::mlir::Value getSums() { return getInits().size() == 3 ? getInits()[2] : ::mlir::Value(); }
    /// Dimension of a q, k or v operand that counts rows (queries or keys).
    unsigned getRowDim() {
      switch (getLayout()) {
      case AttentionLayout::Sequence: return 1;
      case AttentionLayout::HeadSequence: return 2;
      case AttentionLayout::HeadChannel: return 3;
      }
      llvm_unreachable("unknown layout");
    }
    /// Heads that a q, k, v or out operand has channels of: num_heads, or 1 if shared.
    int64_t getHeadsOf(::mlir::Value operand) {
      bool ofQueries = operand == getQ() || operand == getOut();
      bool shared = getSharing() == (ofQueries ? HeadSharing::Queries : HeadSharing::Keys);
      return shared ? 1 : getNumHeads();
    }
    /// Size of a head's vectors in `operand` (q, k, v or out): D or Dv.
    int64_t getHeadSize(::mlir::Value operand) {
      ::mlir::ShapedType type = getShaped(operand);
      int64_t chunkDims = operand == getOut() && getKeyChunk() ? 1 : 0;
      switch (getLayout()) {
      case AttentionLayout::Sequence:
        return type.getDimSize(2 + chunkDims) / getHeadsOf(operand);
      case AttentionLayout::HeadSequence: return type.getDimSize(3 + chunkDims);
      case AttentionLayout::HeadChannel: return type.getDimSize(2 + chunkDims);
      }
      llvm_unreachable("unknown layout");
    }
    /// The chunk that begins with key `firstKey`.
    ::mlir::OpFoldResult getChunkIndex(::mlir::OpBuilder &builder, ::mlir::OpFoldResult firstKey);
    /// Sizes of the loops (b, h, i, j); dynamic ones are ShapedType::kDynamic.
    ::llvm::SmallVector<int64_t> getStaticLoopSizes() {
      ::mlir::ShapedType q = getShaped(getQ());
      return {q.getDimSize(0), static_cast<int64_t>(getNumHeads()), q.getDimSize(getRowDim()),
              getShaped(getK()).getDimSize(getRowDim())};
    }
  }];
}

def RLX_CombineChunksOp : RLX_StructuredOp<"combine_chunks"> {
  let summary = "Attention to all keys, from attention to chunks of them";
  let description = [{
    Takes the three results of an `online_attention` with `key_chunk`, of the sequence
    layout: for each batch, head and query, the sum of the chunks' results `parts`,
    each weighted by its share `sums * exp(maxima - max(maxima))` of the total. Chunks
    whose sum is 0 are not read. A row without any other chunk gives zeros.

    | parts | maxima, sums | out | lse |
    |---|---|---|---|
    | `[C, B, Lq, H*Dv]` | `[C, B, H, Lq]` | `[B, Lq, H*Dv]` | `[B, H, Lq]` |

    The optional second output is the row log-sum-exp, `-inf` for a row that sees no
    key. The iteration domain is `(b, h, i)`; chunks are added in their order.

    Constraints:
    - (C1) there are one or two outs; channels are static; `num_heads` is positive and
      divides them.
    - (C2) operands and outs agree in `C`, `B`, `Lq` and `Dv`, and `H` is `num_heads`.

    Example:

    ```mlir
    %o = rlx.combine_chunks
           ins(%parts, %maxima, %sums : tensor<32x1x7x128xf32>, tensor<32x1x8x7xf32>, tensor<32x1x8x7xf32>)
           outs(%init : tensor<1x7x128xf32>) {num_heads = 8 : i64} -> tensor<1x7x128xf32>
    ```
  }];
  let arguments = (ins RLX_Shaped:$parts, RLX_Shaped:$maxima, RLX_Shaped:$sums,
                       Variadic<RLX_Shaped>:$inits, RLX_IntAttr:$num_heads);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $parts `,` $maxima `,` $sums `:` type($parts) `,` type($maxima) `,` type($sums) `)`
    `outs` `(` $inits `:` type($inits) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
    ::mlir::Value getOut() { return getInits().front(); }
    /// The row log-sum-exp's destination, or null.
    ::mlir::Value getLse() { return getInits().size() == 2 ? getInits()[1] : ::mlir::Value(); }
    ::mlir::ShapedType getOutType() {
      return ::llvm::cast<::mlir::ShapedType>(getOut().getType());
    }
    /// Channels of one head, Dv.
    int64_t getHeadSize() {
      return getOutType().getDimSize(2) / static_cast<int64_t>(getNumHeads());
    }
    /// Sizes of the loops (b, h, i); dynamic ones are ShapedType::kDynamic.
    ::llvm::SmallVector<int64_t> getStaticLoopSizes() {
      return {getOutType().getDimSize(0), static_cast<int64_t>(getNumHeads()),
              getOutType().getDimSize(1)};
    }
  }];
}

#endif // RLX_STRUCTURED_OPS_TD
