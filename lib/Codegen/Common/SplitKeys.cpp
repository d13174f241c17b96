//===- SplitKeys.cpp - attention to chunks of keys ------------------------===//
//
// Few queries offer few tiles; their keys are many. Attention to every chunk of keys
// by itself gives a partial result, and the rows' maxima and sums say how much each
// counts ("Flash-Decoding", Dao et al., 2023). The number of chunks follows from
// shapes alone, so that results don't depend on threads.
//
//===----------------------------------------------------------------------===//

#include "rlx/Codegen/Passes.h"

#include "dialects/rlx/Rlx.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

#include <limits>

namespace rlx {
#define GEN_PASS_DEF_SPLITKEYS
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

namespace {

/// Queries that a dynamic number of them is taken for.
constexpr int64_t kAssumedQueries = 8;
/// Chunks below which splitting does not pay.
constexpr int64_t kMinChunks = 4;
/// Keys of the smallest chunk: a few blocks of the kernel's.
constexpr int64_t kMinChunk = 64;

/// The largest divisor of `keys` that is at most `limit`.
int64_t largestDivisor(int64_t keys, int64_t limit) {
  for (int64_t divisor = std::min(keys, limit); divisor > 1; --divisor)
    if (keys % divisor == 0)
      return divisor;
  return 1;
}

/// Channels of all heads in one row of `operand`.
int64_t getRowChannels(ir::OnlineAttentionOp op, Value operand) {
  return op.getHeadsOf(operand) * op.getHeadSize(operand);
}

/// Keys of a chunk, or nothing where `op` is better left whole.
std::optional<int64_t> chooseChunk(ir::OnlineAttentionOp op, int64_t cacheBytes,
                                   int64_t minKeysPerQuery) {
  SmallVector<int64_t> sizes = op.getStaticLoopSizes();
  int64_t queries = sizes[2], keys = sizes[3];
  if (ShapedType::isDynamic(queries))
    queries = kAssumedQueries;
  // A result that nothing needs has no place to go to.
  if (!op.hasPureTensorSemantics() || op.getInits().size() > 2 || op->getResult(0).use_empty() ||
      ShapedType::isDynamic(keys) || op.getSharing() == ir::HeadSharing::Queries ||
      keys < minKeysPerQuery * queries)
    return std::nullopt;
  int64_t keyChannels = getRowChannels(op, op.getK()) + getRowChannels(op, op.getV());
  int64_t outElements = queries * getRowChannels(op, op.getOut());
  // What computes keys and values does so in f32 at least.
  int64_t bits = op.getShaped(op.getK()).getElementType().getIntOrFloatBitWidth();
  int64_t bytes = std::max<int64_t>(bits, 32) / 8;
  // Partial results are to be no larger than the keys and values that they come from.
  int64_t limit = std::max(cacheBytes / (keyChannels * bytes), outElements / keyChannels);
  int64_t chunk = largestDivisor(keys, std::min(limit, keys / kMinChunks));
  return chunk >= kMinChunk ? std::optional(chunk) : std::nullopt;
}

class Splitter {
public:
  Splitter(IRRewriter &rewriter, ir::OnlineAttentionOp op, int64_t chunk)
      : builder(op.getLoc(), rewriter), rewriter(rewriter), op(op), chunk(chunk) {
    auto outType = cast<RankedTensorType>(op.getOut().getType());
    elementType = outType.getElementType();
    statisticsType = ir::statisticsType(elementType);
  }

  void run() {
    rewriter.setInsertionPoint(op);
    builder.setInsertionPoint(op);
    SmallVector<Value> parts = emitParts();
    Value weights = emitWeights(parts[1], parts[2]);
    SmallVector<Value> results = {emitSum(parts[0], weights)};
    if (op.getLse())
      results.push_back(emitLse());
    rewriter.replaceOp(op, results);
  }

private:
  Value empty(ArrayRef<OpFoldResult> sizes, Type type) {
    return tensor::EmptyOp::create(builder, sizes, type);
  }

  Value fill(ArrayRef<OpFoldResult> sizes, double value, Type type) {
    Value scalar = arith::ConstantOp::create(builder, builder.getFloatAttr(type, value));
    return linalg::FillOp::create(builder, scalar, empty(sizes, type)).getResult(0);
  }

