//===- ElfFile.h - bounds-checked view of an ELF file -----------*- C++ -*-===//
//
// Reads headers of a file that is not trusted. Every offset is checked against
// the file before it is used, and also those that the dynamic linker will use.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_RUNTIME_ELFFILE_H
#define RLX_LIB_RUNTIME_ELFFILE_H

#include "rlx/Runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rlx::runtime {

/// A part of a file.
struct FileRange {
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// The headers of a little-endian 64-bit ELF shared object.
class ElfFile {
public:
  /// Checks the ELF, program and section headers.
  static Result<ElfFile> parse(std::span<const uint8_t> file);

  /// The architecture, an `EM_` constant.
  uint16_t machine() const { return elfMachine; }

  /// Where a section's bytes are. The section must be there once.
  Result<FileRange> findSection(std::string_view name) const;

private:
  explicit ElfFile(std::span<const uint8_t> file) : file(file) {}
  Status checkProgramHeaders(uint64_t offset, uint64_t count) const;

  std::span<const uint8_t> file;
  uint16_t elfMachine = 0;
  uint64_t sectionTable = 0;
  uint64_t numSections = 0;
  FileRange names;
};

/// The name of an architecture for messages, as in "x86_64".
std::string_view machineName(uint16_t machine);

/// The `EM_` constant of the machine that this code was compiled for.
uint16_t hostMachine();

} // namespace rlx::runtime

#endif // RLX_LIB_RUNTIME_ELFFILE_H
