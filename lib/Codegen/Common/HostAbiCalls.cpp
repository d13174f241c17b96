//===- HostAbiCalls.cpp - what compiled functions ask of their host -------===//

#include "HostAbi.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "rlx/Runtime/abi.h"

using namespace mlir;

namespace rlx::hostabi {

Types::Types(MLIRContext *context)
    : i8(IntegerType::get(context, 8)), i32(IntegerType::get(context, 32)),
      i64(IntegerType::get(context, 64)), ptr(LLVM::LLVMPointerType::get(context)) {
  auto structOf = [&](ArrayRef<Type> fields) {
    return LLVM::LLVMStructType::getLiteral(context, fields);
  };
  auto functionOf = [&](Type result, ArrayRef<Type> arguments) {
    return LLVM::LLVMFunctionType::get(result, arguments);
  };
  Type none = LLVM::LLVMVoidType::get(context);
  host = structOf({i32, i32, ptr, ptr, ptr, ptr, ptr, ptr});
  tensorInfo = structOf({ptr, i32, i32, ptr});
  kernelInfo = structOf({ptr});
  regionInfo = structOf({ptr, i32});
  moduleInfo = structOf({i32, i32, ptr, ptr, ptr, ptr, i32, i32, i32, i32, i32, ptr, ptr, ptr,
                         ptr, i64, ptr, ptr, ptr, ptr, ptr, i64, i32, ptr, i32, ptr, ptr});
  moduleMeta = structOf(
      {i64, i32, i32, i64, i64, LLVM::LLVMArrayType::get(i8, sizeof(rlx_module_meta::features))});
  task = functionOf(none, {ptr, i64});
  parallelFor = functionOf(none, {ptr, ptr, ptr, i64});
  fail = functionOf(none, {ptr, ptr});
  launch = functionOf(i32, {ptr, i32, ptr, ptr, i32, ptr});
  check = functionOf(i32, {ptr, ptr, ptr});
  beginRegion = functionOf(none, {ptr, i32});
  query = functionOf(ptr, {i32});
}

LLVM::LLVMFuncOp
replaceSignature(func::FuncOp function, StringRef name, LLVM::LLVMFunctionType type,
                 function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> rebuild,
                 function_ref<void(OpBuilder &, ValueRange, func::ReturnOp)> finish) {
  OpBuilder builder(function);
  Location loc = function.getLoc();
  auto result = LLVM::LLVMFuncOp::create(builder, loc, name, type, LLVM::Linkage::Internal,
                                         /*dsoLocal=*/true);
  result.setNoUnwind(true);
  result.getBody().takeBody(function.getBody());
  Block &entry = result.getBody().front();
  unsigned numOld = entry.getNumArguments();
  for (Type argument : type.getParams())
    entry.addArgument(argument, loc);
  ValueRange newArguments = entry.getArguments().drop_front(numOld);

  builder.setInsertionPointToStart(&entry);
  SmallVector<Value> old = rebuild(builder, newArguments);
  for (auto [argument, value] : llvm::zip_equal(entry.getArguments().take_front(numOld), old))
    argument.replaceAllUsesWith(value);
  for (auto terminator : llvm::make_early_inc_range(result.getBody().getOps<func::ReturnOp>())) {
    builder.setInsertionPoint(terminator);
    finish(builder, newArguments, terminator);
    terminator.erase();
  }
  entry.eraseArguments(0, numOld);
  function.erase();
  return result;
}

//===----------------------------------------------------------------------===//
// Passing values
//===----------------------------------------------------------------------===//

/// Offset and strides of a memref type that has them.
static std::pair<SmallVector<int64_t>, int64_t> getLayout(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  [[maybe_unused]] LogicalResult isStrided = type.getStridesAndOffset(strides, offset);
  assert(succeeded(isStrided) && "memrefs of compiled code are strided");
  return {strides, offset};
}

SmallVector<Type> getPassedTypes(const Types &types, Type type) {
  if (isa<IndexType>(type))
    return {types.i64};
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return {type};
  SmallVector<Type> parts{types.ptr};
  auto [strides, offset] = getLayout(memref);
  parts.append(ShapedType::isDynamic(offset), types.i64);
  parts.append(memref.getNumDynamicDims(), types.i64);
  if (!memref.getLayout().isIdentity())
    parts.append(llvm::count(strides, ShapedType::kDynamic), types.i64);
  return parts;
}

static Value castTo(OpBuilder &builder, Location loc, Type type, Value value) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(builder, loc, type, value).getResult(0);
}

