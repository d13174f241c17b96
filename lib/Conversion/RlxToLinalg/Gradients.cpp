//===- Gradients.cpp - Lowering of the gradients of plain ops -------------===//

#include "Emitter.h"
#include "rlx/Conversion/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace rlx {

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

namespace {

/// Arithmetic on elements of one type.
struct Scalar {
  ImplicitLocOpBuilder &b;
  Type type;

  Value constant(double value) { return scalarConstant(b, type, value); }
  Value add(Value lhs, Value rhs) { return arith::AddFOp::create(b, lhs, rhs); }
  Value sub(Value lhs, Value rhs) { return arith::SubFOp::create(b, lhs, rhs); }
  Value mul(Value lhs, Value rhs) { return arith::MulFOp::create(b, lhs, rhs); }
  Value div(Value lhs, Value rhs) { return arith::DivFOp::create(b, lhs, rhs); }
  Value neg(Value x) { return arith::NegFOp::create(b, x); }
  Value call(ir::ActivationKind kind, Value x) { return activate(b, kind, x); }
  Value isAbove(Value x, double bound) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, constant(bound));
  }
  Value select(Value condition, Value lhs, Value rhs) {
    return arith::SelectOp::create(b, condition, lhs, rhs);
  }
};

} // namespace

/// Phi(x) + x * phi(x), with the normal distribution Phi and its density phi.
static Value derivativeOfGelu(Scalar s, Value x) {
  Value erf = math::ErfOp::create(s.b, s.mul(x, s.constant(std::numbers::sqrt2 / 2)));
  Value phi = s.mul(s.add(erf, s.constant(1)), s.constant(0.5));
  Value exponent = s.mul(s.mul(x, x), s.constant(-0.5));
  Value density = s.mul(s.call(ir::ActivationKind::Exp, exponent),
                        s.constant(std::numbers::inv_sqrtpi / std::numbers::sqrt2));
  return s.add(phi, s.mul(x, density));
}

static Value derivativeOfGeluTanh(Scalar s, Value x) {
  const double factor = std::sqrt(2 / std::numbers::pi);
  Value square = s.mul(x, x), one = s.constant(1), half = s.constant(0.5);
  Value inner = s.mul(x, s.add(s.mul(square, s.constant(0.044715)), one));
  Value tanh = s.call(ir::ActivationKind::Tanh, s.mul(inner, s.constant(factor)));
  Value slope = s.mul(s.add(s.mul(square, s.constant(3 * 0.044715)), one), s.constant(factor));
  Value bend = s.mul(s.mul(x, s.sub(one, s.mul(tanh, tanh))), slope);
  return s.mul(s.add(s.add(one, tanh), bend), half);
}

static Value derivative(Scalar s, ir::ActivationKind kind, Value x) {
  Value one = s.constant(1), zero = s.constant(0);
  switch (kind) {
  case ir::ActivationKind::Relu:
    return s.select(s.isAbove(x, 0), one, zero);
  case ir::ActivationKind::Gelu:
    return derivativeOfGelu(s, x);
  case ir::ActivationKind::GeluTanh:
    return derivativeOfGeluTanh(s, x);
  case ir::ActivationKind::Silu: {
    Value sigmoid = s.call(ir::ActivationKind::Sigmoid, x);
    return s.mul(sigmoid, s.add(one, s.mul(x, s.sub(one, sigmoid))));
  }
  case ir::ActivationKind::Sigmoid: {
    Value sigmoid = s.call(ir::ActivationKind::Sigmoid, x);
    return s.mul(sigmoid, s.sub(one, sigmoid));
  }
  case ir::ActivationKind::Tanh: {
    Value tanh = s.call(ir::ActivationKind::Tanh, x);
    return s.sub(one, s.mul(tanh, tanh));
  }
  case ir::ActivationKind::Exp:
    return s.call(ir::ActivationKind::Exp, x);
  case ir::ActivationKind::Log:
    return s.div(one, x);
  case ir::ActivationKind::Sqrt:
    return s.div(s.constant(0.5), s.call(ir::ActivationKind::Sqrt, x));
  case ir::ActivationKind::Rsqrt:
    return s.div(s.constant(-0.5), s.mul(x, s.call(ir::ActivationKind::Sqrt, x)));
  case ir::ActivationKind::Neg:
    return s.constant(-1);
  case ir::ActivationKind::Abs:
    return s.select(s.isAbove(x, 0), one, s.select(s.isAbove(s.neg(x), 0), s.constant(-1), zero));
  case ir::ActivationKind::Sin:
    return s.call(ir::ActivationKind::Cos, x);
  case ir::ActivationKind::Cos:
    return s.neg(s.call(ir::ActivationKind::Sin, x));
  case ir::ActivationKind::Round:
    return zero;
  }
  llvm_unreachable("unknown activation");
}

