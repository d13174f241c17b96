//===- RlxGraphOps.td - Graphs, their leaves and their end ------*- tablegen -*-===//
#ifndef RLX_GRAPH_OPS_TD
#define RLX_GRAPH_OPS_TD

include "dialects/rlx/RlxAttrs.td"
include "mlir/Interfaces/FunctionInterfaces.td"

def RLX_GraphOp : RLX_Op<"graph", [
    IsolatedFromAbove, FunctionOpInterface, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A named function of tensors";
  let description = [{
    Arguments are the graph's inputs, results its outputs. Their attributes:

    - `rlx.name`, a string: the name by which a caller binds the tensor. The
      default is `arg<i>` for the i-th argument and `out<i>` for the i-th result.
    - `rlx.dims`, on arguments, an array with one string for each dimension: the
      name of a dynamic dim, or `""` for a static one. Dims of equal names have
      equal sizes. A dynamic dim without a name is known as `<argument>.<i>`.

    `GraphSignature` reads all of this, with the graph's params.

    Constraints:
    - (C1) names of arguments are not empty and unique among the arguments,
      names of results among the results; `rlx.name` is a string.
    - (C2) `rlx.dims` is an array of strings with one string for each dimension.
    - (C3) a static dimension has no name in `rlx.dims`.
    - (C4) all uses of one param name in a graph have the same type.
    - (C5) the types of `rlx.output` match the result types up to dynamic dims.
    - (C6) arguments and results are ranked tensors of the dialect's element types.
    - (C7) a graph has a body.

    Example:

    ```mlir
    rlx.graph @linear(%x: tensor<?x4xf32> {rlx.name = "x", rlx.dims = ["batch", ""]})
        -> (tensor<?x2xf32> {rlx.name = "y"}) {
      %w = rlx.param "w" : tensor<4x2xf32>
      %y = rlx.matmul %x, %w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
      rlx.output %y : tensor<?x2xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
                             CArg<"::llvm::ArrayRef<::mlir::DictionaryAttr>", "{}">:$argAttrs,
                             CArg<"::llvm::ArrayRef<::mlir::DictionaryAttr>", "{}">:$resAttrs)>];
  let extraClassDeclaration = [{
    // FunctionOpInterface.
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }

    /// Names of the inputs, in order, defaults filled in.
    ::llvm::SmallVector<::std::string> inputNames();
    /// Names of the outputs, in order, defaults filled in.
    ::llvm::SmallVector<::std::string> outputNames();
    /// The op that ends the body.
    ::rlx::ir::OutputOp output();
  }];
}

def RLX_OutputOp : RLX_Op<"output", [Pure, Terminator, HasParent<"GraphOp">]> {
  let summary = "Ends a graph's body and gives its outputs";
  let description = [{
    The graph's verifier compares the operands with the graph's result types.

    Example:

    ```mlir
    rlx.output %y : tensor<?x2xf32>
    ```
  }];
  let arguments = (ins Variadic<RLX_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def RLX_ParamOp : RLX_Op<"param", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A tensor that the caller binds by name before the first run";
  let description = [{
    Every `rlx.param` of one name in a graph is the same tensor. Names may hold any
    character; by convention parts are joined by dots. Params are part of the graph's
    interface: one that nothing uses stays.

    Constraints:
    - (C1) `name` is not empty.
    - (C2) the type is static.

    Example:

    ```mlir
    %w = rlx.param "L0.self.q.w" : tensor<256x256xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs RLX_Tensor:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def RLX_ConstantOp : RLX_Op<"constant", [
    Pure, ConstantLike, RLX_InferType,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A tensor known when the graph is written";
  let description = [{
    Constraints:
    - (C1) `value` is a ranked tensor of one of the dialect's element types.

    Example:

    ```mlir
    %half = rlx.constant dense<0.5> : tensor<f32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs RLX_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def RLX_CustomOp : RLX_Op<"custom", [Pure]> {
  let summary = "Calls an operation that the user has registered";
  let description = [{
    `callee` names the registered operation: its shape rule, its lowering or
    external kernel, and, if it has one, its gradient. `config` is passed on to it.

    Constraints:
    - (C1) `callee` is not empty.
    - (C2) there is at least one result.

    Example:

    ```mlir
    %y = rlx.custom "my.scale"(%x) config = {by = 2.0 : f32}
        : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<RLX_Tensor>:$inputs, StrAttr:$callee,
                       DefaultValuedAttr<DictionaryAttr, "{}">:$config);
  let results = (outs Variadic<RLX_Tensor>:$results);
  let assemblyFormat = [{
    $callee `(` $inputs `)` (`config` `=` $config^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // RLX_GRAPH_OPS_TD
