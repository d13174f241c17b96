//===- Link.cpp - from an object file to a module that runs ---------------===//
//
// Shared modules are linked by ld.lld as a separate process. In this process, ORC
// links the same object file.
//
//===----------------------------------------------------------------------===//

#include "rlx/Codegen/ObjectEmission.h"
#include "rlx/Runtime/ModuleFile.h"

#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace rlx {

//===----------------------------------------------------------------------===//
// Shared modules
//===----------------------------------------------------------------------===//

/// Finds ld.lld: beside this program, where LLVM was when RLX was built, in PATH.
static Result<std::string> findLinker() {
  std::string self = sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&findLinker));
  std::string folders[] = {sys::path::parent_path(self).str(), RLX_LLVM_TOOLS_DIR};
  for (StringRef name : {"ld.lld", "ld.lld-22"}) {
    SmallVector<StringRef> paths(std::begin(folders), std::end(folders));
    if (ErrorOr<std::string> found = sys::findProgramByName(name, paths))
      return *found;
  }
  for (StringRef name : {"ld.lld-22", "ld.lld"})
    if (ErrorOr<std::string> found = sys::findProgramByName(name))
      return *found;
  return Status(ErrorCode::Failed, std::string("linker 'ld.lld': not found beside ") + self +
                                       ", in " RLX_LLVM_TOOLS_DIR " or in PATH");
}

namespace {
/// A file in the system's temporary folder that goes away with this object.
class TemporaryFile {
public:
  static Result<TemporaryFile> create(StringRef suffix) {
    SmallString<128> path;
    if (std::error_code error = sys::fs::createTemporaryFile("rlx", suffix, path))
      return Status(ErrorCode::Io, "temporary file: " + error.message());
    return TemporaryFile(path);
  }
  StringRef path() const { return name; }

private:
  explicit TemporaryFile(StringRef path)
      : name(path), remover(std::make_unique<FileRemover>(path)) {}

  std::string name;
  std::unique_ptr<FileRemover> remover;
};
} // namespace

static Result<std::vector<uint8_t>> readFile(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return Status(ErrorCode::Io, path.str() + ": " + buffer.getError().message());
  StringRef bytes = (*buffer)->getBuffer();
  return std::vector<uint8_t>(bytes.bytes_begin(), bytes.bytes_end());
}

static Status writeFile(StringRef path, std::span<const uint8_t> bytes) {
  std::error_code error;
  raw_fd_ostream stream(path, error);
  if (!error) {
    stream.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    stream.close();
    error = stream.error();
  }
  if (!error)
    return {};
  stream.clear_error();
  return {ErrorCode::Io, path.str() + ": " + error.message()};
}

Result<std::vector<uint8_t>> linkSharedModule(std::span<const uint8_t> object,
                                              const CpuTarget &target) {
  Result<std::string> linker = findLinker();
  if (!linker)
    return linker.status();
  Result<TemporaryFile> input = TemporaryFile::create("o");
  Result<TemporaryFile> output = TemporaryFile::create("so");
  Result<TemporaryFile> messages = TemporaryFile::create("txt");
  for (const Result<TemporaryFile> *file : {&input, &output, &messages})
    if (!*file)
      return file->status();
  if (Status status = writeFile(input->path(), object); !status)
    return status;

  StringRef emulation =
      StringRef(target.triple).starts_with("aarch64") ? "aarch64linux" : "elf_x86_64";
  SmallVector<StringRef> arguments = {
      *linker,      "-m", emulation, "-shared", "-o",  output->path(),     "-z",
      "text",       "-z", "relro",   "-z",      "now", "--hash-style=gnu", "--build-id=none",
      input->path()};
  std::optional<StringRef> redirects[] = {StringRef(), messages->path(), messages->path()};
  std::string problem;
  int code = sys::ExecuteAndWait(*linker, arguments, std::nullopt, redirects, 0, 0, &problem);
  if (code != 0) {
    Result<std::vector<uint8_t>> text = readFile(messages->path());
    if (problem.empty() && text)
      problem = StringRef(reinterpret_cast<const char *>(text->data()), text->size()).trim().str();
    return Status(ErrorCode::Failed, "linker '" + *linker + "': " + problem);
  }
  Result<std::vector<uint8_t>> file = readFile(output->path());
  if (!file)
    return file.status();
  if (Status status = sealModule(*file); !status)
    return status;
  return file;
}

//===----------------------------------------------------------------------===//
// In this process
//===----------------------------------------------------------------------===//

Result<Module> loadObject(std::span<const uint8_t> object, const std::string &querySymbol) {
  auto fail = [](Error error) {
    return Status(ErrorCode::Failed, "just-in-time linking: " + toString(std::move(error)));
  };
  Expected<std::unique_ptr<orc::LLJIT>> created = orc::LLJITBuilder().create();
  if (!created)
    return fail(created.takeError());
  std::shared_ptr<orc::LLJIT> jit = std::move(*created);
  Expected<std::unique_ptr<orc::DynamicLibrarySearchGenerator>> process =
      orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
          jit->getDataLayout().getGlobalPrefix());
  if (!process)
    return fail(process.takeError());
  jit->getMainJITDylib().addGenerator(std::move(*process));
  StringRef bytes(reinterpret_cast<const char *>(object.data()), object.size());
  if (Error error = jit->addObjectFile(MemoryBuffer::getMemBufferCopy(bytes, "rlx")))
    return fail(std::move(error));
  Expected<orc::ExecutorAddr> query = jit->lookup(querySymbol);
  if (!query)
    return fail(query.takeError());
  return Module::fromQuery(query->toPtr<rlx_module_query_fn>(), jit);
}

} // namespace rlx