static SmallVector<Value> lowerActivationBackward(ir::ActivationBackwardOp op,
                                                  ir::ActivationBackwardOp::Adaptor operands,
                                                  Emitter &emit) {
  Operand x{operands.getX(), "x"}, d{operands.getD(), "d"};
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < x.rank(); ++dim)
    sizes.push_back(emit.commonSize(x, dim, d, dim));
  Type type = x.type().getElementType();
  return {emit.elementwise({x.value, d.value}, sizes, type,
                           [&](ImplicitLocOpBuilder &b, ValueRange elements) {
                             Value wide = widen(b, b.getLoc(), elements[0]);
                             Scalar s{b, wide.getType()};
                             Value slope = derivative(s, op.getKind(), wide);
                             Value result = s.mul(widen(b, b.getLoc(), elements[1]), slope);
                             return roundTo(b, b.getLoc(), result, type);
                           })};
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {

/// The attributes of a convolution and its static sizes.
struct Window {
  ArrayRef<int64_t> stride, padding, dilation, filter; // `filter` is the type's shape
  int64_t groups;

  bool isPointwise() const {
    return filter[2] == 1 && filter[3] == 1 && stride[0] == 1 && stride[1] == 1 &&
           padding[0] == 0 && padding[1] == 0 && groups == 1;
  }
  bool isDepthwise() const { return filter[1] == 1 && filter[0] == groups; }
  /// How far the filter reaches beyond its first tap.
  int64_t reach(int64_t i) const { return dilation[i] * (filter[2 + i] - 1); }
};

} // namespace

template <typename OpT> static Window windowOf(OpT op) {
  return {op.getStride(), op.getPadding(), op.getDilation(), op.getW().getType().getShape(),
          static_cast<int64_t>(op.getGroups())};
}

/// Zero plus the sum of products over the dims that the last map leaves out.
static Value sumProducts(Emitter &emit, Value x, Value w, ArrayRef<OpFoldResult> sizes, Type type,
                         ArrayRef<AffineMap> maps) {
  Type wide = ir::statisticsType(type);
  Value init = emit.filled(sizes, scalarConstant(emit, wide, 0));
  Value sum =
      emit.loops({x, w}, init, maps, [](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
        Value product = arith::MulFOp::create(b, widen(b, b.getLoc(), elements[0]),
                                              widen(b, b.getLoc(), elements[1]));
        return arith::AddFOp::create(b, elements[2], product);
      });
  if (wide == type)
    return sum;
  return emit.map(sum, type, [&](ImplicitLocOpBuilder &b, ValueRange elements) {
    return roundTo(b, b.getLoc(), elements[0], type);
  });
}

/// `image` with dim 1 as `groups` and the rest.
static Value splitChannels(Emitter &emit, Value image, int64_t groups) {
  SmallVector<OpFoldResult> sizes = emit.sizesOf(image);
  sizes[1] = emit.apply(emit.getAffineSymbolExpr(0).floorDiv(groups), {sizes[1]});
  sizes.insert(sizes.begin() + 1, emit.getIndexAttr(groups));
  return emit.expandShape(image, {{0}, {1, 2}, {3}, {4}}, sizes);
}

/// The filter with dim 0 as `groups` and the rest.
static Value splitFilter(Emitter &emit, Value filter, int64_t groups) {
  SmallVector<OpFoldResult> sizes = emit.sizesOf(filter);
  sizes[0] = emit.apply(emit.getAffineSymbolExpr(0).floorDiv(groups), {sizes[0]});
  sizes.insert(sizes.begin(), emit.getIndexAttr(groups));
  return emit.expandShape(filter, {{0, 1}, {2}, {3}, {4}}, sizes);
}

