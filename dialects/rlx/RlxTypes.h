//===- RlxTypes.h - Shape rules shared by the ops ---------------*- C++ -*-===//
//
// Small functions on tensor types and axes, with the dialect's meaning of dynamic
// dims: a dynamic dim stands for one size known at run time, and only a dimension
// that is statically 1 broadcasts.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_DIALECTS_RLX_RLXTYPES_H
#define RLX_DIALECTS_RLX_RLXTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeRange.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace rlx::ir {

/// Whether two dims can have the same size: equal, or one of them dynamic.
bool areCompatibleDims(int64_t lhs, int64_t rhs);

/// Whether two lists of dims have the same length and compatible elements.
bool areCompatibleShapes(llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs);

/// Whether the types are equal but for which dims are dynamic.
bool areCompatibleTypes(mlir::Type lhs, mlir::Type rhs);
bool areCompatibleTypes(mlir::TypeRange lhs, mlir::TypeRange rhs);

/// The more static of two compatible dims.
int64_t mergeDims(int64_t lhs, int64_t rhs);

/// The dims that shapes broadcast to, or none if they don't.
std::optional<llvm::SmallVector<int64_t>>
broadcastShapes(llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes);

/// Whether `axis` is in [-rank, rank).
bool isValidAxis(int64_t axis, int64_t rank);

/// A valid axis of `type`, counted from 0.
int64_t normalizeAxis(int64_t axis, mlir::ShapedType type);

/// Valid axes of `type`, counted from 0, in ascending order.
llvm::SmallVector<int64_t> normalizeAxes(llvm::ArrayRef<int64_t> axes, mlir::ShapedType type);

/// Whether `type` is one of the dialect's element types.
bool isElementType(mlir::Type type);

/// Checks that the op's types follow its constraints and match what it infers.
mlir::LogicalResult verifyInferredTypes(mlir::Operation *op);

/// Trait of ops whose `inferReturnTypes` checks their constraints.
template <typename ConcreteOp>
class VerifyInferredTypes : public mlir::OpTrait::TraitBase<ConcreteOp, VerifyInferredTypes> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyInferredTypes(op); }
};

/// The size of a convolution's result along one dimension: dynamic if the image's is.
int64_t convolvedSize(int64_t image, int64_t filter, int64_t stride, int64_t padding,
                      int64_t dilation);

/// The element type of the row statistics of a softmax over elements of `type`: f64
/// for f64, else f32.
mlir::Type statisticsType(mlir::Type type);

} // namespace rlx::ir

#endif // RLX_DIALECTS_RLX_RLXTYPES_H
