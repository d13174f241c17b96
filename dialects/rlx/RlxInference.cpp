//===- RlxInference.cpp - Helpers of type and size inference --------------===//

#include "dialects/rlx/RlxInference.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace rlx::ir {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult verifyInferredTypes(Operation *op) {
  SmallVector<Type> inferred;
  auto inference = cast<InferTypeOpInterface>(op);
  if (failed(inference.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                        op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
                                        op->getRegions(), inferred)))
    return failure();
  for (auto [expected, result] : llvm::zip_equal(inferred, op->getResults()))
    if (!areCompatibleTypes(expected, result.getType()))
      return op->emitOpError() << "result " << result.getResultNumber() << ": expected "
                               << printType(expected) << ", found " << printType(result.getType());
  return success();
}

std::string printType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string printDim(int64_t dim) {
  return ShapedType::isDynamic(dim) ? std::string("?") : std::to_string(dim);
}

std::string printDims(ArrayRef<int64_t> dims) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(dims, stream, [&](int64_t dim) { stream << printDim(dim); });
  stream << ']';
  return text;
}

LogicalResult checkRank(TypeErrors errors, const NamedOperand &operand, int64_t rank) {
  if (operand.rank() == rank)
    return success();
  return errors("operand '", operand.name, "': expected rank ", rank, ", found ", operand.type);
}

LogicalResult checkSameElementType(TypeErrors errors, ArrayRef<NamedOperand> operands) {
  Type expected = operands.front().type.getElementType();
  for (const NamedOperand &operand : operands.drop_front())
    if (operand.type.getElementType() != expected)
      return errors("operand '", operand.name, "': expected element type ", expected, ", found ",
                    operand.type);
  return success();
}

LogicalResult checkDim(TypeErrors errors, const NamedOperand &operand, int64_t index,
                       int64_t expected, StringRef meaning) {
  if (areCompatibleDims(operand.dim(index), expected))
    return success();
  return errors("operand '", operand.name, "': expected ", printDim(expected), " ", meaning,
                ", found ", operand.type);
}

LogicalResult checkDims(TypeErrors errors, const NamedOperand &operand, ArrayRef<int64_t> dims) {
  if (areCompatibleShapes(operand.type.getShape(), dims))
    return success();
  return errors("operand '", operand.name, "': expected dims ", printDims(dims), ", found ",
                operand.type);
}

LogicalResult checkAxis(TypeErrors errors, int64_t axis, int64_t rank) {
  if (isValidAxis(axis, rank))
    return success();
  return errors("axis: expected a value in [", -rank, ", ", rank, "), found ", axis);
}

LogicalResult checkAtLeast(TypeErrors errors, StringRef name, int64_t value, int64_t least) {
  if (value >= least)
    return success();
  return errors(name, ": expected at least ", least, ", found ", value);
}

LogicalResult checkMaskKind(TypeErrors errors, MaskKind kind, bool hasMask,
                            std::optional<int64_t> window) {
  bool takesMask = kind == MaskKind::Custom || kind == MaskKind::Bias;
  if (takesMask != hasMask)
    return errors("mask kind ", stringifyMaskKind(kind), ": expected ", takesMask ? "a" : "no",
                  " mask, found ", takesMask ? "none" : "one");
  bool takesWindow = kind == MaskKind::SlidingWindow;
  if (takesWindow != window.has_value())
    return errors("mask kind ", stringifyMaskKind(kind), ": expected ", takesWindow ? "a" : "no",
                  " window, found ", takesWindow ? "none" : "one");
  return takesWindow ? checkAtLeast(errors, "window", *window, 0) : success();
}

FailureOr<SmallVector<int64_t>> checkBroadcast(TypeErrors errors, ArrayRef<NamedOperand> operands,
                                               int64_t trailing) {
  SmallVector<int64_t> merged;
  for (const NamedOperand &operand : operands) {
    ArrayRef<int64_t> shape = operand.type.getShape().drop_back(trailing);
    std::optional<SmallVector<int64_t>> next = broadcastShapes({merged, shape});
    if (!next)
      return errors("operand '", operand.name, "': expected ", trailing ? "leading dims" : "dims",
                    " that broadcast with ", printDims(merged), ", found ", operand.type);
    merged = std::move(*next);
  }
  return merged;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

OpFoldResult SizeBuilder::dim(Value tensor, int64_t index) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return tensor::getMixedSize(builder, loc, tensor, index < 0 ? index + type.getRank() : index);
}

