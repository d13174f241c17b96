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
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

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
      op.getLayout() != ir::AttentionLayout::Sequence || keys < minKeysPerQuery * queries)
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
      : rewriter(rewriter), op(op), chunk(chunk) {}

  void run() {
    rewriter.setInsertionPoint(op);
    Location loc = op.getLoc();
    ir::OnlineAttentionOp parts = createParts(loc);
    auto combine = ir::CombineChunksOp::create(
        rewriter, loc, op.getResultTypes(), parts->getResult(0), parts->getResult(1),
        parts->getResult(2), op.getInits(), op.getNumHeadsAttr());
    rewriter.replaceOp(op, combine);
  }

private:
  /// The op with a dim in front of its result, maxima and sums that counts chunks.
  ir::OnlineAttentionOp createParts(Location loc) {
    Type type = ir::statisticsType(op.getShaped(op.getOut()).getElementType());
    OpFoldResult chunks = rewriter.getIndexAttr(op.getStaticLoopSizes()[3] / chunk);
    SmallVector<OpFoldResult> outSizes = tensor::getMixedSizes(rewriter, loc, op.getOut());
    SmallVector<OpFoldResult> rowSizes = {outSizes[0], rewriter.getIndexAttr(op.getNumHeads()),
                                          outSizes[1]};
    SmallVector<Value> inits;
    for (SmallVector<OpFoldResult> sizes : {outSizes, rowSizes, rowSizes}) {
      sizes.insert(sizes.begin(), chunks);
      inits.push_back(tensor::EmptyOp::create(rewriter, loc, sizes, type));
    }
    return ir::OnlineAttentionOp::create(
        rewriter, loc, ValueRange(inits).getTypes(), op.getQ(), op.getK(), op.getV(), op.getMask(),
        op.getKeyBias(), op.getPositionOffset(), inits, op.getLayoutAttr(), op.getMaskKindAttr(),
        op.getNumHeadsAttr(), op.getScaleAttr(), op.getWindowAttr(), op.getSharingAttr(),
        rewriter.getI64IntegerAttr(chunk));
  }

  IRRewriter &rewriter;
  ir::OnlineAttentionOp op;
  int64_t chunk;
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
