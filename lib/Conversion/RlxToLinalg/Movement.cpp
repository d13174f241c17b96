//===- Movement.cpp - Lowering of constants and ops that move data --------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace rlx {

/// Booleans as bytes. Resources hold them so already.
static ElementsAttr toBytes(ElementsAttr value) {
  Type byte = IntegerType::get(value.getContext(), 8);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return DenseResourceElementsAttr::get(resource.getType().clone(byte), resource.getRawHandle());
  return cast<DenseIntElementsAttr>(value).mapValues(
      byte, [](const APInt &element) { return element.zext(8); });
}

static SmallVector<Value> lowerConstant(ir::ConstantOp op, ir::ConstantOp::Adaptor, Emitter &emit) {
  ElementsAttr value = op.getValue();
  if (value.getElementType().isInteger(1))
    value = toBytes(value);
  return {arith::ConstantOp::create(emit, cast<TypedAttr>(value))};
}

static SmallVector<Value> lowerTranspose(ir::TransposeOp op, ir::TransposeOp::Adaptor operands,
                                         Emitter &emit) {
  return {emit.transpose(operands.getX(), op.getPermutation())};
}

static SmallVector<Value> lowerNarrow(ir::NarrowOp op, ir::NarrowOp::Adaptor operands,
                                      Emitter &emit) {
  Value x = operands.getX();
  int64_t axis = op.normalizedAxis(), end = op.getStart() + op.getLength();
  if (auto size = dyn_cast<Value>(emit.sizeOf(x, axis)))
    emit.require(arith::CmpIOp::create(emit, arith::CmpIPredicate::sge, size, emit.index(end)),
                 "x dim " + Twine(axis) + ": expected a size of at least " + Twine(end) +
                     " at run time");
  return {emit.slice(x, axis, op.getStart(), op.getLength())};
}

static SmallVector<Value> lowerConcat(ir::ConcatOp op, ir::ConcatOp::Adaptor operands,
                                      Emitter &emit) {
  int64_t axis = op.normalizedAxis();
  SmallVector<std::string> names;
  for (size_t i = 0; i < operands.getInputs().size(); ++i)
    names.push_back("input " + std::to_string(i));

  Operand first{operands.getInputs().front(), names.front()};
  SmallVector<OpFoldResult> sizes = emit.sizesOf(first.value);
  SmallVector<OpFoldResult> positions{emit.getIndexAttr(0)};
  for (auto [input, name] : llvm::zip_equal(operands.getInputs(), names)) {
    Operand operand{input, name};
    for (int64_t dim = 0; dim < operand.rank(); ++dim)
      if (dim != axis && input != first.value)
        sizes[dim] = emit.commonSize(first, dim, operand, dim);
    positions.push_back(emit.apply(emit.getAffineSymbolExpr(0) + emit.getAffineSymbolExpr(1),
                                   {positions.back(), emit.sizeOf(input, axis)}));
  }
  sizes[axis] = positions.back();
  Value result = emit.empty(sizes, first.type().getElementType());
  SmallVector<OpFoldResult> offsets(sizes.size(), emit.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), emit.getIndexAttr(1));
  for (auto [input, position] : llvm::zip(operands.getInputs(), positions)) {
    offsets[axis] = position;
    result =
        tensor::InsertSliceOp::create(emit, input, result, offsets, emit.sizesOf(input), strides);
  }
  return {result};
}

static SmallVector<Value> lowerExpand(ir::ExpandOp op, ir::ExpandOp::Adaptor operands,
                                      Emitter &emit) {
  Operand x{operands.getX(), "x"};
  RankedTensorType type = op.getType();
  int64_t added = type.getRank() - x.rank();
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : type.getShape().take_front(added))
    sizes.push_back(emit.getIndexAttr(size));
  bool repeats = false;
  for (int64_t dim = 0; dim < x.rank(); ++dim) {
    bool isUnit = x.type().getDimSize(dim) == 1;
    repeats |= isUnit && type.getDimSize(added + dim) != 1;
    sizes.push_back(isUnit ? OpFoldResult(emit.getIndexAttr(type.getDimSize(added + dim)))
                           : emit.sizeOf(x.value, dim));
  }
  Type elementType = x.type().getElementType();
  if (repeats)
    return {
        emit.elementwise(x.value, sizes, elementType,
                         [](ImplicitLocOpBuilder &, ValueRange elements) { return elements[0]; })};
  if (added == 0)
    return {x.value};
  return {linalg::BroadcastOp::create(emit, x.value, emit.empty(sizes, elementType),
                                      llvm::to_vector(llvm::seq<int64_t>(0, added)))
              ->getResult(0)};
}

