//===- Passes.td - conversions out of the rlx dialect -------*- tablegen -*-===//
#ifndef RLX_CONVERSION_PASSES_TD
#define RLX_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertToLinalg : Pass<"rlx-convert-to-linalg", "::mlir::ModuleOp"> {
  let summary = "lower a graph to functions over linalg and the structured ops";
  let description = [{
    Replaces the module's one `rlx.graph` by

    - `@rlx_run`, which computes the graph: inputs and params are tensor arguments
      tagged `rlx.input` and `rlx.param`, outputs are memref arguments tagged
      `rlx.output`;
    - `@rlx_shapes`, which computes from the sizes of the dynamic dims the dims of
      all outputs, one after another, and last the bytes of workspace, here 0;
    - the module attribute `rlx.signature` (see rlx/Codegen/Signature.h).

    Boolean tensors become tensors of i8 that hold 0 or 1. Attention becomes
    `rlx.online_attention`, contractions and convolutions `linalg.generic` over an
    accumulator that starts as the broadcast bias or zero; f16 and bf16 accumulate
    in f32. Elementwise ops compute f16 and bf16 in f32.

    Sizes that must be equal and don't provably come from the same dynamic dim are
    compared by `cf.assert`, in both functions. Asserts that need tensor data, as
    those of `rlx.gather`, are in `@rlx_run` only.

    Before:
    ```mlir
    rlx.graph @linear(%x: tensor<?x4xf32> {rlx.name = "x", rlx.dims = ["n", ""]})
        -> (tensor<?x2xf32> {rlx.name = "y"}) {
      %w = rlx.param "w" : tensor<4x2xf32>
      %y = rlx.matmul %x, %w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
      rlx.output %y : tensor<?x2xf32>
    }
    ```
    After:
    ```mlir
    func.func @rlx_run(%x: tensor<?x4xf32> {rlx.input = 0 : i64},
                       %w: tensor<4x2xf32> {rlx.param = 0 : i64},
                       %out: memref<?x2xf32> {rlx.output = 0 : i64}) {
      %n = tensor.dim %x, %c0 : tensor<?x4xf32>
      %empty = tensor.empty(%n) : tensor<?x2xf32>
      %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
      %y = linalg.generic {...} ins(%x, %w : ...) outs(%init : ...) {...} -> tensor<?x2xf32>
      bufferization.materialize_in_destination %y in restrict writable %out : ...
      return
    }
    func.func @rlx_shapes(%n: index) -> (index, index, index) {
      return %n, %c2, %c0 : index, index, index
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // RLX_CONVERSION_PASSES_TD
