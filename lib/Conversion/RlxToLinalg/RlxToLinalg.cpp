//===- RlxToLinalg.cpp - From a graph to functions over linalg ------------===//
//
// Both functions come from the same lowering of the graph's body: @rlx_shapes is
// what is left of it when only sizes and checks of sizes are asked for.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "dialects/rlx/GraphSignature.h"
#include "rlx/Codegen/Signature.h"
#include "rlx/Conversion/Passes.h"
#include "rlx/Runtime/abi.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace rlx {

#define GEN_PASS_DEF_CONVERTTOLINALG
#include "rlx/Conversion/Passes.h.inc"

TypeConverter makeLinalgTypeConverter() {
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([](RankedTensorType type) -> std::optional<Type> {
    if (!type.getElementType().isInteger(1))
      return std::nullopt;
    return type.clone(IntegerType::get(type.getContext(), 8));
  });
  auto bridge = [](OpBuilder &builder, Type type, ValueRange values, Location loc) {
    return UnrealizedConversionCastOp::create(builder, loc, type, values).getResult(0);
  };
  converter.addSourceMaterialization(bridge);
  converter.addTargetMaterialization(bridge);
  return converter;
}

void populateRlxToLinalgPatterns(const TypeConverter &converter, RewritePatternSet &patterns) {
  populateAttentionGradientLowerings(converter, patterns);
  populateAttentionLowerings(converter, patterns);
  populateContractionLowerings(converter, patterns);
  populateElementwiseLowerings(converter, patterns);
  populateGradientLowerings(converter, patterns);
  populateMovementLowerings(converter, patterns);
  populateReductionLowerings(converter, patterns);
  populateReshapeLowerings(converter, patterns);
}

namespace {

//===----------------------------------------------------------------------===//
// Simplification of sizes
//===----------------------------------------------------------------------===//

/// The values that stand for dynamic dims of tensor arguments.
using SymbolMap = DenseMap<std::pair<Value, int64_t>, Value>;

/// Replaces the sizes of a function's tensor arguments by the one value that stands
/// for their dynamic dim.
struct SymbolOfArgument : OpRewritePattern<tensor::DimOp> {
  SymbolOfArgument(MLIRContext *context, const SymbolMap &symbols)
      : OpRewritePattern(context, /*benefit=*/2), symbols(symbols) {}

  LogicalResult matchAndRewrite(tensor::DimOp op, PatternRewriter &rewriter) const override {
    std::optional<int64_t> dim = op.getConstantIndex();
    Value symbol = dim ? symbols.lookup({op.getSource(), *dim}) : Value();
    if (!symbol || symbol == op.getResult())
      return failure();
    rewriter.replaceOp(op, symbol);
    return success();
  }

  const SymbolMap &symbols;
};

/// The patterns that trace sizes back to where they come from and fold what becomes
/// known by it.
static FrozenRewritePatternSet sizePatterns(MLIRContext *context, const SymbolMap &symbols) {
  RewritePatternSet patterns(context);
  patterns.add<SymbolOfArgument>(context, symbols);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  StringRef names[] = {"affine", "arith", "cf", "linalg", "scf", "tensor"};
  for (StringRef name : names)
    context->getLoadedDialect(name)->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (llvm::is_contained(names, op.getDialectNamespace()))
      op.getCanonicalizationPatterns(patterns, context);
  return patterns;
}

/// Drops checks of what has been checked before.
static void dropRepeatedChecks(func::FuncOp function) {
  DenseSet<Value> checked;
  for (auto check : llvm::make_early_inc_range(function.getOps<cf::AssertOp>()))
    if (!checked.insert(check.getArg()).second)
      check.erase();
}

/// Checks of equal sizes vanish where CSE and folding show both to be the same.
static LogicalResult simplifySizes(func::FuncOp function, const SymbolMap &symbols) {
  FrozenRewritePatternSet patterns = sizePatterns(function.getContext(), symbols);
  bool changed = true;
  while (changed) {
    if (failed(applyPatternsGreedily(function, patterns)))
      return failure();
    changed = false;
    IRRewriter rewriter(function.getContext());
    DominanceInfo dominance(function);
    eliminateCommonSubExpressions(rewriter, dominance, function, &changed);
  }
  dropRepeatedChecks(function);
  return success();
}

//===----------------------------------------------------------------------===//
// The graph's functions
//===----------------------------------------------------------------------===//

/// Lowers one graph.
class GraphLowering {
public:
  explicit GraphLowering(ir::GraphOp graph)
      : graph(graph), converter(makeLinalgTypeConverter()), builder(graph) {
    readLeaves();
  }