SmallVector<OpFoldResult> SizeBuilder::dims(Value tensor) {
  return tensor::getMixedSizes(builder, loc, tensor);
}

OpFoldResult SizeBuilder::apply(function_ref<AffineExpr(ArrayRef<AffineExpr>)> expression,
                                ArrayRef<OpFoldResult> sizes) {
  SmallVector<AffineExpr> symbols(sizes.size());
  bindSymbolsList(builder.getContext(), MutableArrayRef<AffineExpr>(symbols));
  return affine::makeComposedFoldedAffineApply(builder, loc, expression(symbols), sizes);
}

OpFoldResult SizeBuilder::add(ArrayRef<OpFoldResult> sizes) {
  return apply(
      [](ArrayRef<AffineExpr> terms) {
        AffineExpr sum = terms.front();
        for (AffineExpr term : terms.drop_front())
          sum = sum + term;
        return sum;
      },
      sizes);
}

OpFoldResult SizeBuilder::product(ArrayRef<OpFoldResult> sizes) {
  // Products of two unknown sizes are not affine.
  int64_t constants = 1;
  Value values;
  for (OpFoldResult size : sizes) {
    if (std::optional<int64_t> known = getConstantIntValue(size)) {
      constants *= *known;
      continue;
    }
    Value value = getValueOrCreateConstantIndexOp(builder, loc, size);
    values = values ? arith::MulIOp::create(builder, loc, values, value).getResult() : value;
  }
  if (!values)
    return constant(constants);
  return apply([&](ArrayRef<AffineExpr> terms) { return terms[0] * constants; },
               OpFoldResult(values));
}

SmallVector<OpFoldResult> SizeBuilder::broadcast(ValueRange tensors, int64_t trailing) {
  auto leadingRank = [&](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getRank() - trailing;
  };
  int64_t rank = 0;
  for (Value tensor : tensors)
    rank = std::max(rank, leadingRank(tensor));
  SmallVector<OpFoldResult> sizes(rank, constant(1));
  for (int64_t i = 0; i < rank; ++i) {
    // A static size if there is one other than 1, else the first dynamic size.
    Value dynamic;
    for (Value tensor : tensors) {
      int64_t index = i - (rank - leadingRank(tensor));
      if (index < 0)
        continue;
      int64_t size = cast<RankedTensorType>(tensor.getType()).getDimSize(index);
      if (ShapedType::isDynamic(size)) {
        dynamic = dynamic ? dynamic : tensor;
      } else if (size != 1) {
        sizes[i] = constant(size);
        dynamic = nullptr;
        break;
      }
    }
    if (dynamic)
      sizes[i] = dim(dynamic, i - (rank - leadingRank(dynamic)));
  }
  return sizes;
}

SmallVector<OpFoldResult> SizeBuilder::finish(Type type, ArrayRef<OpFoldResult> sizes) {
  auto tensor = cast<RankedTensorType>(type);
  assert(tensor.getRank() == static_cast<int64_t>(sizes.size()) && "expected one size a dim");
  SmallVector<OpFoldResult> finished;
  for (auto [dim, size] : llvm::zip_equal(tensor.getShape(), sizes)) {
    if (ShapedType::isDynamic(dim))
      finished.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
    else
      finished.push_back(constant(dim));
  }
  return finished;
}

LogicalResult reifyResult(Operation *op, OpBuilder &builder, ReifiedRankedShapedTypeDims &result,
                          function_ref<SmallVector<OpFoldResult>(SizeBuilder &)> sizes) {
  SizeBuilder sizeBuilder(builder, op->getLoc());
  result.push_back(sizeBuilder.finish(op->getResult(0).getType(), sizes(sizeBuilder)));
  return success();
}

} // namespace rlx::ir