SmallVector<Value> passValue(OpBuilder &builder, Location loc, const LLVMTypeConverter &converter,
                             Value value) {
  auto memref = dyn_cast<MemRefType>(value.getType());
  Value converted = castTo(builder, loc, converter.convertType(value.getType()), value);
  if (!memref)
    return {converted};
  MemRefDescriptor descriptor(converted);
  SmallVector<Value> parts{descriptor.alignedPtr(builder, loc)};
  auto [strides, offset] = getLayout(memref);
  if (ShapedType::isDynamic(offset))
    parts.push_back(descriptor.offset(builder, loc));
  for (unsigned dim = 0; dim < memref.getRank(); ++dim)
    if (memref.isDynamicDim(dim))
      parts.push_back(descriptor.size(builder, loc, dim));
  if (!memref.getLayout().isIdentity())
    for (unsigned dim = 0; dim < memref.getRank(); ++dim)
      if (ShapedType::isDynamic(strides[dim]))
        parts.push_back(descriptor.stride(builder, loc, dim));
  return parts;
}

Value receiveValue(OpBuilder &builder, Location loc, const LLVMTypeConverter &converter, Type type,
                   ValueRange parts) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return castTo(builder, loc, type, parts.front());
  auto descriptor = MemRefDescriptor::poison(builder, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, parts.front());
  descriptor.setAlignedPtr(builder, loc, parts.front());
  parts = parts.drop_front();
  auto takeOr = [&](int64_t fixed) -> Value {
    if (!ShapedType::isDynamic(fixed))
      return LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(fixed));
    Value part = parts.front();
    parts = parts.drop_front();
    return part;
  };
  auto [strides, offset] = getLayout(memref);
  descriptor.setOffset(builder, loc, takeOr(offset));
  SmallVector<Value> sizes;
  for (int64_t size : memref.getShape())
    sizes.push_back(takeOr(size));
  Value running = takeOr(1);
  for (int64_t dim = memref.getRank() - 1; dim >= 0; --dim) {
    descriptor.setSize(builder, loc, dim, sizes[dim]);
    if (!memref.getLayout().isIdentity())
      continue;
    descriptor.setStride(builder, loc, dim, running);
    running = LLVM::MulOp::create(builder, loc, running, sizes[dim]);
  }
  if (!memref.getLayout().isIdentity())
    for (unsigned dim = 0; dim < memref.getRank(); ++dim)
      descriptor.setStride(builder, loc, dim, takeOr(strides[dim]));
  return castTo(builder, loc, type, descriptor);
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

StringRef StringTable::get(StringRef text) {
  auto [entry, inserted] = names.try_emplace(text);
  if (!inserted)
    return entry->second;
  entry->second = "rlx_string_" + std::to_string(names.size() - 1);
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  std::string terminated = text.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), terminated.size());
  auto global = LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true,
                                       LLVM::Linkage::Private, entry->second,
                                       builder.getStringAttr(terminated));
  global.setUnnamedAddr(LLVM::UnnamedAddr::Global);
  return entry->second;
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

// A record of a parallel_for is {host, status, parts of captures...}. Status is
// zero until the first assertion of a task fails.
enum RecordField { kRecordHost = 0, kRecordStatus = 1, kRecordParts = 2 };