  /// The op with a chunk dim in front of its result, maxima and sums.
  SmallVector<Value> emitParts() {
    int64_t chunks = op.getStaticLoopSizes()[3] / chunk;
    outSizes = tensor::getMixedSizes(builder, op.getLoc(), op.getOut());
    SmallVector<OpFoldResult> partSizes(outSizes);
    partSizes.insert(partSizes.begin(), builder.getIndexAttr(chunks));
    rowSizes = {tensor::getMixedSize(builder, op.getLoc(), op.getQ(), 0),
                builder.getIndexAttr(op.getNumHeads()),
                tensor::getMixedSize(builder, op.getLoc(), op.getQ(), op.getRowDim())};
    chunkRowSizes = rowSizes;
    chunkRowSizes.insert(chunkRowSizes.begin(), builder.getIndexAttr(chunks));
    SmallVector<Value> inits = {empty(partSizes, statisticsType),
                                empty(chunkRowSizes, statisticsType),
                                empty(chunkRowSizes, statisticsType)};
    auto parts = ir::OnlineAttentionOp::create(
        builder, ValueRange(inits).getTypes(), op.getQ(), op.getK(), op.getV(), op.getMask(),
        op.getKeyBias(), op.getPositionOffset(), inits, op.getLayoutAttr(), op.getMaskKindAttr(),
        op.getNumHeadsAttr(), op.getScaleAttr(), op.getWindowAttr(), op.getSharingAttr(),
        builder.getI64IntegerAttr(chunk));
    return llvm::to_vector_of<Value>(parts.getResults());
  }

  /// A loop nest over (chunk, batch, head, row) with identity maps, or ones without the
  /// chunk for tensors of rank 3.
  Value loops(ValueRange inputs, Value init,
              function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
    SmallVector<AffineMap> maps;
    MLIRContext *context = builder.getContext();
    AffineMap whole = AffineMap::getMultiDimIdentityMap(4, context);
    for (Value operand :
         llvm::concat<const Value>(SmallVector<Value>(inputs), SmallVector<Value>{init}))
      maps.push_back(
          cast<RankedTensorType>(operand.getType()).getRank() == 4 ? whole : whole.dropResult(0));
    SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
    if (cast<RankedTensorType>(init.getType()).getRank() == 3)
      iterators[0] = utils::IteratorType::reduction;
    return linalg::GenericOp::create(builder, init.getType(), inputs, init, maps, iterators,
                                     [&](OpBuilder &nested, Location loc, ValueRange elements) {
                                       linalg::YieldOp::create(nested, loc,
                                                               body(nested, loc, elements));
                                     })
        .getResult(0);
  }

