//===- Emitter.cpp - What the lowerings of all ops share ------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace rlx {

//===----------------------------------------------------------------------===//
// Sizes and checks
//===----------------------------------------------------------------------===//

OpFoldResult Emitter::sizeOf(Value tensor, int64_t dim) {
  return tensor::getMixedSize(*this, getLoc(), tensor, dim);
}

SmallVector<OpFoldResult> Emitter::sizesOf(Value tensor) {
  return tensor::getMixedSizes(*this, getLoc(), tensor);
}

OpFoldResult Emitter::apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
  return affine::makeComposedFoldedAffineApply(*this, getLoc(), expr, operands);
}

OpFoldResult Emitter::product(ArrayRef<OpFoldResult> sizes) {
  OpFoldResult result = getIndexAttr(1);
  int64_t factor = 1;
  for (OpFoldResult size : sizes) {
    if (std::optional<int64_t> constant = getConstantIntValue(size))
      factor *= *constant;
    else if (isa<Attribute>(result))
      result = size;
    else
      // A product of two sizes is no affine expression.
      result = OpFoldResult(createOrFold<arith::MulIOp>(cast<Value>(result), cast<Value>(size)));
  }
  return apply(getAffineSymbolExpr(0) * factor, {result});
}

Operation *Emitter::require(Value condition, const Twine &message) {
  return cf::AssertOp::create(*this, condition, (subject + " " + message).str());
}

void Emitter::requireEqual(OpFoldResult lhs, OpFoldResult rhs, const Twine &message) {
  if (isEqualConstantIntOrValue(lhs, rhs))
    return;
  Value equal = arith::CmpIOp::create(*this, arith::CmpIPredicate::eq,
                                      getValueOrCreateConstantIndexOp(*this, getLoc(), lhs),
                                      getValueOrCreateConstantIndexOp(*this, getLoc(), rhs));
  require(equal, message);
}

OpFoldResult Emitter::commonSize(const Operand &lhs, int64_t lhsDim, const Operand &rhs,
                                 int64_t rhsDim) {
  OpFoldResult lhsSize = sizeOf(lhs.value, lhsDim);
  OpFoldResult rhsSize = sizeOf(rhs.value, rhsDim);
  requireEqual(lhsSize, rhsSize,
               lhs.name + " dim " + Twine(lhsDim) + " and " + rhs.name + " dim " + Twine(rhsDim) +
                   ": sizes differ at run time");
  return isa<Attribute>(lhsSize) ? lhsSize : rhsSize;
}

Value Emitter::withStaticDim(const Operand &operand, int64_t dim, int64_t size) {
  SmallVector<int64_t> shape(operand.type().getShape());
  shape[dim] = size;
  return conform(operand.value, operand.type().clone(shape), operand.name);
}

Value Emitter::conform(Value value, RankedTensorType type, StringRef name) {
  auto source = cast<RankedTensorType>(value.getType());
  if (source.getShape() == type.getShape())
    return value;
  std::string prefix = name.empty() ? "" : name.str() + " ";
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (source.isDynamicDim(dim) && !type.isDynamicDim(dim))
      requireEqual(sizeOf(value, dim), getIndexAttr(type.getDimSize(dim)),
                   prefix + "dim " + Twine(dim) + ": expected size " + Twine(type.getDimSize(dim)) +
                       " at run time");
  return tensor::CastOp::create(*this, source.clone(type.getShape()), value);
}

