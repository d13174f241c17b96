#include "rlx/Interpreter/Interpreter.h"

#include "Bindings.h"
#include "Evaluators.h"
#include "rlx/Runtime/Binding.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <thread>

using namespace rlx;
using namespace rlx::interp;

namespace {

using CustomOps = std::map<std::string, CustomEvaluator, std::less<>>;
using Results = std::vector<Array>;

/// One evaluation of a graph's body: the values that are still needed.
class Evaluation {
public:
  Evaluation(const Bindings &bindings, const CustomOps &customOps, Context context)
      : bindings(bindings), customOps(customOps), context(context) {}

  Result<Results> run(ir::GraphOp graph, const OpObserver &observer);

private:
  /// Evaluates an op and keeps its results. Errors name the op.
  Status evaluateOp(mlir::Operation *op);

  /// Evaluates an op that isn't a terminator.
  Result<Results> dispatch(mlir::Operation *op);
  Result<Results> evaluateCustom(ir::CustomOp op, llvm::ArrayRef<Array> operands);
  Result<Results> evaluateLeaf(ir::ParamOp op);

  /// Evaluates the plain form of a fused op, or gives nothing if there is none.
  std::optional<Result<Results>> evaluatePlainForm(ir::DecomposableOpInterface op);

  Results valuesOf(mlir::ValueRange range) const {
    Results arrays;
    for (mlir::Value value : range)
      arrays.push_back(values.at(value));
    return arrays;
  }

  const Bindings &bindings;
  const CustomOps &customOps;
  const Context context;
  llvm::DenseMap<mlir::Value, Array> values;
};

/// `model.mlir:5:8: rlx.gather %2`, as far as it is known.
std::string describe(mlir::Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto location = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>())
    stream << location.getFilename().getValue() << ':' << location.getLine() << ':'
           << location.getColumn() << ": ";
  stream << op->getName();
  if (auto name = op->getLoc()->findInstanceOf<mlir::NameLoc>())
    stream << " '" << name.getName().getValue() << '\'';
  // An op of a plain form is in no graph, and its results have no names.
  auto graph = op->getParentOfType<ir::GraphOp>();
  if (!graph || op->getNumResults() == 0)
    return text;
  mlir::AsmState state(graph);
  stream << ' ';
  op->getResult(0).printAsOperand(stream, state);
  return text;
}

/// Checks results against the op's result types: a declared static size holds.
Status checkResults(mlir::Operation *op, const Results &results) {
  if (results.size() != op->getNumResults())
    return {ErrorCode::Mismatch, "number of results: expected " +
                                     std::to_string(op->getNumResults()) + ", found " +
                                     std::to_string(results.size())};
  for (auto [i, type, result] : llvm::enumerate(op->getResultTypes(), results)) {
    auto declared = mlir::cast<mlir::RankedTensorType>(type);
    bool fits = declared.getRank() == result.rank() && elementTypeOf(declared) == result.type();
    for (int64_t axis = 0; fits && axis < result.rank(); ++axis)
      fits = declared.isDynamicDim(axis) || declared.getDimSize(axis) == result.dim(axis);
    if (fits)
      continue;
    const Shape expected(declared.getShape().begin(), declared.getShape().end());
    return {ErrorCode::Mismatch,
            "result " + std::to_string(i) + ": expected " +
                formatTensorType(static_cast<uint32_t>(elementTypeOf(declared)), expected) +
                ", found " +
                formatTensorType(static_cast<uint32_t>(result.type()), result.shape())};
  }
  return {};
}

Result<Results> asResults(Result<Array> result) {
  if (!result)
    return result.status();
  return Results{*std::move(result)};
}

Result<Results> asResults(Result<std::pair<Array, Array>> result) {
  if (!result)
    return result.status();
  return Results{result->first, result->second};
}

Result<Results> asResults(Result<llvm::SmallVector<Array>> results) {
  if (!results)
    return results.status();
  return Results(results->begin(), results->end());
}

Result<Results> Evaluation::dispatch(mlir::Operation *op) {
  const Results operands = valuesOf(op->getOperands());
  auto evaluated = [&](auto concrete) { return asResults(evaluate(concrete, operands, context)); };
  return llvm::TypeSwitch<mlir::Operation *, Result<Results>>(op)
      .Case([&](ir::ParamOp param) { return evaluateLeaf(param); })
      .Case(
          [&](ir::ConstantOp constant) { return asResults(evaluateConstant(constant.getValue())); })
      .Case([&](ir::CustomOp custom) { return evaluateCustom(custom, operands); })
      .Case<ir::MatmulOp, ir::Conv2dOp, ir::AttentionOp>(evaluated)
      .Case<ir::ActivationOp, ir::BinaryOp, ir::CompareOp, ir::WhereOp, ir::CastOp>(evaluated)
      .Case<ir::ReduceOp, ir::SoftmaxOp, ir::LayerNormOp>(evaluated)
      .Case<ir::ReshapeOp, ir::TransposeOp, ir::NarrowOp, ir::ConcatOp, ir::ExpandOp, ir::GatherOp>(
          evaluated)
      .Case<ir::PsaPackQkvOp, ir::PsaExtractVOp, ir::PsaFlashAttentionOp, ir::PsaMergeAttnOp>(
          evaluated)
      .Case<ir::ActivationBackwardOp, ir::AttentionBackwardOp, ir::Conv2dBackwardInputOp,
            ir::Conv2dBackwardWeightOp, ir::ScatterAddOp>(evaluated)
      .Case<ir::PsaPackQkvBackwardOp, ir::PsaExtractVBackwardOp, ir::PsaFlashAttentionBackwardOp,
            ir::PsaMergeAttnBackwardOp>(evaluated)
      .Case([&](ir::PsaAttentionOp attention) {
        if (auto results = evaluatePlainForm(attention))
          return *std::move(results);
        return evaluated(attention);
      })
      .Default([&](mlir::Operation *other) -> Result<Results> {
        if (auto fused = mlir::dyn_cast<ir::DecomposableOpInterface>(other))
          if (auto results = evaluatePlainForm(fused))
            return *std::move(results);
        return Status(ErrorCode::Unsupported, "no evaluator for this op");
      });
}

