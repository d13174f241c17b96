//===- SizeCloner.cpp - sizes of rlx_run computed elsewhere ---------------===//

#include "SizeCloner.h"

#include "rlx/Runtime/abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace rlx;

FailureOr<Value> SizeCloner::clone(Value size) {
  if (Value known = mapping.lookupOrNull(size))
    return known;
  Operation *op = size.getDefiningOp();
  if (!op || !isMemoryEffectFree(op) || op->getNumRegions() != 0)
    return failure();
  if (auto dim = dyn_cast<memref::DimOp>(op))
    if (std::optional<int64_t> position = dim.getConstantIndex())
      return getSize(dim.getSource(), *position);
  for (Value operand : op->getOperands()) {
    FailureOr<Value> cloned = clone(operand);
    if (failed(cloned))
      return failure();
    mapping.map(operand, *cloned);
  }
  builder.clone(*op, mapping);
  return mapping.lookup(size);
}

Value SizeCloner::constant(int64_t size) {
  return arith::ConstantIndexOp::create(builder, run.getLoc(), size);
}

FailureOr<Value> SizeCloner::materialize(OpFoldResult size) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return constant(*known);
  return clone(cast<Value>(size));
}

FailureOr<Value> SizeCloner::getSize(Value memref, int64_t dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  if (auto argument = dyn_cast<BlockArgument>(memref))
    return getArgumentSize(argument, dim);
  return llvm::TypeSwitch<Operation *, FailureOr<Value>>(memref.getDefiningOp())
      .Case([&](memref::AllocOp op) {
        return clone(op.getDynamicSizes()[type.getDynamicDimIndex(dim)]);
      })
      .Case([&](memref::CastOp op) { return getSize(op.getSource(), dim); })
      .Case([&](memref::SubViewOp op) {
        llvm::SmallBitVector dropped = op.getDroppedDims();
        for (auto [position, size] : llvm::enumerate(op.getMixedSizes()))
          if (!dropped[position] && dim-- == 0)
            return materialize(size);
        llvm_unreachable("a dim beyond the rank");
      })
      .Case([&](memref::ExpandShapeOp op) { return materialize(op.getMixedOutputShape()[dim]); })
      .Case([&](memref::CollapseShapeOp op) -> FailureOr<Value> {
        Value product = constant(1);
        SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
        for (int64_t inner : groups[dim]) {
          FailureOr<Value> size = getSize(op.getSrc(), inner);
          if (failed(size))
            return failure();
          product = arith::MulIOp::create(builder, run.getLoc(), product, *size);
        }
        return product;
      })
      .Default(failure());
}

FailureOr<Value> SizeCloner::getArgumentSize(BlockArgument argument, int64_t dim) {
  if (argument.getOwner() != &run.getBody().front())
    return failure();
  auto find = [&](StringRef tag) {
    return run.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), tag);
  };
  IntegerAttr input = find(hostabi::kInput), output = find(hostabi::kOutput);
  if (!input && !output)
    return failure();
  int64_t code = input ? signature->inputs[input.getInt()].dims[dim]
                       : signature->outputs[output.getInt()].dims[dim];
  if (code >= 0)
    return constant(code);
  if (code != RLX_DIM_COMPUTED)
    return symbols[-1 - code];
  for (const TensorSignature &before : ArrayRef(signature->outputs).take_front(output.getInt()))
    dim += before.dims.size();
  if (dim >= static_cast<int64_t>(outputDims.size()))
    return failure();
  return outputDims[dim];
}
