//===- Toy.h - the module of toy.c, and what it should compute --*- C++ -*-===//
#ifndef RLX_TEST_UNIT_RUNTIME_TOY_H
#define RLX_TEST_UNIT_RUNTIME_TOY_H

#include "FileIo.h"
#include "rlx/Runtime/ModuleFile.h"
#include "rlx/Runtime/Runtime.h"
#include "rlx/Runtime/TensorFile.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" const rlx_module_info *rlx_module_query(uint32_t max_abi_version);

namespace rlx::test {

/// The value of a result, which must be there.
template <typename T> T expect(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.message();
    std::abort(); // no value to go on with
  }
  return std::move(*result);
}

/// Expects an error of the given code whose message contains `text`.
inline void expectError(const Status &status, ErrorCode code, std::string_view text) {
  ASSERT_FALSE(status.ok()) << "expected an error with '" << text << "'";
  EXPECT_EQ(status.code(), code) << status.message();
  EXPECT_NE(status.message().find(text), std::string::npos)
      << "message: " << status.message() << "\nexpected: " << text;
}

/// A new folder that is removed at the end of the test.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "rlx-test-XXXXXX";
    path = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string &name) const { return path / name; }

  /// The names in the folder.
  std::vector<std::string> list() const {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(path))
      names.push_back(entry.path().filename());
    return names;
  }

private:
  std::filesystem::path path;
};

/// The bytes of a shared module, sealed.
inline std::vector<uint8_t> sealedModule(const char *path = RLX_TOY) {
  std::vector<uint8_t> file = expect(runtime::readFile(path));
  Status status = sealModule(file);
  EXPECT_TRUE(status.ok()) << status.message();
  return file;
}

/// The module that is part of the test program.
inline Module linkedToy() { return expect(Module::fromQuery(rlx_module_query)); }

/// Params, inputs and expected outputs for `rows` rows.
struct ToyData {
  explicit ToyData(int64_t rows, float seed = 1) : rows(rows) {
    for (int64_t i = 0; i < rows * 4; ++i)
      x.values<float>()[i] = seed + static_cast<float>(i % 97);
    for (int64_t i = 0; i < rows; ++i)
      shift.values<float>()[i] = static_cast<float>(i % 13);
    for (int64_t j = 0; j < 4; ++j) {
      w.values<float>()[j] = static_cast<float>(j + 1);
      b.values<float>()[j] = static_cast<float>(10 * j);
    }
    count.values<int64_t>()[0] = 42;
  }

  std::vector<TensorView> params() const { return {w, b, count}; }
  std::vector<TensorView> inputs() const { return {x, shift}; }
  std::vector<TensorView> outputs() const { return {y, sums}; }

  float expectedY(int64_t i, int64_t j) const {
    return 2 * w.values<float>()[j] * x.values<float>()[i * 4 + j] + b.values<float>()[j] +
           shift.values<float>()[i];
  }

  /// Whether `y` and `sums` hold the right values; all are exact in f32.
  bool isRight(std::span<const float> y, std::span<const float> sums) const {
    for (int64_t i = 0; i < rows; ++i) {
      float sum = 0;
      for (int64_t j = 0; j < 4; ++j) {
        if (y[i * 4 + j] != expectedY(i, j))
          return false;
        sum += y[i * 4 + j];
      }
      if (sums[i] != sum)
        return false;
    }
    return sums[rows] == static_cast<float>(count.values<int64_t>()[0]);
  }
  bool isRight() const { return isRight(y.values<float>(), sums.values<float>()); }

  int64_t rows;
  Tensor w{"w", DType::F32, {4}}, b{"b", DType::F32, {4}}, count{"count", DType::I64, {}};
  Tensor x{"x", DType::F32, {rows, 4}}, shift{"shift", DType::F32, {rows}};
  Tensor y{"y", DType::F32, {rows, 4}}, sums{"sums", DType::F32, {rows + 1}};
};

} // namespace rlx::test

#endif // RLX_TEST_UNIT_RUNTIME_TOY_H
