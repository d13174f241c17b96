// What the loader refuses, and what it says.

#include "Toy.h"

#include <cstring>
#include <elf.h>
#include <functional>

using namespace rlx;
using namespace rlx::test;

namespace {

/// A module file that tests take apart.
class ModuleFile : public testing::Test {
protected:
  std::vector<uint8_t> file = sealedModule();

  template <typename T> T &at(size_t offset) { return *reinterpret_cast<T *>(&file[offset]); }
  Elf64_Ehdr &header() { return at<Elf64_Ehdr>(0); }
  Elf64_Shdr &section(size_t i) {
    return at<Elf64_Shdr>(header().e_shoff + i * sizeof(Elf64_Shdr));
  }
  Elf64_Phdr &segment(size_t i) {
    return at<Elf64_Phdr>(header().e_phoff + i * sizeof(Elf64_Phdr));
  }

  Elf64_Shdr &metaSection() {
    const char *names = &at<char>(section(header().e_shstrndx).sh_offset);
    for (size_t i = 0; i < header().e_shnum; ++i)
      if (std::strcmp(names + section(i).sh_name, RLX_META_SECTION) == 0)
        return section(i);
    std::abort();
  }
  rlx_module_meta &meta() { return at<rlx_module_meta>(metaSection().sh_offset); }

  Status load() { return Module::loadMemory(file).status(); }
  void reseal() { ASSERT_TRUE(sealModule(file).ok()); }
};

} // namespace

TEST_F(ModuleFile, LoadsAndRuns) {
  Module module = expect(Module::loadMemory(file));
  EXPECT_STREQ(module.info().name, "toy");
  ToyData data(5);
  Params params = expect(Params::bind(module, data.params()));
  Session session = expect(Session::create(module, params));
  ASSERT_TRUE(session.call(data.inputs(), data.outputs()).ok());
  EXPECT_TRUE(data.isRight());
}

TEST_F(ModuleFile, LoadsTwiceAndOutOfOrder) {
  // The dynamic linker tells libraries apart by name; a name used again while an
  // old library is loaded would give the old one.
  for (int round = 0; round < 3; ++round) {
    Module first = expect(Module::loadMemory(file));
    Module second = expect(Module::loadMemory(file));
    EXPECT_NE(&first.info(), &second.info());
    first = expect(Module::loadMemory(file));
    EXPECT_NE(&first.info(), &second.info());
  }
}

TEST_F(ModuleFile, NamesTheFile) {
  TemporaryFolder folder;
  expectError(Module::load(folder / "none.so").status(), ErrorCode::Io,
              "none.so: cannot open: No such file or directory");
  std::string path = folder / "text.so";
  std::vector<uint8_t> text(100, 'a');
  std::span<const uint8_t> part = text;
  ASSERT_TRUE(writeFileAtomically(path, {&part, 1}).ok());
  expectError(Module::load(path).status(), ErrorCode::Format, path + ": not an ELF file");
  expectError(Module::load(folder / "").status(), ErrorCode::Io, "not a regular file");
}

TEST_F(ModuleFile, RefusesWhatIsNotElf) {
  file.clear();
  expectError(load(), ErrorCode::Format, "not an ELF file");
  file.assign(3, 0x7f);
  expectError(load(), ErrorCode::Format, "not an ELF file");
  file.assign(4096, 0);
  expectError(load(), ErrorCode::Format, "not an ELF file");
}

TEST_F(ModuleFile, RefusesEveryTruncation) {
  std::vector<uint8_t> whole = file;
  for (size_t size = 1; size < whole.size(); size += size < 64 ? 1 : 64) {
    file.assign(whole.begin(), whole.begin() + size);
    Status status = load();
    ASSERT_FALSE(status.ok()) << "loaded the first " << size << " bytes";
    ASSERT_EQ(status.code(), ErrorCode::Format);
  }
  file.assign(whole.begin(), whole.end() - 1);
  expectError(load(), ErrorCode::Format, "truncated");
  file = whole;
  file.push_back(0);
  expectError(load(), ErrorCode::Format, "wrong file size");
}

TEST_F(ModuleFile, RefusesEveryFlippedByte) {
  // The whole file is under the checksum, and bytes that are looked at before it
  // give errors of their own.
  for (size_t i = 0; i < file.size(); i += 61) {
    file[i] ^= 0x55;
    ASSERT_FALSE(load().ok()) << "loaded with byte " << i << " changed";
    file[i] ^= 0x55;
  }
  file[offsetof(Elf64_Ehdr, e_entry)] ^= 1; // nothing else looks at it
  expectError(load(), ErrorCode::Format, "corrupt: expected checksum");
}

TEST_F(ModuleFile, RefusesOtherKindsOfElf) {
  header().e_type = ET_REL;
  expectError(load(), ErrorCode::Format, "an object file, expected a shared module");
  header().e_type = ET_EXEC;
  expectError(load(), ErrorCode::Format, "not an ELF shared object");
  header().e_type = ET_DYN;
  header().e_ident[EI_CLASS] = ELFCLASS32;
  expectError(load(), ErrorCode::Format, "not a 64-bit little-endian ELF file");
  file = expect(runtime::readFile("/proc/self/exe")); // a program or test without metadata
  expectError(load(), ErrorCode::Format, "");
}