SmallVector<OpFoldResult> Emitter::broadcast(ArrayRef<Operand> operands, int64_t trailing) {
  int64_t rank = 0;
  for (const Operand &operand : operands)
    rank = std::max(rank, operand.rank() - trailing);
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < rank; ++dim) {
    // The operand that says how large the dim is: one of a static size if any.
    const Operand *source = nullptr;
    auto dimOf = [&](const Operand &operand) { return operand.rank() - trailing - rank + dim; };
    auto staticSize = [&](const Operand &operand) {
      return dimOf(operand) < 0 ? 1 : operand.type().getDimSize(dimOf(operand));
    };
    for (const Operand &operand : operands)
      if (staticSize(operand) != 1 && (!source || (ShapedType::isDynamic(staticSize(*source)) &&
                                                   !ShapedType::isDynamic(staticSize(operand)))))
        source = &operand;
    if (!source) {
      sizes.push_back(getIndexAttr(1));
      continue;
    }
    sizes.push_back(sizeOf(source->value, dimOf(*source)));
    for (const Operand &operand : operands) {
      if (&operand == source || staticSize(operand) == 1)
        continue;
      auto [first, second] = std::minmax({&operand, source});
      commonSize(*first, dimOf(*first), *second, dimOf(*second));
    }
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Value Emitter::index(int64_t value) { return arith::ConstantIndexOp::create(*this, value); }

Value Emitter::empty(ArrayRef<OpFoldResult> sizes, Type elementType) {
  return tensor::EmptyOp::create(*this, sizes, elementType);
}

Value Emitter::filled(ArrayRef<OpFoldResult> sizes, Value value) {
  return linalg::FillOp::create(*this, value, empty(sizes, value.getType())).getResult(0);
}

Value Emitter::expandShape(Value tensor, ArrayRef<ReassociationIndices> groups,
                           ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  // The op wants a dim to be static exactly if all that it expands to are.
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> sourceShape;
  for (const ReassociationIndices &group : groups) {
    int64_t size = 1;
    for (int64_t dim : group)
      size = ShapedType::isDynamic(size) || ShapedType::isDynamic(shape[dim]) ? ShapedType::kDynamic
                                                                              : size * shape[dim];
    sourceShape.push_back(size);
  }
  if (!groups.empty() && type.getShape() != ArrayRef(sourceShape))
    tensor = tensor::CastOp::create(*this, type.clone(sourceShape), tensor);
  // The lowering of memref.expand_shape knows one dynamic size in a group at most.
  auto isDynamic = [&](int64_t dim) { return ShapedType::isDynamic(shape[dim]); };
  if (llvm::any_of(groups, [&](const ReassociationIndices &group) {
        return llvm::count_if(group, isDynamic) > 1;
      }))
    return copyExpanded(tensor, groups, sizes);
  return tensor::ExpandShapeOp::create(*this, type.clone(shape), tensor, groups, sizes);
}

Value Emitter::copyExpanded(Value tensor, ArrayRef<ReassociationIndices> groups,
                            ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> extents = getValueOrCreateConstantIndexOp(*this, getLoc(), sizes);
  Value init = empty(sizes, getElementTypeOrSelf(tensor.getType()));
  return loops({}, init, getMultiDimIdentityMap(sizes.size()),
               [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
                 SmallVector<Value> position;
                 for (const ReassociationIndices &group : groups) {
                   Value linear = linalg::IndexOp::create(b, group.front());
                   for (int64_t dim : ArrayRef(group).drop_front()) {
                     Value scaled = arith::MulIOp::create(b, linear, extents[dim]);
                     Value inner = linalg::IndexOp::create(b, dim);
                     linear = arith::AddIOp::create(b, scaled, inner);
                   }
                   position.push_back(linear);
                 }
                 return tensor::ExtractOp::create(b, tensor, position);
               });
}

Value Emitter::collapseShape(Value tensor, ArrayRef<ReassociationIndices> groups) {
  return tensor::CollapseShapeOp::create(*this, tensor, groups);
}

Value Emitter::insertUnitDims(Value tensor, ArrayRef<int64_t> positions) {
  if (positions.empty())
    return tensor;
  SmallVector<OpFoldResult> sizes = sizesOf(tensor);
  for (int64_t position : positions)
    sizes.insert(sizes.begin() + position, getIndexAttr(1));
  // Each old dim takes the new ones before it along, the last one also those after it.
  SmallVector<ReassociationIndices> groups;
  if (cast<RankedTensorType>(tensor.getType()).getRank() > 0) {
    groups.emplace_back();
    for (int64_t dim = 0, end = sizes.size(), open = 0; dim < end; ++dim) {
      bool isOld = !llvm::is_contained(positions, dim);
      if (isOld && open)
        groups.emplace_back();
      open |= isOld;
      groups.back().push_back(dim);
    }
  }
  return expandShape(tensor, groups, sizes);
}

Value Emitter::transpose(Value tensor, ArrayRef<int64_t> permutation) {
  SmallVector<OpFoldResult> sizes = sizesOf(tensor);
  SmallVector<OpFoldResult> permuted;
  for (int64_t dim : permutation)
    permuted.push_back(sizes[dim]);
  Value init = empty(permuted, getElementTypeOrSelf(tensor.getType()));
  return linalg::TransposeOp::create(*this, tensor, init, permutation)->getResult(0);
}

Value Emitter::slice(Value tensor, int64_t dim, int64_t start, int64_t length) {
  SmallVector<OpFoldResult> sizes = sizesOf(tensor);
  SmallVector<OpFoldResult> offsets(sizes.size(), getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), getIndexAttr(1));
  offsets[dim] = getIndexAttr(start);
  sizes[dim] = getIndexAttr(length);
  return tensor::ExtractSliceOp::create(*this, tensor, offsets, sizes, strides);
}

