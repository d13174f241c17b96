//===- AttentionGradients.cpp - Lowering of attention's gradients ---------===//
//
// Each head is one iteration of a parallel loop. It walks blocks of keys, and for each
// the blocks of queries: scores of a block are computed again and turned into weights,
// from which five products follow. Nothing of size Lq x Lk is stored, every sum has a
// fixed order, and no two iterations write to one place.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "rlx/Conversion/Scalars.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace rlx {

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

namespace {

/// The range of rows that one step of a loop works on.
struct Block {
  OpFoldResult start, size;
};

/// Attention whose gradients are to be computed, and how its operands are laid out.
struct BackwardParts {
  /// [B, L, H, D], or with `headsFirst` [B, H, L, D].
  Value q, k, v, outGradient;
  bool headsFirst = false;
  /// [B, H, Lq]: the log-sum-exp, and what is subtracted from the gradients of weights.
  Value lse, shift;
  /// [B or 1, H or 1, Lq or 1, Lk], or null.
  Value mask;
  ir::MaskKind maskKind = ir::MaskKind::None;
  int64_t window = 0;
  double scale = 1;

  int64_t rowDim() const { return headsFirst ? 2 : 1; }
  int64_t headDim() const { return headsFirst ? 1 : 2; }
};

/// Emits the gradients of all heads.
class BackwardEmitter {
public:
  BackwardEmitter(Emitter &emit, const BackwardParts &parts)
      : emit(emit), parts(parts), batch(emit.sizeOf(parts.q, 0)),
        heads(emit.sizeOf(parts.q, parts.headDim())), queries(emit.sizeOf(parts.q, parts.rowDim())),
        keys(emit.sizeOf(parts.k, parts.rowDim())),
        type(ir::statisticsType(getElementTypeOrSelf(parts.q.getType()))) {}

  /// The gradients of q, k and v, laid out alike, and for a bias the sums of those of
  /// scores [B, H, Lq or 1, Lk]; all in the type of statistics.
  SmallVector<Value> run();

private:
  // The gradients of one head, or of one block of it.
  enum Sum { Queries, Keys, Values, Bias };

  bool hasBias() const { return parts.maskKind == ir::MaskKind::Bias; }
  bool biasHasRows() const {
    return cast<RankedTensorType>(parts.mask.getType()).getDimSize(2) != 1;
  }
  OpFoldResult zero() { return emit.getIndexAttr(0); }

  SmallVector<OpFoldResult> headOffsets(Value tensor);
  SmallVector<OpFoldResult> headSizes(Value tensor);
  Value headOf(Value tensor);
  Value rowsOf(Value tensor, const Block &block);
  Value statisticsOf(Value tensor, const Block &block);
  Value maskOf(const Block &rows, const Block &columns);

  SmallVector<Value> emitHead(ValueRange outputs);
  SmallVector<Value> emitLoop(OpFoldResult size, ValueRange inits,
                              llvm::function_ref<SmallVector<Value>(Block, ValueRange)> body);
  SmallVector<Value> emitKeys(Block columns, ValueRange sums);
  SmallVector<Value> emitQueries(Block rows, Block columns, Value keysAcross, Value valuesAcross,
                                 ValueRange sums);

  Value contract(Value lhs, Value rhs, Value init, ArrayRef<AffineMap> maps, bool guarded = false);
  Value isVisible(ImplicitLocOpBuilder &b, const Block &rows, const Block &columns, Value mask);
  Value weights(Value scores, const Block &rows, const Block &columns);
  Value scoreGradients(Value weights, Value weightGradients, const Block &rows, double factor);
  Value addToBias(Value bias, Value gradients, const Block &rows, const Block &columns);
  Value zeros(ArrayRef<OpFoldResult> sizes) {
    return emit.filled(sizes, scalarConstant(emit, type, 0));
  }
  Value slice(Value tensor, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
              ArrayRef<int64_t> kept);
  Value insert(Value part, Value whole, ArrayRef<OpFoldResult> offsets,
               ArrayRef<OpFoldResult> sizes);

  Emitter &emit;
  const BackwardParts &parts;
  OpFoldResult batch, heads, queries, keys;
  Type type;
  Value batchIndex, headIndex;
};

} // namespace

