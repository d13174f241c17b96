//===- HostAbi.cpp - the C interface of a compiled module -----------------===//
//
// Splits each of run, bind and shapes into a body over pointers and sizes, which
// LLVM may assume not to alias, and an entry with the signature of abi.h that
// finds them.
//
//===----------------------------------------------------------------------===//

#include "HostAbi.h"

#include "rlx/Codegen/Passes.h"
#include "rlx/Runtime/abi.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

namespace rlx {
#define GEN_PASS_DEF_EMITHOSTABI
#define GEN_PASS_DEF_VERIFYSELFCONTAINED
#include "rlx/Codegen/Passes.h.inc"
} // namespace rlx

using namespace mlir;
using namespace rlx;
using namespace rlx::hostabi;

namespace {

/// Where a memref argument of rlx_run or rlx_bind comes from.
struct Source {
  StringLiteral tag;
  int64_t index = 0; ///< of the tensor, or the offset in the packed buffer
  MemRefType type;
  SmallVector<int64_t> dims; ///< of the tensor, coded as in abi.h; else of the memref
};

/// The arguments of a C entry by which it finds memrefs; null where it has none.
struct EntryArguments {
  Value host, symbols, params, packed, inputs, outputs, workspace;
};

class EntryEmitter {
public:
  EntryEmitter(ModuleOp module, const ModuleSignature &signature,
               const LLVMTypeConverter &converter, HostCalls &calls)
      : module(module), signature(signature), converter(converter), types(module.getContext()),
        calls(calls) {}

