//===- ModuleFile.cpp - checks and seals shared module files --------------===//

#include "rlx/Runtime/ModuleFile.h"

#include "ElfFile.h"

#include <cstddef>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>

using namespace rlx;
using namespace rlx::runtime;

static_assert(sizeof(rlx_module_meta) == 512, "the layout is part of the file format");

/// FNV-1a, as a running state.
static uint64_t fnv1a(std::span<const uint8_t> bytes, uint64_t state) {
  for (uint8_t byte : bytes)
    state = (state ^ byte) * 0x100000001b3ull;
  return state;
}

/// The checksum of a file whose metadata are at `meta`.
static uint64_t checksumOf(std::span<const uint8_t> file, uint64_t meta) {
  static constexpr uint8_t zeros[sizeof(uint64_t)] = {};
  uint64_t field = meta + offsetof(rlx_module_meta, checksum);
  uint64_t state = fnv1a(file.first(field), 0xcbf29ce484222325ull);
  state = fnv1a(zeros, state);
  return fnv1a(file.subspan(field + sizeof(zeros)), state);
}

/// Where the metadata are; the section has room for all of them.
static Result<uint64_t> findMeta(const ElfFile &elf) {
  Result<FileRange> section = elf.findSection(RLX_META_SECTION);
  if (!section)
    return section.status();
  if (section->size < sizeof(rlx_module_meta))
    return Status(ErrorCode::Format,
                  fmt::format("section '{}' has {} bytes, expected {}", RLX_META_SECTION,
                              section->size, sizeof(rlx_module_meta)));
  return section->offset;
}

static rlx_module_meta readMeta(std::span<const uint8_t> file, uint64_t offset) {
  rlx_module_meta meta;
  std::memcpy(&meta, file.data() + offset, sizeof(meta));
  return meta;
}

static Status checkMagic(const rlx_module_meta &meta) {
  if (meta.magic != RLX_META_MAGIC)
    return {ErrorCode::Format, fmt::format("section '{}' has magic {:#x}, expected {:#x}",
                                           RLX_META_SECTION, meta.magic, RLX_META_MAGIC)};
  return {};
}

Status rlx::sealModule(std::vector<uint8_t> &file) {
  Result<ElfFile> elf = ElfFile::parse(file);
  if (!elf)
    return elf.status();
  Result<uint64_t> offset = findMeta(*elf);
  if (!offset)
    return offset.status();
  rlx_module_meta meta = readMeta(file, *offset);
  if (Status status = checkMagic(meta); !status)
    return status;

  meta.file_size = file.size();
  meta.checksum = 0;
  std::memcpy(file.data() + *offset, &meta, sizeof(meta));
  meta.checksum = checksumOf(file, *offset);
  std::memcpy(file.data() + *offset, &meta, sizeof(meta));
  return {};
}

static Status incompatible(std::string message) {
  return {ErrorCode::Incompatible, std::move(message)};
}

Result<rlx_module_meta> rlx::checkModule(std::span<const uint8_t> file) {
  Result<ElfFile> elf = ElfFile::parse(file);
  if (!elf)
    return elf.status();
  Result<uint64_t> offset = findMeta(*elf);
  if (!offset)
    return offset.status();
  rlx_module_meta meta = readMeta(file, *offset);
  if (Status status = checkMagic(meta); !status)
    return status;

  if (meta.abi_version >> 16 != RLX_ABI_MAJOR)
    return incompatible(fmt::format("module of ABI version {}.{}, expected major version {}",
                                    meta.abi_version >> 16, meta.abi_version & 0xffff,
                                    RLX_ABI_MAJOR));
  if (meta.file_size != file.size())
    return Status(ErrorCode::Format,
                  fmt::format("{}: expected {} bytes, found {}",
                              meta.file_size > file.size() ? "truncated" : "wrong file size",
                              meta.file_size, file.size()));
  if (uint64_t found = checksumOf(file, *offset); meta.checksum != found)
    return Status(ErrorCode::Format, fmt::format("corrupt: expected checksum {:#018x}, found "
                                                 "{:#018x}",
                                                 meta.checksum, found));
  if (elf->machine() != hostMachine())
    return incompatible(fmt::format("module for {}, expected {}", machineName(elf->machine()),
                                    machineName(hostMachine())));
  if (strnlen(meta.features, sizeof(meta.features)) == sizeof(meta.features))
    return Status(ErrorCode::Format, "the list of CPU features has no end");
  if (Status status = checkCpuFeatures(meta.features); !status)
    return status;
  if (meta.device != RLX_DEVICE_CPU && meta.device != RLX_DEVICE_CUDA)
    return incompatible(fmt::format("module for unknown device {}", meta.device));
  return meta;
}
