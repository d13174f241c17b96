//===- Kernels.cpp - what GPU kernels are built from ----------------------===//

#include "Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace rlx::gpu {

Value emitIndex(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value emitAdd(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return b.createOrFold<arith::AddIOp>(lhs, rhs);
}

Value emitMul(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return b.createOrFold<arith::MulIOp>(lhs, rhs);
}

Value emitCeilDiv(ImplicitLocOpBuilder &b, Value lhs, int64_t rhs) {
  return b.createOrFold<arith::CeilDivUIOp>(lhs, emitIndex(b, rhs));
}

Value emitProduct(ImplicitLocOpBuilder &b, ValueRange sizes) {
  Value product = emitIndex(b, 1);
  for (Value size : sizes)
    product = emitMul(b, product, size);
  return product;
}

SmallVector<Value> emitCoordinates(ImplicitLocOpBuilder &b, Value index, ValueRange sizes) {
  SmallVector<Value> coordinates(sizes.size());
  for (int64_t dim = sizes.size() - 1; dim > 0; --dim) {
    coordinates[dim] = b.createOrFold<arith::RemUIOp>(index, sizes[dim]);
    index = b.createOrFold<arith::DivUIOp>(index, sizes[dim]);
  }
  if (!sizes.empty())
    coordinates[0] = index;
  return coordinates;
}

MemRefType sharedType(ArrayRef<int64_t> shape, Type elementType) {
  auto space = mlir::gpu::AddressSpaceAttr::get(elementType.getContext(),
                                                mlir::gpu::AddressSpace::Workgroup);
  return MemRefType::get(shape, elementType, MemRefLayoutAttrInterface(), space);
}

void emitLaunch(ImplicitLocOpBuilder &b, Value numBlocks, int64_t numThreads,
                ArrayRef<MemRefType> shared,
                function_ref<void(Value block, Value thread, ValueRange shared)> body) {
  OpBuilder::InsertionGuard guard(b);
  Value one = emitIndex(b, 1);
  SmallVector<Type> sharedTypes(shared.begin(), shared.end());
  auto launch = mlir::gpu::LaunchOp::create(
      b, numBlocks, one, one, emitIndex(b, numThreads), one, one,
      /*dynamicSharedMemorySize=*/nullptr, /*asyncTokenType=*/nullptr,
      /*asyncDependencies=*/ValueRange(), /*workgroupAttributions=*/sharedTypes);
  b.setInsertionPointToStart(&launch.getBody().front());
  SmallVector<Value> arrays = llvm::to_vector_of<Value>(launch.getWorkgroupAttributions());
  body(launch.getBlockIds().x, launch.getThreadIds().x, arrays);
  mlir::gpu::TerminatorOp::create(b);
}

SmallVector<Value>
emitLoop(ImplicitLocOpBuilder &b, Value from, Value to, int64_t step, ValueRange carried,
         function_ref<SmallVector<Value>(Value index, ValueRange carried)> body) {
  auto loop = scf::ForOp::create(
      b, from, to, emitIndex(b, step), carried,
      [&](OpBuilder &builder, Location loc, Value index, ValueRange values) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(builder.getInsertionBlock(), builder.getInsertionPoint());
        scf::YieldOp::create(b, body(index, values));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

void emitIf(ImplicitLocOpBuilder &b, Value condition, function_ref<void()> body) {
  auto guarded = scf::IfOp::create(b, condition);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(guarded.thenBlock());
  body();
}

Value emitOverLanes(ImplicitLocOpBuilder &b, Value value, ArrayRef<int64_t> distances,
                    function_ref<Value(Value, Value)> combine) {
  Value width = arith::ConstantIntOp::create(b, kWarpThreads, 32);
  for (int64_t distance : distances) {
    Value offset = arith::ConstantIntOp::create(b, distance, 32);
    Value other = mlir::gpu::ShuffleOp::create(b, value, offset, width, mlir::gpu::ShuffleMode::XOR)
                      .getShuffleResult();
    value = combine(value, other);
  }
  return value;
}

} // namespace rlx::gpu
