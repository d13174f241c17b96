//===- Reductions.cpp - Lowering of reductions, softmax and norms ---------===//
//
// Loops keep the order of the input's dims and reshape nothing, so that rows can be
// tiled and the ops around them fused. Statistics are f32, or f64 for f64.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "rlx/Conversion/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace rlx {

/// How many elements the dims hold together, as a float of `type`.
static Value countOf(Emitter &emit, Value x, ArrayRef<int64_t> dims, Type type) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : dims)
    sizes.push_back(emit.sizeOf(x, dim));
  OpFoldResult count = emit.product(sizes);
  if (std::optional<int64_t> constant = getConstantIntValue(count))
    return scalarConstant(emit, type, static_cast<double>(*constant));
  Value integer = arith::IndexCastOp::create(emit, emit.getI64Type(), cast<Value>(count));
  return arith::SIToFPOp::create(emit, type, integer);
}

static Value sumOver(Emitter &emit, Value x, ArrayRef<int64_t> dims, Type type) {
  return emit.reduce(x, dims, scalarConstant(emit, type, 0),
                     [](ImplicitLocOpBuilder &b, ValueRange elements) {
                       return combine(b, ir::BinaryKind::Add, elements[1], elements[0]);
                     });
}

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

/// The value that `kind` begins with: the result over no elements.
static Value neutralElement(Emitter &emit, ir::ReduceKind kind, Type type) {
  bool isLargest = kind == ir::ReduceKind::Min;
  switch (kind) {
  case ir::ReduceKind::Sum:
  case ir::ReduceKind::Mean:
    return scalarConstant(emit, type, 0);
  case ir::ReduceKind::Prod:
    return scalarConstant(emit, type, 1);
  case ir::ReduceKind::Max:
  case ir::ReduceKind::Min:
    break;
  }
  if (isa<FloatType>(type)) {
    double infinity = std::numeric_limits<double>::infinity();
    return scalarConstant(emit, type, isLargest ? infinity : -infinity);
  }
  unsigned width = cast<IntegerType>(type).getWidth();
  APInt value = isLargest ? APInt::getSignedMaxValue(width) : APInt::getSignedMinValue(width);
  return arith::ConstantOp::create(emit, emit.getIntegerAttr(type, value));
}

static ir::BinaryKind combinerOf(ir::ReduceKind kind) {
  switch (kind) {
  case ir::ReduceKind::Sum:
  case ir::ReduceKind::Mean:
    return ir::BinaryKind::Add;
  case ir::ReduceKind::Prod:
    return ir::BinaryKind::Mul;
  case ir::ReduceKind::Max:
    return ir::BinaryKind::Max;
  case ir::ReduceKind::Min:
    return ir::BinaryKind::Min;
  }
  llvm_unreachable("unknown reduction");
}

