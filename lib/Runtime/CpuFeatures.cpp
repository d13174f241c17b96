//===- CpuFeatures.cpp - whether this CPU has what a module needs ---------===//
//
// Features go by LLVM's names. A feature that is not in the table is refused: it
// is better to ask for a new runtime than to run into an illegal instruction.
//
//===----------------------------------------------------------------------===//

#include "rlx/Runtime/ModuleFile.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

using namespace rlx;

namespace {

/// Whether a feature is here; an unknown one is not.
enum class Presence { Unknown, Absent, Present };

#if defined(__x86_64__)

/// A register of a CPUID leaf.
enum Register : uint8_t { EAX, EBX, ECX, EDX };

/// Register state that the system has to save, as bits of XCR0.
enum State : uint32_t {
  None = 0,
  Ymm = 0x6,      // SSE and AVX
  Zmm = 0xe6,     // those, opmask, upper halves and upper registers of AVX-512
  Tile = 0x60000, // AMX tile configuration and data
};

struct Feature {
  std::string_view name;
  uint32_t leaf;
  uint32_t subleaf;
  Register reg;
  uint8_t bit;
  State state;
};

constexpr uint32_t extended = 0x80000001;

constexpr Feature features[] = {
    {"64bit", extended, 0, EDX, 29, None},
    {"x87", 1, 0, EDX, 0, None},
    {"cx8", 1, 0, EDX, 8, None},
    {"cmov", 1, 0, EDX, 15, None},
    {"mmx", 1, 0, EDX, 23, None},
    {"fxsr", 1, 0, EDX, 24, None},
    {"sse", 1, 0, EDX, 25, None},
    {"sse2", 1, 0, EDX, 26, None},
    {"sse3", 1, 0, ECX, 0, None},
    {"pclmul", 1, 0, ECX, 1, None},
    {"ssse3", 1, 0, ECX, 9, None},
    {"fma", 1, 0, ECX, 12, Ymm},
    {"cx16", 1, 0, ECX, 13, None},
    {"sse4.1", 1, 0, ECX, 19, None},
    {"sse4.2", 1, 0, ECX, 20, None},
    {"movbe", 1, 0, ECX, 22, None},
    {"popcnt", 1, 0, ECX, 23, None},
    {"crc32", 1, 0, ECX, 20, None},
    {"aes", 1, 0, ECX, 25, None},
    {"xsave", 1, 0, ECX, 26, None},
    {"avx", 1, 0, ECX, 28, Ymm},
    {"f16c", 1, 0, ECX, 29, Ymm},
    {"rdrnd", 1, 0, ECX, 30, None},
    {"fsgsbase", 7, 0, EBX, 0, None},
    {"bmi", 7, 0, EBX, 3, None},
    {"avx2", 7, 0, EBX, 5, Ymm},
    {"bmi2", 7, 0, EBX, 8, None},
    {"avx512f", 7, 0, EBX, 16, Zmm},
    {"avx512dq", 7, 0, EBX, 17, Zmm},
    {"rdseed", 7, 0, EBX, 18, None},
    {"adx", 7, 0, EBX, 19, None},
    {"avx512ifma", 7, 0, EBX, 21, Zmm},
    {"clflushopt", 7, 0, EBX, 23, None},
    {"clwb", 7, 0, EBX, 24, None},
    {"avx512cd", 7, 0, EBX, 28, Zmm},
    {"sha", 7, 0, EBX, 29, None},
    {"avx512bw", 7, 0, EBX, 30, Zmm},
    {"avx512vl", 7, 0, EBX, 31, Zmm},
    {"avx512vbmi", 7, 0, ECX, 1, Zmm},
    {"avx512vbmi2", 7, 0, ECX, 6, Zmm},
    {"gfni", 7, 0, ECX, 8, None},
    {"vaes", 7, 0, ECX, 9, Ymm},
    {"vpclmulqdq", 7, 0, ECX, 10, Ymm},
    {"avx512vnni", 7, 0, ECX, 11, Zmm},
    {"avx512bitalg", 7, 0, ECX, 12, Zmm},
    {"avx512vpopcntdq", 7, 0, ECX, 14, Zmm},
    {"rdpid", 7, 0, ECX, 22, None},
    {"cldemote", 7, 0, ECX, 25, None},
    {"movdiri", 7, 0, ECX, 27, None},
    {"movdir64b", 7, 0, ECX, 28, None},
    {"avx512vp2intersect", 7, 0, EDX, 8, Zmm},
    {"serialize", 7, 0, EDX, 14, None},
    {"amx-bf16", 7, 0, EDX, 22, Tile},
    {"avx512fp16", 7, 0, EDX, 23, Zmm},
    {"amx-tile", 7, 0, EDX, 24, Tile},
    {"amx-int8", 7, 0, EDX, 25, Tile},
    {"sha512", 7, 1, EAX, 0, Ymm},
    {"avxvnni", 7, 1, EAX, 4, Ymm},
    {"avx512bf16", 7, 1, EAX, 5, Zmm},
    {"amx-fp16", 7, 1, EAX, 21, Tile},
    {"avxifma", 7, 1, EAX, 23, Ymm},
    {"avxvnniint8", 7, 1, EDX, 4, Ymm},
    {"avxneconvert", 7, 1, EDX, 5, Ymm},
    {"amx-complex", 7, 1, EDX, 8, Tile},
    {"avxvnniint16", 7, 1, EDX, 10, Ymm},
    {"prefetchi", 7, 1, EDX, 14, None},
    {"xsaveopt", 0xd, 1, EAX, 0, None},
    {"xsavec", 0xd, 1, EAX, 1, None},
    {"xsaves", 0xd, 1, EAX, 3, None},
    {"sahf", extended, 0, ECX, 0, None},
    {"lzcnt", extended, 0, ECX, 5, None},
    {"sse4a", extended, 0, ECX, 6, None},
    {"prfchw", extended, 0, ECX, 8, None},
    {"xop", extended, 0, ECX, 11, Ymm},
    {"fma4", extended, 0, ECX, 16, Ymm},
    {"tbm", extended, 0, ECX, 21, None},
};

/// The register states that the system saves.
uint64_t savedState() {
  unsigned eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE))
    return 0;
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

