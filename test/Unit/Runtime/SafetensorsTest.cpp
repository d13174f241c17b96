// Safetensors files that come back as they were, and those that are refused.

#include "Toy.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

using namespace rlx;
using namespace rlx::test;

namespace {

/// A file of a header and `dataSize` bytes of data.
std::vector<uint8_t> makeFile(const std::string &header, size_t dataSize = 0) {
  std::vector<uint8_t> file(8 + header.size() + dataSize);
  uint64_t size = header.size();
  std::memcpy(file.data(), &size, sizeof(size));
  std::memcpy(file.data() + 8, header.data(), header.size());
  return file;
}

void expectRefused(const std::vector<uint8_t> &file, std::string_view text,
                   ErrorCode code = ErrorCode::Format) {
  // A copy of exact size, so that the address sanitizer sees what lies beyond.
  std::unique_ptr<uint8_t[]> copy(new uint8_t[file.size()]);
  std::copy(file.begin(), file.end(), copy.get());
  expectError(TensorFile::parseSafetensors({copy.get(), file.size()}).status(), code, text);
}

void expectHeaderRefused(const std::string &header, std::string_view text, size_t dataSize = 8,
                         ErrorCode code = ErrorCode::Format) {
  expectRefused(makeFile(header, dataSize), text, code);
}

} // namespace

TEST(Safetensors, RoundTripOfEveryType) {
  TemporaryFolder folder;
  std::string path = folder / "all.safetensors";
  std::vector<Tensor> tensors;
  for (DType type : allDTypes) {
    tensors.emplace_back("t \"\xc3\xa9\\" + std::string(nameOf(type)), type,
                         std::vector<int64_t>{2, 3});
    auto *bytes = static_cast<uint8_t *>(tensors.back().data());
    for (size_t i = 0; i < tensors.back().numBytes(); ++i)
      bytes[i] = static_cast<uint8_t>(type == DType::Bool ? i & 1 : i * 7);
  }
  tensors.emplace_back("scalar", DType::I8, std::vector<int64_t>{});
  tensors.emplace_back("empty", DType::F64, std::vector<int64_t>{3, 0, 2});
  std::vector<TensorView> views(tensors.begin(), tensors.end());
  ASSERT_TRUE(writeSafetensors(path, views, {{"format", "rlx"}, {"note", "a\nb"}}).ok());

  TensorFile file = expect(TensorFile::open(path));
  EXPECT_EQ(file.tensors().size(), tensors.size());
  for (const Tensor &tensor : tensors) {
    const TensorView *found = file.find(tensor.getName());
    ASSERT_NE(found, nullptr) << tensor.getName();
    EXPECT_EQ(found->type(), tensor.type());
    EXPECT_TRUE(std::ranges::equal(found->shape(), tensor.shape()));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(found->data) % sizeOf(tensor.type()), 0u);
    EXPECT_EQ(std::memcmp(found->data, tensor.data(), tensor.numBytes()), 0);
  }
  EXPECT_EQ(file.find("other"), nullptr);
  ASSERT_EQ(file.metadata().size(), 2u);
  EXPECT_EQ(file.metadata()[1].second, "a\nb");
}

TEST(Safetensors, UnalignedDataAreCopied) {
  std::vector<uint8_t> file = makeFile(R"({"a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]},)"
                                       R"("b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})",
                                       5);
  const float value = 3;
  std::memcpy(&file[file.size() - 4], &value, 4);
  TensorFile tensors = expect(TensorFile::parseSafetensors(file));
  EXPECT_EQ(tensors.find("b")->values<const float>()[0], 3);
}

TEST(Safetensors, AnEmptyFileHasNoTensors) {
  EXPECT_EQ(expect(TensorFile::parseSafetensors(makeFile("{}"))).tensors().size(), 0u);
  EXPECT_EQ(expect(TensorFile::parseSafetensors(makeFile("{}   "))).tensors().size(), 0u);
}

TEST(Safetensors, HostileHeaderLengths) {
  expectRefused({}, "truncated: expected at least 8 bytes, found 0");
  expectRefused(std::vector<uint8_t>(7), "truncated");
  for (uint64_t length : {uint64_t(1) << 63, ~uint64_t(0), ~uint64_t(0) - 7, uint64_t(1) << 32}) {
    std::vector<uint8_t> file = makeFile("{}");
    std::memcpy(file.data(), &length, sizeof(length));
    expectRefused(file, "not a safetensors file: a header of ");
  }
  std::vector<uint8_t> file = makeFile("{}");
  file[0] = 3;
  expectRefused(file, "truncated: expected a header of 3 bytes, found 2");
  file[0] = 0;
  expectRefused(file, "does not begin with '{'");
}