/// Rows of a block: a divisor where there is one, so that all blocks are alike.
static int64_t chooseBlock(OpFoldResult size) {
  constexpr int64_t usual = 64, most = 96, least = 48;
  std::optional<int64_t> known = getConstantIntValue(size);
  if (!known)
    return usual;
  if (*known <= most)
    return std::max<int64_t>(*known, 1);
  for (int64_t block = most; block >= least; --block)
    if (*known % block == 0)
      return block;
  return usual;
}

Value BackwardEmitter::slice(Value tensor, ArrayRef<OpFoldResult> offsets,
                             ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> kept) {
  SmallVector<int64_t> shape;
  for (int64_t dim : kept)
    shape.push_back(getConstantIntValue(sizes[dim]).value_or(ShapedType::kDynamic));
  SmallVector<OpFoldResult> strides(sizes.size(), emit.getIndexAttr(1));
  auto sliced = RankedTensorType::get(shape, getElementTypeOrSelf(tensor.getType()));
  return tensor::ExtractSliceOp::create(emit, sliced, tensor, offsets, sizes, strides);
}

Value BackwardEmitter::insert(Value part, Value whole, ArrayRef<OpFoldResult> offsets,
                              ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(sizes.size(), emit.getIndexAttr(1));
  return tensor::InsertSliceOp::create(emit, part, whole, offsets, sizes, strides);
}

SmallVector<OpFoldResult> BackwardEmitter::headOffsets(Value tensor) {
  SmallVector<OpFoldResult> offsets(4, zero());
  offsets[0] = batchIndex;
  offsets[parts.headDim()] = headIndex;
  return offsets;
}

SmallVector<OpFoldResult> BackwardEmitter::headSizes(Value tensor) {
  SmallVector<OpFoldResult> sizes = emit.sizesOf(tensor);
  sizes[0] = sizes[parts.headDim()] = emit.getIndexAttr(1);
  return sizes;
}

/// The current head of an operand or output, [L, D].
Value BackwardEmitter::headOf(Value tensor) {
  return slice(tensor, headOffsets(tensor), headSizes(tensor), {parts.rowDim(), 3});
}

/// Some rows of the current head, [rows, D].
Value BackwardEmitter::rowsOf(Value tensor, const Block &block) {
  SmallVector<OpFoldResult> offsets = headOffsets(tensor), sizes = headSizes(tensor);
  offsets[parts.rowDim()] = block.start;
  sizes[parts.rowDim()] = block.size;
  return slice(tensor, offsets, sizes, {parts.rowDim(), 3});
}

/// The elements of some rows of the current head of a tensor [B, H, Lq].
Value BackwardEmitter::statisticsOf(Value tensor, const Block &block) {
  OpFoldResult one = emit.getIndexAttr(1);
  return slice(tensor, {batchIndex, headIndex, block.start}, {one, one, block.size}, {2});
}

/// The part of the mask for a block, [rows, columns] or [columns].
Value BackwardEmitter::maskOf(const Block &rows, const Block &columns) {
  auto maskType = cast<RankedTensorType>(parts.mask.getType());
  OpFoldResult one = emit.getIndexAttr(1);
  auto at = [&](int64_t dim, Value index) -> OpFoldResult {
    return maskType.getDimSize(dim) == 1 ? zero() : OpFoldResult(index);
  };
  bool hasRows = maskType.getDimSize(2) != 1;
  SmallVector<int64_t> kept = {3};
  if (hasRows)
    kept.insert(kept.begin(), 2);
  return slice(parts.mask,
               {at(0, batchIndex), at(1, headIndex), hasRows ? rows.start : zero(), columns.start},
               {one, one, hasRows ? rows.size : one, columns.size}, kept);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// `init` plus the sum of products. With `guarded`, elements 0 of `lhs` count as
/// nothing even where those of `rhs` are not finite.
Value BackwardEmitter::contract(Value lhs, Value rhs, Value init, ArrayRef<AffineMap> maps,
                                bool guarded) {
  return emit.loops(
      {lhs, rhs}, init, maps, [&](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
        Value first = widen(b, b.getLoc(), elements[0]), second = widen(b, b.getLoc(), elements[1]);
        Value product = arith::MulFOp::create(b, first, second);
        if (guarded) {
          Value none = scalarConstant(b, type, 0);
          Value isNone = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, first, none);
          product = arith::SelectOp::create(b, isNone, none, product);
        }
        return arith::AddFOp::create(b, elements[2], product);
      });
}

