//===- RlxShapeOps.td - Ops that move and convert data ----------*- tablegen -*-===//
#ifndef RLX_SHAPE_OPS_TD
#define RLX_SHAPE_OPS_TD

include "dialects/rlx/RlxDialect.td"
include "dialects/rlx/RlxInterfaces.td"

def RLX_ReshapeOp : RLX_PureOp<"reshape", [RLX_Differentiable]> {
  let summary = "The same elements, in row-major order, under other dims";
  let description = [{
    One dynamic result dim takes what the others leave; it must divide evenly, which
    the compiled module checks. Several are the source's dynamic dims, in order.

    Constraints:
    - (C1) source and result have the same element type.
    - (C2) static source and result have the same number of elements.
    - (C3) the result has at most one dynamic dim, or as many as the source.
    - (C4) where two or more dynamic dims carry over, the static dims of source and
      result have the same product.
    - (C5) a result dim that is computed stands beside static dims that are not 0.

    Example:

    ```mlir
    %y = rlx.reshape %x : (tensor<?x?x256xf32>) -> tensor<?x?x8x32xf32>
    ```
  }];
  let arguments = (ins RLX_Tensor:$x);
  let results = (outs RLX_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def RLX_TransposeOp : RLX_InferredOp<"transpose", [RLX_Differentiable]> {
  let summary = "Permutes the dims";
  let description = [{
    Dim `i` of the result is dim `permutation[i]` of `x`.

    Constraints:
    - (C1) `permutation` is a permutation of the dims of `x`.

    Example:

    ```mlir
    %y = rlx.transpose %x permutation = [0, 2, 1] : (tensor<?x7x64xf32>) -> tensor<?x64x7xf32>
    ```
  }];
  let arguments = (ins RLX_Tensor:$x, DenseI64ArrayAttr:$permutation);
  let results = (outs RLX_Tensor:$result);
  let assemblyFormat = [{
    $x `permutation` `=` $permutation attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def RLX_NarrowOp : RLX_InferredOp<"narrow", [RLX_Differentiable]> {
  let summary = "A contiguous range of one dim";
  let description = [{
    The elements `[start, start + length)` along `axis`. Against a dynamic dim the
    compiled module checks the range.

    Constraints:
    - (C1) `axis` is in `[-rank, rank)`.
    - (C2) `start` and `length` are not negative, and the range lies within the dim.

    Example:

    ```mlir
    %y = rlx.narrow %x axis = 1 start = 2 length = 5 : (tensor<?x7x64xf32>) -> tensor<?x5x64xf32>
    ```
  }];
  let arguments = (ins RLX_Tensor:$x, RLX_IntAttr:$axis, RLX_IntAttr:$start, RLX_IntAttr:$length);
  let results = (outs RLX_Tensor:$result);
  let assemblyFormat = [{
    $x `axis` `=` $axis `start` `=` $start `length` `=` $length attr-dict
    `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The axis, counted from 0.
    int64_t normalizedAxis() { return ::rlx::ir::normalizeAxis(getAxis(), getX().getType()); }
  }];
}

def RLX_ConcatOp : RLX_InferredOp<"concat", [RLX_Differentiable]> {
  let summary = "Joins tensors along one dim";
  let description = [{
    Constraints:
    - (C1) there is at least one input.
    - (C2) `axis` is in `[-rank, rank)`.
    - (C3) the inputs have the same element type and rank.
    - (C4) the dims other than `axis` are equal.

    Example:

    ```mlir
    %y = rlx.concat %a, %b axis = 1
        : (tensor<?x3x64xf32>, tensor<?x4x64xf32>) -> tensor<?x7x64xf32>
    ```
  }];
  let arguments = (ins Variadic<RLX_Tensor>:$inputs, RLX_IntAttr:$axis);
  let results = (outs RLX_Tensor:$result);
  let assemblyFormat = [{
    $inputs `axis` `=` $axis attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The axis, counted from 0.
    int64_t normalizedAxis() { return ::rlx::ir::normalizeAxis(getAxis(), getResult().getType()); }
  }];
}

def RLX_ExpandOp : RLX_PureOp<"expand", [RLX_Differentiable]> {
  let summary = "Broadcasts to given dims";
  let description = [{
    Dims are aligned at the end, as in numpy: dims of size 1 repeat, new dims are
    added on the left.

    Constraints:
    - (C1) source and result have the same element type.
    - (C2) the result's rank is not less than the source's.
    - (C3) each source dim is 1 or equals the result's.
    - (C4) a dynamic result dim stands for a dynamic source dim.

    Example:

    ```mlir
    %y = rlx.expand %x : (tensor<?x1x64xf32>) -> tensor<?x7x64xf32>
    ```
  }];
  let arguments = (ins RLX_Tensor:$x);
  let results = (outs RLX_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def RLX_GatherOp : RLX_InferredOp<"gather", [RLX_Differentiable]> {
  let summary = "Takes slices by index along one dim";
  let description = [{
    `x.dims[:axis] ++ indices.dims ++ x.dims[axis+1:]`, as numpy's `take`. An index
    outside `[0, x.dim(axis))` makes the run fail.

    Constraints:
    - (C1) `axis` is in `[-rank, rank)`.

    Example:

    ```mlir
    %y = rlx.gather %table, %ids axis = 0
        : (tensor<1000x64xf32>, tensor<?x7xi32>) -> tensor<?x7x64xf32>
    ```
  }];
  let arguments = (ins RLX_Tensor:$x, RLX_IndexTensor:$indices, RLX_IntAttr:$axis);
  let results = (outs RLX_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $indices `axis` `=` $axis attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The axis, counted from 0.
    int64_t normalizedAxis() { return ::rlx::ir::normalizeAxis(getAxis(), getX().getType()); }
  }];
}

def RLX_CastOp : RLX_PureOp<"cast", [RLX_Differentiable]> {
  let summary = "Converts each element to another type";
  let description = [{
    Float to float rounds to nearest even. Float to integer rounds toward zero and
    saturates; NaN gives 0. Integer to narrower integer wraps. To boolean: unequal to
    0 (NaN is). From boolean: 0 or 1.

    Constraints:
    - (C1) source and result have the same dims.

    Example:

    ```mlir
    %y = rlx.cast %x : (tensor<?x7xf32>) -> tensor<?x7xbf16>
    ```
  }];
  let arguments = (ins RLX_Tensor:$x);
  let results = (outs RLX_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // RLX_SHAPE_OPS_TD