  LogicalResult run();

private:
  void readLeaves();
  SmallVector<Value> inlineBody(OpBuilder &at, ValueRange inputs, ValueRange params,
                                ArrayRef<RankedTensorType> outputTypes);
  LogicalResult lowerBody(func::FuncOp function);
  FailureOr<func::FuncOp> buildShapes();
  void readOutputs(func::FuncOp shapes);
  LogicalResult buildRun();

  RankedTensorType converted(Type type) const {
    return cast<RankedTensorType>(converter.convertType(type));
  }

  ir::GraphOp graph;
  TypeConverter converter;
  OpBuilder builder;
  ModuleSignature signature;
  SmallVector<Type> paramTypes;
};

/// Names, symbols, inputs and params; the outputs' dims are known later.
void GraphLowering::readLeaves() {
  ir::GraphSignature leaves = ir::GraphSignature::of(graph);
  signature.name = leaves.name;
  signature.symbols = leaves.symbols;
  for (const ir::SignatureInput &input : leaves.inputs) {
    auto dims = llvm::map_to_vector(input.dims, [](const ir::SignatureDim &dim) {
      return dim.isDynamic() ? -1 - static_cast<int64_t>(dim.symbol()) : dim.size();
    });
    signature.inputs.push_back({input.name, input.type.getElementType(), dims});
  }
  for (const ir::SignatureTensor &param : leaves.params) {
    signature.params.push_back(
        {param.name, param.type.getElementType(), llvm::to_vector(param.type.getShape())});
    paramTypes.push_back(param.type);
  }
}

/// Copies the body to `at`, over leaves of converted types, and gives the outputs,
/// also converted.
SmallVector<Value> GraphLowering::inlineBody(OpBuilder &at, ValueRange inputs, ValueRange params,
                                             ArrayRef<RankedTensorType> outputTypes) {
  // Where types differ, until the ops on both sides are converted.
  auto bridge = [&](Value value, Type type) {
    if (value.getType() == type)
      return value;
    return UnrealizedConversionCastOp::create(at, value.getLoc(), type, value).getResult(0);
  };
  IRMapping mapping;
  for (auto [argument, input] : llvm::zip_equal(graph.getArguments(), inputs))
    mapping.map(argument, bridge(input, argument.getType()));
  llvm::StringMap<Value> paramsByName;
  for (auto [info, param] : llvm::zip_equal(signature.params, params))
    paramsByName[info.name] = param;
  for (Operation &op : graph.getBody().front().without_terminator()) {
    if (auto param = dyn_cast<ir::ParamOp>(op))
      mapping.map(param.getResult(), bridge(paramsByName[param.getName()], param.getType()));
    else
      at.clone(op, mapping);
  }
  SmallVector<Value> outputs;
  for (auto [value, type, name] :
       llvm::zip_equal(graph.output().getValues(), outputTypes, graph.outputNames())) {
    Value output = mapping.lookup(value);
    output = bridge(output, converted(output.getType()));
    Emitter emit(graph.output().getLoc(), at, "output '" + name + "'");
    outputs.push_back(emit.conform(output, type, ""));
  }
  return outputs;
}

LogicalResult GraphLowering::lowerBody(func::FuncOp function) {
  ConversionTarget target(*function.getContext());
  target.addIllegalDialect<ir::RlxDialect>();
  target.addLegalOp<ir::OnlineAttentionOp, ir::PackedMatmulOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  RewritePatternSet patterns(function.getContext());
  populateRlxToLinalgPatterns(converter, patterns);
  if (failed(applyPartialConversion(function, target, std::move(patterns))))
    return failure();
  auto casts = llvm::to_vector(function.getOps<UnrealizedConversionCastOp>());
  reconcileUnrealizedCasts(casts);
  return success();
}

FailureOr<func::FuncOp> GraphLowering::buildShapes() {
  MLIRContext *context = graph.getContext();
  Type index = IndexType::get(context);
  SmallVector<Type> symbolTypes(signature.symbols.size(), index), resultTypes;
  SmallVector<RankedTensorType> outputTypes;
  for (Type type : graph.getResultTypes()) {
    outputTypes.push_back(converted(type));
    resultTypes.append(outputTypes.back().getRank(), index);
  }
  resultTypes.push_back(index);
  auto function = func::FuncOp::create(builder, graph.getLoc(), hostabi::kShapes,
                                       FunctionType::get(context, symbolTypes, resultTypes));
  Block *entry = function.addEntryBlock();
  OpBuilder at = OpBuilder::atBlockBegin(entry);

  auto placeholder = [&](Location loc, Type type, ArrayRef<int64_t> dims) -> Value {
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim : dims)
      sizes.push_back(dim < 0 ? OpFoldResult(entry->getArgument(-1 - dim))
                              : OpFoldResult(at.getIndexAttr(dim)));
    return tensor::EmptyOp::create(at, loc, sizes, converted(type).getElementType());
  };
  SmallVector<Value> inputs, params;
  for (auto [argument, info] : llvm::zip_equal(graph.getArguments(), signature.inputs))
    inputs.push_back(placeholder(argument.getLoc(), argument.getType(), info.dims));
  for (auto [type, info] : llvm::zip_equal(paramTypes, signature.params))
    params.push_back(placeholder(graph.getLoc(), type, info.dims));