/// In the body of a loop over a block: whether the query sees the key. Null if it does
/// in any case.
Value BackwardEmitter::isVisible(ImplicitLocOpBuilder &b, const Block &rows, const Block &columns,
                                 Value mask) {
  auto position = [&](int64_t dim, const Block &block) -> Value {
    Value start = getValueOrCreateConstantIndexOp(b, b.getLoc(), block.start);
    return arith::AddIOp::create(b, start, linalg::IndexOp::create(b, dim));
  };
  auto atMost = [&](Value lhs, Value rhs) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::sle, lhs, rhs);
  };
  switch (parts.maskKind) {
  case ir::MaskKind::None:
    return Value();
  case ir::MaskKind::Causal: {
    Value offset = arith::SubIOp::create(b, getValueOrCreateConstantIndexOp(b, b.getLoc(), keys),
                                         getValueOrCreateConstantIndexOp(b, b.getLoc(), queries));
    Value last = arith::AddIOp::create(b, position(0, rows), offset);
    return atMost(position(1, columns), last);
  }
  case ir::MaskKind::SlidingWindow: {
    Value query = position(0, rows), key = position(1, columns);
    Value window = arith::ConstantIndexOp::create(b, parts.window);
    Value isLate = atMost(query, arith::AddIOp::create(b, key, window));
    return arith::AndIOp::create(b, atMost(key, query), isLate);
  }
  case ir::MaskKind::Custom: {
    if (!isa<FloatType>(mask.getType()))
      return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, mask,
                                   scalarConstant(b, mask.getType(), 0));
    Value wide = widen(b, b.getLoc(), mask);
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, wide,
                                 scalarConstant(b, wide.getType(), 0.5));
  }
  case ir::MaskKind::Bias: {
    double infinity = std::numeric_limits<double>::infinity();
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, mask,
                                 scalarConstant(b, mask.getType(), -infinity));
  }
  }
  llvm_unreachable("unknown mask kind");
}

/// A score in the type of statistics.
static Value convertMask(ImplicitLocOpBuilder &b, Value mask, Type type) {
  if (mask.getType() == type)
    return mask;
  if (mask.getType().getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return arith::TruncFOp::create(b, type, mask);
  return arith::ExtFOp::create(b, type, mask);
}

/// exp(scale * scores + bias - lse), 0 where a query doesn't see a key.
Value BackwardEmitter::weights(Value scores, const Block &rows, const Block &columns) {
  SmallVector<Value> inputs = {scores, statisticsOf(parts.lse, rows)};
  AffineMap identity = emit.getMultiDimIdentityMap(2);
  SmallVector<AffineMap> maps = {identity, emit.select(2, {0})};
  if (parts.mask) {
    inputs.push_back(maskOf(rows, columns));
    bool hasRows = cast<RankedTensorType>(inputs.back().getType()).getRank() == 2;
    maps.push_back(hasRows ? identity : emit.select(2, {1}));
  }
  maps.push_back(identity);
  return emit.loops(
      inputs, emit.empty({rows.size, columns.size}, type), maps,
      [&](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
        Value none = scalarConstant(b, type, 0), mask = parts.mask ? elements[2] : Value();
        Value score = arith::MulFOp::create(b, elements[0], scalarConstant(b, type, parts.scale));
        if (hasBias())
          score = arith::AddFOp::create(b, score, convertMask(b, mask, type));
        Value weight = math::ExpOp::create(b, arith::SubFOp::create(b, score, elements[1]));
        // A row that sees no key has no weights.
        Value least = scalarConstant(b, type, -std::numeric_limits<double>::infinity());
        Value isEmpty = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, elements[1], least);
        weight = arith::SelectOp::create(b, isEmpty, none, weight);
        if (Value visible = isVisible(b, rows, columns, mask))
          weight = arith::SelectOp::create(b, visible, weight, none);
        return weight;
      });
}