/// Tile registers belong to processes that have asked for them.
bool requestTiles() {
  constexpr long requestPermission = 0x1023; // ARCH_REQ_XCOMP_PERM
  constexpr long tileData = 18;              // XFEATURE_XTILEDATA
  static const bool granted = syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
  return granted;
}

Presence findFeature(std::string_view name) {
  const auto *feature = std::find_if(std::begin(features), std::end(features),
                                     [&](const Feature &f) { return f.name == name; });
  if (feature == std::end(features))
    return Presence::Unknown;
  unsigned regs[4];
  if (!__get_cpuid_count(feature->leaf, feature->subleaf, &regs[EAX], &regs[EBX], &regs[ECX],
                         &regs[EDX]) ||
      !(regs[feature->reg] >> feature->bit & 1))
    return Presence::Absent;
  static const uint64_t saved = savedState();
  if ((saved & feature->state) != feature->state)
    return Presence::Absent;
  if (feature->state == Tile && !requestTiles())
    return Presence::Absent;
  return Presence::Present;
}

#elif defined(__aarch64__)

struct Feature {
  std::string_view name;
  unsigned long type; // AT_HWCAP or AT_HWCAP2
  unsigned long mask;
};

constexpr Feature features[] = {
    {"fp-armv8", AT_HWCAP, HWCAP_FP},
    {"neon", AT_HWCAP, HWCAP_ASIMD},
    {"aes", AT_HWCAP, HWCAP_AES | HWCAP_PMULL},
    {"sha2", AT_HWCAP, HWCAP_SHA2},
    {"sha3", AT_HWCAP, HWCAP_SHA3},
    {"crc", AT_HWCAP, HWCAP_CRC32},
    {"lse", AT_HWCAP, HWCAP_ATOMICS},
    {"rdm", AT_HWCAP, HWCAP_ASIMDRDM},
    {"fullfp16", AT_HWCAP, HWCAP_ASIMDHP},
    {"dotprod", AT_HWCAP, HWCAP_ASIMDDP},
    {"fp16fml", AT_HWCAP, HWCAP_ASIMDFHM},
    {"rcpc", AT_HWCAP, HWCAP_LRCPC},
    {"complxnum", AT_HWCAP, HWCAP_FCMA},
    {"jsconv", AT_HWCAP, HWCAP_JSCVT},
    {"sve", AT_HWCAP, HWCAP_SVE},
    {"sve2", AT_HWCAP2, HWCAP2_SVE2},
    {"i8mm", AT_HWCAP2, HWCAP2_I8MM},
    {"bf16", AT_HWCAP2, HWCAP2_BF16},
};

Presence findFeature(std::string_view name) {
  const auto *feature = std::find_if(std::begin(features), std::end(features),
                                     [&](const Feature &f) { return f.name == name; });
  if (feature == std::end(features))
    return Presence::Unknown;
  return (getauxval(feature->type) & feature->mask) == feature->mask ? Presence::Present
                                                                     : Presence::Absent;
}

#else

Presence findFeature(std::string_view) { return Presence::Unknown; }

#endif

} // namespace

Status rlx::checkCpuFeatures(std::string_view list) {
  std::string absent, unknown;
  while (!list.empty()) {
    size_t end = std::min(list.find(','), list.size());
    std::string_view name = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (name.starts_with('+'))
      name.remove_prefix(1);
    if (name.empty())
      continue;
    Presence presence = findFeature(name);
    if (presence == Presence::Present)
      continue;
    std::string &names = presence == Presence::Absent ? absent : unknown;
    names.append(names.empty() ? "" : ", ").append(name);
  }
  if (!absent.empty())
    return {ErrorCode::Incompatible,
            fmt::format("module needs CPU features that this machine lacks: {}", absent)};
  if (!unknown.empty())
    return {ErrorCode::Incompatible,
            fmt::format("module needs CPU features that this runtime does not know: {}", unknown)};
  return {};
}
