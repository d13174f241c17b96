//===- RlxStructuredVerify.cpp - Constraints of the structured ops --------===//

#include "dialects/rlx/RlxInference.h"

using namespace mlir;
using namespace rlx;
using namespace rlx::ir;

//===----------------------------------------------------------------------===//
// PackedMatmulOp
//===----------------------------------------------------------------------===//

LogicalResult PackedMatmulOp::verify() {
  auto errors = TypeErrors::of<PackedMatmulOp>(getLoc());
  NamedOperand x("x", getX()), packed("packed", getPacked()), out("out", getInit());
  if (x.rank() < 2)
    return errors("operand 'x': expected rank 2 or more, found ", x.type);
  if (failed(checkRank(errors, packed, 3)) || failed(checkRank(errors, out, x.rank())))
    return failure();
  for (int64_t dim = 0; dim + 1 < x.rank(); ++dim)
    if (failed(checkDim(errors, out, dim, x.dim(dim), ("rows along axis " + Twine(dim)).str())))
      return failure();
  if (failed(checkDim(errors, packed, 1, x.dim(-1), "rows")))
    return failure();
  if (ShapedType::isDynamic(packed.dim(2)) || packed.dim(2) < 1)
    return errors("operand 'packed': expected a static panel width of at least 1, found ",
                  packed.type);
  int64_t columns = out.dim(-1);
  if (getBias()) {
    NamedOperand bias("bias", getBias());
    if (failed(checkRank(errors, bias, 1)) ||
        failed(checkDim(errors, bias, 0, columns, "elements")))
      return failure();
    columns = mergeDims(columns, bias.dim(0));
  }
  if (ShapedType::isDynamic(columns))
    return success();
  return checkDim(errors, packed, 0, llvm::divideCeil(columns, packed.dim(2)), "panels");
}

//===----------------------------------------------------------------------===//
// OnlineAttentionOp
//===----------------------------------------------------------------------===//

namespace {
/// A size of the op, and what it counts.
struct NamedSize {
  int64_t size;
  StringRef meaning;
};

/// Checks the operands against each other (C1, C2, C3, C6, C7).
class AttentionShapes {
public:
  explicit AttentionShapes(OnlineAttentionOp op)
      : op(op), errors(TypeErrors::of<OnlineAttentionOp>(op.getLoc())),
        isSequence(op.getLayout() == AttentionLayout::Sequence), row(op.getRowDim()),
        channel(isSequence ? 2 : 5 - row) {}

  LogicalResult verify() {
    NamedOperand q("q", op.getQ()), k("k", op.getK()), v("v", op.getV());
    for (const NamedOperand &operand : {q, k, v})
      if (failed(checkRank(errors, operand, isSequence ? 3 : 4)))
        return failure();
    FailureOr<int64_t> keySize = getHeadSize(q, op.getQ());
    if (failed(keySize))
      return failure();
    FailureOr<int64_t> valueSize = getHeadSize(v, op.getV());
    if (failed(valueSize))
      return failure();
    batches = {mergeDims(mergeDims(q.dim(0), k.dim(0)), v.dim(0)), "batches"};
    heads = {op.getNumHeads(), "heads"};
    queries = {q.dim(row), "queries"};
    keys = {mergeDims(k.dim(row), v.dim(row)), "keys"};
    if (failed(checkOperand(q, op.getQ(), queries, *keySize)) ||
        failed(checkOperand(k, op.getK(), keys, *keySize)) ||
        failed(checkOperand(v, op.getV(), keys, *valueSize)) || failed(computeChunks()) ||
        failed(checkOperand({"out", op.getOut()}, op.getOut(), queries, *valueSize)))
      return failure();
    for (Value statistics : op.getInits().drop_front())
      if (failed(checkSizes({"out", statistics}, withChunks({batches, heads, queries}))))
        return failure();
    if (op.getMask() &&
        failed(checkSizes({"mask", op.getMask()}, {batches, heads, queries, keys}, 3)))
      return failure();
    return op.getKeyBias() ? checkSizes({"key_bias", op.getKeyBias()}, {batches, heads, keys}, 1)
                           : success();
  }

private:
  /// D or Dv: the channels of one head.
  FailureOr<int64_t> getHeadSize(const NamedOperand &operand, Value value) {
    int64_t channels = operand.dim(channel), parts = isSequence ? op.getHeadsOf(value) : 1;
    if (ShapedType::isDynamic(channels))
      return errors("operand '", operand.name, "': expected static channels, found ", operand.type);
    if (channels % parts != 0)
      return errors("operand '", operand.name, "': expected a multiple of ", parts,
                    " channels, found ", operand.type);
    return channels / parts;
  }