  /// Emits the entry of rlx_run or, if `isBind`, of rlx_bind.
  LogicalResult emitRunOrBind(func::FuncOp function, bool isBind);
  /// Emits rlx_bind for a module that has none.
  void emitEmptyBind();
  LogicalResult emitShapes(func::FuncOp function);
  LogicalResult emitCosts(func::FuncOp function, size_t numRegions);

private:
  FailureOr<Source> findSource(func::FuncOp function, unsigned argument);
  FailureOr<LLVM::LLVMFuncOp> emitBody(func::FuncOp function, ArrayRef<Source> sources);
  LLVM::LLVMFuncOp startEntry(OpBuilder &builder, StringRef name, unsigned numPointers);
  Value loadPointer(OpBuilder &builder, Value table, int64_t index);
  Value emitPointer(OpBuilder &builder, const EntryArguments &entry, const Source &source);
  FailureOr<Value> emitSize(OpBuilder &builder, const EntryArguments &entry, const Source &source,
                            unsigned dim, Value &computedDims);
  Value emitShapesCall(OpBuilder &builder, const EntryArguments &entry);
  /// Emits a function of the symbols whose results go to where `findPlace` says, which
  /// is given the tables that are its arguments and the result's number.
  LogicalResult emitSizes(func::FuncOp function, size_t numResults, unsigned numTables,
                          function_ref<Value(OpBuilder &, ValueRange, size_t)> findPlace);
  /// The address of an element of a table of i64.
  Value slot(OpBuilder &builder, Value table, int64_t index) {
    return LLVM::GEPOp::create(builder, module.getLoc(), types.ptr, types.i64, table,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  }
  Value constant(OpBuilder &builder, IntegerType type, int64_t value) {
    return LLVM::ConstantOp::create(builder, module.getLoc(), builder.getIntegerAttr(type, value));
  }
  int64_t countOutputDims(size_t numOutputs) const {
    int64_t count = 0;
    for (const TensorSignature &output : ArrayRef(signature.outputs).take_front(numOutputs))
      count += output.dims.size();
    return count;
  }

  ModuleOp module;
  const ModuleSignature &signature;
  const LLVMTypeConverter &converter;
  Types types;
  HostCalls &calls;
};

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

FailureOr<Source> EntryEmitter::findSource(func::FuncOp function, unsigned argument) {
  auto fail = [&](const Twine &expected) {
    return function.emitError("argument #")
           << argument << " of '" << function.getSymName() << "': expected " << expected;
  };
  auto type = dyn_cast<MemRefType>(function.getArgument(argument).getType());
  if (!type || !type.getLayout().isIdentity())
    return fail("a memref of identity layout");
  const std::pair<StringLiteral, ArrayRef<TensorSignature>> tables[] = {
      {kInput, signature.inputs}, {kParam, signature.params}, {kOutput, signature.outputs}};
  for (auto [tag, table] : tables) {
    auto index = function.getArgAttrOfType<IntegerAttr>(argument, tag);
    if (!index)
      continue;
    uint64_t position = index.getInt();
    if (position >= table.size() || table[position].dims.size() != size_t(type.getRank()))
      return fail("'" + tag + "' to be the index of a tensor of the signature, of its rank");
    return Source{tag, index.getInt(), type, table[position].dims};
  }
  if (function.getArgAttr(argument, kWorkspace))
    return Source{kWorkspace, 0, type, SmallVector<int64_t>(type.getShape())};
  if (auto offset = function.getArgAttrOfType<IntegerAttr>(argument, kPacked))
    return Source{kPacked, offset.getInt(), type, SmallVector<int64_t>(type.getShape())};
  return fail("one of the attributes '" + kInput + "', '" + kParam + "', '" + kPacked + "', '" +
              kOutput + "', '" + kWorkspace + "'");
}

Value EntryEmitter::loadPointer(OpBuilder &builder, Value table, int64_t index) {
  Location loc = module.getLoc();
  Value address = LLVM::GEPOp::create(builder, loc, types.ptr, types.ptr, table,
                                      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  return LLVM::LoadOp::create(builder, loc, types.ptr, address);
}

Value EntryEmitter::emitPointer(OpBuilder &builder, const EntryArguments &entry,
                                const Source &source) {
  if (source.tag == kInput)
    return loadPointer(builder, entry.inputs, source.index);
  if (source.tag == kParam)
    return loadPointer(builder, entry.params, source.index);
  if (source.tag == kOutput)
    return loadPointer(builder, entry.outputs, source.index);
  if (source.tag == kWorkspace)
    return entry.workspace;
  Value offset = constant(builder, types.i64, source.index);
  return LLVM::GEPOp::create(builder, module.getLoc(), types.ptr, types.i8, entry.packed,
                             ValueRange{offset});
}

/// The size of a dynamic dim; `computedDims` is the array that rlx_shapes fills,
/// once it has been called.
FailureOr<Value> EntryEmitter::emitSize(OpBuilder &builder, const EntryArguments &entry,
                                        const Source &source, unsigned dim, Value &computedDims) {
  Location loc = module.getLoc();
  auto loadFrom = [&](Value table, int64_t index) -> Value {
    return LLVM::LoadOp::create(builder, loc, types.i64, slot(builder, table, index));
  };
  if (source.tag == kWorkspace)
    return constant(builder, types.i64, std::numeric_limits<int64_t>::max());
  int64_t code = source.dims[dim];
  if (source.tag == kPacked || (code != RLX_DIM_COMPUTED && !entry.symbols) ||
      -code > int64_t(signature.symbols.size()))
    if (code != RLX_DIM_COMPUTED)
      return module.emitError("dim ") << dim << " of '" << source.tag << "' #" << source.index
                                      << ": expected a size that is known here";
  if (code >= 0)
    return constant(builder, types.i64, code);
  if (code != RLX_DIM_COMPUTED)
    return loadFrom(entry.symbols, -1 - code);
  if (!computedDims)
    computedDims = emitShapesCall(builder, entry);
  return loadFrom(computedDims, countOutputDims(source.index) + dim);
}

/// Calls rlx_shapes, which has succeeded with these symbols before, for the dims
/// of the outputs.
Value EntryEmitter::emitShapesCall(OpBuilder &builder, const EntryArguments &entry) {
  Location loc = module.getLoc();
  Value dims = LLVM::AllocaOp::create(
      builder, loc, types.ptr, types.i64,
      constant(builder, types.i64, countOutputDims(signature.outputs.size())));
  Value size =
      LLVM::AllocaOp::create(builder, loc, types.ptr, types.i64, constant(builder, types.i64, 1));
  LLVM::CallOp::create(builder, loc, types.i32, kShapes,
                       ValueRange{entry.host, entry.symbols, dims, size});
  return dims;
}

//===----------------------------------------------------------------------===//
// Bodies and entries
//===----------------------------------------------------------------------===//

/// The function over (host, pointers and sizes...), with what LLVM may assume.
FailureOr<LLVM::LLVMFuncOp> EntryEmitter::emitBody(func::FuncOp function,
                                                   ArrayRef<Source> sources) {
  Location loc = function.getLoc();
  SmallVector<Type> arguments{types.ptr};
  for (const Source &source : sources)
    arguments.append(getPassedTypes(types, source.type));
  auto rebuild = [&](OpBuilder &builder, ValueRange parts) {
    parts = parts.drop_front();
    SmallVector<Value> result;
    for (const Source &source : sources) {
      size_t count = 1 + source.type.getNumDynamicDims();
      result.push_back(receiveValue(builder, loc, converter, source.type, parts.take_front(count)));
      parts = parts.drop_front(count);
    }
    return result;
  };
  auto finish = [&](OpBuilder &builder, ValueRange, func::ReturnOp) {
    LLVM::ReturnOp::create(builder, loc, constant(builder, types.i32, RLX_OK));
  };
  std::string name = (function.getSymName() + "_body").str();
  LLVM::LLVMFuncOp body = replaceSignature(
      function, name, LLVM::LLVMFunctionType::get(types.i32, arguments), rebuild, finish);
  body.setNoInline(true); // keeps the noalias of its arguments as it is

  OpBuilder builder(module.getContext());
  unsigned position = 1;
  for (const Source &source : sources) {
    body.setArgAttr(position, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
    if (source.tag == kWorkspace || source.tag == kPacked)
      body.setArgAttr(
          position, LLVM::LLVMDialect::getAlignAttrName(),
          builder.getI64IntegerAttr(llvm::MinAlign(RLX_BUFFER_ALIGNMENT, source.index)));
    position += 1 + source.type.getNumDynamicDims();
  }
  if (failed(calls.lowerFunction(body)))
    return failure();
  return body;
}

LLVM::LLVMFuncOp EntryEmitter::startEntry(OpBuilder &builder, StringRef name,
                                          unsigned numPointers) {
  builder.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> arguments(numPointers, types.ptr);
  auto entry = LLVM::LLVMFuncOp::create(builder, module.getLoc(), name,
                                        LLVM::LLVMFunctionType::get(types.i32, arguments),
                                        LLVM::Linkage::Internal, /*dsoLocal=*/true);
  entry.setNoUnwind(true);
  builder.setInsertionPointToStart(entry.addEntryBlock(builder));
  return entry;
}

LogicalResult EntryEmitter::emitRunOrBind(func::FuncOp function, bool isBind) {
  SmallVector<Source> sources;
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    FailureOr<Source> source = findSource(function, index);
    if (failed(source))
      return failure();
    if (isBind && source->tag != kParam && source->tag != kPacked)
      return function.emitError("argument #")
             << index << " of '" << kBind << "': expected '" << kParam << "' or '" << kPacked
             << "', found '" << source->tag << "'";
    sources.push_back(*source);
  }
  FailureOr<LLVM::LLVMFuncOp> body = emitBody(function, sources);
  if (failed(body))
    return failure();

  OpBuilder builder(module.getContext());
  LLVM::LLVMFuncOp entryFunction = startEntry(builder, isBind ? kBind : kRun, isBind ? 3 : 7);
  auto argument = [&](unsigned index) -> Value { return entryFunction.getArgument(index); };
  EntryArguments entry;
  entry.host = argument(0);
  if (isBind) {
    entry.params = argument(1);
    entry.packed = argument(2);
  } else {
    entry.symbols = argument(1);
    entry.params = argument(2);
    entry.packed = argument(3);
    entry.inputs = argument(4);
    entry.outputs = argument(5);
    entry.workspace = argument(6);
  }
  SmallVector<Value> parts{entry.host};
  Value computedDims;
  for (const Source &source : sources) {
    parts.push_back(emitPointer(builder, entry, source));
    for (unsigned dim = 0; dim < source.dims.size(); ++dim) {
      if (!source.type.isDynamicDim(dim))
        continue;
      FailureOr<Value> size = emitSize(builder, entry, source, dim, computedDims);
      if (failed(size))
        return failure();
      parts.push_back(*size);
    }
  }
  auto call = LLVM::CallOp::create(builder, module.getLoc(), *body, parts);
  LLVM::ReturnOp::create(builder, module.getLoc(), call.getResult());
  return success();
}

void EntryEmitter::emitEmptyBind() {
  OpBuilder builder(module.getContext());
  startEntry(builder, kBind, 3);
  LLVM::ReturnOp::create(builder, module.getLoc(), constant(builder, types.i32, RLX_OK));
}

LogicalResult
EntryEmitter::emitSizes(func::FuncOp function, size_t numResults, unsigned numTables,
                        function_ref<Value(OpBuilder &, ValueRange, size_t)> findPlace) {
  auto isIndex = [](Type type) { return isa<IndexType>(type); };
  if (function.getNumArguments() != signature.symbols.size() ||
      function.getNumResults() != numResults ||
      !llvm::all_of(function.getArgumentTypes(), isIndex) ||
      !llvm::all_of(function.getResultTypes(), isIndex))
    return function.emitError("'")
           << function.getSymName() << "': expected " << signature.symbols.size()
           << " arguments and " << numResults << " results of type index";
  Location loc = function.getLoc();
  // Arguments: host, symbols, tables of results.
  auto rebuild = [&](OpBuilder &builder, ValueRange arguments) {
    SmallVector<Value> result;
    for (size_t index = 0; index < signature.symbols.size(); ++index) {
      Value size =
          LLVM::LoadOp::create(builder, loc, types.i64, slot(builder, arguments[1], index));
      result.push_back(receiveValue(builder, loc, converter, builder.getIndexType(), size));
    }
    return result;
  };
  auto finish = [&](OpBuilder &builder, ValueRange arguments, func::ReturnOp terminator) {
    for (auto [index, value] : llvm::enumerate(terminator.getOperands())) {
      Value passed = passValue(builder, loc, converter, value).front();
      LLVM::StoreOp::create(builder, loc, passed,
                            findPlace(builder, arguments.drop_front(2), index));
    }
    LLVM::ReturnOp::create(builder, loc, constant(builder, types.i32, RLX_OK));
  };
  SmallVector<Type> arguments(2 + numTables, types.ptr);
  // A name of its own until the old function is gone.
  std::string name = function.getSymName().str();
  LLVM::LLVMFuncOp result = replaceSignature(
      function, name + "_body", LLVM::LLVMFunctionType::get(types.i32, arguments), rebuild, finish);
  result.setSymName(name);
  return calls.lowerFunction(result);
}

LogicalResult EntryEmitter::emitShapes(func::FuncOp function) {
  size_t numDims = countOutputDims(signature.outputs.size());
  return emitSizes(function, numDims + 1, /*numTables=*/2,
                   [&](OpBuilder &builder, ValueRange tables, size_t index) {
                     return index < numDims ? slot(builder, tables[0], index) : tables[1];
                   });
}

LogicalResult EntryEmitter::emitCosts(func::FuncOp function, size_t numRegions) {
  return emitSizes(function, 2 * numRegions, /*numTables=*/1,
                   [&](OpBuilder &builder, ValueRange tables, size_t index) {
                     return slot(builder, tables[0], index);
                   });
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// The regions of a module; an attribute of another form is diagnosed.
FailureOr<ArrayRef<Attribute>> getRegions(ModuleOp module) {
  Attribute table = module->getAttr(kRegions);
  if (!table)
    return ArrayRef<Attribute>();
  auto isRegion = [](Attribute attribute) {
    auto region = dyn_cast<DictionaryAttr>(attribute);
    return region && region.getAs<StringAttr>(kRegionName) &&
           region.getAs<BoolAttr>(kRegionParallel);
  };
  auto regions = dyn_cast<ArrayAttr>(table);
  if (!regions || !llvm::all_of(regions, isRegion))
    return module.emitError("'") << kRegions << "': expected an array of {" << kRegionName << ", "
                                 << kRegionParallel << "}";
  return regions.getValue();
}

struct EmitHostAbiPass : public rlx::impl::EmitHostAbiBase<EmitHostAbiPass> {
  using EmitHostAbiBase::EmitHostAbiBase;

  void runOnOperation() override {
    if (failed(emit()))
      signalPassFailure();
  }

  LogicalResult emit() {
    ModuleOp module = getOperation();
    llvm::Expected<CpuTarget> target = CpuTarget::get(triple, cpu, features);
    if (!target)
      return module.emitError(llvm::toString(target.takeError()));
    FailureOr<ModuleSignature> signature = ModuleSignature::get(module);
    if (failed(signature))
      return failure();
    auto run = module.lookupSymbol<func::FuncOp>(kRun);
    auto bind = module.lookupSymbol<func::FuncOp>(kBind);
    auto shapes = module.lookupSymbol<func::FuncOp>(kShapes);
    if (!run || !shapes)
      return module.emitError("expected functions '") << kRun << "' and '" << kShapes << "'";
    FailureOr<ArrayRef<Attribute>> regions = getRegions(module);
    if (failed(regions))
      return failure();
    auto costs = module.lookupSymbol<func::FuncOp>(kCosts);
    if (!regions->empty() && !costs)
      return module.emitError("expected function '") << kCosts << "' of a module with regions";
    WalkResult walk = module.walk([&](host::BeginRegionOp op) {
      if (op.getRegion() < regions->size())
        return WalkResult::advance();
      op.emitError("expected one of ") << regions->size() << " regions, found " << op.getRegion();
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return failure();

    LowerToLLVMOptions options(&getContext());
    LLVMTypeConverter converter(&getContext(), options);
    StringTable strings(module);
    HostCalls calls(module, converter, strings);
    llvm::SetVector<StringRef> taskNames;
    module.walk([&](host::ParallelForOp op) { taskNames.insert(op.getTask()); });
    for (StringRef name : taskNames)
      if (failed(calls.lowerTask(module.lookupSymbol<func::FuncOp>(name))))
        return failure();

    EntryEmitter emitter(module, *signature, converter, calls);
    if (failed(emitter.emitShapes(shapes)) || failed(emitter.emitRunOrBind(run, /*isBind=*/false)))
      return failure();
    if (!bind)
      emitter.emitEmptyBind();
    else if (failed(emitter.emitRunOrBind(bind, /*isBind=*/true)))
      return failure();
    if (costs && failed(emitter.emitCosts(costs, regions->size())))
      return failure();
    if (!regions->empty())
      calls.emitBeginRegion();
    emitDescriptor(module, *signature, *regions, *target, querySymbol, strings);
    return success();
  }
};

struct VerifySelfContainedPass
    : public rlx::impl::VerifySelfContainedBase<VerifySelfContainedPass> {
  /// Whether memref.copy of `type` is one memcpy.
  static bool isOneBlock(Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return memref && (memref.getLayout().isIdentity() ||
                      (memref.hasStaticShape() && memref.getNumElements() > 0 &&
                       memref::isStaticShapeAndContiguousRowMajor(memref)));
  }

  void runOnOperation() override {
    WalkResult walk = getOperation().walk([](Operation *op) {
      if (isa<memref::AllocOp, memref::DeallocOp, memref::ReallocOp>(op)) {
        op->emitError("internal error: '")
            << op->getName() << "' left in compiled code, which cannot allocate";
        return WalkResult::interrupt();
      }
      if (auto copy = dyn_cast<memref::CopyOp>(op);
          copy &&
          !(isOneBlock(copy.getSource().getType()) && isOneBlock(copy.getTarget().getType()))) {
        op->emitError("internal error: strided 'memref.copy' left, expected a loop");
        return WalkResult::interrupt();
      }
      auto isTensor = [](Type type) { return isa<TensorType>(type); };
      if (llvm::any_of(op->getResultTypes(), isTensor)) {
        op->emitError("internal error: tensor left in compiled code");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
