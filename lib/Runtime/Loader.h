//===- Loader.h - brings a module file into the process ---------*- C++ -*-===//
#ifndef RLX_LIB_RUNTIME_LOADER_H
#define RLX_LIB_RUNTIME_LOADER_H

#include "FileIo.h"
#include "rlx/Runtime/Status.h"
#include "rlx/Runtime/abi.h"

#include <cstdint>
#include <span>

namespace rlx::runtime {

/// A shared module in memory; it leaves with this object.
class LoadedLibrary {
public:
  /// Checks the file, and only then loads it from a private copy, so that nobody
  /// can change it between the check and the load, or while it runs.
  static Result<LoadedLibrary> load(std::span<const uint8_t> file);

  LoadedLibrary(LoadedLibrary &&other) noexcept
      : copy(std::move(other.copy)), handle(std::exchange(other.handle, nullptr)),
        query(other.query) {}
  LoadedLibrary &operator=(LoadedLibrary &&) = delete;
  ~LoadedLibrary();

  rlx_module_query_fn getQuery() const { return query; }

private:
  LoadedLibrary(UniqueFd copy, void *handle) : copy(std::move(copy)), handle(handle) {}

  /// Open as long as the library is loaded: the dynamic linker tells libraries
  /// apart by name, and the name is that of the descriptor.
  UniqueFd copy;
  void *handle;
  rlx_module_query_fn query = nullptr;
};

} // namespace rlx::runtime

#endif // RLX_LIB_RUNTIME_LOADER_H
