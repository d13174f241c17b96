//===- Target.h - what code generation needs to know of a CPU --*- C++ -*-===//
//
// Part of lib/Codegen/Common. Depends on LLVM's target descriptions only.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_CODEGEN_TARGET_H
#define RLX_CODEGEN_TARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace rlx {

/// A CPU to compile for. Every size that a pass chooses (register tiles, cache
/// blocks, vector widths) comes from here, never from a constant in the pass.
struct CpuTarget {
  std::string triple;   ///< LLVM target triple
  std::string cpu;      ///< LLVM CPU name, never "native"
  std::string features; ///< LLVM feature string, "+avx2,+fma,..."

  unsigned vectorBits = 128;        ///< preferred SIMD register width
  unsigned numVectorRegisters = 16; ///< architectural SIMD registers
  bool hasFma = false;              ///< fused multiply-add is an instruction
  bool hasF16Conversion = false;    ///< f16 <-> f32 is an instruction
  int64_t l1Bytes = 32 << 10;       ///< data cache of a core
  int64_t l2Bytes = 512 << 10;      ///< cache private to a core

  /// Describes `cpu` of `triple`. An empty triple is the host's; cpu "host" (or
  /// empty with the host's triple) is the CPU this runs on, with its features.
  /// An empty cpu with another triple is that architecture's baseline.
  static llvm::Expected<CpuTarget> get(llvm::StringRef triple = "", llvm::StringRef cpu = "host",
                                       llvm::StringRef extraFeatures = "");

  /// SIMD lanes for elements of `bits` bits.
  int64_t lanes(unsigned bits) const { return vectorBits / bits; }

  /// The CPU name of the least that every machine of the architecture has.
  llvm::StringRef baselineCpu() const;

  /// What compiled code asks of the CPU it runs on beyond the baseline, in
  /// LLVM's names: the `features` of a module's descriptor.
  std::string runtimeFeatures() const;
};

/// Makes LLVM's targets known; done by whatever looks one up.
void initializeTargets();

} // namespace rlx

#endif // RLX_CODEGEN_TARGET_H
