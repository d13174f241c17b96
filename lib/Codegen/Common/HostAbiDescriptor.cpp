//===- HostAbiDescriptor.cpp - a module's constant descriptor -------------===//
//
// Writes rlx_module_info, the function that returns it, and rlx_module_meta.
//
//===----------------------------------------------------------------------===//

#include "HostAbi.h"

#include "rlx/Runtime/abi.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace rlx::hostabi {

static uint32_t getDType(Type type) {
  if (type.isF32())
    return RLX_DTYPE_F32;
  if (type.isF16())
    return RLX_DTYPE_F16;
  if (type.isBF16())
    return RLX_DTYPE_BF16;
  if (type.isF64())
    return RLX_DTYPE_F64;
  if (type.isInteger(8))
    return RLX_DTYPE_I8;
  if (type.isInteger(32))
    return RLX_DTYPE_I32;
  if (type.isInteger(64))
    return RLX_DTYPE_I64;
  assert(type.isInteger(1) && "a type that graphs do not have");
  return RLX_DTYPE_BOOL;
}

namespace {

/// Writes constants of structure and array types.
class ConstantEmitter {
public:
  ConstantEmitter(ModuleOp module, StringTable &strings)
      : module(module), strings(strings), types(module.getContext()), builder(module.getContext()) {
  }

  const Types &getTypes() const { return types; }

  /// Adds an internal constant whose value `initialize` computes, with the builder
  /// inside its initializer.
  LLVM::GlobalOp add(Type type, StringRef name, function_ref<Value()> initialize) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(module.getBody(), module.getBody()->begin());
    auto global = LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true,
                                         LLVM::Linkage::Internal, name, Attribute(),
                                         /*alignment=*/0, /*addrSpace=*/0, /*dsoLocal=*/true);
    builder.createBlock(&global.getInitializerRegion());
    LLVM::ReturnOp::create(builder, module.getLoc(), initialize());
    return global;
  }

  Value integer(IntegerType type, uint64_t value) {
    return LLVM::ConstantOp::create(builder, module.getLoc(),
                                    builder.getIntegerAttr(type, APInt(type.getWidth(), value)));
  }
  Value i32(uint32_t value) { return integer(types.i32, value); }
  Value i64(uint64_t value) { return integer(types.i64, value); }
  Value address(StringRef global) {
    return LLVM::AddressOfOp::create(builder, module.getLoc(), types.ptr, global);
  }
  Value string(StringRef text) { return address(strings.get(text)); }
  Value aggregate(Type type, ValueRange fields) {
    Value value = LLVM::UndefOp::create(builder, module.getLoc(), type);
    for (auto [index, field] : llvm::enumerate(fields))
      value = LLVM::InsertValueOp::create(builder, module.getLoc(), value, field,
                                          ArrayRef<int64_t>{static_cast<int64_t>(index)});
    return value;
  }

  /// Adds an array and returns its global's name; empty arrays have none.
  std::string addArray(StringRef name, Type element, size_t size,
                       function_ref<Value(size_t)> makeElement) {
    if (size == 0)
      return "";
    Type type = LLVM::LLVMArrayType::get(element, size);
    add(type, name, [&] {
      SmallVector<Value> elements;
      for (size_t index = 0; index < size; ++index)
        elements.push_back(makeElement(index));
      return aggregate(type, elements);
    });
    return name.str();
  }

  /// The address of an array that addArray added.
  Value arrayAddress(StringRef name) {
    if (!name.empty())
      return address(name);
    return LLVM::ZeroOp::create(builder, module.getLoc(), types.ptr);
  }

private:
  ModuleOp module;
  StringTable &strings;
  Types types;
  OpBuilder builder;
};

} // namespace

/// Adds the array of rlx_tensor_info for `tensors` and returns its name.
static std::string addTensors(ConstantEmitter &emitter, StringRef name,
                              ArrayRef<TensorSignature> tensors) {
  SmallVector<std::string> dims;
  for (auto [index, tensor] : llvm::enumerate(tensors))
    dims.push_back(emitter.addArray((name + "_dims_" + Twine(index)).str(), emitter.getTypes().i64,
                                    tensor.dims.size(),
                                    [&](size_t dim) { return emitter.i64(tensor.dims[dim]); }));
  return emitter.addArray(name, emitter.getTypes().tensorInfo, tensors.size(), [&](size_t index) {
    const TensorSignature &tensor = tensors[index];
    return emitter.aggregate(emitter.getTypes().tensorInfo,
                             {emitter.string(tensor.name),
                              emitter.i32(getDType(tensor.elementType)),
                              emitter.i32(tensor.dims.size()), emitter.arrayAddress(dims[index])});
  });
}

/// Adds the array of rlx_region_info for `regions` and returns its name.
static std::string addRegions(ConstantEmitter &emitter, ArrayRef<Attribute> regions) {
  const Types &types = emitter.getTypes();
  return emitter.addArray("rlx_regions", types.regionInfo, regions.size(), [&](size_t index) {
    auto region = cast<DictionaryAttr>(regions[index]);
    bool isParallel = region.getAs<BoolAttr>(kRegionParallel).getValue();
    return emitter.aggregate(types.regionInfo,
                             {emitter.string(region.getAs<StringAttr>(kRegionName).getValue()),
                              emitter.i32(isParallel ? RLX_REGION_PARALLEL : RLX_REGION_SERIAL)});
  });
}

