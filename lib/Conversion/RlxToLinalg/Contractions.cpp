//===- Contractions.cpp - Lowering of matrix products and convolutions ----===//
//
// Every contraction accumulates on its initial value, which is the broadcast bias or
// zero, in f32 (f64 for f64), over plain projected permutations, or windows of the
// image. One elementwise op follows where there is an activation or a narrower type.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "rlx/Conversion/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"

#include <optional>

using namespace mlir;

namespace rlx {

//===----------------------------------------------------------------------===//
// What they share
//===----------------------------------------------------------------------===//

/// `init` plus the sum of the products of elements of `x` and `w`.
static Value contract(Emitter &emit, Value x, Value w, Value init, ArrayRef<AffineMap> maps) {
  return emit.loops({x, w}, init, maps, [](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
    Value lhs = widen(b, b.getLoc(), elements[0]), rhs = widen(b, b.getLoc(), elements[1]);
    return arith::AddFOp::create(b, elements[2], arith::MulFOp::create(b, lhs, rhs));
  });
}

/// The accumulator's initial value: `bias` along `biasDims`, or zero.
static Value initialValue(Emitter &emit, ArrayRef<OpFoldResult> sizes, Type elementType, Value bias,
                          ArrayRef<int64_t> biasDims) {
  Type type = ir::statisticsType(elementType);
  if (!bias)
    return emit.filled(sizes, scalarConstant(emit, type, 0));
  if (elementType != type)
    bias = emit.map(bias, type, [](ImplicitLocOpBuilder &b, ValueRange elements) {
      return widen(b, b.getLoc(), elements[0]);
    });
  SmallVector<int64_t> added;
  for (int64_t dim = 0, end = sizes.size(); dim < end; ++dim)
    if (!llvm::is_contained(biasDims, dim))
      added.push_back(dim);
  if (added.empty())
    return bias;
  return linalg::BroadcastOp::create(emit, bias, emit.empty(sizes, type), added)->getResult(0);
}

/// What follows the accumulation: the activation, and the element type.
static Value finish(Emitter &emit, Value sum, std::optional<ir::ActivationKind> act, Type type) {
  if (!act && cast<RankedTensorType>(sum.getType()).getElementType() == type)
    return sum;
  Value finished = emit.map(sum, type, [&](ImplicitLocOpBuilder &b, ValueRange elements) {
    Value result = act ? activate(b, *act, elements[0]) : elements[0];
    return roundTo(b, b.getLoc(), result, type);
  });
  if (act)
    finished.getDefiningOp()->setAttr(kActivationAttr,
                                      ir::ActivationKindAttr::get(finished.getContext(), *act));
  return finished;
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// An operand of a batched product without the dims that broadcast, and its map.
static std::pair<Value, AffineMap> batchedOperand(Emitter &emit, Operand operand,
                                                  ArrayRef<OpFoldResult> batch, int64_t loops,
                                                  int64_t row, int64_t column) {
  SmallVector<int64_t> dims;
  llvm::SmallBitVector broadcast(operand.rank());
  for (int64_t dim = 0; dim < operand.rank() - 2; ++dim) {
    int64_t loop = batch.size() - (operand.rank() - 2) + dim;
    if (operand.type().getDimSize(dim) == 1 && !isConstantIntValue(batch[loop], 1))
      broadcast.set(dim);
    else
      dims.push_back(loop);
  }
  dims.append({row, column});
  Value value = operand.value;
  if (broadcast.any())
    value = tensor::dropGivenUnitDims(emit, emit.getLoc(), value, broadcast);
  return {value, emit.select(loops, dims)};
}

/// act(x @ w + bias), of which `bias` and `act` may be missing.
static Value linear(Emitter &emit, Operand x, Operand w, Value bias,
                    std::optional<ir::ActivationKind> act) {
  emit.commonSize(x, x.rank() - 1, w, w.rank() - 2);
  SmallVector<OpFoldResult> batch = emit.broadcast({x, w}, /*trailing=*/2);
  int64_t row = batch.size(), column = row + 1, inner = row + 2, loops = row + 3;
  auto [lhs, lhsMap] = batchedOperand(emit, x, batch, loops, row, inner);
  auto [rhs, rhsMap] = batchedOperand(emit, w, batch, loops, inner, column);

  SmallVector<OpFoldResult> sizes = batch;
  sizes.push_back(emit.sizeOf(x.value, x.rank() - 2));
  sizes.push_back(bias ? emit.commonSize(w, w.rank() - 1, {bias, "bias"}, 0)
                       : emit.sizeOf(w.value, w.rank() - 1));
  Type type = x.type().getElementType();
  Value init = initialValue(emit, sizes, type, bias, column);
  Value sum = contract(emit, lhs, rhs, init, {lhsMap, rhsMap, emit.selectRange(loops, 0, inner)});
  return finish(emit, sum, act, type);
}

static SmallVector<Value> lowerMatmul(ir::MatmulOp, ir::MatmulOp::Adaptor operands, Emitter &emit) {
  return {linear(emit, {operands.getX(), "x"}, {operands.getW(), "w"}, Value(), std::nullopt)};
}

static SmallVector<Value> lowerFusedMatmul(ir::FusedMatmulBiasActOp op,
                                           ir::FusedMatmulBiasActOp::Adaptor operands,
                                           Emitter &emit) {
  return {linear(emit, {operands.getX(), "x"}, {operands.getW(), "w"}, operands.getBias(),
                 op.getAct())};
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// The size of the result along one spatial dim. The filter must fit.
static OpFoldResult convolvedSize(Emitter &emit, Value image, int64_t dim, int64_t padding,
                                  int64_t extent, int64_t stride) {
  OpFoldResult size = emit.sizeOf(image, dim);
  if (auto dynamic = dyn_cast<Value>(size)) {
    Value least = emit.index(extent - 2 * padding);
    emit.require(arith::CmpIOp::create(emit, arith::CmpIPredicate::sge, dynamic, least),
                 "x dim " + Twine(dim) + ": the filter does not fit into the image at run time");
  }
  AffineExpr symbol = emit.getAffineSymbolExpr(0);
  return emit.apply((symbol + (2 * padding - extent)).floorDiv(stride) + 1, {size});
}

/// The image with zeros around it.
static Value padded(Emitter &emit, Value image, ArrayRef<int64_t> padding) {
  if (padding[0] == 0 && padding[1] == 0)
    return image;
  OpFoldResult none = emit.getIndexAttr(0);
  SmallVector<OpFoldResult> around{none, none, emit.getIndexAttr(padding[0]),
                                   emit.getIndexAttr(padding[1])};
  auto type = cast<RankedTensorType>(image.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t i = 0; i < 2; ++i)
    if (!type.isDynamicDim(2 + i))
      shape[2 + i] += 2 * padding[i];
  Value zero = scalarConstant(emit, type.getElementType(), 0);
  return tensor::PadOp::create(emit, type.clone(shape), image, around, around, zero);
}

/// Splits dim `dim` into `outer` and the rest.
static Value splitDim(Emitter &emit, Value tensor, int64_t dim, int64_t outer) {
  SmallVector<OpFoldResult> sizes = emit.sizesOf(tensor);
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0, end = sizes.size(), next = 0; i < end; ++i) {
    groups.push_back(i == dim ? ReassociationIndices{next, next + 1} : ReassociationIndices{next});
    next += groups.back().size();
  }
  sizes[dim] = emit.apply(emit.getAffineSymbolExpr(0).floorDiv(outer), {sizes[dim]});
  sizes.insert(sizes.begin() + dim, emit.getIndexAttr(outer));
  return emit.expandShape(tensor, groups, sizes);
}

static SmallVector<Value> lowerConv2d(ir::Conv2dOp op, ir::Conv2dOp::Adaptor operands,
                                      Emitter &emit) {
  ArrayRef<int64_t> stride = op.getStride(), padding = op.getPadding(), dilation = op.getDilation();
  int64_t groups = op.getGroups();
  Value w = operands.getW();
  ArrayRef<int64_t> filter = op.getW().getType().getShape();
  Value x = emit.withStaticDim({operands.getX(), "x"}, 1, groups * filter[1]);
  Value bias = operands.getBias();
  if (bias)
    bias = emit.withStaticDim({bias, "bias"}, 0, filter[0]);

  SmallVector<OpFoldResult> sizes{emit.sizeOf(x, 0), emit.getIndexAttr(filter[0])};
  for (int64_t i = 0; i < 2; ++i)
    sizes.push_back(convolvedSize(emit, x, 2 + i, padding[i], dilation[i] * (filter[2 + i] - 1) + 1,
                                  stride[i]));
  Type type = op.getX().getType().getElementType();
  AffineExpr d[8];
  bindDimsList<AffineExpr>(emit.getContext(), d);
  auto map = [&](unsigned loops, ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(loops, 0, exprs, emit.getContext());
  };
  // The image row or column that is under filter position `k` at result position `o`.
  auto window = [&](int64_t i, AffineExpr o, AffineExpr k) {
    return o * stride[i] + k * dilation[i];
  };
  auto result = [&](Value sum) {
    return SmallVector<Value>{finish(emit, sum, std::nullopt, type)};
  };

  bool depthwise = filter[1] == 1 && filter[0] == groups;
  bool grouped = groups != 1 && !depthwise;
  if (grouped) {
    sizes = {sizes[0], emit.getIndexAttr(groups), emit.getIndexAttr(filter[0] / groups), sizes[2],
             sizes[3]};
    if (bias)
      bias = splitDim(emit, bias, 0, groups);
  }
  SmallVector<int64_t> channelDims = {1};
  if (grouped)
    channelDims.push_back(2);
  Value init = initialValue(emit, sizes, type, bias, channelDims);
  bool pointwise = filter[2] == 1 && filter[3] == 1 && stride[0] == 1 && stride[1] == 1 &&
                   padding[0] == 0 && padding[1] == 0;
  if (pointwise && groups == 1) {
    // Loops: b, o, h, w, c.
    Value matrix = emit.collapseShape(w, {{0}, {1, 2, 3}});
    return result(contract(emit, matrix, x, init,
                           {map(5, {d[1], d[4]}), map(5, {d[0], d[4], d[2], d[3]}),
                            map(5, {d[0], d[1], d[2], d[3]})}));
  }

  x = padded(emit, x, padding);
  if (depthwise) {
    // Loops: b, c, oh, ow, kh, kw.
    Value taps = emit.collapseShape(w, {{0, 1}, {2}, {3}});
    return result(contract(emit, x, taps, init,
                           {map(6, {d[0], d[1], window(0, d[2], d[4]), window(1, d[3], d[5])}),
                            map(6, {d[1], d[4], d[5]}), map(6, {d[0], d[1], d[2], d[3]})}));
  }
  if (groups == 1)
    // Loops: b, o, oh, ow, c, kh, kw.
    return result(contract(emit, x, w, init,
                           {map(7, {d[0], d[4], window(0, d[2], d[5]), window(1, d[3], d[6])}),
                            map(7, {d[1], d[4], d[5], d[6]}), map(7, {d[0], d[1], d[2], d[3]})}));

  // Loops: b, g, o, oh, ow, c, kh, kw, with o and c within the group.
  Value sum =
      contract(emit, splitDim(emit, x, 1, groups), splitDim(emit, w, 0, groups), init,
               {map(8, {d[0], d[1], d[5], window(0, d[3], d[6]), window(1, d[4], d[7])}),
                map(8, {d[1], d[2], d[5], d[6], d[7]}), map(8, {d[0], d[1], d[2], d[3], d[4]})});
  return result(emit.collapseShape(sum, {{0}, {1, 2}, {3}, {4}}));
}

void populateContractionLowerings(const TypeConverter &converter, RewritePatternSet &patterns) {
  addLowering<ir::MatmulOp>(converter, patterns, lowerMatmul);
  addLowering<ir::FusedMatmulBiasActOp>(converter, patterns, lowerFusedMatmul);
  addLowering<ir::Conv2dOp>(converter, patterns, lowerConv2d);
}

} // namespace rlx
