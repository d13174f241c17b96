//===- ModuleFile.h - checks and seals shared module files ------*- C++ -*-===//
//
// A shared module is an ELF shared object with a section `.rlx.meta` (see abi.h
// and docs/module-format.md). The compiler seals what it has linked; the loader
// checks what it is about to load. Neither runs anything of the file.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_RUNTIME_MODULEFILE_H
#define RLX_RUNTIME_MODULEFILE_H

#include "rlx/Runtime/Status.h"
#include "rlx/Runtime/abi.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace rlx {

/// Fills in the file size and the checksum in the `.rlx.meta` section of a linked
/// module, whose other fields are there. Any later change breaks the seal.
Status sealModule(std::vector<uint8_t> &file);

/// Checks everything about a file that can be known without running it: that it
/// is a whole ELF shared object with sound headers, of this ABI, unchanged since
/// it was sealed, and made for this architecture, CPU and a known device.
Result<rlx_module_meta> checkModule(std::span<const uint8_t> file);

/// Checks that this CPU has all of `features`, comma-separated LLVM names.
Status checkCpuFeatures(std::string_view features);

/// Checks a descriptor before it is relied on: ABI, sizes, names, types, dims,
/// architecture, CPU features, device. `info` is null where the query refused.
Status checkDescriptor(const rlx_module_info *info);

} // namespace rlx

#endif // RLX_RUNTIME_MODULEFILE_H
