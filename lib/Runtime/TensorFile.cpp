//===- TensorFile.cpp - what safetensors and npy have in common -----------===//

#include "FileIo.h"
#include "TensorFileContents.h"

#include <algorithm>
#include <fmt/format.h>

using namespace rlx;
using namespace rlx::runtime;

void TensorFile::Contents::add(std::string name, DType type, std::vector<int64_t> shape,
                               std::span<const uint8_t> bytes) {
  const std::string &keptName = names.emplace_back(std::move(name));
  const std::vector<int64_t> &keptShape = shapes.emplace_back(std::move(shape));
  TensorView view(keptName.c_str(), type, keptShape, static_cast<const void *>(bytes.data()));
  if (reinterpret_cast<uintptr_t>(bytes.data()) % sizeOf(type) != 0) {
    Tensor &copy = copies.emplace_back(keptName, type, keptShape);
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    view.data = copy.data();
  }
  views.push_back(view);
}

std::optional<uint64_t> runtime::countBytes(DType type, std::span<const uint64_t> shape) {
  // Zero times anything is zero, but a dim must be a size in any case.
  uint64_t bytes = sizeOf(type);
  for (uint64_t dim : shape)
    if (dim > INT64_MAX || __builtin_mul_overflow(bytes, dim, &bytes))
      return std::nullopt;
  if (bytes > INT64_MAX)
    return std::nullopt;
  return bytes;
}

bool runtime::areBools(std::span<const uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte <= 1; });
}

Result<TensorFile> TensorFile::open(const std::string &path) {
  bool isNpy = path.ends_with(".npy");
  if (!isNpy && !path.ends_with(".safetensors"))
    return Status(ErrorCode::InvalidArgument,
                  fmt::format("{}: expected a name ending in .safetensors or .npy", path));
  Result<MappedFile> file = mapFile(path);
  if (!file)
    return file.status();

  size_t stemStart = path.rfind('/') + 1; // 0 without a folder
  std::string stem = path.substr(stemStart, path.rfind('.') - stemStart);
  Result<TensorFile> tensors = isNpy ? parseNpy(file->bytes, std::move(stem), file->owner)
                                     : parseSafetensors(file->bytes, file->owner);
  if (!tensors)
    return tensors.status().withContext(path);
  return tensors;
}

std::span<const TensorView> TensorFile::tensors() const { return contents->views; }

const TensorMetadata &TensorFile::metadata() const { return contents->metadata; }

const TensorView *TensorFile::find(std::string_view name) const {
  for (const TensorView &view : contents->views)
    if (view.name == name)
      return &view;
  return nullptr;
}

Status rlx::writeTensors(const std::string &path, std::span<const TensorView> tensors) {
  if (path.ends_with(".safetensors"))
    return writeSafetensors(path, tensors);
  if (!path.ends_with(".npy"))
    return {ErrorCode::InvalidArgument,
            fmt::format("{}: expected a name ending in .safetensors or .npy", path)};
  if (tensors.size() != 1)
    return {ErrorCode::InvalidArgument,
            fmt::format("{}: an npy file holds one tensor, not {}; use .safetensors", path,
                        tensors.size())};
  return writeNpy(path, tensors[0]);
}