static SmallVector<Value> lowerReduce(ir::ReduceOp op, ir::ReduceOp::Adaptor operands,
                                      Emitter &emit) {
  Value x = operands.getX();
  SmallVector<int64_t> axes = op.normalizedAxes();
  if (axes.empty())
    return {x};
  Type type = op.getX().getType().getElementType();
  Type sumType = isa<FloatType>(type) ? ir::statisticsType(type) : type;
  ir::BinaryKind combiner = combinerOf(op.getKind());
  Value result = emit.reduce(x, axes, neutralElement(emit, op.getKind(), sumType),
                             [&](ImplicitLocOpBuilder &b, ValueRange elements) {
                               return combine(b, combiner, elements[1], elements[0]);
                             });
  bool isMean = op.getKind() == ir::ReduceKind::Mean;
  if (isMean || sumType != type) {
    Value count = isMean ? countOf(emit, x, axes, sumType) : Value();
    result = emit.map(result, type, [&](ImplicitLocOpBuilder &b, ValueRange elements) {
      Value value = elements[0];
      if (count)
        value = arith::DivFOp::create(b, value, count);
      return roundTo(b, b.getLoc(), value, type);
    });
  }
  return {op.getKeepDims() ? emit.insertUnitDims(result, axes) : result};
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

static SmallVector<Value> lowerSoftmax(ir::SoftmaxOp op, ir::SoftmaxOp::Adaptor operands,
                                       Emitter &emit) {
  Value x = operands.getX();
  Type type = op.getX().getType().getElementType(), wide = ir::statisticsType(type);
  int64_t rank = op.getX().getType().getRank(), axis = op.normalizedAxis();
  AffineMap identity = emit.getMultiDimIdentityMap(rank);
  AffineMap rows = identity.dropResult(axis);
  SmallVector<OpFoldResult> sizes = emit.sizesOf(x);

  Value max = emit.reduce(x, axis, neutralElement(emit, ir::ReduceKind::Max, wide),
                          [](ImplicitLocOpBuilder &b, ValueRange elements) {
                            return combine(b, ir::BinaryKind::Max, elements[1], elements[0]);
                          });
  Value exp = emit.loops({x, max}, emit.empty(sizes, wide), {identity, rows, identity},
                         [](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
                           Value element = widen(b, b.getLoc(), elements[0]);
                           Value shifted = arith::SubFOp::create(b, element, elements[1]);
                           return math::ExpOp::create(b, shifted);
                         });
  Value sum = sumOver(emit, exp, axis, wide);
  return {emit.loops({exp, sum}, emit.empty(sizes, type), {identity, rows, identity},
                     [&](ImplicitLocOpBuilder &b, ValueRange elements) {
                       Value quotient = arith::DivFOp::create(b, elements[0], elements[1]);
                       return roundTo(b, b.getLoc(), quotient, type);
                     })};
}

//===----------------------------------------------------------------------===//
// Layer norms
//===----------------------------------------------------------------------===//

/// Normalizes the dims of `x` from `axis` on. The variance is that of the centered
/// elements, summed in a second pass. The result's elements are of `type`.
static Value normalize(Emitter &emit, Value x, Operand gamma, Operand beta, int64_t axis,
                       double epsilon, Type type) {
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  for (int64_t dim = axis; dim < rank; ++dim) {
    emit.commonSize({x, "x"}, dim, gamma, dim - axis);
    emit.commonSize({x, "x"}, dim, beta, dim - axis);
  }
  Type wide = ir::statisticsType(type);
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq(axis, rank));
  AffineMap identity = emit.getMultiDimIdentityMap(rank);
  AffineMap rows = emit.selectRange(rank, 0, axis), columns = emit.selectRange(rank, axis, rank);
  SmallVector<OpFoldResult> sizes = emit.sizesOf(x);
  Value count = countOf(emit, x, dims, wide);

  Value mean = emit.map(sumOver(emit, x, dims, wide), wide,
                        [&](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
                          return arith::DivFOp::create(b, elements[0], count);
                        });
  Value zeros = emit.filled(ArrayRef(sizes).take_front(axis), scalarConstant(emit, wide, 0));
  Value squares = emit.loops({x, mean}, zeros, {identity, rows, rows},
                             [](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
                               Value element = widen(b, b.getLoc(), elements[0]);
                               Value centered = arith::SubFOp::create(b, element, elements[1]);
                               Value square = arith::MulFOp::create(b, centered, centered);
                               return arith::AddFOp::create(b, elements[2], square);
                             });
  Value scale = emit.map(squares, wide, [&](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
    Value variance = arith::DivFOp::create(b, elements[0], count);
    Value shifted = arith::AddFOp::create(b, variance, scalarConstant(b, wide, epsilon));
    return activate(b, ir::ActivationKind::Rsqrt, shifted);
  });
  return emit.loops({x, mean, scale, gamma.value, beta.value}, emit.empty(sizes, type),
                    {identity, rows, rows, columns, columns, identity},
                    [&](ImplicitLocOpBuilder &b, ValueRange elements) {
                      Value element = widen(b, b.getLoc(), elements[0]);
                      Value centered = arith::SubFOp::create(b, element, elements[1]);
                      Value normal = arith::MulFOp::create(b, centered, elements[2]);
                      Value scaled =
                          arith::MulFOp::create(b, normal, widen(b, b.getLoc(), elements[3]));
                      Value result =
                          arith::AddFOp::create(b, scaled, widen(b, b.getLoc(), elements[4]));
                      return roundTo(b, b.getLoc(), result, type);
                    });
}

static SmallVector<Value> lowerLayerNorm(ir::LayerNormOp op, ir::LayerNormOp::Adaptor operands,
                                         Emitter &emit) {
  return {normalize(emit, operands.getX(), {operands.getGamma(), "gamma"},
                    {operands.getBeta(), "beta"}, op.normalizedAxis(),
                    op.getEpsilon().convertToDouble(), op.getX().getType().getElementType())};
}

static SmallVector<Value> lowerFusedLayerNorm(ir::FusedResidualLayerNormOp op,
                                              ir::FusedResidualLayerNormOp::Adaptor operands,
                                              Emitter &emit) {
  Operand x{operands.getX(), "x"}, residual{operands.getResidual(), "residual"};
  Type type = x.type().getElementType();
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < x.rank(); ++dim)
    sizes.push_back(emit.commonSize(x, dim, residual, dim));
  Value sum = emit.elementwise({x.value, residual.value}, sizes, ir::statisticsType(type),
                               [](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
                                 return arith::AddFOp::create(b, widen(b, b.getLoc(), elements[0]),
                                                              widen(b, b.getLoc(), elements[1]));
                               });
  return {normalize(emit, sum, {operands.getGamma(), "gamma"}, {operands.getBeta(), "beta"},
                    op.normalizedAxis(), op.getEpsilon().convertToDouble(), type)};
}

void populateReductionLowerings(const TypeConverter &converter, RewritePatternSet &patterns) {
  addLowering<ir::ReduceOp>(converter, patterns, lowerReduce);
  addLowering<ir::SoftmaxOp>(converter, patterns, lowerSoftmax);
  addLowering<ir::LayerNormOp>(converter, patterns, lowerLayerNorm);
  addLowering<ir::FusedResidualLayerNormOp>(converter, patterns, lowerFusedLayerNorm);
}

} // namespace rlx