/// Adds `const rlx_module_info *NAME(uint32_t max_abi_version)`.
static void addQuery(ModuleOp module, const Types &types, const CpuTarget &target, StringRef name,
                     StringRef info) {
  Location loc = module.getLoc();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto query = LLVM::LLVMFuncOp::create(builder, loc, name, types.query, LLVM::Linkage::External,
                                        /*dsoLocal=*/true);
  query.setNoUnwind(true);
  query.setTargetCpu(target.baselineCpu());
  Block *entry = query.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  auto i32 = [&](uint32_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
  };
  Value major = LLVM::LShrOp::create(builder, loc, entry->getArgument(0), i32(16));
  Value accepted =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, major, i32(RLX_ABI_MAJOR));
  Value address = LLVM::AddressOfOp::create(builder, loc, types.ptr, info);
  Value null = LLVM::ZeroOp::create(builder, loc, types.ptr);
  Value result = LLVM::SelectOp::create(builder, loc, accepted, address, null);
  LLVM::ReturnOp::create(builder, loc, result);
}

/// Adds the section by which a loader knows the file; sealModule completes it.
static void addMeta(ModuleOp module, ConstantEmitter &emitter, StringRef features,
                    rlx_device device) {
  const Types &types = emitter.getTypes();
  std::string padded = features.str();
  padded.resize(sizeof(rlx_module_meta::features), '\0');
  LLVM::GlobalOp meta = emitter.add(types.moduleMeta, "rlx_meta", [&] {
    OpBuilder builder(module.getContext());
    Value zero = emitter.i64(0);
    builder.setInsertionPointAfter(zero.getDefiningOp());
    Value text = LLVM::ConstantOp::create(
        builder, module.getLoc(), types.moduleMeta.getBody().back(), builder.getStringAttr(padded));
    return emitter.aggregate(types.moduleMeta,
                             {emitter.i64(RLX_META_MAGIC), emitter.i32(RLX_ABI_VERSION),
                              emitter.i32(device), zero, zero, text});
  });
  meta.setSection(RLX_META_SECTION);
  Type usedType = LLVM::LLVMArrayType::get(types.ptr, 1);
  LLVM::GlobalOp used = emitter.add(usedType, "llvm.used", [&] {
    return emitter.aggregate(usedType, emitter.address("rlx_meta"));
  });
  used.setLinkage(LLVM::Linkage::Appending);
  used.setConstant(false);
  used.setDsoLocal(false);
  used.setSection("llvm.metadata");
}

void emitDescriptor(ModuleOp module, const ModuleSignature &signature, ArrayRef<Attribute> regions,
                    const CpuTarget &target, StringRef querySymbol, StringTable &strings) {
  ConstantEmitter emitter(module, strings);
  const Types &types = emitter.getTypes();
  std::string features = target.runtimeFeatures();
  auto options = module->getAttrOfType<StringAttr>(kOptions);
  auto packedSize = module->getAttrOfType<IntegerAttr>(kPackedSize);

  std::string symbols =
      emitter.addArray("rlx_symbols", types.ptr, signature.symbols.size(),
                       [&](size_t index) { return emitter.string(signature.symbols[index]); });
  std::string inputs = addTensors(emitter, "rlx_inputs", signature.inputs);
  std::string params = addTensors(emitter, "rlx_params", signature.params);
  std::string outputs = addTensors(emitter, "rlx_outputs", signature.outputs);
  // Device code and its kernels, or nothing.
  auto ptx = module->getAttrOfType<StringAttr>(kPtx);
  auto arch = module->getAttrOfType<StringAttr>(kGpuArch);
  SmallVector<StringRef> kernelNames;
  if (auto names = module->getAttrOfType<ArrayAttr>(kKernels))
    kernelNames = llvm::to_vector(names.getAsValueRange<StringAttr>());
  rlx_device device = ptx ? RLX_DEVICE_CUDA : RLX_DEVICE_CPU;
  std::string kernels =
      emitter.addArray("rlx_kernels", types.kernelInfo, kernelNames.size(), [&](size_t index) {
        return emitter.aggregate(types.kernelInfo, emitter.string(kernelNames[index]));
      });
  auto stringOrNull = [&](StringAttr text) {
    return text ? emitter.string(text.getValue()) : emitter.arrayAddress("");
  };
  std::string regionArray = addRegions(emitter, regions);
  emitter.add(types.moduleInfo, "rlx_info", [&] {
    return emitter.aggregate(types.moduleInfo,
                             {emitter.i32(RLX_ABI_VERSION),
                              emitter.i32(sizeof(rlx_module_info)),
                              emitter.string(signature.name),
                              emitter.string(target.triple),
                              emitter.string(features),
                              emitter.string(options ? options.getValue() : "{}"),
                              emitter.i32(device),
                              emitter.i32(signature.symbols.size()),
                              emitter.i32(signature.inputs.size()),
                              emitter.i32(signature.params.size()),
                              emitter.i32(signature.outputs.size()),
                              emitter.arrayAddress(symbols),
                              emitter.arrayAddress(inputs),
                              emitter.arrayAddress(params),
                              emitter.arrayAddress(outputs),
                              emitter.i64(packedSize ? packedSize.getInt() : 0),
                              emitter.address(kShapes),
                              emitter.address(kBind),
                              emitter.address(kRun),
                              stringOrNull(arch),
                              stringOrNull(ptx),
                              emitter.i64(ptx ? ptx.size() : 0),
                              emitter.i32(kernelNames.size()),
                              emitter.arrayAddress(kernels),
                              emitter.i32(regions.size()),
                              emitter.arrayAddress(regionArray),
                              emitter.arrayAddress(regions.empty() ? "" : kCosts)});
  });
  addQuery(module, types, target, querySymbol, "rlx_info");
  addMeta(module, emitter, features, device);
}

} // namespace rlx::hostabi
