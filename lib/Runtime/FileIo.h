//===- FileIo.h - reading, mapping and replacing files ----------*- C++ -*-===//
//
// Errors name the file and say what the system said.
//
//===----------------------------------------------------------------------===//
#ifndef RLX_LIB_RUNTIME_FILEIO_H
#define RLX_LIB_RUNTIME_FILEIO_H

#include "rlx/Runtime/Status.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rlx::runtime {

/// A file descriptor that closes itself.
class UniqueFd {
public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd(fd) {}
  UniqueFd(UniqueFd &&other) noexcept : fd(std::exchange(other.fd, -1)) {}
  UniqueFd &operator=(UniqueFd &&other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  ~UniqueFd();

  int get() const { return fd; }
  explicit operator bool() const { return fd >= 0; }

private:
  int fd = -1;
};

/// `path: what: the system's words`, for the current errno.
Status systemError(const std::string &path, const char *what);

/// All bytes of a file.
Result<std::vector<uint8_t>> readFile(const std::string &path);

/// Writes all of `bytes` to a descriptor; false with errno set on failure.
bool writeFully(int fd, std::span<const uint8_t> bytes);

/// A read-only mapping of a file. The mapping lives as long as `owner`.
struct MappedFile {
  std::shared_ptr<const void> owner;
  std::span<const uint8_t> bytes;
};
Result<MappedFile> mapFile(const std::string &path);

} // namespace rlx::runtime

#endif // RLX_LIB_RUNTIME_FILEIO_H
