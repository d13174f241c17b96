//===- FileIo.cpp - reading, mapping and replacing files ------------------===//

#include "FileIo.h"

#include "rlx/Runtime/TensorFile.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace rlx;
using namespace rlx::runtime;

UniqueFd::~UniqueFd() {
  if (fd >= 0)
    ::close(fd);
}

Status runtime::systemError(const std::string &path, const char *what) {
  int code = errno;
  return {ErrorCode::Io,
          fmt::format("{}: {}: {}", path, what, std::generic_category().message(code))};
}

/// Opens a regular file for reading, and tells its size.
static Result<UniqueFd> openForReading(const std::string &path, size_t &size) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info;
  if (!fd || ::fstat(fd.get(), &info) != 0)
    return systemError(path, "cannot open");
  if (!S_ISREG(info.st_mode))
    return Status(ErrorCode::Io, fmt::format("{}: not a regular file", path));
  size = static_cast<size_t>(info.st_size);
  return fd;
}

Result<std::vector<uint8_t>> runtime::readFile(const std::string &path) {
  size_t size = 0;
  Result<UniqueFd> fd = openForReading(path, size);
  if (!fd)
    return fd.status();
  std::vector<uint8_t> bytes(size);
  size_t done = 0;
  while (done < size) {
    ssize_t count = ::read(fd->get(), bytes.data() + done, size - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError(path, "cannot read");
    if (count == 0)
      break; // somebody has truncated it meanwhile
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

bool runtime::writeFully(int fd, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

Result<MappedFile> runtime::mapFile(const std::string &path) {
  size_t size = 0;
  Result<UniqueFd> fd = openForReading(path, size);
  if (!fd)
    return fd.status();
  if (size == 0)
    return MappedFile{};
  void *memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd->get(), 0);
  if (memory == MAP_FAILED)
    return systemError(path, "cannot map");
  auto unmap = [size](const void *mapped) { ::munmap(const_cast<void *>(mapped), size); };
  return MappedFile{std::shared_ptr<const void>(memory, unmap),
                    {static_cast<const uint8_t *>(memory), size}};
}

/// Creates a file next to `path` whose name nobody else has.
static UniqueFd createTemporary(const std::string &path, std::string &name) {
  static std::atomic<unsigned> counter;
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = fmt::format("{}.tmp-{}-{}", path, ::getpid(), counter.fetch_add(1));
    UniqueFd fd(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd || errno != EEXIST)
      return fd;
  }
  return {};
}

Status rlx::writeFileAtomically(const std::string &path,
                                std::span<const std::span<const uint8_t>> parts) {
  std::string temporary;
  UniqueFd fd = createTemporary(path, temporary);
  if (!fd)
    return systemError(path, "cannot create");
  bool written = std::all_of(parts.begin(), parts.end(), [&](std::span<const uint8_t> part) {
    return writeFully(fd.get(), part);
  });
  if (!written || ::fsync(fd.get()) != 0 || ::rename(temporary.c_str(), path.c_str()) != 0) {
    Status status = systemError(path, "cannot write");
    ::unlink(temporary.c_str());
    return status;
  }
  return {};
}
