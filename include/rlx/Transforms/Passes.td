//===- Passes.td - passes on graphs -------------------------*- tablegen -*-===//
#ifndef RLX_TRANSFORMS_PASSES_TD
#define RLX_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def Autodiff : Pass<"rlx-autodiff", "::mlir::ModuleOp"> {
  let summary = "add gradients to graphs";
  let description = [{
    Turns a graph `f` into its gradient graph by reverse-mode differentiation. Inputs
    are those of `f`, then `grad.<output>` for each float output; outputs are those of
    `f`, then `grad.<input>` for each float input and `grad.<param>` for each float
    param, or for those among them that `wrt` names.

    Ops have gradients by `DifferentiableOpInterface`; others are taken apart by
    `DecomposableOpInterface`. Attention keeps its rows' log-sum-exp and computes
    scores again. Gradients of a tensor that is used several times are added in a fixed
    order. What does not depend on a float input or param, or reaches no float output,
    costs nothing.

    Before:
    ```mlir
    rlx.graph @f(%x: tensor<4x8xf32> {rlx.name = "x"}) -> (tensor<4x2xf32> {rlx.name = "y"}) {
      %w = rlx.param "w" : tensor<8x2xf32>
      %y = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
      rlx.output %y : tensor<4x2xf32>
    }
    ```
    After:
    ```mlir
    rlx.graph @f(%x: tensor<4x8xf32> {rlx.name = "x"}, %d: tensor<4x2xf32> {rlx.name = "grad.y"})
        -> (tensor<4x2xf32> {rlx.name = "y"}, tensor<4x8xf32> {rlx.name = "grad.x"},
            tensor<8x2xf32> {rlx.name = "grad.w"}) {
      %w = rlx.param "w" : tensor<8x2xf32>
      %y = rlx.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
      %0 = rlx.transpose %w permutation = [1, 0] : (tensor<8x2xf32>) -> tensor<2x8xf32>
      %1 = rlx.matmul %d, %0 : (tensor<4x2xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
      %2 = rlx.transpose %x permutation = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
      %3 = rlx.matmul %2, %d : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
      rlx.output %y, %1, %3 : tensor<4x2xf32>, tensor<4x8xf32>, tensor<8x2xf32>
    }
    ```
  }];
  let options = [ListOption<"wrt", "wrt", "std::string",
                            "Inputs and params whose gradients are wanted; all if empty">];
  let statistics = [
    Statistic<"numDifferentiated", "differentiated", "Number of differentiated ops">
  ];
}

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

def FuseProjections : Pass<"rlx-fuse-projections"> {
  let summary = "project one input by all its weights at once";
  let description = [{
    Several `rlx.fused_matmul_bias_act` of one input become one with their weights side
    by side, of whose result each takes its columns: one region of work in place of
    several small ones. Weights and biases must depend on params alone, so that they
    are put together once, when params are bound. With more than `max-rows` rows a
    projection is better left where its user can compute it tile by tile.

    Before:
    ```mlir
    %q = rlx.fused_matmul_bias_act %x, %wq, %bq : (tensor<7x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<7x8xf32>
    %k = rlx.fused_matmul_bias_act %x, %wk, %bk : (tensor<7x4xf32>, tensor<4x6xf32>, tensor<6xf32>) -> tensor<7x6xf32>
    ```
    After:
    ```mlir
    %w = rlx.concat %wq, %wk axis = 1 : (tensor<4x8xf32>, tensor<4x6xf32>) -> tensor<4x14xf32>
    %b = rlx.concat %bq, %bk axis = 0 : (tensor<8xf32>, tensor<6xf32>) -> tensor<14xf32>
    %0 = rlx.fused_matmul_bias_act %x, %w, %b : (tensor<7x4xf32>, tensor<4x14xf32>, tensor<14xf32>) -> tensor<7x14xf32>
    %q = rlx.narrow %0 axis = 1 start = 0 length = 8 : (tensor<7x14xf32>) -> tensor<7x8xf32>
    %k = rlx.narrow %0 axis = 1 start = 8 length = 6 : (tensor<7x14xf32>) -> tensor<7x6xf32>
    ```
  }];
  let options = [Option<"maxRows", "max-rows", "int64_t", "64",
                        "Rows up to which projections are fused; dynamic dims count as 1">];
  let statistics = [Statistic<"numFused", "fused", "Number of fused projections">];
}