/// Checks that `d` has the sizes of the convolution of `x` at run time.
static void checkGradientSizes(Emitter &emit, const Window &window, Operand d, Operand x) {
  emit.commonSize(d, 0, x, 0);
  for (int64_t i = 0; i < 2; ++i) {
    AffineExpr image = emit.getAffineSymbolExpr(0);
    int64_t room = 2 * window.padding[i] - window.reach(i) - 1;
    OpFoldResult expected =
        emit.apply((image + room).floorDiv(window.stride[i]) + 1, {emit.sizeOf(x.value, 2 + i)});
    emit.requireEqual(expected, emit.sizeOf(d.value, 2 + i),
                      "d dim " + Twine(2 + i) +
                          ": expected the size of the convolution's result at run time");
  }
}

/// The gradient of the result with zeros between its elements and around them, so that
/// its convolution with the flipped filter, at stride 1, is the gradient of the image.
static Value spreadOut(Emitter &emit, const Window &window, Value d, Value x) {
  SmallVector<OpFoldResult> sizes = emit.sizesOf(d), offsets(4, emit.getIndexAttr(0)),
                            strides(4, emit.getIndexAttr(1)), cropOffsets = offsets,
                            units = strides;
  SmallVector<OpFoldResult> spread = sizes, cropped = sizes;
  bool crops = false;
  for (int64_t i = 0; i < 2; ++i) {
    int64_t reach = window.reach(i), extra = std::max<int64_t>(window.padding[i] - reach, 0);
    OpFoldResult image = emit.sizeOf(x, 2 + i);
    AffineExpr size = emit.getAffineSymbolExpr(0);
    cropped[2 + i] = emit.apply(size + reach, {image});
    spread[2 + i] = emit.apply(size + reach + 2 * extra, {image});
    offsets[2 + i] = emit.getIndexAttr(reach - window.padding[i] + extra);
    strides[2 + i] = emit.getIndexAttr(window.stride[i]);
    cropOffsets[2 + i] = emit.getIndexAttr(extra);
    crops |= extra > 0;
  }
  Value none = scalarConstant(emit, getElementTypeOrSelf(d.getType()), 0);
  Value result =
      tensor::InsertSliceOp::create(emit, d, emit.filled(spread, none), offsets, sizes, strides);
  if (crops)
    result = tensor::ExtractSliceOp::create(emit, result, cropOffsets, cropped, units);
  return result;
}

/// The filter, both of its last dims turned round.
static Value flipped(Emitter &emit, Value w) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(w.getType()).getShape();
  if (shape[2] == 1 && shape[3] == 1)
    return w;
  AffineExpr d[4];
  bindDimsList<AffineExpr>(emit.getContext(), d);
  AffineMap turned = AffineMap::get(4, 0, {d[0], d[1], shape[2] - 1 - d[2], shape[3] - 1 - d[3]},
                                    emit.getContext());
  return emit.loops(w, emit.empty(emit.sizesOf(w), getElementTypeOrSelf(w.getType())),
                    {turned, emit.getMultiDimIdentityMap(4)},
                    [](ImplicitLocOpBuilder &, ValueRange elements) { return elements[0]; });
}

