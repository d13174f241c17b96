//===- RlxAttrs.td - Enum attributes of the rlx dialect ---------*- tablegen -*-===//
//
// The kinds of ops that come in families. Each prints as a bare keyword, after a
// space of its own: formats of ops put `` in front, or there would be two.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_ATTRS_TD
#define RLX_ATTRS_TD

include "mlir/IR/EnumAttr.td"
include "dialects/rlx/RlxDialect.td"

class RLX_Enum<string name, string description, list<I32EnumCase> cases>
    : I32Enum<name, description, cases> {
  let cppNamespace = "::rlx::ir";
}

class RLX_EnumAttr<EnumInfo enum, string mnemonic> : EnumAttr<Rlx_Dialect, enum, mnemonic> {
  let assemblyFormat = "$value";
}

def RLX_ActivationKind : RLX_Enum<"ActivationKind", "function of one element", [
  I32EnumCase<"Relu", 0, "relu">,
  I32EnumCase<"Gelu", 1, "gelu">,
  I32EnumCase<"GeluTanh", 2, "gelu_tanh">,
  I32EnumCase<"Silu", 3, "silu">,
  I32EnumCase<"Sigmoid", 4, "sigmoid">,
  I32EnumCase<"Tanh", 5, "tanh">,
  I32EnumCase<"Exp", 6, "exp">,
  I32EnumCase<"Log", 7, "log">,
  I32EnumCase<"Sqrt", 8, "sqrt">,
  I32EnumCase<"Rsqrt", 9, "rsqrt">,
  I32EnumCase<"Neg", 10, "neg">,
  I32EnumCase<"Abs", 11, "abs">,
  I32EnumCase<"Sin", 12, "sin">,
  I32EnumCase<"Cos", 13, "cos">,
  I32EnumCase<"Round", 14, "round">
]>;
def RLX_ActivationKindAttr : RLX_EnumAttr<RLX_ActivationKind, "activation_kind">;

def RLX_BinaryKind : RLX_Enum<"BinaryKind", "function of two elements", [
  I32EnumCase<"Add", 0, "add">,
  I32EnumCase<"Sub", 1, "sub">,
  I32EnumCase<"Mul", 2, "mul">,
  I32EnumCase<"Div", 3, "div">,
  I32EnumCase<"Max", 4, "max">,
  I32EnumCase<"Min", 5, "min">,
  I32EnumCase<"Pow", 6, "pow">
]>;
def RLX_BinaryKindAttr : RLX_EnumAttr<RLX_BinaryKind, "binary_kind">;

def RLX_CompareKind : RLX_Enum<"CompareKind", "relation of two elements", [
  I32EnumCase<"Eq", 0, "eq">,
  I32EnumCase<"Ne", 1, "ne">,
  I32EnumCase<"Lt", 2, "lt">,
  I32EnumCase<"Le", 3, "le">,
  I32EnumCase<"Gt", 4, "gt">,
  I32EnumCase<"Ge", 5, "ge">
]>;
def RLX_CompareKindAttr : RLX_EnumAttr<RLX_CompareKind, "compare_kind">;

def RLX_ReduceKind : RLX_Enum<"ReduceKind", "reduction over axes", [
  I32EnumCase<"Sum", 0, "sum">,
  I32EnumCase<"Mean", 1, "mean">,
  I32EnumCase<"Max", 2, "max">,
  I32EnumCase<"Min", 3, "min">,
  I32EnumCase<"Prod", 4, "prod">
]>;
def RLX_ReduceKindAttr : RLX_EnumAttr<RLX_ReduceKind, "reduce_kind">;

def RLX_MaskKind : RLX_Enum<"MaskKind", "which keys a query attends to", [
  I32EnumCase<"None", 0, "none">,
  I32EnumCase<"Causal", 1, "causal">,
  I32EnumCase<"SlidingWindow", 2, "sliding_window">,
  I32EnumCase<"Custom", 3, "custom">,
  I32EnumCase<"Bias", 4, "bias">
]>;
def RLX_MaskKindAttr : RLX_EnumAttr<RLX_MaskKind, "mask_kind">;

def RLX_HeadSharing : RLX_Enum<"HeadSharing", "which operands of attention have one head for all", [
  I32EnumCase<"None", 0, "none">,
  I32EnumCase<"Keys", 1, "keys">,
  I32EnumCase<"Queries", 2, "queries">
]>;
def RLX_HeadSharingAttr : RLX_EnumAttr<RLX_HeadSharing, "head_sharing">;

def RLX_PsaSection : RLX_Enum<"PsaSection", "half of the values of a PSA head", [
  I32EnumCase<"Lo", 0, "lo">,
  I32EnumCase<"Hi", 1, "hi">
]>;
def RLX_PsaSectionAttr : RLX_EnumAttr<RLX_PsaSection, "psa_section">;

#endif // RLX_ATTRS_TD