TEST(Safetensors, EveryTruncationIsRefused) {
  TemporaryFolder folder;
  std::string path = folder / "whole.safetensors";
  ToyData data(2);
  ASSERT_TRUE(writeSafetensors(path, data.params()).ok());
  std::vector<uint8_t> whole = expect(runtime::readFile(path));
  for (size_t size = 0; size < whole.size(); ++size)
    expectRefused({whole.begin(), whole.begin() + size}, "");
  whole.push_back(0);
  expectRefused(whole, "1 bytes of data belong to no tensor");
}

TEST(Safetensors, InvalidJson) {
  expectHeaderRefused("{", "not valid JSON");
  expectHeaderRefused("{\"a\":}", "not valid JSON at byte");
  expectHeaderRefused("{} x", "not valid JSON");
  expectHeaderRefused("{\"\xff\":{}}", "not valid JSON"); // not UTF-8
  expectHeaderRefused("{\"\xed\xa0\x80\":{}}", "not valid JSON");
  expectHeaderRefused(std::string("{\0}", 3), "not valid JSON");
  std::string deep = "{\"a\":" + std::string(1 << 20, '[');
  expectHeaderRefused(deep, "an array in the header where it does not belong");
  std::string objects = "{\"a\":{\"shape\":";
  for (int i = 0; i < 1 << 16; ++i)
    objects += "{\"shape\":";
  expectHeaderRefused(objects, "tensor 'a': an object in the header where it does not belong");
}