static SmallVector<Value> lowerConvBackwardInput(ir::Conv2dBackwardInputOp op,
                                                 ir::Conv2dBackwardInputOp::Adaptor operands,
                                                 Emitter &emit) {
  Window window = windowOf(op);
  ArrayRef<int64_t> filter = window.filter;
  Value w = operands.getW();
  Value x = emit.withStaticDim({operands.getX(), "x"}, 1, window.groups * filter[1]);
  Value d = emit.withStaticDim({operands.getD(), "d"}, 1, filter[0]);
  checkGradientSizes(emit, window, {d, "d"}, {x, "x"});
  Type type = op.getX().getType().getElementType();
  SmallVector<OpFoldResult> sizes = emit.sizesOf(x);
  AffineExpr e[8];
  bindDimsList<AffineExpr>(emit.getContext(), e);
  auto map = [&](unsigned loops, ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(loops, 0, exprs, emit.getContext());
  };
  if (window.isPointwise()) {
    // Loops: b, c, h, w, o.
    Value matrix = emit.collapseShape(w, {{0}, {1, 2, 3}});
    return {sumProducts(emit, matrix, d, sizes, type,
                        {map(5, {e[4], e[1]}), map(5, {e[0], e[4], e[2], e[3]}),
                         map(5, {e[0], e[1], e[2], e[3]})})};
  }
  d = spreadOut(emit, window, d, x);
  w = flipped(emit, w);
  auto under = [&](int64_t i, AffineExpr image, AffineExpr tap) {
    return image + tap * window.dilation[i];
  };
  if (window.isDepthwise()) {
    // Loops: b, c, h, w, kh, kw.
    Value taps = emit.collapseShape(w, {{0, 1}, {2}, {3}});
    return {sumProducts(emit, d, taps, sizes, type,
                        {map(6, {e[0], e[1], under(0, e[2], e[4]), under(1, e[3], e[5])}),
                         map(6, {e[1], e[4], e[5]}), map(6, {e[0], e[1], e[2], e[3]})})};
  }
  if (window.groups == 1)
    // Loops: b, c, h, w, o, kh, kw.
    return {sumProducts(emit, d, w, sizes, type,
                        {map(7, {e[0], e[4], under(0, e[2], e[5]), under(1, e[3], e[6])}),
                         map(7, {e[4], e[1], e[5], e[6]}), map(7, {e[0], e[1], e[2], e[3]})})};
  // Loops: b, g, c, h, w, o, kh, kw, with c and o within the group.
  int64_t groups = window.groups;
  SmallVector<OpFoldResult> split = {sizes[0], emit.getIndexAttr(groups),
                                     emit.getIndexAttr(filter[1]), sizes[2], sizes[3]};
  Value sum =
      sumProducts(emit, splitChannels(emit, d, groups), splitFilter(emit, w, groups), split, type,
                  {map(8, {e[0], e[1], e[5], under(0, e[3], e[6]), under(1, e[4], e[7])}),
                   map(8, {e[1], e[5], e[2], e[6], e[7]}), map(8, {e[0], e[1], e[2], e[3], e[4]})});
  return {emit.collapseShape(sum, {{0}, {1, 2}, {3}, {4}})};
}

/// The image with zeros around it.
static Value padded(Emitter &emit, const Window &window, Value x) {
  if (window.padding[0] == 0 && window.padding[1] == 0)
    return x;
  SmallVector<OpFoldResult> sizes = emit.sizesOf(x), outer = sizes,
                            offsets(4, emit.getIndexAttr(0)), strides(4, emit.getIndexAttr(1));
  for (int64_t i = 0; i < 2; ++i) {
    offsets[2 + i] = emit.getIndexAttr(window.padding[i]);
    outer[2 + i] = emit.apply(emit.getAffineSymbolExpr(0) + 2 * window.padding[i], {sizes[2 + i]});
  }
  Value none = scalarConstant(emit, getElementTypeOrSelf(x.getType()), 0);
  return tensor::InsertSliceOp::create(emit, x, emit.filled(outer, none), offsets, sizes, strides);
}