  SmallVector<Value> results;
  Location loc = graph.output().getLoc();
  for (Value output : inlineBody(at, inputs, params, outputTypes))
    for (OpFoldResult size : tensor::getMixedSizes(at, loc, output))
      results.push_back(getValueOrCreateConstantIndexOp(at, loc, size));
  results.push_back(arith::ConstantIndexOp::create(at, loc, 0));
  func::ReturnOp::create(at, loc, results);

  if (failed(lowerBody(function)))
    return failure();
  function.walk([](cf::AssertOp op) {
    if (op->hasAttr(kDataCheckAttr))
      op.erase();
  });
  if (failed(simplifySizes(function, SymbolMap())))
    return failure();
  WalkResult onlySizes = function.walk([](Operation *op) {
    if (llvm::none_of(op->getOperandTypes(), llvm::IsaPred<TensorType>))
      return WalkResult::advance();
    op->emitError("expected sizes that depend on sizes alone, found one that depends on this op");
    return WalkResult::interrupt();
  });
  if (onlySizes.wasInterrupted())
    return failure();
  return function;
}

/// Codes the outputs' dims: what @rlx_shapes gives of them as a constant or a symbol,
/// or else computes.
void GraphLowering::readOutputs(func::FuncOp shapes) {
  auto sizes = shapes.getBody().front().getTerminator()->getOperands();
  for (auto [type, name] : llvm::zip_equal(graph.getResultTypes(), graph.outputNames())) {
    auto tensorType = cast<RankedTensorType>(type);
    SmallVector<int64_t> dims;
    for (Value size : sizes.take_front(tensorType.getRank())) {
      auto symbol = dyn_cast<BlockArgument>(size);
      dims.push_back(symbol ? -1 - static_cast<int64_t>(symbol.getArgNumber())
                            : getConstantIntValue(size).value_or(RLX_DIM_COMPUTED));
    }
    sizes = sizes.drop_front(tensorType.getRank());
    signature.outputs.push_back({name, tensorType.getElementType(), dims});
  }
}