  /// What each chunk counts in each row: sum * exp(maximum - largest), divided by the
  /// total; zeros for a row that sees no key.
  Value emitWeights(Value maxima, Value sums) {
    double infinity = std::numeric_limits<double>::infinity();
    largest = loops(maxima, fill(rowSizes, -infinity, statisticsType),
                    [](OpBuilder &b, Location loc, ValueRange e) -> Value {
                      return arith::MaximumFOp::create(b, loc, e[1], e[0]);
                    });
    Value counts =
        loops({maxima, sums, largest}, empty(chunkRowSizes, statisticsType),
              [&](OpBuilder &b, Location loc, ValueRange e) -> Value {
                Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(statisticsType, 0));
                Value difference = arith::SubFOp::create(b, loc, e[0], e[2]);
                Value power = math::ExpOp::create(b, loc, difference);
                Value count = arith::MulFOp::create(b, loc, e[1], power);
                Value none = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, e[1], zero);
                return arith::SelectOp::create(b, loc, none, zero, count);
              });
    totals = loops(counts, fill(rowSizes, 0, statisticsType),
                   [](OpBuilder &b, Location loc, ValueRange e) -> Value {
                     return arith::AddFOp::create(b, loc, e[1], e[0]);
                   });
    Value weights =
        loops({counts, totals}, empty(chunkRowSizes, statisticsType),
              [&](OpBuilder &b, Location loc, ValueRange e) -> Value {
                Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(statisticsType, 0));
                Value none = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, e[1], zero);
                Value share = arith::DivFOp::create(b, loc, e[0], e[1]);
                return arith::SelectOp::create(b, loc, none, zero, share);
              });
    return weights;
  }

  /// largest + log(total), -inf for a row that sees no key.
  Value emitLse() {
    AffineMap identity = AffineMap::getMultiDimIdentityMap(3, builder.getContext());
    SmallVector<utils::IteratorType> iterators(3, utils::IteratorType::parallel);
    Value init = empty(rowSizes, statisticsType);
    return linalg::GenericOp::create(
               builder, init.getType(), ValueRange{largest, totals}, init,
               ArrayRef{identity, identity, identity}, iterators,
               [](OpBuilder &b, Location loc, ValueRange e) {
                 Value logarithm = math::LogOp::create(b, loc, e[1]);
                 linalg::YieldOp::create(
                     b, loc, arith::AddFOp::create(b, loc, e[0], logarithm).getResult());
               })
        .getResult(0);
  }

  /// The weighted sum of the parts over chunks. Channels of the sequence layout are
  /// looked at as (head, element).
  Value emitSum(Value parts, Value weights) {
    bool sequence = op.getLayout() == ir::AttentionLayout::Sequence;
    SmallVector<OpFoldResult> sizes(outSizes);
    MLIRContext *context = builder.getContext();
    auto dims = [&](ArrayRef<unsigned> positions) {
      SmallVector<AffineExpr> exprs;
      for (unsigned position : positions)
        exprs.push_back(getAffineDimExpr(position, context));
      return AffineMap::get(5, 0, exprs, context);
    };
    // Loops: batch, then the dims of the result as they lie, then chunk.
    AffineMap partMap = dims({4, 0, 1, 2, 3}), outMap = dims({0, 1, 2, 3}), weightMap;
    if (sequence) {
      OpFoldResult heads = builder.getIndexAttr(op.getNumHeads());
      OpFoldResult headSize = builder.getIndexAttr(op.getHeadSize(op.getOut()));
      sizes = {outSizes[0], outSizes[1], heads, headSize};
      SmallVector<OpFoldResult> expanded(sizes);
      expanded.insert(expanded.begin(), chunkRowSizes[0]);
      parts = expand(parts, {{0}, {1}, {2}, {3, 4}}, expanded);
      weightMap = dims({4, 0, 2, 1});
    } else if (op.getLayout() == ir::AttentionLayout::HeadSequence) {
      weightMap = dims({4, 0, 1, 2});
    } else {
      weightMap = dims({4, 0, 1, 3});
    }
    SmallVector<utils::IteratorType> iterators(5, utils::IteratorType::parallel);
    iterators[4] = utils::IteratorType::reduction;
    Value init = fill(sizes, 0, statisticsType);
    Value sum = linalg::GenericOp::create(
                    builder, init.getType(), ValueRange{parts, weights}, init,
                    ArrayRef{partMap, weightMap, outMap}, iterators,
                    [](OpBuilder &b, Location loc, ValueRange e) {
                      Value product = arith::MulFOp::create(b, loc, e[0], e[1]);
                      linalg::YieldOp::create(
                          b, loc, arith::AddFOp::create(b, loc, e[2], product).getResult());
                    })
                    .getResult(0);
    if (elementType != statisticsType)
      sum = roundToElementType(sum, sizes);
    if (!sequence)
      return sum;
    return tensor::CollapseShapeOp::create(builder, sum,
                                           ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3}});
  }

  Value expand(Value tensor, ArrayRef<ReassociationIndices> groups, ArrayRef<OpFoldResult> sizes) {
    SmallVector<int64_t> shape;
    for (OpFoldResult size : sizes)
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    auto type = RankedTensorType::get(shape, getElementTypeOrSelf(tensor.getType()));
    return tensor::ExpandShapeOp::create(builder, type, tensor, groups, sizes);
  }

  Value roundToElementType(Value sum, ArrayRef<OpFoldResult> sizes) {
    Value init = empty(sizes, elementType);
    AffineMap identity = AffineMap::getMultiDimIdentityMap(4, builder.getContext());
    SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               builder, init.getType(), sum, init, ArrayRef{identity, identity}, iterators,
               [&](OpBuilder &b, Location loc, ValueRange e) {
                 linalg::YieldOp::create(
                     b, loc, arith::TruncFOp::create(b, loc, elementType, e[0]).getResult());
               })
        .getResult(0);
  }

  ImplicitLocOpBuilder builder;
  IRRewriter &rewriter;
  ir::OnlineAttentionOp op;
  int64_t chunk;
  Type elementType, statisticsType;
  SmallVector<OpFoldResult> outSizes, rowSizes, chunkRowSizes;
  Value largest, totals; ///< of all chunks, [B, H, Lq]
};

class SplitKeysPass : public rlx::impl::SplitKeysBase<SplitKeysPass> {
public:
  using SplitKeysBase::SplitKeysBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<ir::OnlineAttentionOp> ops;
    getOperation().walk([&](ir::OnlineAttentionOp op) { ops.push_back(op); });
    for (ir::OnlineAttentionOp op : ops)
      if (std::optional<int64_t> chunk = chooseChunk(op, cacheBytes, minKeysPerQuery)) {
        Splitter(rewriter, op, *chunk).run();
        ++numSplit;
      }
  }
};

} // namespace
