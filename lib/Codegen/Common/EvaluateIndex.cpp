//===- EvaluateIndex.cpp - the results of a function of sizes -------------===//

#include "EvaluateIndex.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace {

/// Values as they become known; in a loop, those of the current iteration.
class Evaluator {
public:
  std::optional<int64_t> lookup(Value value) const {
    auto attribute = dyn_cast_if_present<IntegerAttr>(known.lookup(value));
    return attribute ? std::optional(attribute.getInt()) : std::nullopt;
  }

  void run(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        runLoop(loop);
      else
        fold(op);
    }
  }

private:
  /// Folds an op whose operands are all known: with some, it might change in place to
  /// what holds for the current iteration alone.
  void fold(Operation &op) {
    SmallVector<Attribute> operands;
    for (Value operand : op.getOperands())
      operands.push_back(known.lookup(operand));
    bool isKnown = llvm::all_of(operands, [](Attribute value) { return bool(value); });
    SmallVector<OpFoldResult> results;
    bool folded = isKnown && succeeded(op.fold(operands, results)) && !results.empty();
    for (auto [index, result] : llvm::enumerate(op.getResults())) {
      OpFoldResult value = folded ? results[index] : OpFoldResult();
      if (auto other = dyn_cast_if_present<Value>(value))
        known[result] = known.lookup(other);
      else
        known[result] = dyn_cast_if_present<Attribute>(value);
    }
  }

  void runLoop(scf::ForOp loop) {
    std::optional<int64_t> lower = lookup(loop.getLowerBound()),
                           upper = lookup(loop.getUpperBound()), step = lookup(loop.getStep());
    SmallVector<Attribute> carried;
    for (Value init : loop.getInitArgs())
      carried.push_back(known.lookup(init));
    bool isKnown = lower && upper && step && *step > 0;
    for (int64_t i = lower.value_or(0); isKnown && i < *upper; i += *step) {
      known[loop.getInductionVar()] = IntegerAttr::get(IndexType::get(loop.getContext()), i);
      for (auto [argument, value] : llvm::zip_equal(loop.getRegionIterArgs(), carried))
        known[argument] = value;
      run(*loop.getBody());
      for (auto [value, yielded] : llvm::zip_equal(carried, loop.getYieldedValues()))
        value = known.lookup(yielded);
      isKnown = llvm::all_of(carried, [](Attribute value) { return bool(value); });
    }
    for (auto [result, value] : llvm::zip_equal(loop.getResults(), carried))
      known[result] = isKnown ? value : Attribute();
  }

  llvm::DenseMap<Value, Attribute> known;
};

} // namespace

std::vector<std::optional<int64_t>> rlx::evaluateResults(func::FuncOp function) {
  Evaluator evaluator;
  Block &block = function.getBody().front();
  evaluator.run(block);
  std::vector<std::optional<int64_t>> results;
  for (Value result : block.getTerminator()->getOperands())
    results.push_back(evaluator.lookup(result));
  return results;
}
