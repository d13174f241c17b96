#include "Toy.h"

#include <cstring>
#include <fmt/format.h>

using namespace rlx;
using namespace rlx::test;

namespace {

std::vector<uint8_t> makeFile(const std::string &header, size_t dataSize, char version = 1) {
  std::string text = "\x93NUMPY";
  text += {version, '\0'};
  auto size = static_cast<uint32_t>(header.size());
  text.append(reinterpret_cast<const char *>(&size), version == 1 ? 2 : 4);
  text += header;
  text.append(dataSize, '\0');
  return {text.begin(), text.end()};
}

std::string headerOf(const char *descr, const char *shape, const char *fortran = "False") {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}     \n", descr, fortran,
                     shape);
}

void expectRefused(const std::vector<uint8_t> &file, std::string_view text,
                   ErrorCode code = ErrorCode::Format) {
  std::unique_ptr<uint8_t[]> copy(new uint8_t[file.size()]);
  std::copy(file.begin(), file.end(), copy.get());
  expectError(TensorFile::parseNpy({copy.get(), file.size()}, "t").status(), code, text);
}

} // namespace

TEST(Npy, RoundTripOfEveryTypeThatNumpyHas) {
  TemporaryFolder folder;
  std::string path = folder / "tokens.npy";
  for (DType type : allDTypes) {
    if (type == DType::BF16)
      continue;
    for (std::vector<int64_t> shape : {std::vector<int64_t>{}, {3}, {2, 3}, {2, 0}}) {
      Tensor tensor("other name", type, shape);
      if (tensor.numBytes())
        static_cast<uint8_t *>(tensor.data())[0] = 1;
      ASSERT_TRUE(writeNpy(path, tensor).ok());
      TensorFile file = expect(TensorFile::open(path));
      const TensorView *found = file.find("tokens");
      ASSERT_NE(found, nullptr);
      EXPECT_EQ(found->type(), type);
      EXPECT_EQ(std::vector(found->shape().begin(), found->shape().end()), shape);
      EXPECT_EQ(std::memcmp(found->data, tensor.data(), tensor.numBytes()), 0);
    }
  }
  Tensor bf16("t", DType::BF16, {1});
  expectError(writeNpy(path, bf16), ErrorCode::Unsupported, "npy has no type for bf16");
}

TEST(Npy, HeadersOfEveryVersion) {
  for (char version : {1, 2, 3})
    EXPECT_TRUE(TensorFile::parseNpy(makeFile(headerOf("<f4", "(2,)"), 8, version), "t").ok());
  expectRefused(makeFile(headerOf("<f4", "(2,)"), 8, 4), "unsupported npy version 4",
                ErrorCode::Unsupported);
}

TEST(Npy, OtherSpellingsOfThisMachinesTypes) {
  EXPECT_TRUE(TensorFile::parseNpy(makeFile(headerOf("=f8", "(1,)"), 8), "t").ok());
  EXPECT_TRUE(TensorFile::parseNpy(makeFile(headerOf("<i1", "(8,)"), 8), "t").ok());
  EXPECT_TRUE(TensorFile::parseNpy(makeFile(headerOf("<f4", "(2,)", "True"), 8), "t").ok());
}

TEST(Npy, UnsupportedFiles) {
  expectRefused(makeFile(headerOf(">f4", "(2,)"), 8), "unsupported npy type '>f4'",
                ErrorCode::Unsupported);
  expectRefused(makeFile(headerOf("|O", "(1,)"), 8), "unsupported npy type '|O'",
                ErrorCode::Unsupported);
  expectRefused(makeFile(headerOf("", "(1,)"), 8), "unsupported npy type ''",
                ErrorCode::Unsupported);
  expectRefused(makeFile(headerOf("<f4", "(1, 2)", "True"), 8), "expected C order, found Fortran",
                ErrorCode::Unsupported);
}

TEST(Npy, TruncatedAndTooLong) {
  std::vector<uint8_t> whole = makeFile(headerOf("<f4", "(2, 1)"), 8);
  for (size_t size = 0; size < whole.size(); ++size)
    expectRefused({whole.begin(), whole.begin() + size}, "");
  whole.push_back(0);
  expectRefused(whole, "wrong file size: expected 8 bytes of elements, found 9");
}

TEST(Npy, HostileHeaders) {
  std::vector<uint8_t> file = makeFile("{}", 0, 2);
  file[8] = file[9] = file[10] = file[11] = 0xff;
  expectRefused(file, "truncated: expected a header of 4294967295 bytes");
  constexpr const char *notATuple =
      "npy header: 'shape': expected a tuple of at most 32 numbers of 64 bits";
  const std::pair<std::string, const char *> headers[] = {
      {"", "npy header: expected a dictionary"},
      {"[1]", "npy header: expected a dictionary"},
      {"{", "npy header: expected 'key': value"},
      {"{'descr' '<f4'}", "npy header: expected 'key': value"},
      {"{}", "npy header: 'descr' is missing"},
      {"{'descr': '<f4'}", "npy header: 'fortran_order' is missing"},
      {"{'descr': '<f4', 'fortran_order': False}", "npy header: 'shape' is missing"},
      {"{'descr': }", "npy header: 'descr': expected a type's name"},
      {"{'descr': '<f4", "npy header: 'descr': expected a type's name"},
      {"{'descr': '<f4' 'shape'}", "npy header: expected ',' or '}' after 'descr'"},
      {"{'descr': '<f4', 'descr': '<f4'}", "npy header: 'descr' is given twice"},
      {"{'extra': 1}", "npy header: 'extra': expected one of descr, fortran_order and shape"},
      {headerOf("<f4", "(2,)") + "x", "npy header: text after the dictionary"},
      {headerOf("<f4", "(2,)", "0"), "npy header: 'fortran_order': expected True or False"},
      {headerOf("<f4", "(-2,)"), notATuple},
      {headerOf("<f4", "(2)"), notATuple},
      {headerOf("<f4", "(2 2)"), notATuple},
      {headerOf("<f4", "(99999999999999999999,)"), notATuple}};
  for (const auto &[header, message] : headers)
    expectRefused(makeFile(header, 8), message);
  expectRefused(makeFile(headerOf("<f4", "(4611686018427387904,)"), 0), "too large");
  expectRefused(makeFile(headerOf("<f4", "(4294967296, 4294967296)"), 0), "too large");
  file = makeFile(headerOf("|b1", "(1,)"), 1);
  file.back() = 7;
  expectRefused(file, "a bool is neither 0 nor 1");
}