LogicalResult HostCalls::lowerTask(func::FuncOp function) {
  Task info;
  SmallVector<Type> arguments{types.ptr, types.ptr};
  SmallVector<DictionaryAttr> attributes(arguments.size());
  SmallVector<unsigned> numParts;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    SmallVector<Type> parts = getPassedTypes(types, type);
    arguments.append(parts);
    numParts.push_back(parts.size());
    auto noAlias =
        function.getArgAttrOfType<UnitAttr>(index, LLVM::LLVMDialect::getNoAliasAttrName());
    NamedAttrList first;
    if (noAlias)
      first.set(LLVM::LLVMDialect::getNoAliasAttrName(), noAlias);
    attributes.push_back(first.getDictionary(module.getContext()));
    attributes.resize(arguments.size());
  }
  // The index is not part of the record.
  SmallVector<Type> fields(arguments.begin(), arguments.end() - 1);
  fields[kRecordStatus] = types.i32;
  info.record = LLVM::LLVMStructType::getLiteral(module.getContext(), fields);

  Location loc = function.getLoc();
  std::string name = function.getSymName().str();
  SmallVector<Type> oldTypes(function.getArgumentTypes());
  auto rebuild = [&](OpBuilder &builder, ValueRange parts) {
    parts = parts.drop_front(kRecordParts);
    SmallVector<Value> result;
    for (auto [type, count] : llvm::zip_equal(oldTypes, numParts)) {
      result.push_back(receiveValue(builder, loc, converter, type, parts.take_front(count)));
      parts = parts.drop_front(count);
    }
    return result;
  };
  auto finish = [&](OpBuilder &builder, ValueRange, func::ReturnOp) {
    LLVM::ReturnOp::create(builder, loc, ValueRange());
  };
  Type none = LLVM::LLVMVoidType::get(module.getContext());
  LLVM::LLVMFuncOp task = replaceSignature(
      function, name, LLVM::LLVMFunctionType::get(none, arguments), rebuild, finish);
  task.setNoInline(true); // keeps the noalias of its arguments as it is
  for (auto [index, dictionary] : llvm::enumerate(attributes))
    if (dictionary)
      task.setArgAttrs(index, dictionary);

  WalkResult nested = task.walk([&](host::ParallelForOp op) {
    op.emitError("parallel work within a task");
    return WalkResult::interrupt();
  });
  if (nested.wasInterrupted())
    return failure();
  SmallVector<cf::AssertOp> asserts;
  task.walk([&](cf::AssertOp op) { asserts.push_back(op); });
  info.canFail = !asserts.empty();
  for (cf::AssertOp op : asserts)
    lowerAssert(op, task.getArgument(kRecordHost), task.getArgument(kRecordStatus));
  info.thunk = name + "_thunk";
  emitThunk(loc, task, info);
  tasks[name] = info;
  return success();
}

void HostCalls::emitThunk(Location loc, LLVM::LLVMFuncOp task, const Task &info) {
  OpBuilder builder(module.getContext());
  builder.setInsertionPointAfter(task);
  auto thunk = LLVM::LLVMFuncOp::create(builder, loc, info.thunk, types.task,
                                        LLVM::Linkage::Internal, /*dsoLocal=*/true);
  thunk.setNoUnwind(true);
  Block *entry = thunk.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  Value record = entry->getArgument(0);
  SmallVector<Value> arguments;
  for (auto [index, type] : llvm::enumerate(info.record.getBody())) {
    Value field = LLVM::GEPOp::create(builder, loc, types.ptr, info.record, record,
                                      ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(index)});
    arguments.push_back(index == kRecordStatus
                            ? field
                            : LLVM::LoadOp::create(builder, loc, type, field).getResult());
  }
  arguments.push_back(entry->getArgument(1));
  LLVM::CallOp::create(builder, loc, task, arguments);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Value HostCalls::loadHostField(OpBuilder &builder, Location loc, Value host, HostField field) {
  Value address = LLVM::GEPOp::create(builder, loc, types.ptr, types.host, host,
                                      ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(field)});
  return LLVM::LoadOp::create(builder, loc, types.host.getBody()[field], address, /*alignment=*/0,
                              /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/true);
}

