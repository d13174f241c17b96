// Modules for a GPU, on a driver that has none: what is launched, recorded, copied, and
// said where something is wrong.

#include "Toy.h"

#include <cstdlib>
#include <dlfcn.h>

extern "C" const rlx_module_info *rlx_toy_cuda_query(uint32_t max_abi_version);

namespace rlx::test {
namespace {

class CudaTest : public testing::Test {
protected:
  void SetUp() override {
    setenv("RLX_CUDA_DRIVER", RLX_FAKE_CUDA, 1);
    unsetenv("FAKE_CUDA");
    library = dlopen(RLX_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
  }
  void TearDown() override { unsetenv("FAKE_CUDA"); }

  int count(const char *what) {
    using Count = int (*)(const char *);
    return reinterpret_cast<Count>(dlsym(library, "fake_cuda_count"))(what);
  }

  void *library = nullptr;
};

/// Inputs, a param and the output, for some rows.
struct Data {
  explicit Data(int64_t rows, float seed = 1) {
    x = Tensor("x", DType::F32, {rows, 4});
    y = Tensor("y", DType::F32, {rows, 4});
    for (int64_t i = 0; i < rows * 4; ++i)
      x.values<float>()[i] = seed + static_cast<float>(i);
    for (int64_t j = 0; j < 4; ++j)
      w.values<float>()[j] = static_cast<float>(j + 1);
    setOk(true);
  }

  void setOk(bool value) { *static_cast<uint8_t *>(ok.data()) = value; }

  bool isRight(std::span<const float> found) const {
    for (size_t i = 0; i < found.size(); ++i)
      if (found[i] != 2 * w.values<float>()[i % 4] * x.values<float>()[i])
        return false;
    return true;
  }

