//===- Autodiff.cpp - gradients of graphs ---------------------------------===//
//
// Reverse mode: ops are visited from the last to the first, and each turns the
// gradients of its results into those of its operands. Only ops are visited that lie
// between the tensors whose gradients are wanted and the outputs.
//
//===----------------------------------------------------------------------===//

#include "rlx/Transforms/Autodiff.h"

#include "rlx/Transforms/Passes.h"

#include "dialects/rlx/RlxPlainBuilder.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace rlx {
#define GEN_PASS_DEF_AUTODIFF
#include "rlx/Transforms/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;

namespace {

bool isFloatTensor(Value value) { return isa<FloatType>(getElementTypeOrSelf(value)); }

//===----------------------------------------------------------------------===//
// Names of dims
//===----------------------------------------------------------------------===//

/// The name of dim `dim` of an input.
std::string nameOfInputDim(ir::GraphOp graph, BlockArgument argument, int64_t dim) {
  unsigned index = argument.getArgNumber();
  if (auto names = graph.getArgAttrOfType<ArrayAttr>(index, ir::RlxDialect::kDimsAttr))
    if (StringRef name = cast<StringAttr>(names[dim]).getValue(); !name.empty())
      return name.str();
  return graph.inputNames()[index] + "." + std::to_string(dim);
}

/// The name of the input's dim that a dynamic dim of `value` equals, if it equals one.
std::string nameOfDim(ir::GraphOp graph, Value value, int64_t dim) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return nameOfInputDim(graph, argument, dim);
  auto op = dyn_cast<ReifyRankedShapedTypeOpInterface>(value.getDefiningOp());
  if (!op)
    return "";
  Block scratch; // sizes are computed beside the graph, and not kept
  OpBuilder builder(graph.getContext());
  builder.setInsertionPointToEnd(&scratch);
  ReifiedRankedShapedTypeDims dims;
  if (failed(op.reifyResultShapes(builder, dims)))
    return "";
  auto size = dyn_cast<Value>(dims[cast<OpResult>(value).getResultNumber()][dim]);
  auto source = size ? size.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  if (!source || !source.getConstantIndex())
    return "";
  return nameOfDim(graph, source.getSource(), *source.getConstantIndex());
}

//===----------------------------------------------------------------------===//
// One graph
//===----------------------------------------------------------------------===//

/// A tensor whose gradient is wanted, and all values that stand for it.
struct Source {
  std::string name;
  SmallVector<Value> values;
};

class Differentiator {
public:
  explicit Differentiator(ir::GraphOp graph)
      : graph(graph), builder(graph.output()), plain(builder, graph.output()) {}

  LogicalResult run(ArrayRef<std::string> wrt) {
    if (failed(collectSources(wrt)))
      return failure();
    prepareOps();
    return success(succeeded(addSeeds()) && succeeded(propagate()) && succeeded(addOutputs()));
  }

  unsigned numDifferentiated = 0;

private:
  LogicalResult collectSources(ArrayRef<std::string> wrt);
  void prepareOps();
  LogicalResult addSeeds();
  LogicalResult propagate();
  LogicalResult addOutputs();

  bool varies(Value value) const { return varying.contains(value); }
  bool varies(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value operand) { return varies(operand); });
  }
  void markResults(Operation *op) {
    if (varies(op))
      for (Value result : op->getResults())
        if (isFloatTensor(result))
          varying.insert(result);
  }

  void accumulate(Value value, Value gradient, bool isNew);
  bool addInto(Value gradient, Value sum);

  ir::GraphOp graph;
  OpBuilder builder; // before the graph's output
  ir::PlainBuilder plain;
  SmallVector<Source> sources;
  llvm::DenseSet<Value> varying; // float tensors that depend on a source
  llvm::DenseMap<Value, Value> gradients;
};

} // namespace

