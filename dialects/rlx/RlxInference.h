//===- RlxInference.h - Helpers of type and size inference ------*- C++ -*-===//
//
// What the ops' `inferReturnTypes`, verifiers and `reifyResultShapes` share.
// Private to the dialect's sources.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_DIALECTS_RLX_RLXINFERENCE_H
#define RLX_DIALECTS_RLX_RLXINFERENCE_H

#include "dialects/rlx/Rlx.h"

namespace rlx::ir {

/// A type as the IR spells it; diagnostics would put it in quotes.
std::string printType(mlir::Type type);

/// Reports why the types of an op are wrong, as the op's `emitOpError` would, where
/// there may be no op yet.
class TypeErrors {
public:
  template <typename OpT> static TypeErrors of(std::optional<mlir::Location> location) {
    return TypeErrors(location, OpT::getOperationName());
  }

  /// Emits an error if there is a location; fails in any case.
  template <typename... Args> mlir::LogicalResult operator()(Args &&...args) const {
    return mlir::emitOptionalError(location, "'", op, "' op ", spell(std::forward<Args>(args))...);
  }

private:
  template <typename T> static decltype(auto) spell(T &&value) {
    if constexpr (std::is_base_of_v<mlir::Type, std::remove_cvref_t<T>>)
      return printType(value);
    else
      return std::forward<T>(value);
  }

  TypeErrors(std::optional<mlir::Location> location, llvm::StringRef op)
      : location(location), op(op) {}

  std::optional<mlir::Location> location;
  llvm::StringRef op;
};

/// An operand by the name that errors call it.
struct NamedOperand {
  llvm::StringRef name;
  mlir::ShapedType type;

  NamedOperand(llvm::StringRef name, mlir::Value value)
      : name(name), type(llvm::cast<mlir::ShapedType>(value.getType())) {}

  int64_t rank() const { return type.getRank(); }
  int64_t dim(int64_t index) const {
    return type.getDimSize(index < 0 ? index + type.getRank() : index);
  }
};

/// A size as the IR spells it: `?` if dynamic.
std::string printDim(int64_t dim);

/// Sizes as the IR spells them, in brackets.
std::string printDims(llvm::ArrayRef<int64_t> dims);

/// Checks that the operand has the rank.
mlir::LogicalResult checkRank(TypeErrors errors, const NamedOperand &operand, int64_t rank);

/// Checks that all operands have the element type of the first.
mlir::LogicalResult checkSameElementType(TypeErrors errors, llvm::ArrayRef<NamedOperand> operands);

/// Checks that a dim of the operand, counted from the end if negative, is compatible
/// with `expected`; `meaning` says what the size is that of.
mlir::LogicalResult checkDim(TypeErrors errors, const NamedOperand &operand, int64_t index,
                             int64_t expected, llvm::StringRef meaning);

/// Checks that `axis` is in [-rank, rank).
mlir::LogicalResult checkAxis(TypeErrors errors, int64_t axis, int64_t rank);

/// Checks that an integer attribute is at least `least`.
mlir::LogicalResult checkAtLeast(TypeErrors errors, llvm::StringRef name, int64_t value,
                                 int64_t least);

/// Checks that an attention has a mask and a window exactly where its kind takes them,
/// and that the window is not negative.
mlir::LogicalResult checkMaskKind(TypeErrors errors, MaskKind kind, bool hasMask,
                                  std::optional<int64_t> window);

/// Checks that a mask of attention with the sizes `full`, [B, H, Lq, Lk], is one of its
/// forms, and that one of kind bias is not boolean.
mlir::LogicalResult checkMask(TypeErrors errors, const NamedOperand &mask, MaskKind kind,
                              llvm::ArrayRef<int64_t> full);

/// Checks that the operand's dims are compatible with `dims`.
mlir::LogicalResult checkDims(TypeErrors errors, const NamedOperand &operand,
                              llvm::ArrayRef<int64_t> dims);

/// How a convolution moves its filter.
struct ConvolutionWindow {
  llvm::ArrayRef<int64_t> stride, padding, dilation;
  int64_t groups;
};

/// The dims of the convolution of `x` with `w`, of which the ranks are checked; reports
/// what can't be convolved.
mlir::FailureOr<llvm::SmallVector<int64_t>> checkConvolution(TypeErrors errors,
                                                             const NamedOperand &x,
                                                             const NamedOperand &w,
                                                             const ConvolutionWindow &window);

/// The dims that the operands broadcast to; reports operands that don't.
mlir::FailureOr<llvm::SmallVector<int64_t>>
checkBroadcast(TypeErrors errors, llvm::ArrayRef<NamedOperand> operands, int64_t trailing = 0);

/// Computes result sizes at the builder's insertion point.
class SizeBuilder {
public:
  SizeBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  /// The size of a dim, counted from the end if negative.
  mlir::OpFoldResult dim(mlir::Value tensor, int64_t index);
  llvm::SmallVector<mlir::OpFoldResult> dims(mlir::Value tensor);
  mlir::OpFoldResult constant(int64_t value) { return builder.getIndexAttr(value); }

  /// The value of an affine expression of the sizes, which are its symbols.
  mlir::OpFoldResult apply(llvm::function_ref<mlir::AffineExpr(llvm::ArrayRef<mlir::AffineExpr>)>,
                           llvm::ArrayRef<mlir::OpFoldResult> sizes);
  mlir::OpFoldResult add(llvm::ArrayRef<mlir::OpFoldResult> sizes);
  mlir::OpFoldResult product(llvm::ArrayRef<mlir::OpFoldResult> sizes);

  /// The sizes that tensors broadcast to, but for the last `trailing` dims.
  llvm::SmallVector<mlir::OpFoldResult> broadcast(mlir::ValueRange tensors, int64_t trailing = 0);

  /// The sizes as `reifyResultShapes` gives them for a result of `type`: attributes
  /// for its static dims, values for its dynamic ones.
  llvm::SmallVector<mlir::OpFoldResult> finish(mlir::Type type,
                                               llvm::ArrayRef<mlir::OpFoldResult> sizes);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// Implements `reifyResultShapes` of an op with one result.
mlir::LogicalResult
reifyResult(mlir::Operation *op, mlir::OpBuilder &builder,
            mlir::ReifiedRankedShapedTypeDims &result,
            llvm::function_ref<llvm::SmallVector<mlir::OpFoldResult>(SizeBuilder &)> sizes);

} // namespace rlx::ir

#endif // RLX_DIALECTS_RLX_RLXINFERENCE_H