Value Emitter::sliceAt(Value tensor, int64_t dim, int64_t position) {
  SmallVector<OpFoldResult> sizes = sizesOf(tensor);
  SmallVector<OpFoldResult> offsets(sizes.size(), getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), getIndexAttr(1));
  offsets[dim] = getIndexAttr(position);
  sizes[dim] = getIndexAttr(1);
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  return tensor::ExtractSliceOp::create(*this, type.clone(shape), tensor, offsets, sizes, strides);
}

//===----------------------------------------------------------------------===//
// Loops over elements
//===----------------------------------------------------------------------===//

AffineMap Emitter::select(int64_t rank, ArrayRef<int64_t> dims) {
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : dims)
    exprs.push_back(getAffineDimExpr(dim));
  return AffineMap::get(rank, 0, exprs, getContext());
}

AffineMap Emitter::selectRange(int64_t rank, int64_t begin, int64_t end) {
  return select(rank, llvm::to_vector(llvm::seq(begin, end)));
}

Value Emitter::loops(ValueRange inputs, Value init, ArrayRef<AffineMap> maps, ElementBody body) {
  AffineMap written = maps.back();
  SmallVector<utils::IteratorType> iterators;
  for (int64_t dim = 0; dim < written.getNumDims(); ++dim)
    iterators.push_back(written.isFunctionOfDim(dim) ? utils::IteratorType::parallel
                                                     : utils::IteratorType::reduction);
  auto buildBody = [&](OpBuilder &builder, Location loc, ValueRange elements) {
    ImplicitLocOpBuilder inner(loc, builder);
    linalg::YieldOp::create(inner, body(inner, elements));
  };
  return linalg::GenericOp::create(*this, init.getType(), inputs, init, maps, iterators, buildBody)
      .getResult(0);
}

Value Emitter::elementwise(ValueRange inputs, ArrayRef<OpFoldResult> sizes, Type elementType,
                           ElementBody body) {
  int64_t rank = sizes.size();
  Value init = empty(sizes, elementType);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(init.getType()).getShape();

  SmallVector<Value> tensors;
  SmallVector<TypedAttr> splats; // a null attribute stands for the next tensor
  SmallVector<AffineMap> maps;
  for (Value input : inputs) {
    DenseElementsAttr constant;
    if (matchPattern(input, m_Constant(&constant)) && constant.isSplat()) {
      splats.push_back(cast<TypedAttr>(constant.getSplatValue<Attribute>()));
      continue;
    }
    splats.push_back({});
    tensors.push_back(input);
    auto type = cast<RankedTensorType>(input.getType());
    SmallVector<AffineExpr> exprs;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      int64_t loop = rank - type.getRank() + dim;
      bool repeats = type.getDimSize(dim) == 1 && shape[loop] != 1;
      exprs.push_back(repeats ? getAffineConstantExpr(0) : getAffineDimExpr(loop));
    }
    maps.push_back(AffineMap::get(rank, 0, exprs, getContext()));
  }
  maps.push_back(getMultiDimIdentityMap(rank));
  return loops(tensors, init, maps, [&](ImplicitLocOpBuilder &b, ValueRange elements) {
    SmallVector<Value> arguments;
    for (TypedAttr splat : splats) {
      if (splat) {
        arguments.push_back(arith::ConstantOp::create(b, splat));
        continue;
      }
      arguments.push_back(elements.front());
      elements = elements.drop_front();
    }
    return body(b, arguments);
  });
}

Value Emitter::map(Value input, Type elementType, ElementBody body) {
  return elementwise(input, sizesOf(input), elementType, body);
}

Value Emitter::reduce(Value x, ArrayRef<int64_t> dims, Value init, ElementBody combine) {
  SmallVector<OpFoldResult> sizes = sizesOf(x);
  int64_t rank = sizes.size();
  SmallVector<int64_t> kept;
  SmallVector<OpFoldResult> keptSizes;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (llvm::is_contained(dims, dim))
      continue;
    kept.push_back(dim);
    keptSizes.push_back(sizes[dim]);
  }
  return loops(x, filled(keptSizes, init), {getMultiDimIdentityMap(rank), select(rank, kept)},
               [&](ImplicitLocOpBuilder &b, ValueRange elements) {
                 Value element = widen(b, b.getLoc(), elements[0]);
                 return combine(b, {element, elements[1]});
               });
}

Value widen(OpBuilder &builder, Location loc, Value value) {
  if (!value.getType().isF16() && !value.getType().isBF16())
    return value;
  return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
}

Value roundTo(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return arith::TruncFOp::create(builder, loc, type, value);
}

} // namespace rlx