/// Float inputs in order, then float params in the order of first use.
LogicalResult Differentiator::collectSources(ArrayRef<std::string> wrt) {
  llvm::StringSet<> wanted, known;
  for (const std::string &name : wrt)
    wanted.insert(name);
  auto isWanted = [&](StringRef name, Value value) {
    known.insert(name);
    return isFloatTensor(value) && (wanted.empty() || wanted.contains(name));
  };
  for (auto [argument, name] : llvm::zip(graph.getArguments(), graph.inputNames()))
    if (isWanted(name, argument))
      sources.push_back({name, {argument}});
  llvm::MapVector<StringRef, Source> params;
  graph.walk([&](ir::ParamOp param) {
    if (!isWanted(param.getName(), param))
      return;
    Source &source = params[param.getName()];
    source.name = param.getName().str();
    source.values.push_back(param);
  });
  for (auto &[name, source] : params)
    sources.push_back(source);
  for (const std::string &name : wrt) {
    if (!known.contains(name))
      return graph.emitError("wrt: expected names of inputs and params, found '") << name << "'";
    if (llvm::none_of(sources, [&](const Source &source) { return source.name == name; }))
      return graph.emitError("wrt: expected tensors of floats, found '") << name << "'";
  }
  for (const Source &source : sources)
    varying.insert_range(source.values);
  return success();
}

/// Takes ops apart that have no gradient of their own, and has attention keep what its
/// gradient needs.
void Differentiator::prepareOps() {
  Block &body = graph.getBody().front();
  for (Operation *op = &body.front(); op != body.getTerminator();) {
    Operation *previous = op->getPrevNode(), *next = op->getNextNode();
    auto restart = [&] { return previous ? previous->getNextNode() : &body.front(); };
    if (!varies(op)) {
      op = next;
      continue;
    }
    auto attention = dyn_cast<ir::AttentionOp>(op);
    if (attention && (!attention.getLse() || attention.getKeyBias() ||
                      attention.getSharing() != ir::HeadSharing::None)) {
      OpBuilder before(op);
      makeAttentionDifferentiable(before, attention);
      op = restart();
      continue;
    }
    auto fused = dyn_cast<ir::DecomposableOpInterface>(op);
    if (fused && !isa<ir::DifferentiableOpInterface>(op)) {
      OpBuilder before(op);
      FailureOr<SmallVector<Value>> parts = fused.decompose(before);
      if (succeeded(parts)) {
        op->replaceAllUsesWith(*parts);
        op->erase();
        op = restart();
        continue;
      }
    }
    markResults(op);
    op = next;
  }
}

/// Adds an input for the gradient of each float output.
LogicalResult Differentiator::addSeeds() {
  llvm::StringSet<> taken;
  for (const std::string &name : graph.inputNames())
    taken.insert(name);
  for (auto [output, name] :
       llvm::zip_equal(llvm::to_vector(graph.output().getValues()), graph.outputNames())) {
    if (!isFloatTensor(output))
      continue;
    std::string seedName = "grad." + name;
    if (!taken.insert(seedName).second)
      return graph.emitError("expected no input named '") << seedName << "'";
    auto type = cast<RankedTensorType>(output.getType());
    SmallVector<Attribute> dims;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      std::string dimName = type.isDynamicDim(dim) ? nameOfDim(graph, output, dim) : "";
      if (type.isDynamicDim(dim) && dimName.empty())
        dimName = seedName + "." + std::to_string(dim);
      dims.push_back(builder.getStringAttr(dimName));
    }
    SmallVector<NamedAttribute> attrs = {
        builder.getNamedAttr(ir::RlxDialect::kNameAttr, builder.getStringAttr(seedName))};
    if (!type.hasStaticShape())
      attrs.push_back(builder.getNamedAttr(ir::RlxDialect::kDimsAttr, builder.getArrayAttr(dims)));
    unsigned position = graph.getNumArguments();
    if (failed(
            graph.insertArgument(position, type, builder.getDictionaryAttr(attrs), graph.getLoc())))
      return failure();
    if (varies(output))
      accumulate(output, graph.getArgument(position), /*isNew=*/false);
  }
  return success();
}