/// Whether all indices, integers of any rank, are in [0, size).
static Value allWithin(Emitter &emit, Value indices, Value size) {
  int64_t rank = cast<RankedTensorType>(indices.getType()).getRank();
  Value yes = arith::ConstantOp::create(emit, emit.getI8IntegerAttr(1));
  Value within = emit.reduce(
      indices, llvm::to_vector(llvm::seq<int64_t>(0, rank)), yes,
      [&](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
        Value index = arith::IndexCastOp::create(b, b.getIndexType(), elements[0]);
        // A negative index is a large one here.
        Value isWithin = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index, size);
        return arith::AndIOp::create(b, elements[1],
                                     arith::ExtUIOp::create(b, b.getI8Type(), isWithin));
      });
  return arith::TruncIOp::create(emit, emit.getI1Type(),
                                 tensor::ExtractOp::create(emit, within, ValueRange{}));
}

void requireWithin(Emitter &emit, Value indices, OpFoldResult size, const Twine &dim) {
  std::optional<int64_t> constant = getConstantIntValue(size);
  std::string end = constant ? std::to_string(*constant) : "size";
  Value bound = getValueOrCreateConstantIndexOp(emit, emit.getLoc(), size);
  Operation *check =
      emit.require(allWithin(emit, indices, bound), "indices: expected each in [0, " + end +
                                                        ") for " + dim + ", found one that is not");
  check->setAttr(kDataCheckAttr, emit.getUnitAttr());
}

static SmallVector<Value> lowerGather(ir::GatherOp op, ir::GatherOp::Adaptor operands,
                                      Emitter &emit) {
  Value x = operands.getX(), indices = operands.getIndices();
  auto type = cast<RankedTensorType>(x.getType());
  int64_t axis = op.normalizedAxis();
  int64_t indexRank = cast<RankedTensorType>(indices.getType()).getRank();
  SmallVector<OpFoldResult> sourceSizes = emit.sizesOf(x);
  Value size = getValueOrCreateConstantIndexOp(emit, emit.getLoc(), sourceSizes[axis]);
  requireWithin(emit, indices, size, "x dim " + Twine(axis));

  ArrayRef<OpFoldResult> all = sourceSizes;
  SmallVector<OpFoldResult> sizes(all.take_front(axis));
  llvm::append_range(sizes, emit.sizesOf(indices));
  llvm::append_range(sizes, all.drop_front(axis + 1));
  int64_t rank = sizes.size();
  Value last = arith::SubIOp::create(emit, size, emit.index(1));
  Value zero = emit.index(0);
  return {emit.loops(
      indices, emit.empty(sizes, type.getElementType()),
      {emit.selectRange(rank, axis, axis + indexRank), emit.getMultiDimIdentityMap(rank)},
      [&](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
        // Reads stay within x even before the check has been seen.
        Value index = arith::IndexCastOp::create(b, b.getIndexType(), elements[0]);
        Value clamped = arith::MaxSIOp::create(b, arith::MinSIOp::create(b, index, last), zero);
        SmallVector<Value> position;
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          position.push_back(
              dim == axis ? clamped
                          : linalg::IndexOp::create(b, dim < axis ? dim : dim + indexRank - 1));
        return tensor::ExtractOp::create(b, x, position);
      })};
}

void populateMovementLowerings(const TypeConverter &converter, RewritePatternSet &patterns) {
  addLowering<ir::ConstantOp>(converter, patterns, lowerConstant);
  addLowering<ir::TransposeOp>(converter, patterns, lowerTranspose);
  addLowering<ir::NarrowOp>(converter, patterns, lowerNarrow);
  addLowering<ir::ConcatOp>(converter, patterns, lowerConcat);
  addLowering<ir::ExpandOp>(converter, patterns, lowerExpand);
  addLowering<ir::GatherOp>(converter, patterns, lowerGather);
}

} // namespace rlx