Result<Results> Evaluation::evaluateLeaf(ir::ParamOp op) {
  return Results{bindings.params.find(op.getName())->second};
}

Result<Results> Evaluation::evaluateCustom(ir::CustomOp op, llvm::ArrayRef<Array> operands) {
  auto it = customOps.find(op.getCallee());
  if (it == customOps.end())
    return Status(ErrorCode::Unsupported,
                  "custom op '" + op.getCallee().str() + "' is not registered");
  return it->second(op, std::span(operands.data(), operands.size()));
}

std::optional<Result<Results>> Evaluation::evaluatePlainForm(ir::DecomposableOpInterface op) {
  // The plain form is built beside the graph, on the graph's own values.
  mlir::Block scratch;
  mlir::OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&scratch);
  llvm::FailureOr<llvm::SmallVector<mlir::Value>> plain = op.decompose(builder);
  if (mlir::failed(plain))
    return std::nullopt;

  std::optional<Result<Results>> results;
  for (mlir::Operation &inner : scratch)
    if (Status status = evaluateOp(&inner); !status) {
      results = std::move(status);
      break;
    }
  if (!results)
    results = valuesOf(*plain);
  for (mlir::Operation &inner : scratch)
    for (mlir::Value value : inner.getResults())
      values.erase(value);
  return results;
}

Status Evaluation::evaluateOp(mlir::Operation *op) {
  Result<Results> results = dispatch(op);
  if (!results)
    return results.status().withContext(describe(op));
  if (Status status = checkResults(op, *results); !status)
    return status.withContext(describe(op));
  for (auto [value, result] : llvm::zip_equal(op->getResults(), *results))
    values.insert({value, result});
  return {};
}

Result<Results> Evaluation::run(ir::GraphOp graph, const OpObserver &observer) {
  mlir::Block &body = graph.getBody().front();
  llvm::DenseMap<mlir::Value, int64_t> usesLeft;
  for (mlir::Operation &op : body)
    for (mlir::Value operand : op.getOperands())
      ++usesLeft[operand];

  for (auto [argument, array] : llvm::zip_equal(body.getArguments(), bindings.inputs))
    values.insert({argument, array});
  for (mlir::Operation &op : body.without_terminator()) {
    if (observer)
      observer(&op);
    if (Status status = evaluateOp(&op); !status)
      return status;
    for (mlir::Value operand : op.getOperands())
      if (--usesLeft[operand] == 0)
        values.erase(operand);
    for (mlir::Value result : op.getResults())
      if (!usesLeft.contains(result))
        values.erase(result);
  }
  return valuesOf(body.getTerminator()->getOperands());
}

} // namespace

Interpreter::Interpreter(unsigned threads)
    : threads(threads ? threads : std::max(1u, std::thread::hardware_concurrency())) {}

void Interpreter::registerCustomOp(std::string callee, CustomEvaluator evaluator) {
  customOps.insert_or_assign(std::move(callee), std::move(evaluator));
}

void Interpreter::setObserver(OpObserver newObserver) { observer = std::move(newObserver); }

Result<std::vector<Array>> Interpreter::evaluate(ir::GraphOp graph,
                                                 std::span<const TensorView> inputs,
                                                 std::span<const TensorView> params) const {
  Result<Bindings> bindings = bindTensors(graph, inputs, params);
  if (!bindings)
    return bindings.status();
  return Evaluation(*bindings, customOps, Context{threads}).run(graph, observer);
}

Result<std::vector<Tensor>> Interpreter::run(ir::GraphOp graph, std::span<const TensorView> inputs,
                                             std::span<const TensorView> params) const {
  Result<std::vector<Array>> arrays = evaluate(graph, inputs, params);
  if (!arrays)
    return arrays.status();
  std::vector<Tensor> outputs;
  for (auto [name, array] : llvm::zip_equal(graph.outputNames(), *arrays))
    outputs.push_back(array.toTensor(name));
  return outputs;
}

Result<std::vector<Tensor>> rlx::interpret(ir::GraphOp graph, std::span<const TensorView> inputs,
                                           std::span<const TensorView> params) {
  return Interpreter().run(graph, inputs, params);
}