/// Bytes of an rlx_host that has begin_region.
static constexpr size_t kHostSizeWithRegions =
    offsetof(rlx_host, begin_region) + sizeof(rlx_host::begin_region);
/// The function of a module that calls it.
static constexpr StringLiteral kBeginRegion = "rlx_begin_region";

static Value constant(OpBuilder &builder, Location loc, IntegerType type, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
}

/// Ends a function that returns a status.
static void returnFailed(OpBuilder &builder, Location loc, const Types &types) {
  LLVM::ReturnOp::create(builder, loc, constant(builder, loc, types.i32, RLX_FAILED));
}

void HostCalls::lowerParallelFor(host::ParallelForOp op, Value host) {
  const Task &task = tasks.at(op.getTask());
  auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
  Location loc = op.getLoc();

  // The record is in the entry block: the call may be in a loop.
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Value one = constant(builder, loc, types.i64, 1);
  Value record = LLVM::AllocaOp::create(builder, loc, types.ptr, task.record, one);

  builder.setInsertionPoint(op);
  SmallVector<Value> fields{host, constant(builder, loc, types.i32, RLX_OK)};
  for (Value capture : op.getCaptures())
    llvm::append_range(fields, passValue(builder, loc, converter, capture));
  auto address = [&](int32_t index) {
    return LLVM::GEPOp::create(builder, loc, types.ptr, task.record, record,
                               ArrayRef<LLVM::GEPArg>{0, index});
  };
  for (auto [index, field] : llvm::enumerate(fields))
    LLVM::StoreOp::create(builder, loc, field, address(index));
  Value thunk = LLVM::AddressOfOp::create(builder, loc, types.ptr, task.thunk);
  Value count = castTo(builder, loc, types.i64, op.getCount());
  Value parallelFor = loadHostField(builder, loc, host, kHostParallelFor);
  Value context = loadHostField(builder, loc, host, kHostContext);
  LLVM::CallOp::create(builder, loc, types.parallelFor,
                       ValueRange{parallelFor, context, thunk, record, count});

  if (task.canFail)
    returnIfFailed(builder, op,
                   LLVM::LoadOp::create(builder, loc, types.i32, address(kRecordStatus)));
  op.erase();
}

/// Leaves the function before `before` unless `status` is RLX_OK.
void HostCalls::returnIfFailed(OpBuilder &builder, Operation *before, Value status) {
  Location loc = before->getLoc();
  Value failed = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, status,
                                      constant(builder, loc, types.i32, RLX_OK));
  Block *rest = before->getBlock()->splitBlock(before);
  Block *end = new Block;
  rest->getParent()->push_back(end);
  builder.setInsertionPointToEnd(rest->getPrevNode());
  LLVM::CondBrOp::create(builder, loc, failed, end, rest);
  builder.setInsertionPointToEnd(end);
  returnFailed(builder, loc, types);
}

/// The parameters of a kernel for a value: the fields of a memref's descriptor, one after
/// another, or the value.
static SmallVector<Value> unpackForKernel(OpBuilder &builder, Location loc,
                                          const LLVMTypeConverter &converter, Value value) {
  Value converted = castTo(builder, loc, converter.convertType(value.getType()), value);
  SmallVector<Value> parts;
  if (auto memref = dyn_cast<MemRefType>(value.getType()))
    MemRefDescriptor::unpack(builder, loc, converted, memref, parts);
  else
    parts.push_back(converted);
  return parts;
}