static SmallVector<Value> lowerConvBackwardWeight(ir::Conv2dBackwardWeightOp op,
                                                  ir::Conv2dBackwardWeightOp::Adaptor operands,
                                                  Emitter &emit) {
  Window window = windowOf(op);
  ArrayRef<int64_t> filter = window.filter;
  Value x = emit.withStaticDim({operands.getX(), "x"}, 1, window.groups * filter[1]);
  Value d = emit.withStaticDim({operands.getD(), "d"}, 1, filter[0]);
  checkGradientSizes(emit, window, {d, "d"}, {x, "x"});
  Type type = op.getX().getType().getElementType();
  SmallVector<OpFoldResult> sizes = llvm::map_to_vector(
      filter, [&](int64_t size) -> OpFoldResult { return emit.getIndexAttr(size); });
  AffineExpr e[8];
  bindDimsList<AffineExpr>(emit.getContext(), e);
  auto map = [&](unsigned loops, ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(loops, 0, exprs, emit.getContext());
  };
  if (window.isPointwise()) {
    // Loops: o, c, b, n over the pixels n, with channels side by side for vectors.
    Value rows = emit.collapseShape(d, {{0}, {1}, {2, 3}});
    Value columns = emit.transpose(emit.collapseShape(x, {{0}, {1}, {2, 3}}), {0, 2, 1});
    Value sum =
        sumProducts(emit, rows, columns, ArrayRef(sizes).take_front(2), type,
                    {map(4, {e[2], e[0], e[3]}), map(4, {e[2], e[3], e[1]}), map(4, {e[0], e[1]})});
    return {emit.expandShape(sum, {{0}, {1, 2, 3}}, sizes)};
  }
  x = padded(emit, window, x);
  auto under = [&](int64_t i, AffineExpr result, AffineExpr tap) {
    return result * window.stride[i] + tap * window.dilation[i];
  };
  if (window.isDepthwise()) {
    // Loops: c, kh, kw, b, oh, ow.
    Value sum = sumProducts(emit, x, d, {sizes[0], sizes[2], sizes[3]}, type,
                            {map(6, {e[3], e[0], under(0, e[4], e[1]), under(1, e[5], e[2])}),
                             map(6, {e[3], e[0], e[4], e[5]}), map(6, {e[0], e[1], e[2]})});
    return {emit.expandShape(sum, {{0, 1}, {2}, {3}}, sizes)};
  }
  if (window.groups == 1)
    // Loops: o, c, kh, kw, b, oh, ow.
    return {sumProducts(emit, x, d, sizes, type,
                        {map(7, {e[4], e[1], under(0, e[5], e[2]), under(1, e[6], e[3])}),
                         map(7, {e[4], e[0], e[5], e[6]}), map(7, {e[0], e[1], e[2], e[3]})})};
  // Loops: g, o, c, kh, kw, b, oh, ow, with o and c within the group.
  int64_t groups = window.groups;
  SmallVector<OpFoldResult> split = {emit.getIndexAttr(groups),
                                     emit.getIndexAttr(filter[0] / groups), sizes[1], sizes[2],
                                     sizes[3]};
  Value sum =
      sumProducts(emit, splitChannels(emit, x, groups), splitChannels(emit, d, groups), split, type,
                  {map(8, {e[5], e[0], e[2], under(0, e[6], e[3]), under(1, e[7], e[4])}),
                   map(8, {e[5], e[0], e[1], e[6], e[7]}), map(8, {e[0], e[1], e[2], e[3], e[4]})});
  return {emit.collapseShape(sum, {{0, 1}, {2}, {3}, {4}})};
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

/// The dims of `tensor` in three groups: before `begin`, up to `end`, and after it.
static Value inThreeGroups(Emitter &emit, Value tensor, int64_t begin, int64_t end) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  SmallVector<int64_t> units;
  if (begin == 0)
    units.push_back(0);
  int64_t shift = units.size();
  if (begin == end)
    units.push_back(begin + shift);
  int64_t second = shift + (begin == end ? 1 : 0);
  if (end == rank)
    units.push_back(rank + second);
  tensor = emit.insertUnitDims(tensor, units);
  SmallVector<ReassociationIndices> groups(3);
  int64_t total = rank + units.size();
  int64_t first = std::max<int64_t>(begin, 1), last = first + std::max<int64_t>(end - begin, 1);
  for (int64_t dim = 0; dim < total; ++dim)
    groups[dim < first ? 0 : dim < last ? 1 : 2].push_back(dim);
  return total == 3 ? tensor : emit.collapseShape(tensor, groups);
}