/// factor * weights * (weightGradients - shift).
Value BackwardEmitter::scoreGradients(Value weights, Value weightGradients, const Block &rows,
                                      double factor) {
  AffineMap identity = emit.getMultiDimIdentityMap(2);
  return emit.loops(
      {weights, weightGradients, statisticsOf(parts.shift, rows)},
      emit.empty(emit.sizesOf(weights), type), {identity, identity, emit.select(2, {0}), identity},
      [&](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
        Value none = scalarConstant(b, type, 0);
        Value difference = arith::SubFOp::create(b, elements[1], elements[2]);
        Value gradient = arith::MulFOp::create(b, elements[0], difference);
        if (factor != 1)
          gradient = arith::MulFOp::create(b, gradient, scalarConstant(b, type, factor));
        Value isNone = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, elements[0], none);
        return arith::SelectOp::create(b, isNone, none, gradient);
      });
}

/// Adds the gradients of a block's scores to a head's sums, [Lq or 1, Lk].
Value BackwardEmitter::addToBias(Value bias, Value gradients, const Block &rows,
                                 const Block &columns) {
  bool hasRows = biasHasRows();
  OpFoldResult one = emit.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets = {hasRows ? rows.start : zero(), columns.start};
  SmallVector<OpFoldResult> sizes = {hasRows ? rows.size : one, columns.size};
  SmallVector<int64_t> kept = {1};
  if (hasRows)
    kept = {0, 1};
  AffineMap identity = emit.getMultiDimIdentityMap(2);
  Value sum = emit.loops(gradients, slice(bias, offsets, sizes, kept),
                         {identity, hasRows ? identity : emit.select(2, {1})},
                         [](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
                           return arith::AddFOp::create(b, elements[1], elements[0]);
                         });
  return insert(sum, bias, offsets, sizes);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A sequential loop over blocks of [0, size) that carries `inits`.
SmallVector<Value>
BackwardEmitter::emitLoop(OpFoldResult size, ValueRange inits,
                          llvm::function_ref<SmallVector<Value>(Block, ValueRange)> body) {
  int64_t block = chooseBlock(size);
  std::optional<int64_t> known = getConstantIntValue(size);
  if (known == block)
    return body({zero(), emit.getIndexAttr(block)}, inits);
  Value end = getValueOrCreateConstantIndexOp(emit, emit.getLoc(), size);
  auto loop = scf::ForOp::create(emit, emit.index(0), end, emit.index(block), inits);
  OpBuilder::InsertionGuard guard(emit);
  emit.setInsertionPointToStart(loop.getBody());
  Block current{loop.getInductionVar(), emit.getIndexAttr(block)};
  if (!known || *known % block != 0) {
    AffineExpr start = emit.getAffineDimExpr(0), last = emit.getAffineDimExpr(1);
    AffineMap map =
        AffineMap::get(2, 0, {emit.getAffineConstantExpr(block), last - start}, emit.getContext());
    current.size =
        affine::makeComposedFoldedAffineMin(emit, emit.getLoc(), map, {current.start, size});
  }
  scf::YieldOp::create(emit, body(current, loop.getRegionIterArgs()));
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// One block of queries against one of keys. The sums of queries and bias are a head's,
/// those of keys and values the block's.
SmallVector<Value> BackwardEmitter::emitQueries(Block rows, Block columns, Value keysAcross,
                                                Value valuesAcross, ValueRange sums) {
  SmallVector<Value> results(sums);
  Value q = rowsOf(parts.q, rows), k = rowsOf(parts.k, columns);
  Value d = rowsOf(parts.outGradient, rows);
  SmallVector<OpFoldResult> sizes = {rows.size, columns.size};
  AffineMap row = emit.select(3, {0, 1}), inner = emit.select(3, {0, 2}),
            across = emit.select(3, {2, 1}), down = emit.select(3, {2, 0});
  bool guarded = parts.maskKind != ir::MaskKind::None;

  Value weight =
      weights(contract(q, keysAcross, zeros(sizes), {inner, across, row}), rows, columns);
  Value weightGradient = contract(d, valuesAcross, zeros(sizes), {inner, across, row});
  results[Values] = contract(weight, d, results[Values], {down, across, row}, guarded);
  Value gradient = scoreGradients(weight, weightGradient, rows, parts.scale);
  if (hasBias())
    results[Bias] =
        addToBias(results[Bias], scoreGradients(weight, weightGradient, rows, 1), rows, columns);
  SmallVector<OpFoldResult> offsets = {rows.start, zero()};
  SmallVector<OpFoldResult> extent = {rows.size, emit.sizeOf(results[Queries], 1)};
  Value sum = contract(gradient, k, slice(results[Queries], offsets, extent, {0, 1}),
                       {inner, across, row}, guarded);
  results[Queries] = insert(sum, results[Queries], offsets, extent);
  results[Keys] = contract(gradient, q, results[Keys], {down, across, row}, guarded);
  return results;
}

/// One block of keys against all queries.
SmallVector<Value> BackwardEmitter::emitKeys(Block columns, ValueRange sums) {
  SmallVector<Value> results(sums), carried(sums);
  Value keysAcross = emit.transpose(rowsOf(parts.k, columns), {1, 0});
  Value valuesAcross = emit.transpose(rowsOf(parts.v, columns), {1, 0});
  SmallVector<OpFoldResult> offsets = {columns.start, zero()};
  for (Sum sum : {Keys, Values})
    carried[sum] = zeros({columns.size, emit.sizeOf(results[sum], 1)});
  carried = emitLoop(queries, carried, [&](Block rows, ValueRange values) {
    return emitQueries(rows, columns, keysAcross, valuesAcross, values);
  });
  for (Sum sum : {Keys, Values}) {
    SmallVector<OpFoldResult> sizes = {columns.size, emit.sizeOf(results[sum], 1)};
    carried[sum] = insert(carried[sum], results[sum], offsets, sizes);
  }
  return carried;
}

/// The gradients of the current head.
SmallVector<Value> BackwardEmitter::emitHead(ValueRange outputs) {
  SmallVector<Value> sums;
  for (auto [index, output] : llvm::enumerate(outputs)) {
    Value head;
    if (index == Bias) {
      OpFoldResult one = emit.getIndexAttr(1);
      head = slice(output, {batchIndex, headIndex, zero(), zero()},
                   {one, one, emit.sizeOf(output, 2), emit.sizeOf(output, 3)}, {2, 3});
    } else {
      head = headOf(output);
    }
    Value none = scalarConstant(emit, type, 0);
    sums.push_back(linalg::FillOp::create(emit, none, head).getResult(0));
  }
  return emitLoop(keys, sums,
                  [&](Block columns, ValueRange values) { return emitKeys(columns, values); });
}

SmallVector<Value> BackwardEmitter::run() {
  SmallVector<Value> outputs;
  for (Value operand : {parts.q, parts.k, parts.v})
    outputs.push_back(emit.empty(emit.sizesOf(operand), type));
  if (hasBias())
    outputs.push_back(
        emit.empty({batch, heads, biasHasRows() ? queries : emit.getIndexAttr(1), keys}, type));
  SmallVector<OpFoldResult> steps = {batch, heads};
  auto loop = scf::ForallOp::create(emit, steps, outputs, std::nullopt);
  OpBuilder::InsertionGuard guard(emit);
  emit.setInsertionPointToStart(loop.getBody());
  batchIndex = loop.getInductionVars()[0];
  headIndex = loop.getInductionVars()[1];
  SmallVector<Value> sums = emitHead(loop.getRegionIterArgs());
  SmallVector<SmallVector<OpFoldResult>> offsets, sizes;
  for (auto [index, output] : llvm::enumerate(loop.getRegionIterArgs())) {
    OpFoldResult one = emit.getIndexAttr(1);
    offsets.push_back(index == Bias
                          ? SmallVector<OpFoldResult>{batchIndex, headIndex, zero(), zero()}
                          : headOffsets(output));
    sizes.push_back(index == Bias ? SmallVector<OpFoldResult>{one, one, emit.sizeOf(output, 2),
                                                              emit.sizeOf(output, 3)}
                                  : headSizes(output));
  }
  emit.setInsertionPointToEnd(loop.getTerminator().getBody());
  SmallVector<OpFoldResult> strides(4, emit.getIndexAttr(1));
  for (auto [index, output] : llvm::enumerate(loop.getRegionIterArgs()))
    tensor::ParallelInsertSliceOp::create(emit, sums[index], output, offsets[index], sizes[index],
                                          strides);
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// rowsum(out * outGradient) - lseGradient, as [B, H, Lq].
static Value rowShift(Emitter &emit, Value out, Value outGradient, Value lseGradient,
                      bool headsFirst, Value lse) {
  Type type = getElementTypeOrSelf(lse.getType());
  Value init = lseGradient ? emit.map(lseGradient, type,
                                      [](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
                                        return arith::NegFOp::create(b, elements[0]);
                                      })
                           : emit.filled(emit.sizesOf(lse), scalarConstant(emit, type, 0));
  AffineMap identity = emit.getMultiDimIdentityMap(4);
  AffineMap rows = headsFirst ? emit.select(4, {0, 1, 2}) : emit.select(4, {0, 2, 1});
  return emit.loops({out, outGradient}, init, {identity, identity, rows},
                    [](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
                      Value product = arith::MulFOp::create(b, widen(b, b.getLoc(), elements[0]),
                                                            widen(b, b.getLoc(), elements[1]));
                      return arith::AddFOp::create(b, elements[2], product);
                    });
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// The tensor rounded to elements of `type`.
static Value rounded(Emitter &emit, Value tensor, Type type) {
  if (getElementTypeOrSelf(tensor.getType()) == type)
    return tensor;
  return emit.map(tensor, type, [&](ImplicitLocOpBuilder &b, ValueRange elements) {
    return convert(b, elements[0], type);
  });
}

/// The gradient of a mask from those of all scores, [B, H, Lq or 1, Lk]: the sum over
/// dims in which the mask, which is `aligned` to the scores, is 1.
static Value maskGradient(Emitter &emit, Value scores, RankedTensorType aligned,
                          RankedTensorType type) {
  SmallVector<int64_t> repeated;
  for (int64_t dim = 0; dim < 3; ++dim)
    if (aligned.getDimSize(dim) == 1)
      repeated.push_back(dim);
  if (!repeated.empty()) {
    Value none = scalarConstant(emit, getElementTypeOrSelf(scores.getType()), 0);
    scores = emit.reduce(scores, repeated, none,
                         [](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
                           return arith::AddFOp::create(b, elements[1], elements[0]);
                         });
  }
  scores = rounded(emit, scores, type.getElementType());
  if (type.getRank() != 4) // [B, Lk], of which B may be 1
    return llvm::is_contained(repeated, 0) ? emit.insertUnitDims(scores, {0}) : scores;
  return emit.insertUnitDims(scores, repeated);
}

static SmallVector<Value> lowerAttentionBackward(ir::AttentionBackwardOp op,
                                                 ir::AttentionBackwardOp::Adaptor operands,
                                                 Emitter &emit) {
  int64_t heads = op.getNumHeads(), headDim = op.getHeadDim(), valueDim = op.getValueDim();
  Operand q{operands.getQ(), "q"}, k{operands.getK(), "k"}, v{operands.getV(), "v"};
  Operand out{operands.getOut(), "out"}, gradient{operands.getDOut(), "d_out"};
  Operand lse{operands.getLse(), "lse"};
  for (const Operand &other : {k, v, out, gradient, lse})
    emit.commonSize(q, 0, other, 0);
  emit.commonSize(k, 1, v, 1);
  emit.commonSize(q, 1, out, 1);
  emit.commonSize(q, 1, gradient, 1);
  emit.commonSize(q, 1, lse, 2);
  auto split = [&](const Operand &operand, int64_t width) {
    Value value = emit.withStaticDim(operand, 2, heads * width);
    return emit.expandShape(value, {{0}, {1}, {2, 3}},
                            {emit.sizeOf(value, 0), emit.sizeOf(value, 1), emit.getIndexAttr(heads),
                             emit.getIndexAttr(width)});
  };
  BackwardParts parts;
  parts.q = split(q, headDim);
  parts.k = split(k, headDim);
  parts.v = split(v, valueDim);
  parts.outGradient = split(gradient, valueDim);
  parts.lse = emit.withStaticDim(lse, 1, heads);
  parts.shift = rowShift(emit, split(out, valueDim), parts.outGradient, operands.getDLse(),
                         /*headsFirst=*/false, parts.lse);
  parts.maskKind = op.getMaskKind();
  parts.window = op.getWindow().value_or(0);
  parts.scale = op.getScaleValue();
  if (Value mask = operands.getMask())
    parts.mask = fullMask(emit, {mask, "mask"}, q, k, heads);

  SmallVector<Value> results = BackwardEmitter(emit, parts).run();
  Type type = q.type().getElementType();
  for (Value &result : MutableArrayRef(results).take_front(3))
    result = rounded(emit, emit.collapseShape(result, {{0}, {1}, {2, 3}}), type);
  if (op.getDMask())
    results[3] = maskGradient(emit, results[3], cast<RankedTensorType>(parts.mask.getType()),
                              cast<RankedTensorType>(operands.getMask().getType()));
  return results;
}

//===----------------------------------------------------------------------===//
// PSA ops
//===----------------------------------------------------------------------===//

static Value sumOf(ImplicitLocOpBuilder &b, ValueRange elements) {
  Value sum = arith::AddFOp::create(b, widen(b, b.getLoc(), elements[0]),
                                    widen(b, b.getLoc(), elements[1]));
  return roundTo(b, b.getLoc(), sum, elements[0].getType());
}

static SmallVector<Value>
lowerFlashAttentionBackward(ir::PsaFlashAttentionBackwardOp op,
                            ir::PsaFlashAttentionBackwardOp::Adaptor operands, Emitter &emit) {
  Operand into{operands.getInto(), "into"}, whole{operands.getPacked(), "packed"};
  for (int64_t dim : {0, 2, 3})
    emit.commonSize(whole, dim, into, dim);
  Value packed = emit.withStaticDim(whole, 1, 4);
  Value result = emit.withStaticDim(into, 1, 4);
  int64_t values = op.getSection() == ir::PsaSection::Lo ? 2 : 3;
  BackwardParts parts;
  parts.headsFirst = true;
  parts.scale = 1 / std::sqrt(static_cast<double>(op.getPacked().getType().getDimSize(4)));
  parts.q = emit.sliceAt(packed, 1, 0);
  parts.k = emit.sliceAt(packed, 1, 1);
  parts.v = emit.sliceAt(packed, 1, values);
  for (int64_t dim : {0, 1, 2}) {
    emit.commonSize({parts.q, "packed"}, dim, {operands.getOut(), "out"}, dim);
    emit.commonSize({parts.q, "packed"}, dim, {operands.getDOut(), "d_out"}, dim);
    emit.commonSize({parts.q, "packed"}, dim, {operands.getLse(), "lse"}, dim);
  }
  parts.outGradient = operands.getDOut();
  parts.lse = operands.getLse();
  parts.shift = rowShift(emit, operands.getOut(), operands.getDOut(), operands.getDLse(),
                         /*headsFirst=*/true, parts.lse);

  Type type = op.getPacked().getType().getElementType();
  SmallVector<Value> gradients = BackwardEmitter(emit, parts).run();
  SmallVector<OpFoldResult> sizes = emit.sizesOf(result), offsets(5, emit.getIndexAttr(0)),
                            strides(5, emit.getIndexAttr(1));
  sizes[1] = emit.getIndexAttr(1);
  const int64_t sections[] = {0, 1, values};
  for (auto [gradient, section] : llvm::zip(gradients, sections)) {
    Value before = emit.sliceAt(result, 1, section);
    Value sum = emit.elementwise({before, gradient}, emit.sizesOf(before), type,
                                 [&](ImplicitLocOpBuilder &b, ValueRange elements) -> Value {
                                   Value wide = arith::AddFOp::create(
                                       b, widen(b, b.getLoc(), elements[0]), elements[1]);
                                   return roundTo(b, b.getLoc(), wide, type);
                                 });
    offsets[1] = emit.getIndexAttr(section);
    result = tensor::InsertSliceOp::create(emit, sum, result, offsets, sizes, strides);
  }
  return {result};
}

static SmallVector<Value> lowerPackQkvBackward(ir::PsaPackQkvBackwardOp op,
                                               ir::PsaPackQkvBackwardOp::Adaptor operands,
                                               Emitter &emit) {
  int64_t heads = op.getNumHeads(), keyDim = op.getKeyDim();
  Value image = emit.withStaticDim({operands.getInto(), "into"}, 1, heads * 4 * keyDim);
  Value rows = emit.collapseShape(image, {{0}, {1}, {2, 3}});
  Operand d{operands.getD(), "d"};
  emit.commonSize({rows, "into"}, 0, d, 0);
  emit.requireEqual(emit.sizeOf(rows, 2), emit.sizeOf(d.value, 3),
                    "d dim 3: expected as many rows as the image has pixels at run time");
  SmallVector<OpFoldResult> sizes = {emit.sizeOf(rows, 0), emit.getIndexAttr(heads),
                                     emit.getIndexAttr(4), emit.getIndexAttr(keyDim),
                                     emit.sizeOf(rows, 2)};
  Value sections = emit.expandShape(rows, {{0}, {1, 2, 3}, {4}}, sizes);
  AffineMap identity = emit.getMultiDimIdentityMap(5);
  Value sum =
      emit.loops({sections, d.value}, emit.empty(sizes, op.getInto().getType().getElementType()),
                 {identity, emit.select(5, {0, 2, 1, 4, 3}), identity}, sumOf);
  return {emit.expandShape(emit.collapseShape(sum, {{0}, {1, 2, 3}, {4}}), {{0}, {1}, {2, 3}},
                           emit.sizesOf(image))};
}

static SmallVector<Value> lowerExtractVBackward(ir::PsaExtractVBackwardOp op,
                                                ir::PsaExtractVBackwardOp::Adaptor operands,
                                                Emitter &emit) {
  int64_t heads = op.getNumHeads(), keyDim = op.getKeyDim();
  Operand into{operands.getInto(), "into"}, d{operands.getD(), "d"};
  for (int64_t dim : {0, 2, 3})
    emit.commonSize(into, dim, d, dim);
  auto split = [&](const Operand &operand, int64_t width) {
    Value value = emit.withStaticDim(operand, 1, heads * width);
    SmallVector<OpFoldResult> sizes = emit.sizesOf(value);
    sizes[1] = emit.getIndexAttr(width);
    sizes.insert(sizes.begin() + 1, emit.getIndexAttr(heads));
    return emit.expandShape(value, {{0}, {1, 2}, {3}, {4}}, sizes);
  };
  Value image = split(into, 4 * keyDim), gradient = split(d, 2 * keyDim);
  Value values = emit.slice(image, 2, 2 * keyDim, 2 * keyDim);
  Value sum = emit.elementwise({values, gradient}, emit.sizesOf(values),
                               into.type().getElementType(), sumOf);
  SmallVector<OpFoldResult> offsets(5, emit.getIndexAttr(0)), strides(5, emit.getIndexAttr(1));
  offsets[2] = emit.getIndexAttr(2 * keyDim);
  Value result =
      tensor::InsertSliceOp::create(emit, sum, image, offsets, emit.sizesOf(values), strides);
  return {emit.collapseShape(result, {{0}, {1, 2}, {3}, {4}})};
}

static SmallVector<Value> lowerMergeAttnBackward(ir::PsaMergeAttnBackwardOp op,
                                                 ir::PsaMergeAttnBackwardOp::Adaptor operands,
                                                 Emitter &emit) {
  int64_t heads = op.getNumHeads(), keyDim = op.getD().getType().getDimSize(1) / (2 * heads);
  Value rows = emit.collapseShape(operands.getD(), {{0}, {1}, {2, 3}});
  Value halves =
      emit.expandShape(rows, {{0}, {1, 2, 3}, {4}},
                       {emit.sizeOf(rows, 0), emit.getIndexAttr(heads), emit.getIndexAttr(2),
                        emit.getIndexAttr(keyDim), emit.sizeOf(rows, 2)});
  return {emit.transpose(emit.sliceAt(halves, 2, 0), {0, 1, 3, 2}),
          emit.transpose(emit.sliceAt(halves, 2, 1), {0, 1, 3, 2})};
}

void populateAttentionGradientLowerings(const TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  addLowering<ir::AttentionBackwardOp>(converter, patterns, lowerAttentionBackward);
  addLowering<ir::PsaPackQkvBackwardOp>(converter, patterns, lowerPackQkvBackward);
  addLowering<ir::PsaExtractVBackwardOp>(converter, patterns, lowerExtractVBackward);
  addLowering<ir::PsaMergeAttnBackwardOp>(converter, patterns, lowerMergeAttnBackward);
  addLowering<ir::PsaFlashAttentionBackwardOp>(converter, patterns, lowerFlashAttentionBackward);
}

} // namespace rlx