TEST_F(ModuleFile, RefusesAnUnsealedModule) {
  file = expect(runtime::readFile(RLX_TOY));
  expectError(load(), ErrorCode::Format, "expected 0 bytes");
}

TEST_F(ModuleFile, RefusesAnotherAbi) {
  meta().abi_version = 2u << 16 | 3;
  reseal();
  expectError(load(), ErrorCode::Incompatible,
              "module of ABI version 2.3, expected major version 1");
  meta().abi_version = RLX_ABI_MAJOR << 16 | 99; // a later minor version is welcome
  reseal();
  EXPECT_TRUE(load().ok());
}

TEST_F(ModuleFile, RefusesMissingCpuFeatures) {
  // No x86-64 CPU has AMD's XOP and Intel's AMX.
  std::strcpy(meta().features, "sse2,xop,amx-tile");
#if defined(__x86_64__)
  reseal();
  expectError(load(), ErrorCode::Incompatible,
              "module needs CPU features that this machine lacks: ");
#endif
  std::strcpy(meta().features, "sse9,quantum");
  reseal();
  expectError(load(), ErrorCode::Incompatible,
              "module needs CPU features that this runtime does not know: sse9, quantum");
  std::memset(meta().features, ',', sizeof(meta().features));
  reseal();
  expectError(load(), ErrorCode::Format, "the list of CPU features has no end");
}

TEST_F(ModuleFile, RefusesAnUnknownDevice) {
  meta().device = 77;
  reseal();
  expectError(load(), ErrorCode::Incompatible, "module for unknown device 77");
}

TEST_F(ModuleFile, RefusesAnotherArchitecture) {
  header().e_machine = header().e_machine == EM_AARCH64 ? EM_X86_64 : EM_AARCH64;
  reseal();
  expectError(load(), ErrorCode::Incompatible, "module for ");
  header().e_machine = 0x1234;
  reseal();
  expectError(load(), ErrorCode::Incompatible, "module for an unknown architecture");
}

TEST_F(ModuleFile, RefusesForeignMetadata) {
  meta().magic = 1;
  expectError(load(), ErrorCode::Format, "section '.rlx.meta' has magic 0x1");
  expectError(sealModule(file), ErrorCode::Format, "magic");
  metaSection().sh_size = 100;
  expectError(load(), ErrorCode::Format, "section '.rlx.meta' has 100 bytes, expected 512");
  metaSection().sh_name += 1;
  expectError(load(), ErrorCode::Format, "no section '.rlx.meta': not an rlx module");
}

TEST_F(ModuleFile, RefusesHostileOffsets) {
  const std::vector<uint8_t> whole = file;
  const uint64_t hostile[] = {whole.size() - 1, whole.size(), 1ull << 32,
                              1ull << 63,       ~0ull,        ~0ull - 63};
  const std::function<void(uint64_t)> places[] = {
      [&](uint64_t value) { header().e_shoff = value; },
      [&](uint64_t value) { header().e_phoff = value; },
      [&](uint64_t value) { metaSection().sh_offset = value; },
      [&](uint64_t value) { metaSection().sh_size = value; },
      [&](uint64_t value) { section(header().e_shstrndx).sh_offset = value; },
      [&](uint64_t value) { section(header().e_shstrndx).sh_size = value; },
      [&](uint64_t value) { segment(1).p_offset = value; },
      [&](uint64_t value) { segment(1).p_filesz = value; },
      [&](uint64_t value) { segment(1).p_memsz = value | 1ull << 62; },
      [&](uint64_t value) { segment(1).p_vaddr = value | 1ull << 62; },
      [&](uint64_t value) { segment(1).p_align = value | 3; },
  };
  for (const auto &place : places) {
    for (uint64_t value : hostile) {
      file = whole;
      place(value);
      Status status = load();
      ASSERT_FALSE(status.ok());
      EXPECT_EQ(status.code(), ErrorCode::Format) << status.message();
    }
  }
  file = whole;
  section(1).sh_name = 0xffffffff;
  expectError(load(), ErrorCode::Format, "lies outside the name table");
  file = whole;
  header().e_shnum = 0xffff;
  expectError(load(), ErrorCode::Format, "truncated: the ELF section table");
  file = whole;
  header().e_shstrndx = 0xfff0;
  expectError(load(), ErrorCode::Format, "ELF section names are in section 65520");
  file = whole;
  header().e_phnum = 0xffff;
  expectError(load(), ErrorCode::Format, "truncated: the ELF program headers");
}

TEST_F(ModuleFile, RefusesModulesThatDoNotLink) {
  file = sealedModule(RLX_TOY_NO_QUERY_FILE);
  expectError(load(), ErrorCode::Format, "no symbol 'rlx_module_query': not an rlx module");
  file = sealedModule(RLX_TOY_UNDEFINED_FILE);
  expectError(load(), ErrorCode::Format, "rlx_toy_symbol_of_nobody");
}