TEST(Safetensors, WrongStructure) {
  expectHeaderRefused(R"({"a":1})", "tensor 'a': a number in the header");
  expectHeaderRefused(R"({"a":null})", "null in the header");
  expectHeaderRefused(R"({"a":"x"})", "a string in the header");
  expectHeaderRefused(R"({"":{}})", "a tensor without a name");
  expectHeaderRefused(R"({"a\nb":{}})", "a tensor whose name has a control character");
  expectHeaderRefused(R"({"a\u001b[31m":{}})", "a tensor whose name has a control character");
  expectHeaderRefused(R"({"a\u0000b":{}})", "a key contains a zero byte");
  expectHeaderRefused(R"({"a":{}})", "tensor 'a': dtype, shape or data_offsets missing");
  expectHeaderRefused(R"({"a":{"strides":[1]}})", "tensor 'a': unknown field 'strides'");
  expectHeaderRefused(R"({"a":{"dtype":["F32"]}})", "tensor 'a': an array");
  expectHeaderRefused(R"({"a":{"shape":"F32"}})", "tensor 'a': a string");
  expectHeaderRefused(R"({"a":{"shape":[[1]]}})", "tensor 'a': an array");
  expectHeaderRefused(R"({"a":{"shape":[-1]}})", "tensor 'a': a negative number");
  expectHeaderRefused(R"({"a":{"shape":[1.5]}})", "tensor 'a': a fraction");
  expectHeaderRefused(R"({"a":{"shape":[true]}})", "tensor 'a': a boolean");
  expectHeaderRefused(R"({"a":{"shape":[99999999999999999999]}})",
                      "tensor 'a': a number of more than 64 bits");
  expectHeaderRefused(R"({"__metadata__":{"a":1}})", "__metadata__: 'a': a number in the header");
  expectHeaderRefused(R"({"__metadata__":{"a":{}}})", "__metadata__: 'a': an object in the header");
  std::string ones = "1";
  for (int i = 0; i < 40; ++i)
    ones += ",1";
  expectHeaderRefused(R"({"a":{"shape":[)" + ones + "]}}", "tensor 'a': more than 32 dims");
}

TEST(Safetensors, RepeatedKeys) {
  const std::string tensor = R"({"dtype":"I8","shape":[8],"data_offsets":[0,8]})";
  expectHeaderRefused("{\"a\":" + tensor + ",\"a\":" + tensor + "}", "tensor 'a' is given twice");
  expectHeaderRefused(R"({"a":{"dtype":"I8","dtype":"I8"}})", "tensor 'a': 'dtype' is given twice");
  expectHeaderRefused(R"({"a":{"shape":[1],"shape":[2]}})", "tensor 'a': 'shape' is given twice");
  expectHeaderRefused(R"({"__metadata__":{},"__metadata__":{}})",
                      "tensor '__metadata__' is given twice");
  expectHeaderRefused(R"({"__metadata__":{"k":"1","k":"2"}})", "__metadata__: 'k' is given twice");
}

TEST(Safetensors, UnknownTypes) {
  expectHeaderRefused(R"({"a":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})",
                      "tensor 'a': unsupported dtype 'F8_E4M3'", 8, ErrorCode::Unsupported);
  expectHeaderRefused(R"({"a":{"dtype":"","shape":[8],"data_offsets":[0,8]}})",
                      "unsupported dtype ''", 8, ErrorCode::Unsupported);
}

TEST(Safetensors, HostileShapesAndOffsets) {
  auto tensor = [](const char *shape, const char *offsets) {
    return fmt::format(R"({{"a":{{"dtype":"F32","shape":{},"data_offsets":{}}}}})", shape, offsets);
  };
  expectHeaderRefused(tensor("[2]", "[0]"), "expected two data_offsets, found 1");
  expectHeaderRefused(tensor("[2]", "[0,8,8]"), "expected two data_offsets, found 3");
  expectHeaderRefused(tensor("[2]", "[8,0]"), "data at [8, 0) lie outside the 8 bytes of data");
  expectHeaderRefused(tensor("[2]", "[4,12]"), "lie outside the 8 bytes");
  expectHeaderRefused(tensor("[2]", "[18446744073709551608,18446744073709551615]"),
                      "lie outside the 8 bytes");
  expectHeaderRefused(tensor("[3]", "[0,8]"), "expected 12 bytes of data, found 8");
  expectHeaderRefused(tensor("[4611686018427387904]", "[0,0]"), "too large", 0);
  expectHeaderRefused(tensor("[4294967296,4294967296]", "[0,0]"), "too large", 0);
  expectHeaderRefused(tensor("[18446744073709551615,0]", "[0,0]"), "too large", 0);
  expectHeaderRefused(tensor("[2]", "[0,8]"), "1 bytes of data belong to no tensor", 9);
}

TEST(Safetensors, OverlapsAndHoles) {
  auto tensors = [](const char *a, const char *b) {
    return fmt::format(R"({{"a":{{"dtype":"I8","shape":[4],"data_offsets":{}}},)"
                       R"("b":{{"dtype":"I8","shape":[4],"data_offsets":{}}}}})",
                       a, b);
  };
  EXPECT_TRUE(TensorFile::parseSafetensors(makeFile(tensors("[4,8]", "[0,4]"), 8)).ok());
  expectHeaderRefused(tensors("[0,4]", "[2,6]"),
                      "tensor 'b': data begin at 2, expected 4: tensors overlap");
  expectHeaderRefused(tensors("[0,4]", "[0,4]"), "tensors overlap");
  expectHeaderRefused(tensors("[0,4]", "[5,9]"), "tensor 'b': data begin at 5, expected 4: a hole",
                      9);
  expectHeaderRefused(tensors("[4,8]", "[8,12]"), "a hole", 12);
}

TEST(Safetensors, BoolsAreZeroOrOne) {
  std::vector<uint8_t> file =
      makeFile(R"({"a":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", 2);
  file.back() = 2;
  expectRefused(file, "tensor 'a': a bool is neither 0 nor 1");
}

TEST(Safetensors, WriterRefusesWhatNobodyCouldRead) {
  TemporaryFolder folder;
  std::string path = folder / "w.safetensors";
  Tensor a("a", DType::F32, {1}), notText("\xff", DType::F32, {1}), none("", DType::F32, {1});
  Tensor reserved("__metadata__", DType::F32, {1});
  auto write = [&](std::vector<TensorView> tensors) { return writeSafetensors(path, tensors); };
  expectError(write({a, a}), ErrorCode::InvalidArgument, "tensor 'a': given twice");
  expectError(write({notText}), ErrorCode::InvalidArgument, "not a possible name");
  expectError(write({none}), ErrorCode::InvalidArgument, "not a possible name");
  expectError(write({reserved}), ErrorCode::InvalidArgument, "not a possible name");
  EXPECT_TRUE(folder.list().empty());
}

TEST(TensorFile, FailedWritesLeaveNothing) {
  TemporaryFolder folder;
  Tensor a("a", DType::F32, {1});
  std::vector<TensorView> views = {a, a};
  expectError(writeTensors(folder / "none/out.safetensors", std::span(views).first(1)),
              ErrorCode::Io, "none/out.safetensors: cannot create: No such file or directory");
  expectError(writeTensors(folder / "out.bin", views), ErrorCode::InvalidArgument,
              "out.bin: expected a name ending in .safetensors or .npy");
  expectError(writeTensors(folder / "out.npy", views), ErrorCode::InvalidArgument,
              "an npy file holds one tensor, not 2");
  std::filesystem::create_directory(folder / "folder.npy");
  expectError(writeTensors(folder / "folder.npy", std::span(views).first(1)), ErrorCode::Io,
              "folder.npy: cannot write");
  EXPECT_EQ(folder.list(), std::vector<std::string>{"folder.npy"});
  expectError(TensorFile::open(folder / "x.bin").status(), ErrorCode::InvalidArgument,
              "expected a name ending in");
}

TEST(TensorFile, WritingReplacesTheWholeFile) {
  TemporaryFolder folder;
  std::string path = folder / "out.safetensors";
  Tensor a("a", DType::F32, {1000}), b("b", DType::F32, {1});
  ASSERT_TRUE(writeTensors(path, std::vector<TensorView>{a}).ok());
  TensorFile before = expect(TensorFile::open(path));
  ASSERT_TRUE(writeTensors(path, std::vector<TensorView>{b}).ok());
  EXPECT_EQ(before.find("a")->values<const float>()[999], 0); // the old file is still mapped
  EXPECT_EQ(expect(TensorFile::open(path)).find("a"), nullptr);
  EXPECT_EQ(folder.list().size(), 1u);
}
