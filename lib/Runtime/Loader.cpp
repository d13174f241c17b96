//===- Loader.cpp - brings a module file into the process -----------------===//

#include "Loader.h"

#include "rlx/Runtime/ModuleFile.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#if __has_include(<gnu/lib-names.h>)
#include <gnu/lib-names.h>
#endif

using namespace rlx;
using namespace rlx::runtime;

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010u
#endif

/// An anonymous file in memory that may hold code.
static UniqueFd createMemoryFile() {
  UniqueFd fd(::memfd_create("rlx-module", MFD_CLOEXEC | MFD_EXEC));
  if (!fd) // kernels before 6.3 do not know MFD_EXEC and need none
    fd = UniqueFd(::memfd_create("rlx-module", MFD_CLOEXEC));
  return fd;
}

/// Makes the functions of libm visible to modules. They may call these and name no
/// library for it: the runtime links libm, but a program that has loaded the runtime by
/// dlopen shares neither with what is loaded later.
static void exposeMathLibrary() {
#ifdef LIBM_SO
  [[maybe_unused]] static void *const library = ::dlopen(LIBM_SO, RTLD_LAZY | RTLD_GLOBAL);
#endif
}

Result<LoadedLibrary> LoadedLibrary::load(std::span<const uint8_t> file) {
  if (Result<rlx_module_meta> meta = checkModule(file); !meta)
    return meta.status();

  UniqueFd copy = createMemoryFile();
  if (!copy || !writeFully(copy.get(), file))
    return systemError("module", "cannot copy to a memory file");
  exposeMathLibrary();
  std::string name = fmt::format("/proc/self/fd/{}", copy.get());
  void *handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Status(ErrorCode::Format,
                  fmt::format("the dynamic linker refuses the module: {}", ::dlerror()));

  LoadedLibrary library(std::move(copy), handle);
  void *symbol = ::dlsym(handle, RLX_MODULE_QUERY_SYMBOL);
  if (!symbol)
    return Status(ErrorCode::Format,
                  fmt::format("no symbol '{}': not an rlx module", RLX_MODULE_QUERY_SYMBOL));
  library.query = reinterpret_cast<rlx_module_query_fn>(symbol);
  return library;
}

LoadedLibrary::~LoadedLibrary() {
  if (handle)
    ::dlclose(handle);
}
