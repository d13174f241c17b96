//===- GraphSignature.h - What a graph takes and gives ----------*- C++ -*-===//
//
// Names and types of a graph's inputs, params and outputs, with its dynamic dims as
// symbols. The compiler, the interpreter and the runtime's descriptor agree on this
// reading of the IR.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_DIALECTS_RLX_GRAPHSIGNATURE_H
#define RLX_DIALECTS_RLX_GRAPHSIGNATURE_H

#include "dialects/rlx/Rlx.h"

#include <optional>
#include <string>

namespace rlx::ir {

/// A dimension of an input: a static size or a symbol.
class SignatureDim {
public:
  static SignatureDim fixed(int64_t size) { return SignatureDim(size, std::nullopt); }
  static SignatureDim dynamic(unsigned symbol) {
    return SignatureDim(mlir::ShapedType::kDynamic, symbol);
  }

  bool isDynamic() const { return symbolIndex.has_value(); }
  /// The size of a static dim.
  int64_t size() const { return staticSize; }
  /// The index in `GraphSignature::symbols` of a dynamic dim.
  unsigned symbol() const { return *symbolIndex; }

  friend bool operator==(const SignatureDim &, const SignatureDim &) = default;

private:
  SignatureDim(int64_t size, std::optional<unsigned> symbol)
      : staticSize(size), symbolIndex(symbol) {}

  int64_t staticSize;
  std::optional<unsigned> symbolIndex;
};

/// A named input.
struct SignatureInput {
  std::string name;
  mlir::RankedTensorType type;
  llvm::SmallVector<SignatureDim> dims;
};

/// A named param or output. The type of a param is static.
struct SignatureTensor {
  std::string name;
  mlir::RankedTensorType type;
};

/// All of it, for one verified graph.
struct GraphSignature {
  std::string name;
  /// Names of the dynamic dims, in the order in which inputs first use them. Dims of
  /// equal names are one symbol.
  llvm::SmallVector<std::string> symbols;
  /// In the order of the arguments.
  llvm::SmallVector<SignatureInput> inputs;
  /// In the order of first use in the body.
  llvm::SmallVector<SignatureTensor> params;
  /// In the order of the results.
  llvm::SmallVector<SignatureTensor> outputs;

  static GraphSignature of(GraphOp graph);
};

} // namespace rlx::ir

#endif // RLX_DIALECTS_RLX_GRAPHSIGNATURE_H