LogicalResult GraphLowering::buildRun() {
  MLIRContext *context = graph.getContext();
  SmallVector<Type> types;
  SmallVector<StringRef> tags;
  SmallVector<int64_t> indices;
  auto addArguments = [&](StringRef tag, TypeRange added) {
    for (auto [i, type] : llvm::enumerate(added)) {
      types.push_back(type);
      tags.push_back(tag);
      indices.push_back(i);
    }
  };
  SmallVector<Type> inputTypes, convertedParamTypes, bufferTypes;
  SmallVector<RankedTensorType> outputTypes;
  if (failed(converter.convertTypes(graph.getArgumentTypes(), inputTypes)) ||
      failed(converter.convertTypes(paramTypes, convertedParamTypes)))
    return failure();
  for (auto [type, info] : llvm::zip_equal(graph.getResultTypes(), signature.outputs)) {
    SmallVector<int64_t> shape;
    for (int64_t dim : info.dims)
      shape.push_back(dim < 0 ? ShapedType::kDynamic : dim);
    outputTypes.push_back(converted(type).clone(shape));
    bufferTypes.push_back(MemRefType::get(shape, outputTypes.back().getElementType()));
  }
  addArguments(hostabi::kInput, inputTypes);
  addArguments(hostabi::kParam, convertedParamTypes);
  addArguments(hostabi::kOutput, bufferTypes);
  auto function = func::FuncOp::create(builder, graph.getLoc(), hostabi::kRun,
                                       FunctionType::get(context, types, {}));
  for (size_t i = 0; i < types.size(); ++i)
    function.setArgAttr(i, tags[i], builder.getI64IntegerAttr(indices[i]));
  Block *entry = function.addEntryBlock();
  ArrayRef<BlockArgument> arguments = entry->getArguments();
  auto inputs = arguments.take_front(inputTypes.size());
  auto params = arguments.slice(inputTypes.size(), paramTypes.size());
  auto outputs = arguments.take_back(outputTypes.size());

  // The first dim of each symbol stands for all of them.
  OpBuilder at = OpBuilder::atBlockBegin(entry);
  SmallVector<Value> symbolValues(signature.symbols.size());
  SymbolMap symbols;
  for (auto [input, info] : llvm::zip_equal(inputs, signature.inputs))
    for (auto [dim, code] : llvm::enumerate(info.dims)) {
      if (code >= 0)
        continue;
      Value &symbol = symbolValues[-1 - code];
      if (!symbol)
        symbol = tensor::DimOp::create(at, input.getLoc(), input, dim);
      symbols[{input, dim}] = symbol;
    }

  SmallVector<Value> inputValues(inputs.begin(), inputs.end());
  SmallVector<Value> paramValues(params.begin(), params.end());
  Location loc = graph.output().getLoc();
  for (auto [value, output] :
       llvm::zip_equal(inlineBody(at, inputValues, paramValues, outputTypes), outputs))
    bufferization::MaterializeInDestinationOp::create(at, loc, Type(), value, output,
                                                      /*restrict=*/true, /*writable=*/true);
  func::ReturnOp::create(at, loc);
  if (failed(lowerBody(function)))
    return failure();
  return simplifySizes(function, symbols);
}

LogicalResult GraphLowering::run() {
  FailureOr<func::FuncOp> shapes = buildShapes();
  if (failed(shapes))
    return failure();
  readOutputs(*shapes);
  if (failed(buildRun()))
    return failure();
  graph->getParentOp()->setAttr(hostabi::kSignature, signature.toAttr(graph.getContext()));
  graph.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct ConvertToLinalg : impl::ConvertToLinalgBase<ConvertToLinalg> {
  void getDependentDialects(DialectRegistry &registry) const override {
    ConvertToLinalgBase::getDependentDialects(registry);
    tensor::registerInferTypeOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    auto graphs = llvm::to_vector(getOperation().getOps<ir::GraphOp>());
    if (graphs.empty())
      return;
    if (graphs.size() > 1) {
      graphs[1].emitError("module: expected one graph, found '")
          << graphs[0].getSymName() << "' and '" << graphs[1].getSymName() << "'";
      return signalPassFailure();
    }
    for (auto custom : graphs[0].getBody().getOps<ir::CustomOp>()) {
      custom.emitError("custom op '") << custom.getCallee() << "': no lowering is registered";
      return signalPassFailure();
    }
    if (failed(GraphLowering(graphs[0]).run()))
      signalPassFailure();
  }
};

} // namespace

} // namespace rlx

void rlx::registerConversionPasses() { registerRlxConversionPasses(); }