  /// Checks the dims of `operand`, the first `broadcast` of which may be 1 instead.
  LogicalResult checkSizes(const NamedOperand &operand, ArrayRef<NamedSize> sizes,
                           unsigned broadcast = 0) {
    if (failed(checkRank(errors, operand, sizes.size())))
      return failure();
    for (auto [dim, expected] : llvm::enumerate(sizes))
      if ((dim >= broadcast || operand.dim(dim) != 1) &&
          failed(checkDim(errors, operand, dim, expected.size, expected.meaning)))
        return failure();
    return success();
  }

  /// Checks a q, k, v or out operand, which has `rows` and heads of `headSize` channels.
  LogicalResult checkOperand(const NamedOperand &operand, Value value, NamedSize rows,
                             int64_t headSize) {
    NamedSize channels = {isSequence ? headSize * op.getHeadsOf(value) : headSize, "channels"};
    SmallVector<NamedSize> sizes = {batches};
    if (!isSequence)
      sizes.push_back(heads);
    sizes.append({rows, channels});
    if (op.getLayout() == AttentionLayout::HeadChannel)
      std::swap(sizes[2], sizes[3]);
    return checkSizes(operand, value == op.getOut() ? withChunks(sizes) : sizes);
  }

  /// (C7).
  LogicalResult computeChunks() {
    std::optional<int64_t> chunk = op.getKeyChunk();
    if (!chunk)
      return success();
    if (op.getInits().size() != 3)
      return errors("key_chunk: expected three outs, found ", op.getInits().size());
    if (*chunk < 1 || ShapedType::isDynamic(keys.size) || keys.size % *chunk != 0)
      return errors("key_chunk: expected a divisor of ", printDim(keys.size),
                    " keys, which are static, found ", *chunk);
    chunks = NamedSize{keys.size / *chunk, "chunks"};
    return success();
  }

  /// The dims of an out, which count chunks first if there are any.
  SmallVector<NamedSize> withChunks(ArrayRef<NamedSize> sizes) {
    SmallVector<NamedSize> all(sizes);
    if (chunks)
      all.insert(all.begin(), *chunks);
    return all;
  }

  OnlineAttentionOp op;
  TypeErrors errors;
  bool isSequence;
  unsigned row, channel;
  NamedSize batches, heads, queries, keys;
  std::optional<NamedSize> chunks;
};
} // namespace

LogicalResult OnlineAttentionOp::verify() {
  auto errors = TypeErrors::of<OnlineAttentionOp>(getLoc());
  size_t outs = getInits().size();
  if (outs < 1 || outs > 3)
    return errors("outs: expected one to three, found ", outs);
  if (failed(checkAtLeast(errors, "num_heads", getNumHeads(), 1)) ||
      failed(checkMaskKind(errors, getMaskKind(), static_cast<bool>(getMask()), getWindow())))
    return failure();
  if (getSharing() != HeadSharing::None && getLayout() != AttentionLayout::Sequence)
    return errors("sharing ", stringifyHeadSharing(getSharing()),
                  ": expected the layout sequence, found ", stringifyAttentionLayout(getLayout()));
  if (getSharing() == HeadSharing::Queries && outs != 1)
    return errors("sharing queries: expected one out, found ", outs);
  return AttentionShapes(*this).verify();
}

//===----------------------------------------------------------------------===//
// CombineChunksOp
//===----------------------------------------------------------------------===//

LogicalResult CombineChunksOp::verify() {
  auto errors = TypeErrors::of<CombineChunksOp>(getLoc());
  size_t outs = getInits().size();
  if (outs < 1 || outs > 2)
    return errors("outs: expected one or two, found ", outs);
  if (failed(checkAtLeast(errors, "num_heads", getNumHeads(), 1)))
    return failure();
  NamedOperand out("out", getOut()), parts("parts", getParts());
  if (failed(checkRank(errors, out, 3)) || failed(checkRank(errors, parts, 4)))
    return failure();
  int64_t channels = out.dim(2), heads = getNumHeads();
  if (ShapedType::isDynamic(channels) || channels % heads != 0)
    return errors("operand 'out': expected a static multiple of ", heads, " channels, found ",
                  out.type);
  auto check = [&](const NamedOperand &operand, ArrayRef<NamedSize> sizes) -> LogicalResult {
    if (failed(checkRank(errors, operand, sizes.size())))
      return failure();
    for (auto [dim, expected] : llvm::enumerate(sizes))
      if (failed(checkDim(errors, operand, dim, expected.size, expected.meaning)))
        return failure();
    return success();
  };
  NamedSize chunks{parts.dim(0), "chunks"}, batches{out.dim(0), "batches"};
  NamedSize ofHeads{heads, "heads"}, queries{out.dim(1), "queries"};
  if (failed(check(parts, {chunks, batches, queries, {channels, "channels"}})))
    return failure();
  for (NamedOperand statistics :
       {NamedOperand("maxima", getMaxima()), NamedOperand("sums", getSums())})
    if (failed(check(statistics, {chunks, batches, ofHeads, queries})))
      return failure();
  return getLse() ? check({"lse", getLse()}, {batches, ofHeads, queries}) : success();
}