static SmallVector<Value> lowerScatterAdd(ir::ScatterAddOp op, ir::ScatterAddOp::Adaptor operands,
                                          Emitter &emit) {
  Value into = operands.getInto(), indices = operands.getIndices();
  Operand updates{operands.getUpdates(), "updates"};
  int64_t axis = op.normalizedAxis(), rank = op.getInto().getType().getRank();
  int64_t indexRank = op.getIndices().getType().getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis)
      emit.commonSize({into, "into"}, dim, updates, dim < axis ? dim : dim + indexRank - 1);
  for (int64_t dim = 0; dim < indexRank; ++dim)
    emit.commonSize({indices, "indices"}, dim, updates, axis + dim);
  SmallVector<OpFoldResult> sizes = emit.sizesOf(into);
  Value size = getValueOrCreateConstantIndexOp(emit, emit.getLoc(), sizes[axis]);
  requireWithin(emit, indices, size, "into dim " + Twine(axis));

  // One update after the other; [outer, index, inner] each.
  Type type = op.getInto().getType().getElementType(), wide = ir::statisticsType(type);
  auto widened = [&](Value tensor) {
    return emit.map(tensor, wide, [](ImplicitLocOpBuilder &b, ValueRange elements) {
      return widen(b, b.getLoc(), elements[0]);
    });
  };
  Value sum = widened(inThreeGroups(emit, into, axis, axis + 1));
  Value parts = inThreeGroups(emit, updates.value, axis, axis + indexRank);
  Value places = inThreeGroups(emit, indices, 0, indexRank);
  OpFoldResult zero = emit.getIndexAttr(0), one = emit.getIndexAttr(1);
  OpFoldResult outer = emit.sizeOf(sum, 0), inner = emit.sizeOf(sum, 2);
  Value count = getValueOrCreateConstantIndexOp(emit, emit.getLoc(), emit.sizeOf(parts, 1));
  auto loop = scf::ForOp::create(emit, emit.index(0), count, emit.index(1), sum);
  {
    OpBuilder::InsertionGuard guard(emit);
    emit.setInsertionPointToStart(loop.getBody());
    Value none = emit.index(0), number = loop.getInductionVar();
    Value place = arith::IndexCastOp::create(
        emit, emit.getIndexType(), tensor::ExtractOp::create(emit, places, {none, number, none}));
    // Writes stay within the tensor even before the check has been seen.
    Value last = arith::SubIOp::create(emit, size, emit.index(1));
    place = arith::MaxSIOp::create(emit, arith::MinSIOp::create(emit, place, last), none);
    auto row = [&](Value tensor, Value at) -> Value {
      auto part = RankedTensorType::get({getConstantIntValue(outer).value_or(ShapedType::kDynamic),
                                         getConstantIntValue(inner).value_or(ShapedType::kDynamic)},
                                        getElementTypeOrSelf(tensor.getType()));
      return tensor::ExtractSliceOp::create(
          emit, part, tensor, SmallVector<OpFoldResult>{zero, OpFoldResult(at), zero},
          SmallVector<OpFoldResult>{outer, one, inner}, SmallVector<OpFoldResult>{one, one, one});
    };
    Value current = loop.getRegionIterArgs()[0];
    AffineMap identity = emit.getMultiDimIdentityMap(2);
    Value added = emit.loops(row(parts, number), row(current, place), {identity, identity},
                             [](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
                               Value update = widen(b, b.getLoc(), elements[0]);
                               return arith::AddFOp::create(b, elements[1], update);
                             });
    current = tensor::InsertSliceOp::create(
        emit, added, current, SmallVector<OpFoldResult>{zero, OpFoldResult(place), zero},
        SmallVector<OpFoldResult>{outer, one, inner}, SmallVector<OpFoldResult>{one, one, one});
    scf::YieldOp::create(emit, current);
  }
  Value result = emit.map(loop.getResult(0), type, [&](ImplicitLocOpBuilder &b, ValueRange e) {
    return roundTo(b, b.getLoc(), e[0], type);
  });
  // Back to the dims of `into`.
  SmallVector<ReassociationIndices> groups(3);
  SmallVector<OpFoldResult> full = sizes;
  if (axis == 0)
    full.insert(full.begin(), one);
  if (axis + 1 == rank)
    full.push_back(one);
  int64_t middle = std::max<int64_t>(axis, 1);
  for (int64_t dim = 0, end = full.size(); dim < end; ++dim)
    groups[dim < middle ? 0 : dim == middle ? 1 : 2].push_back(dim);
  if (full.size() > 3)
    result = emit.expandShape(result, groups, full);
  SmallVector<ReassociationIndices> kept;
  for (int64_t dim = 0, end = full.size(), next = 0; next < rank; ++next) {
    kept.emplace_back();
    do
      kept.back().push_back(dim++);
    while ((next == 0 && axis == 0 && dim == 1) || (next + 1 == rank && dim < end));
  }
  return {rank == static_cast<int64_t>(full.size()) ? result : emit.collapseShape(result, kept)};
}

void populateGradientLowerings(const TypeConverter &converter, RewritePatternSet &patterns) {
  addLowering<ir::ActivationBackwardOp>(converter, patterns, lowerActivationBackward);
  addLowering<ir::Conv2dBackwardInputOp>(converter, patterns, lowerConvBackwardInput);
  addLowering<ir::Conv2dBackwardWeightOp>(converter, patterns, lowerConvBackwardWeight);
  addLowering<ir::ScatterAddOp>(converter, patterns, lowerScatterAdd);
}

} // namespace rlx
