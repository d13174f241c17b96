//===- Reshape.cpp - Lowering of rlx.reshape ------------------------------===//
//
// A reshape becomes at most one collapse_shape and one expand_shape, split into the
// finest groups of dims that hold the same elements on both sides, so that what is
// only moved around stays visible to tiling.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <optional>

using namespace mlir;

namespace rlx {
namespace {

/// Source and result dims that hold the same elements.
struct Group {
  ReassociationIndices source, result;
};

/// The product of the static dims of a shape, and how many are dynamic.
struct Extent {
  int64_t dynamic = 0, product = 1;

  static Extent of(ArrayRef<int64_t> shape) {
    Extent extent;
    for (int64_t size : shape)
      extent.add(size);
    return extent;
  }
  void add(int64_t size) {
    if (ShapedType::isDynamic(size))
      ++dynamic;
    else
      product *= size;
  }
  bool operator==(const Extent &) const = default;
  /// Which of two sides to extend so that they may become equal.
  bool isBehind(const Extent &other) const {
    return dynamic != other.dynamic ? dynamic < other.dynamic : product < other.product;
  }
};

} // namespace

/// Pairs dims from the left until both shapes are used up or, with `staticOnly`, one
/// reaches a dynamic dim. Gives whole groups only; dims of size 1 that are left over
/// at the end join the last one.
static SmallVector<Group> pairDims(ArrayRef<int64_t> source, ArrayRef<int64_t> result,
                                   bool staticOnly) {
  SmallVector<Group> groups;
  Group open;
  Extent sourceExtent, resultExtent;
  size_t i = 0, j = 0;
  auto canTake = [&](ArrayRef<int64_t> shape, size_t position) {
    return position < shape.size() && !(staticOnly && ShapedType::isDynamic(shape[position]));
  };
  while (true) {
    if (!open.source.empty() && !open.result.empty() && sourceExtent == resultExtent) {
      groups.push_back(std::exchange(open, {}));
      sourceExtent = resultExtent = {};
      continue;
    }
    bool takeSource =
        open.source.empty() || (!open.result.empty() && sourceExtent.isBehind(resultExtent));
    if (takeSource && canTake(source, i)) {
      sourceExtent.add(source[i]);
      open.source.push_back(i++);
    } else if (!takeSource && canTake(result, j)) {
      resultExtent.add(result[j]);
      open.result.push_back(j++);
    } else {
      break;
    }
  }
  // What is open has no counterpart; only dims of size 1 can join the last group.
  if (!groups.empty() && !staticOnly && sourceExtent == Extent{} && resultExtent == Extent{}) {
    for (; i < source.size(); ++i)
      open.source.push_back(i);
    for (; j < result.size(); ++j)
      open.result.push_back(j);
    llvm::append_range(groups.back().source, open.source);
    llvm::append_range(groups.back().result, open.result);
  }
  return groups;
}

/// All groups of a reshape whose dynamic dims carry over in order, or of one that
/// computes a single dynamic dim: then what surrounds it is paired from both ends.
static SmallVector<Group> groupDims(ArrayRef<int64_t> source, ArrayRef<int64_t> result) {
  if (Extent::of(source) == Extent::of(result))
    return pairDims(source, result, /*staticOnly=*/false);

  SmallVector<Group> groups = pairDims(source, result, /*staticOnly=*/true);
  auto reversed = [](ArrayRef<int64_t> shape) {
    return SmallVector<int64_t>(shape.rbegin(), shape.rend());
  };
  int64_t sourceBegin = groups.empty() ? 0 : groups.back().source.back() + 1;
  int64_t resultBegin = groups.empty() ? 0 : groups.back().result.back() + 1;
  SmallVector<Group> tail = pairDims(reversed(source.drop_front(sourceBegin)),
                                     reversed(result.drop_front(resultBegin)), true);
  int64_t sourceEnd = source.size(), resultEnd = result.size();
  for (Group &group : tail) {
    for (int64_t &dim : group.source)
      dim = source.size() - 1 - dim;
    for (int64_t &dim : group.result)
      dim = result.size() - 1 - dim;
    std::reverse(group.source.begin(), group.source.end());
    std::reverse(group.result.begin(), group.result.end());
    sourceEnd = group.source.front();
    resultEnd = group.result.front();
  }
  Group middle;
  llvm::append_range(middle.source, llvm::seq(sourceBegin, sourceEnd));
  llvm::append_range(middle.result, llvm::seq(resultBegin, resultEnd));
  groups.push_back(std::move(middle));
  groups.append(tail.rbegin(), tail.rend());
  // Source dims that must turn out to be 1 have no counterpart; they join a neighbor.
  for (size_t i = 0; i < groups.size() && groups.size() > 1; ++i) {
    if (!groups[i].result.empty())
      continue;
    if (i > 0) {
      llvm::append_range(groups[i - 1].source, groups[i].source);
    } else {
      llvm::append_range(groups[0].source, groups[1].source);
      groups[1].source = groups[0].source;
    }
    groups.erase(groups.begin() + i);
    break;
  }
  return groups;
}

/// The sizes of the result. Its dynamic dims are the source's, in order, or there is
/// one that takes what the static ones leave.
static SmallVector<OpFoldResult> resultSizes(Emitter &emit, Value x, ArrayRef<int64_t> shape) {
  SmallVector<OpFoldResult> sourceSizes = emit.sizesOf(x), sizes;
  ArrayRef<int64_t> sourceShape = cast<RankedTensorType>(x.getType()).getShape();
  SmallVector<OpFoldResult> carried;
  for (auto [size, dim] : llvm::zip_equal(sourceSizes, sourceShape))
    if (ShapedType::isDynamic(dim))
      carried.push_back(size);
  Extent target = Extent::of(shape);
  bool carries = Extent::of(sourceShape) == target;
  OpFoldResult computed;
  if (!carries) {
    OpFoldResult total = emit.product(sourceSizes);
    AffineExpr symbol = emit.getAffineSymbolExpr(0);
    if (target.dynamic == 0)
      emit.requireEqual(total, emit.getIndexAttr(target.product),
                        "x: expected " + Twine(target.product) + " elements at run time");
    else
      emit.requireEqual(emit.apply(symbol % target.product, {total}), emit.getIndexAttr(0),
                        "x: expected a multiple of " + Twine(target.product) +
                            " elements at run time");
    computed = emit.apply(symbol.floorDiv(target.product), {total});
  }
  auto *next = carried.begin();
  for (int64_t dim : shape) {
    if (!ShapedType::isDynamic(dim))
      sizes.push_back(emit.getIndexAttr(dim));
    else
      sizes.push_back(carries ? *next++ : computed);
  }
  return sizes;
}

/// Joins each group to one dim where both sides have several, or the source does.
static Value reshapeByGroups(Emitter &emit, Value x, ArrayRef<Group> groups,
                             ArrayRef<OpFoldResult> sizes) {
  SmallVector<ReassociationIndices> collapsed, expanded;
  bool collapses = false, expands = false;
  for (const Group &group : groups) {
    collapsed.push_back(group.source);
    expanded.push_back(group.result);
    collapses |= group.source.size() > 1;
    expands |= group.result.size() > 1;
  }
  if (collapses)
    x = emit.collapseShape(x, collapsed);
  return expands ? emit.expandShape(x, expanded, sizes) : x;
}

static SmallVector<Value> lowerReshape(ir::ReshapeOp op, ir::ReshapeOp::Adaptor operands,
                                       Emitter &emit) {
  Value x = operands.getX();
  auto sourceType = cast<RankedTensorType>(x.getType());
  SmallVector<OpFoldResult> sizes = resultSizes(emit, x, op.getType().getShape());
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));

  // Without elements, or with sizes that a check above refuses, there is nothing to move.
  bool isStatic = sourceType.hasStaticShape() && !ShapedType::isDynamicShape(shape);
  if (llvm::is_contained(sourceType.getShape(), 0) || llvm::is_contained(shape, 0) ||
      (isStatic && sourceType.getNumElements() != ShapedType::getNumElements(shape)))
    return {emit.empty(sizes, sourceType.getElementType())};
  if (sourceType.getRank() == 0)
    return {shape.empty() ? x : emit.expandShape(x, {}, sizes)};
  if (shape.empty()) {
    for (int64_t dim = 0; dim < sourceType.getRank(); ++dim)
      x = emit.withStaticDim({x, "x"}, dim, 1);
    return {emit.collapseShape(x, {})};
  }
  SmallVector<Group> groups = groupDims(sourceType.getShape(), shape);
  return {reshapeByGroups(emit, x, groups, sizes)};
}

void populateReshapeLowerings(const TypeConverter &converter, RewritePatternSet &patterns) {
  addLowering<ir::ReshapeOp>(converter, patterns, lowerReshape);
}

} // namespace rlx
