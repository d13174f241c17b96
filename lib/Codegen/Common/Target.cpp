//===- Target.cpp - what code generation needs to know of a CPU -----------===//

#include "rlx/Codegen/Target.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>
#include <mutex>
#include <optional>

using namespace llvm;

namespace rlx {

// What LLVM may use by itself once it is enabled. The loader asks the CPU for these;
// other features are reached through intrinsics alone or change only the tuning.
static constexpr StringLiteral kX86RuntimeFeatures[] = {
    "sse3",       "ssse3",        "sse4.1",     "sse4.2",       "popcnt",
    "cx16",       "sahf",         "movbe",      "bmi",          "bmi2",
    "lzcnt",      "fma",          "f16c",       "avx",          "avx2",
    "sse4a",      "xop",          "fma4",       "tbm",          "adx",
    "gfni",       "vpclmulqdq",   "avxvnni",    "avxvnniint8",  "avxvnniint16",
    "avxifma",    "avxneconvert", "avx512f",    "avx512bw",     "avx512cd",
    "avx512dq",   "avx512vl",     "avx512ifma", "avx512vbmi",   "avx512vbmi2",
    "avx512vnni", "avx512bf16",   "avx512fp16", "avx512bitalg", "avx512vpopcntdq",
    "amx-tile",   "amx-bf16",     "amx-int8",   "amx-fp16"};
static constexpr StringLiteral kAArch64RuntimeFeatures[] = {
    "lse",    "rdm", "fullfp16", "dotprod", "fp16fml", "rcpc", "complxnum",
    "jsconv", "sve", "sve2",     "sha3",    "i8mm",    "bf16"};

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeAllTargetInfos();
    InitializeAllTargets();
    InitializeAllTargetMCs();
    InitializeAllAsmPrinters();
    InitializeAllAsmParsers();
  });
}

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// The size of a data cache of CPU 0, or nothing where the system does not say.
static std::optional<int64_t> readHostCache(unsigned level) {
  auto read = [](const Twine &path) -> std::string {
    ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFileAsStream(path);
    return file ? (*file)->getBuffer().trim().str() : std::string();
  };
  for (unsigned index = 0; index < 8; ++index) {
    std::string folder = ("/sys/devices/system/cpu/cpu0/cache/index" + Twine(index) + "/").str();
    if (read(folder + "level") != std::to_string(level) || read(folder + "type") == "Instruction")
      continue;
    std::string text = read(folder + "size");
    StringRef size(text);
    int64_t unit = size.consume_back("K") ? 1024 : size.consume_back("M") ? 1024 * 1024 : 1;
    int64_t count = 0;
    if (!size.getAsInteger(10, count) && count > 0)
      return count * unit;
  }
  return std::nullopt;
}

static std::string hostFeatures() {
  SmallVector<std::string> features;
  for (const auto &feature : sys::getHostCPUFeatures())
    features.push_back((feature.second ? "+" : "-") + feature.first().str());
  sort(features);
  return join(features, ",");
}

StringRef CpuTarget::baselineCpu() const { return Triple(triple).isX86() ? "x86-64" : "generic"; }

std::string CpuTarget::runtimeFeatures() const {
  std::string error;
  Triple parsed(triple);
  const llvm::Target *target = TargetRegistry::lookupTarget(parsed, error);
  std::unique_ptr<MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(parsed, cpu, features));
  SmallVector<StringRef> result;
  ArrayRef<StringLiteral> candidates(kX86RuntimeFeatures);
  if (parsed.isAArch64())
    candidates = kAArch64RuntimeFeatures;
  for (StringRef feature : candidates)
    if (subtarget->checkFeatures(("+" + feature).str()))
      result.push_back(feature);
  return join(result, ",");
}

Expected<CpuTarget> CpuTarget::get(StringRef tripleName, StringRef cpuName,
                                   StringRef extraFeatures) {
  initializeTargets();
  CpuTarget result;
  Triple host(sys::getDefaultTargetTriple());
  Triple triple(tripleName.empty() ? host.str() : Triple::normalize(tripleName));
  result.triple = triple.str();
  std::string error;
  const llvm::Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target || !(triple.isX86() || triple.isAArch64()) || !triple.isArch64Bit())
    return makeError("target triple '" + tripleName +
                     "': expected a 64-bit x86 or AArch64 triple that this LLVM supports");

  bool onHostArchitecture = triple.getArch() == host.getArch();
  bool isHost = cpuName == "host" || (cpuName.empty() && onHostArchitecture);
  if (isHost && !onHostArchitecture)
    return makeError("target cpu 'host': expected a CPU of '" + triple.str() +
                     "', found this machine's '" + host.str() + "'");
  if (isHost) {
    result.cpu = sys::getHostCPUName().str();
    result.features = hostFeatures();
  } else {
    result.cpu = cpuName.empty() ? result.baselineCpu().str() : cpuName.str();
  }

  std::unique_ptr<MCSubtargetInfo> known(target->createMCSubtargetInfo(triple, "", ""));
  if (!known->isCPUStringValid(result.cpu))
    return makeError("target cpu '" + result.cpu + "': unknown for '" + triple.str() + "'");
  for (StringRef feature : split(extraFeatures, ',')) {
    if (feature.empty())
      continue;
    StringRef name = feature.drop_front();
    bool isSigned = feature.front() == '+' || feature.front() == '-';
    if (!isSigned || !is_contained(map_range(known->getAllProcessorFeatures(),
                                             [](const SubtargetFeatureKV &entry) {
                                               return StringRef(entry.Key);
                                             }),
                                   name))
      return makeError("target feature '" + feature + "': expected '+' or '-' and a feature of '" +
                       triple.str() + "'");
    result.features += (result.features.empty() ? "" : ",") + feature.str();
  }

  std::unique_ptr<MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, result.cpu, result.features));
  if (triple.isAArch64()) {
    result.numVectorRegisters = 32;
    result.hasFma = true;
    result.hasF16Conversion = true;
  } else {
    bool avx512 = subtarget->checkFeatures("+avx512f");
    bool avx = subtarget->checkFeatures("+avx");
    result.vectorBits = avx512 ? 512 : avx ? 256 : 128;
    result.numVectorRegisters = avx512 ? 32 : 16;
    result.hasFma = subtarget->checkFeatures("+fma");
    result.hasF16Conversion = subtarget->checkFeatures("+f16c");
  }
  if (isHost) {
    result.l1Bytes = readHostCache(1).value_or(result.l1Bytes);
    result.l2Bytes = readHostCache(2).value_or(result.l2Bytes);
  }
  return result;
}

} // namespace rlx