/// Whether all elements of a tensor that a gradient rule has made are 0.
static bool isZeros(Value value) {
  if (auto where = value.getDefiningOp<ir::WhereOp>())
    return where.getLhs() == where.getRhs() && isZeros(where.getLhs());
  return matchPattern(value, m_AnyZeroFloat());
}

/// Has the op that gives `gradient`, which is not used yet, add to `sum`, if it is one
/// that adds.
bool Differentiator::addInto(Value gradient, Value sum) {
  auto replace = [&](auto op) {
    if (!isZeros(op.getInto()) || sum.getType() != gradient.getType())
      return false;
    op.getIntoMutable().assign(sum);
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(gradient.getDefiningOp())
      .Case<ir::ScatterAddOp, ir::PsaPackQkvBackwardOp, ir::PsaExtractVBackwardOp,
            ir::PsaFlashAttentionBackwardOp>(replace)
      .Default(false);
}

void Differentiator::accumulate(Value value, Value gradient, bool isNew) {
  auto [entry, isFirst] = gradients.insert({value, gradient});
  if (isFirst)
    return;
  Value sum = entry->second;
  if (isNew && gradient.getDefiningOp() && addInto(gradient, sum))
    entry->second = gradient;
  else
    entry->second = plain.asType(plain.add(sum, gradient), value.getType());
}

LogicalResult Differentiator::propagate() {
  SmallVector<Operation *> ops;
  for (Operation &op : graph.getBody().front().without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops)) {
    if (!varies(op))
      continue;
    SmallVector<Value> known;
    for (Value result : op->getResults())
      known.push_back(gradients.lookup(result));
    if (llvm::none_of(known, [](Value gradient) { return !!gradient; }))
      continue;
    auto differentiable = dyn_cast<ir::DifferentiableOpInterface>(op);
    if (!differentiable)
      return op->emitOpError("has no gradient");
    FailureOr<SmallVector<Value>> results = differentiable.buildGradient(builder, known);
    if (failed(results))
      return failure();
    for (auto [operand, gradient] : llvm::zip(op->getOperands(), *results))
      if (gradient && varies(operand))
        accumulate(operand, gradient,
                   !llvm::is_contained(known, gradient) && llvm::count(*results, gradient) == 1);
    ++numDifferentiated;
  }
  return success();
}

/// Adds an output for the gradient of each source.
LogicalResult Differentiator::addOutputs() {
  llvm::StringSet<> taken;
  for (const std::string &name : graph.outputNames())
    taken.insert(name);
  for (const Source &source : sources) {
    Value sum;
    for (Value value : source.values)
      if (Value gradient = gradients.lookup(value))
        sum = sum ? plain.add(sum, gradient) : gradient;
    if (!sum)
      sum = plain.zerosLike(source.values.front());
    std::string name = "grad." + source.name;
    if (!taken.insert(name).second)
      return graph.emitError("expected no output named '") << name << "'";
    ir::OutputOp output = graph.output();
    output.getValuesMutable().append(sum);
    auto attrs = builder.getDictionaryAttr(
        builder.getNamedAttr(ir::RlxDialect::kNameAttr, builder.getStringAttr(name)));
    if (failed(graph.insertResult(graph.getNumResults(), sum.getType(), attrs)))
      return failure();
  }
  return success();
}

LogicalResult rlx::differentiateGraph(ir::GraphOp graph, ArrayRef<std::string> wrt) {
  return Differentiator(graph).run(wrt);
}

namespace {

class AutodiffPass : public rlx::impl::AutodiffBase<AutodiffPass> {
public:
  using AutodiffBase::AutodiffBase;

  void runOnOperation() override {
    SmallVector<std::string> names(wrt.begin(), wrt.end());
    for (auto graph : getOperation().getOps<ir::GraphOp>()) {
      Differentiator differentiator(graph);
      if (failed(differentiator.run(names)))
        return signalPassFailure();
      numDifferentiated += differentiator.numDifferentiated;
    }
  }
};

} // namespace
