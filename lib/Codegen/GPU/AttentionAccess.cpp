//===- AttentionAccess.cpp - operands of attention kernels ----------------===//

#include "AttentionAccess.h"

#include "dialects/rlx/RlxTypes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <limits>

using namespace mlir;
using namespace rlx;
using namespace rlx::gpu;

AttentionAccess::AttentionAccess(ImplicitLocOpBuilder &b, ir::OnlineAttentionOp op)
    : b(b), op(op), statistics(ir::statisticsType(elementTypeOf(op.getQ()))),
      keySize(op.getHeadSize(op.getQ())), valueSize(op.getHeadSize(op.getV())),
      sharesQueries(op.getSharing() == ir::HeadSharing::Queries) {}

Value AttentionAccess::emitMaskedScore(Value dot, Value key) {
  if (Value bias = op.getKeyBias()) {
    bool isShared = cast<MemRefType>(bias.getType()).getDimSize(0) == 1;
    Value indices[] = {isShared ? emitIndex(b, 0) : batch, head, key};
    dot = arith::AddFOp::create(b, dot, loadAsStatistic(bias, indices));
  }
  Value score = arith::MulFOp::create(b, dot, constant(op.getScale().convertToDouble()));
  if (op.getMaskKind() == ir::MaskKind::Bias)
    score = arith::AddFOp::create(b, score, loadAsStatistic(op.getMask(), maskIndices(key)));
  Value isVisible = emitIsVisible(key);
  if (!isVisible)
    return score;
  return arith::SelectOp::create(b, isVisible, score,
                                 constant(-std::numeric_limits<double>::infinity()));
}

Value AttentionAccess::emitIsVisible(Value key) {
  auto position = [&]() -> Value {
    Value offset = op.getPositionOffset();
    return offset ? emitAdd(b, query, offset) : query;
  };
  auto isAtMost = [&](Value lhs, Value rhs) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::sle, lhs, rhs);
  };
  switch (op.getMaskKind()) {
  case ir::MaskKind::None:
  case ir::MaskKind::Bias:
    return {};
  case ir::MaskKind::Causal:
    return isAtMost(key, position());
  case ir::MaskKind::SlidingWindow: {
    Value first = arith::SubIOp::create(b, position(), emitIndex(b, *op.getWindow()));
    return arith::AndIOp::create(b, isAtMost(first, key), isAtMost(key, position()));
  }
  case ir::MaskKind::Custom: {
    Value element = memref::LoadOp::create(b, op.getMask(), maskIndices(key));
    if (auto type = dyn_cast<IntegerType>(element.getType())) {
      Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
      return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, element, zero);
    }
    Value half = arith::ConstantOp::create(b, b.getFloatAttr(element.getType(), 0.5));
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, element, half);
  }
  }
  llvm_unreachable("unknown mask kind");
}

SmallVector<Value> AttentionAccess::maskIndices(Value key) {
  Value mask = op.getMask(), zero = emitIndex(b, 0), one = emitIndex(b, 1);
  SmallVector<Value> indices{batch, head, query, key};
  for (unsigned dim = 0; dim < 3; ++dim) {
    Value isSingle = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, sizeOf(mask, dim), one);
    indices[dim] = arith::SelectOp::create(b, isSingle, zero, indices[dim]);
  }
  return indices;
}

Value AttentionAccess::loadAsStatistic(Value memref, ValueRange indices) {
  Value element = memref::LoadOp::create(b, memref, indices);
  if (element.getType() == statistics)
    return element;
  return arith::ExtFOp::create(b, statistics, element);
}

SmallVector<Value> AttentionAccess::indicesOf(Value operand, Value row, Value channel) {
  SmallVector<Value> indices;
  if (op.getKeyChunk() && operand == op.getOut())
    indices.push_back(chunk);
  indices.push_back(batch);
  switch (op.getLayout()) {
  case ir::AttentionLayout::Sequence: {
    bool isShared = op.getHeadsOf(operand) != static_cast<int64_t>(op.getNumHeads());
    if (!isShared)
      channel = emitAdd(b, emitMul(b, head, emitIndex(b, op.getHeadSize(operand))), channel);
    indices.append({row, channel});
    return indices;
  }
  case ir::AttentionLayout::HeadSequence:
    indices.append({head, row, channel});
    return indices;
  case ir::AttentionLayout::HeadChannel:
    indices.append({head, channel, row});
    return indices;
  }
  llvm_unreachable("unknown layout");
}
