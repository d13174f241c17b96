//===- RlxDialect.td - The rlx dialect --------------------------*- tablegen -*-===//
//
// The dialect, and the element types, type constraints, traits and op class that
// all of its op files share. Depends on upstream MLIR only.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_DIALECT_TD
#define RLX_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Rlx_Dialect : Dialect {
  let name = "rlx";
  let cppNamespace = "::rlx::ir";
  let summary = "Graphs of tensor operations, as a user writes them";
  let description = [{
    A program is an `rlx.graph`: named inputs, named params, a body of pure ops
    on ranked tensors, and named outputs. Ops follow the semantics of
    `docs/spec.md`; each op's page lists the constraints that its verifier
    checks as `(C1)`, `(C2)`, ...

    **Dynamic dims.** A dimension `?` stands for a size that is known at run
    time. It matches an equal size only; the compiled module checks that. Only
    a dimension that is statically 1 broadcasts. Result types that are written
    out may be more or less static than what the op infers, as long as no
    two sizes contradict each other.

    **Axes** count from 0; a negative axis counts from the end.

    **Element types** are f32, f16, bf16, f64, i8, i32, i64 and i1, which is the
    boolean type. Integers are signed.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
  let extraClassDeclaration = [{
    /// Name of the argument and result attribute that names an input or output.
    static constexpr ::llvm::StringLiteral kNameAttr = "rlx.name";
    /// Name of the argument attribute that names an input's dynamic dims.
    static constexpr ::llvm::StringLiteral kDimsAttr = "rlx.dims";
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

defvar RLX_Floats = [F32, F16, BF16, F64];
defvar RLX_Integers = [I8, I32, I64];

/// A tensor of any element type of the dialect.
def RLX_Tensor : RankedTensorOf<!listconcat(RLX_Floats, RLX_Integers, [I1])>;
/// A tensor of floats or signed integers.
def RLX_NumericTensor : RankedTensorOf<!listconcat(RLX_Floats, RLX_Integers)>;
def RLX_FloatTensor : RankedTensorOf<RLX_Floats>;
def RLX_BoolTensor : RankedTensorOf<[I1]>;
def RLX_MaskTensor : RankedTensorOf<!listconcat(RLX_Floats, [I1])>;
def RLX_IndexTensor : RankedTensorOf<[I32, I64]>;

/// A 64-bit integer attribute whose accessor is signed.
def RLX_IntAttr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit signed integer attribute"> {
  let convertFromStorage = "$_self.getValue().getSExtValue()";
}

//===----------------------------------------------------------------------===//
// Traits and the op class
//===----------------------------------------------------------------------===//

def RLX_VerifyInferredTypes : NativeOpTrait<"VerifyInferredTypes"> {
  let cppNamespace = "::rlx::ir";
}

/// The op infers its result types from operands and attributes. A written type may
/// differ from the inferred one in which dims are dynamic.
def RLX_InferType : TraitList<[
  InferTypeOpAdaptorBase<[{
    static bool isCompatibleReturnTypes(::mlir::TypeRange lhs, ::mlir::TypeRange rhs) {
      return ::rlx::ir::areCompatibleTypes(lhs, rhs);
    }
    /// Left to VerifyInferredTypes: the interface's own check reports a failed
    /// inference a second time.
    static ::llvm::LogicalResult
    refineReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location>,
                      ::mlir::ValueRange, ::mlir::DictionaryAttr, ::mlir::OpaqueProperties,
                      ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &) {
      return ::mlir::success();
    }
  }]>,
  RLX_VerifyInferredTypes
]>;

/// The op can compute its results' sizes from its operands.
def RLX_ReifyShape
    : DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>;

class RLX_Op<string mnemonic, list<Trait> traits = []> : Op<Rlx_Dialect, mnemonic, traits>;

/// An op on tensors without side effects.
class RLX_PureOp<string mnemonic, list<Trait> traits = []>
    : RLX_Op<mnemonic, !listconcat([Pure, RLX_ReifyShape], traits)>;

/// A pure op that infers its result type.
class RLX_InferredOp<string mnemonic, list<Trait> traits = []>
    : RLX_PureOp<mnemonic, !listconcat([RLX_InferType], traits)>;

#endif // RLX_DIALECT_TD