void HostCalls::lowerLaunch(host::LaunchOp op, Value host) {
  Location loc = op.getLoc();
  auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
  OpBuilder builder(op);
  SmallVector<Value> arguments;
  for (Value capture : op.getCaptures())
    llvm::append_range(arguments, unpackForKernel(builder, loc, converter, capture));

  // Slots of the entry block's stack: the arguments, pointers to them, the sizes.
  OpBuilder entry = OpBuilder::atBlockBegin(&function.getBody().front());
  auto allocate = [&](Type type, int64_t count) -> Value {
    Value size = constant(entry, loc, types.i64, std::max<int64_t>(count, 1));
    return LLVM::AllocaOp::create(entry, loc, types.ptr, type, size);
  };
  auto store = [&](Value array, Type element, int64_t index, Value value) {
    Value address = LLVM::GEPOp::create(builder, loc, types.ptr, element, array,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    LLVM::StoreOp::create(builder, loc, value, address);
  };
  Value pointers = allocate(types.ptr, arguments.size());
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    Value slot = allocate(argument.getType(), 1);
    LLVM::StoreOp::create(builder, loc, argument, slot);
    store(pointers, types.ptr, index, slot);
  }
  auto storeSizes = [&](ValueRange sizes) {
    Value array = allocate(types.i32, sizes.size());
    for (auto [index, size] : llvm::enumerate(sizes)) {
      Value wide = castTo(builder, loc, types.i64, size);
      store(array, types.i32, index, LLVM::TruncOp::create(builder, loc, types.i32, wide));
    }
    return array;
  };
  Value grid = storeSizes({op.getGridX(), op.getGridY(), op.getGridZ()});
  Value block = storeSizes({op.getBlockX(), op.getBlockY(), op.getBlockZ()});
  Value launch = loadHostField(builder, loc, host, kHostLaunch);
  Value context = loadHostField(builder, loc, host, kHostContext);
  Value status =
      LLVM::CallOp::create(
          builder, loc, types.launch,
          ValueRange{launch, context, constant(builder, loc, types.i32, op.getKernel()), grid,
                     block, constant(builder, loc, types.i32, op.getSharedBytes()), pointers})
          .getResult();
  returnIfFailed(builder, op, status);
  op.erase();
}

void HostCalls::lowerCheck(host::CheckOp op, Value host) {
  Location loc = op.getLoc();
  OpBuilder builder(op);
  Value flag = passValue(builder, loc, converter, op.getFlag()).front();
  Value message = LLVM::AddressOfOp::create(builder, loc, types.ptr, strings.get(op.getMessage()));
  Value check = loadHostField(builder, loc, host, kHostCheck);
  Value context = loadHostField(builder, loc, host, kHostContext);
  Value status =
      LLVM::CallOp::create(builder, loc, types.check, ValueRange{check, context, flag, message})
          .getResult();
  returnIfFailed(builder, op, status);
  op.erase();
}

void HostCalls::lowerAssert(cf::AssertOp op, Value host, Value status) {
  Location loc = op.getLoc();
  StringAttr text = op.getMsgAttr();
  Block *before = op->getBlock();
  Region &body = *before->getParent();
  Block *rest = before->splitBlock(op);
  auto addBlock = [&] {
    Block *block = new Block;
    body.push_back(block);
    return block;
  };
  Block *failed = addBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(before);
  LLVM::CondBrOp::create(builder, loc, op.getArg(), rest, ValueRange(), failed, ValueRange(),
                         std::pair<uint32_t, uint32_t>(2000, 1));
  op.erase();

  // Of the tasks that fail at once, one reports.
  builder.setInsertionPointToEnd(failed);
  Block *end = failed;
  if (status) {
    Value previous = LLVM::AtomicRMWOp::create(builder, loc, LLVM::AtomicBinOp::xchg, status,
                                               constant(builder, loc, types.i32, RLX_FAILED),
                                               LLVM::AtomicOrdering::monotonic);
    Value first = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, previous,
                                       constant(builder, loc, types.i32, RLX_OK));
    Block *report = addBlock();
    end = addBlock();
    LLVM::CondBrOp::create(builder, loc, first, report, end);
    builder.setInsertionPointToEnd(report);
  }
  Value message = LLVM::AddressOfOp::create(builder, loc, types.ptr, strings.get(text));
  Value fail = loadHostField(builder, loc, host, kHostFail);
  Value context = loadHostField(builder, loc, host, kHostContext);
  LLVM::CallOp::create(builder, loc, types.fail, ValueRange{fail, context, message});
  if (!status)
    return returnFailed(builder, loc, types);
  LLVM::BrOp::create(builder, loc, end);
  builder.setInsertionPointToEnd(end);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