def FuseResidualLayerNorm : Pass<"rlx-fuse-residual-layer-norm"> {
  let summary = "fuse a residual with the layer norm of the sum";
  let description = [{
    A sum of two tensors of one type whose only use is a `rlx.layer_norm` becomes
    `rlx.fused_residual_layer_norm`.

    Before:
    ```mlir
    %0 = rlx.binary add %x, %r : tensor<7x8xf32>
    %y = rlx.layer_norm %0, %g, %b axis = -1 epsilon = 1.0e-05 : (tensor<7x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<7x8xf32>
    ```
    After:
    ```mlir
    %y = rlx.fused_residual_layer_norm %x, %r, %g, %b axis = -1 epsilon = 1.0e-05 : (tensor<7x8xf32>, tensor<7x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<7x8xf32>
    ```
  }];
  let statistics = [Statistic<"numFused", "fused", "Number of fused residuals">];
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

def ReassociateAttention : Pass<"rlx-reassociate-attention"> {
  let summary = "project the short side of attention alone";
  let description = [{
    Attention between few rows and many multiplies the many by the weights of its
    projections. Bracketed otherwise, only the few are multiplied:

    - few queries, keys `x Wk + bk` and values `y Wv + bv`: for each head
      `softmax((q Wk^T) x^T) y Wv + bv`, where all heads share the keys `x` and values
      `y`, and `bk`, which adds the same to all scores of a row, is gone;
    - few keys, queries `x Wq + bq` and a result that `Wo` and `bo` project: the sum
      over heads of `softmax(x (Wq k^T) + bq k^T) (v Wo)`, plus `bo`, where all heads
      share the queries `x`.

    The floating-point operations and bytes of both forms decide: about 16 rows and
    fewer, at 8 heads of 16 out of 256 channels. A custom mask is taken to switch off
    the padding of a short side, which is then skipped when it runs; with more active
    rows than assumed the result is the same and takes longer. A row that sees no key,
    known by its log-sum-exp, does not get `bv`. Where the numbers of rows are dynamic,
    the op stays as it is.

    Before:
    ```mlir
    %k = rlx.fused_matmul_bias_act %x, %wk, %bk : (tensor<1x4096x256xf32>, tensor<256x128xf32>, ...)
    %v = rlx.fused_matmul_bias_act %y, %wv, %bv : ...
    %o = rlx.attention none %q, %k, %v num_heads = 8 head_dim = 16 : (tensor<1x7x128xf32>, ...)
    ```
    After:
    ```mlir
    %wide = rlx.matmul %q_heads, %wk_heads : (tensor<1x8x7x16xf32>, tensor<8x16x256xf32>) -> ...
    %mixed = rlx.attention none %wide_rows, %x, %y num_heads = 8 head_dim = 256 sharing = keys scale = 2.5e-01 : ...
    %narrow = rlx.matmul %mixed_heads, %wv_heads : (tensor<1x8x7x256xf32>, tensor<8x256x16xf32>) -> ...
    %o = rlx.binary add %narrow_rows, %bv : ...
    ```
  }];
  let options = [
    Option<"flopsPerByte", "flops-per-byte", "double", "2.0",
           "Operations that take as long as moving a byte">,
    Option<"assumedActiveRows", "assumed-active-rows", "int64_t", "8",
           "Rows of a short side that a custom mask is taken to leave active">
  ];
  let statistics = [Statistic<"numReassociated", "reassociated", "Number of attention ops">];
}

#endif // RLX_TRANSFORMS_PASSES_TD