  Tensor w{"w", DType::F32, {4}}, ok{"ok", DType::Bool, {}};
  Tensor x{"x", DType::F32, {1, 4}}, y{"y", DType::F32, {1, 4}};
};

Module toy() { return expect(Module::fromQuery(rlx_toy_cuda_query)); }

TEST_F(CudaTest, RunsOnHostMemory) {
  Module module = toy();
  Data data(3);
  Params params = expect(Params::bind(module, std::vector<TensorView>{data.w}));
  Session session = expect(Session::create(module, params));
  Status status = session.call({data.x, data.ok}, {data.y});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(data.isRight(data.y.values<float>()));
}

TEST_F(CudaTest, RecordsOnceForEachShapeAndReplays) {
  Module module = toy();
  Data small(3), other(3, 7), large(300);
  Params params = expect(Params::bind(module, std::vector<TensorView>{small.w}));
  Session session = expect(Session::create(module, params));
  for (Data *data : {&small, &other, &small, &large}) {
    Status status = session.call({data->x, data->ok}, {data->y});
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(data->isRight(data->y.values<float>()));
  }
  EXPECT_EQ(count("recordings"), 2);
  EXPECT_EQ(count("graphs"), 4);
  EXPECT_EQ(count("launches"), 3); // one of them binds
  EXPECT_EQ(count("loaded"), 1);
}

TEST_F(CudaTest, UsesDeviceMemoryInPlace) {
  Module module = toy();
  Data data(5);
  Params params = expect(Params::bind(module, std::vector<TensorView>{data.w}));
  Session session = expect(Session::create(module, params));
  // The allocation of this test is as good as any program's.
  int device = 0;
  void *context = nullptr;
  unsigned long long memory[2] = {};
  auto call = [&](const char *name) { return dlsym(library, name); };
  reinterpret_cast<int (*)(void **, int)>(call("cuDevicePrimaryCtxRetain"))(&context, device);
  reinterpret_cast<int (*)(void *)>(call("cuCtxPushCurrent_v2"))(context);
  for (unsigned long long &buffer : memory)
    reinterpret_cast<int (*)(unsigned long long *, size_t)>(call("cuMemAlloc_v2"))(&buffer, 80);
  std::memcpy(reinterpret_cast<void *>(memory[0]), data.x.data(), 80);

  const int64_t dims[] = {5, 4};
  TensorView x(rlx_tensor{"x", RLX_DTYPE_F32, 2, dims, reinterpret_cast<void *>(memory[0])});
  TensorView y(rlx_tensor{"y", RLX_DTYPE_F32, 2, dims, reinterpret_cast<void *>(memory[1])});
  const int copiesIn = count("copies in"), copiesOut = count("copies out");
  Status status = session.call({x, data.ok}, {y});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(data.isRight({reinterpret_cast<const float *>(memory[1]), 20}));
  EXPECT_EQ(count("copies in") - copiesIn, 1);   // `ok`
  EXPECT_EQ(count("copies out") - copiesOut, 1); // the check
}

TEST_F(CudaTest, FailsWhereACheckOfDataFails) {
  Module module = toy();
  Data data(2);
  Params params = expect(Params::bind(module, std::vector<TensorView>{data.w}));
  Session session = expect(Session::create(module, params));
  data.setOk(false);
  expectError(session.call({data.x, data.ok}), ErrorCode::Failed, "x is not ok");
  data.setOk(true);
  EXPECT_TRUE(session.call({data.x, data.ok}).ok());
}

TEST_F(CudaTest, RunsWithoutRows) {
  Module module = toy();
  Data data(0);
  Params params = expect(Params::bind(module, std::vector<TensorView>{data.w}));
  Session session = expect(Session::create(module, params));
  EXPECT_TRUE(session.call({data.x, data.ok}, {data.y}).ok());
}

TEST_F(CudaTest, RebindsParams) {
  Module module = toy();
  Data data(2);
  for (Storage storage : {Storage::Copy, Storage::Borrow}) {
    Params params = expect(Params::bind(module, std::vector<TensorView>{data.w}, storage));
    Session session = expect(Session::create(module, params));
    ASSERT_TRUE(session.call({data.x, data.ok}, {data.y}).ok());
    data.w.values<float>()[2] += 5;
    Status status =
        storage == Storage::Copy ? params.rebind(std::vector<TensorView>{data.w}) : params.rebind();
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_TRUE(session.call({data.x, data.ok}, {data.y}).ok());
    EXPECT_TRUE(data.isRight(data.y.values<float>()));
  }
}

TEST_F(CudaTest, SaysWhatIsWrongWithTheMachine) {
  Data data(1);
  struct {
    const char *fake;
    ErrorCode code;
    const char *text;
  } cases[] = {
      {"none", ErrorCode::Incompatible,
       "device cuda: this machine has no NVIDIA GPU that its driver can use"},
      {"old", ErrorCode::Incompatible,
       "device cuda:0: 'Fake GPU' is sm_75, the module needs sm_80 or later"},
      {"full", ErrorCode::OutOfMemory, "device cuda: no memory for the packed params of 16 bytes"},
      {"broken", ErrorCode::Failed,
       "device cuda: compiling the module's kernels: fake error "
       "(error 218): ptxas: line 1"},
  };
  for (const auto &[fake, code, text] : cases) {
    setenv("FAKE_CUDA", fake, 1);
    Module module = toy();
    expectError(Params::bind(module, std::vector<TensorView>{data.w}).status(), code, text);
  }
}

TEST_F(CudaTest, ChoosesAGpuByNumber) {
  Data data(1);
  Module module = toy();
  ASSERT_TRUE(module.setDevice(7).ok());
  expectError(Params::bind(module, std::vector<TensorView>{data.w}).status(),
              ErrorCode::Incompatible, "device cuda:7: expected a number below 2, the GPUs here");
  ASSERT_TRUE(module.setDevice(1).ok());
  Params params = expect(Params::bind(module, std::vector<TensorView>{data.w}));
  expectError(module.setDevice(0), ErrorCode::Busy, "in use on another GPU");
}

TEST(CudaDeviceTest, CpuModulesHaveNoGpu) {
  expectError(linkedToy().setDevice(0), ErrorCode::Incompatible,
              "module for device cpu has no GPU to choose");
}

TEST(CudaDeviceTest, MissingDriverIsNamed) {
  setenv("RLX_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
  Data data(1);
  Module module = toy();
  expectError(Params::bind(module, std::vector<TensorView>{data.w}).status(),
              ErrorCode::Incompatible, "device cuda: no NVIDIA driver: /nowhere/libcuda.so.1");
}

} // namespace
} // namespace rlx::test
