//===- CompileReport.h - what a compilation did ----------------*- C++ -*-===//
//
// The passes that may be switched off, with what each changed and what it declined, the
// regions of the module with their costs, and memory. No MLIR or LLVM type appears here.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_COMPILER_COMPILEREPORT_H
#define RLX_COMPILER_COMPILEREPORT_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rlx {

/// What a compilation did.
struct CompileReport {
  /// A pass, and the change in the number of ops of each kind; empty if there was nothing
  /// for it to do.
  struct Pass {
    std::string name, summary;
    std::map<std::string, int64_t> changes;
  };

  /// Something that a pass could have done and did not.
  struct Declined {
    std::string pass, place, reason;
  };

  /// A region of the run; numbers that depend on dynamic dims are left out.
  struct Region {
    std::string name;
    bool isParallel;
    std::optional<uint64_t> flops, bytes;
  };

  /// Bytes; those of the workspace are left out if they depend on dynamic dims.
  struct Memory {
    std::optional<uint64_t> workspace;
    std::optional<uint64_t> liveBytes; ///< most of it that is live at a time
    uint64_t params = 0;
    uint64_t packedParams = 0;
  };

  std::string module;
  std::string target; ///< the CPU
  std::vector<Pass> passes;
  std::vector<Declined> declined;
  std::vector<Region> regions; ///< empty if the compilation stopped before there were any
  Memory memory;

  /// For people, ending in a newline.
  std::string toText() const;

  /// For programs: a JSON object.
  std::string toJson() const;
};

} // namespace rlx

#endif // RLX_COMPILER_COMPILEREPORT_H