void HostCalls::emitBeginRegion() {
  Location loc = module.getLoc();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(builder, loc, kBeginRegion, types.beginRegion,
                                           LLVM::Linkage::Internal, /*dsoLocal=*/true);
  function.setNoUnwind(true);
  function.setNoInline(true); // out of the way of those that nobody traces
  Block *entry = function.addEntryBlock(builder), *ask = new Block, *call = new Block,
        *end = new Block;
  for (Block *block : {ask, call, end})
    function.getBody().push_back(block);
  Value host = entry->getArgument(0);

  // A host of version 1.0 has no such field.
  builder.setInsertionPointToStart(entry);
  Value size = loadHostField(builder, loc, host, kHostStructSize);
  Value needed = constant(builder, loc, types.i32, kHostSizeWithRegions);
  Value isThere = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::uge, size, needed);
  LLVM::CondBrOp::create(builder, loc, isThere, ask, end);

  builder.setInsertionPointToEnd(ask);
  Value beginRegion = loadHostField(builder, loc, host, kHostBeginRegion);
  Value null = LLVM::ZeroOp::create(builder, loc, types.ptr);
  Value isSet = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, beginRegion, null);
  LLVM::CondBrOp::create(builder, loc, isSet, call, end);

  builder.setInsertionPointToEnd(call);
  Value context = loadHostField(builder, loc, host, kHostContext);
  LLVM::CallOp::create(builder, loc, types.beginRegion,
                       ValueRange{beginRegion, context, entry->getArgument(1)});
  LLVM::BrOp::create(builder, loc, end);
  builder.setInsertionPointToEnd(end);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

void HostCalls::lowerBeginRegion(host::BeginRegionOp op, Value host) {
  OpBuilder builder(op);
  Value region = constant(builder, op.getLoc(), types.i32, op.getRegion());
  LLVM::CallOp::create(builder, op.getLoc(), TypeRange(), kBeginRegion, ValueRange{host, region});
  op.erase();
}

LogicalResult HostCalls::lowerFunction(LLVM::LLVMFuncOp function) {
  Value host = function.getArgument(0);
  SmallVector<Operation *> calls;
  function.walk([&](Operation *op) {
    if (isa<host::ParallelForOp, host::LaunchOp, host::CheckOp, host::BeginRegionOp, cf::AssertOp>(
            op))
      calls.push_back(op);
  });
  for (Operation *op : calls) {
    if (auto parallelFor = dyn_cast<host::ParallelForOp>(op)) {
      if (!tasks.contains(parallelFor.getTask()))
        return op->emitError("unknown task '") << parallelFor.getTask() << "'";
      lowerParallelFor(parallelFor, host);
    } else if (auto launch = dyn_cast<host::LaunchOp>(op)) {
      lowerLaunch(launch, host);
    } else if (auto check = dyn_cast<host::CheckOp>(op)) {
      lowerCheck(check, host);
    } else if (auto region = dyn_cast<host::BeginRegionOp>(op)) {
      lowerBeginRegion(region, host);
    } else {
      lowerAssert(cast<cf::AssertOp>(op), host, /*status=*/nullptr);
    }
  }
  return success();
}

} // namespace rlx::hostabi
