//===- ElfFile.cpp - bounds-checked view of an ELF file -------------------===//

#include "ElfFile.h"

#include <bit>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>

using namespace rlx;
using namespace rlx::runtime;

static_assert(std::endian::native == std::endian::little,
              "module files are little-endian, and so is every host so far");

static Status malformed(std::string message) { return {ErrorCode::Format, std::move(message)}; }

/// Whether [offset, offset + size) lies in a file of `fileSize` bytes.
static bool inFile(uint64_t offset, uint64_t size, uint64_t fileSize) {
  return offset <= fileSize && size <= fileSize - offset;
}

/// Copies a structure out of the file, wherever it is aligned.
template <typename T> static T read(std::span<const uint8_t> file, uint64_t offset) {
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

Result<ElfFile> ElfFile::parse(std::span<const uint8_t> file) {
  if (file.size() < SELFMAG || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0)
    return malformed("not an ELF file");
  if (file.size() < sizeof(Elf64_Ehdr))
    return malformed(fmt::format("truncated: expected an ELF header of {} bytes, found {}",
                                 sizeof(Elf64_Ehdr), file.size()));
  auto header = read<Elf64_Ehdr>(file, 0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_ident[EI_VERSION] != EV_CURRENT || header.e_version != EV_CURRENT)
    return malformed("not a 64-bit little-endian ELF file");
  if (header.e_type != ET_DYN)
    return malformed(header.e_type == ET_REL
                         ? "an object file, expected a shared module; link it into the program, or "
                           "compile with --emit shared"
                         : "not an ELF shared object");

  ElfFile elf(file);
  elf.elfMachine = header.e_machine;
  if (header.e_phentsize != sizeof(Elf64_Phdr))
    return malformed(fmt::format("ELF program headers have {} bytes each, expected {}",
                                 header.e_phentsize, sizeof(Elf64_Phdr)));
  if (Status status = elf.checkProgramHeaders(header.e_phoff, header.e_phnum); !status)
    return status;

  if (header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr))
    return malformed("ELF file without a section table");
  if (!inFile(header.e_shoff, uint64_t(header.e_shnum) * sizeof(Elf64_Shdr), file.size()))
    return malformed(
        fmt::format("truncated: the ELF section table at offset {} needs {} bytes, the file has {}",
                    header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr), file.size()));
  if (header.e_shstrndx >= header.e_shnum)
    return malformed(fmt::format("ELF section names are in section {}, of {} sections",
                                 header.e_shstrndx, header.e_shnum));
  elf.sectionTable = header.e_shoff;
  elf.numSections = header.e_shnum;

  auto section = read<Elf64_Shdr>(file, header.e_shoff + header.e_shstrndx * sizeof(Elf64_Shdr));
  if (section.sh_type != SHT_STRTAB || !inFile(section.sh_offset, section.sh_size, file.size()))
    return malformed("ELF section names lie outside the file");
  elf.names = {section.sh_offset, section.sh_size};
  return elf;
}

/// The dynamic linker maps what these headers say and faults where they lie.
Status ElfFile::checkProgramHeaders(uint64_t offset, uint64_t count) const {
  if (count == 0)
    return malformed("ELF shared object without program headers");
  if (!inFile(offset, count * sizeof(Elf64_Phdr), file.size()))
    return malformed(
        fmt::format("truncated: the ELF program headers at offset {} need {} bytes, the file has "
                    "{}",
                    offset, count * sizeof(Elf64_Phdr), file.size()));

  constexpr uint64_t addressLimit = uint64_t(1) << 46;
  for (uint64_t i = 0; i < count; ++i) {
    auto segment = read<Elf64_Phdr>(file, offset + i * sizeof(Elf64_Phdr));
    if (segment.p_type == PT_NULL)
      continue;
    if (!inFile(segment.p_offset, segment.p_filesz, file.size()))
      return malformed(fmt::format("ELF segment {} at offset {} needs {} bytes, the file has {}", i,
                                   segment.p_offset, segment.p_filesz, file.size()));
    bool badAlignment = segment.p_align > 1 && !std::has_single_bit(segment.p_align);
    if (segment.p_filesz > segment.p_memsz || segment.p_memsz > addressLimit ||
        segment.p_vaddr > addressLimit || badAlignment)
      return malformed(fmt::format("ELF segment {} has no possible place in memory", i));
  }
  return {};
}

Result<FileRange> ElfFile::findSection(std::string_view name) const {
  FileRange found;
  bool isFound = false;
  for (uint64_t i = 0; i < numSections; ++i) {
    auto section = read<Elf64_Shdr>(file, sectionTable + i * sizeof(Elf64_Shdr));
    if (section.sh_name >= names.size)
      return malformed(fmt::format("the name of ELF section {} lies outside the name table", i));
    const char *start =
        reinterpret_cast<const char *>(file.data()) + names.offset + section.sh_name;
    size_t length = strnlen(start, names.size - section.sh_name);
    if (std::string_view(start, length) != name)
      continue;
    if (isFound)
      return malformed(fmt::format("two sections '{}'", name));
    if (section.sh_type == SHT_NOBITS || !inFile(section.sh_offset, section.sh_size, file.size()))
      return malformed(fmt::format("section '{}' lies outside the file", name));
    found = {section.sh_offset, section.sh_size};
    isFound = true;
  }
  if (!isFound)
    return malformed(fmt::format("no section '{}': not an rlx module", name));
  return found;
}

std::string_view runtime::machineName(uint16_t machine) {
  switch (machine) {
  case EM_X86_64:
    return "x86_64";
  case EM_AARCH64:
    return "aarch64";
  case EM_RISCV:
    return "riscv64";
  case EM_PPC64:
    return "powerpc64";
  default:
    return "an unknown architecture";
  }
}

uint16_t runtime::hostMachine() {
#if defined(__x86_64__)
  return EM_X86_64;
#elif defined(__aarch64__)
  return EM_AARCH64;
#elif defined(__riscv)
  return EM_RISCV;
#else
#error "add this architecture here and to CpuFeatures.cpp"
#endif
}
