#include "Toy.h"

#include <cmath>

using namespace rlx;
using namespace rlx::test;

namespace {

class ParamsTest : public testing::Test {
protected:
  Module module = linkedToy();
  ToyData data{3};

  /// Whether a run with the params gives what `data` says.
  bool runIsRight(const Params &params) {
    Session session = expect(Session::create(module, params));
    Status status = session.call(data.inputs(), data.outputs());
    EXPECT_TRUE(status.ok()) << status.message();
    return data.isRight();
  }
};

} // namespace

TEST_F(ParamsTest, BindInAnyOrder) {
  Params params = expect(Params::bind(module, std::vector<TensorView>{data.count, data.b, data.w}));
  EXPECT_TRUE(runIsRight(params));
}

TEST_F(ParamsTest, CopyIsIndependentOfTheCaller) {
  ToyData given(3);
  Params params = expect(Params::bind(module, given.params()));
  given.b.values<float>()[0] = 1000;
  EXPECT_TRUE(runIsRight(params));
}

TEST_F(ParamsTest, BorrowedParamsChangeWithARebind) {
  Params params = expect(Params::bind(module, data.params(), Storage::Borrow));
  EXPECT_TRUE(runIsRight(params));
  data.w.values<float>()[2] = -5; // packed at bind time
  data.b.values<float>()[1] = 99; // read at run time
  ASSERT_TRUE(params.rebind().ok());
  EXPECT_TRUE(runIsRight(params));
}

TEST_F(ParamsTest, RebindReplacesSome) {
  Params params = expect(Params::bind(module, data.params()));
  data.w.values<float>()[0] = 7;
  ASSERT_TRUE(params.rebind(std::vector<TensorView>{data.w}).ok());
  EXPECT_TRUE(runIsRight(params));
}

TEST_F(ParamsTest, AllMismatchesAreReportedAtOnce) {
  Tensor wide("w", DType::F32, {4, 2}), wrongType("b", DType::F64, {4});
  Tensor extra("bias", DType::F32, {1});
  Status status = Params::bind(module, std::vector<TensorView>{wide, wrongType, extra}).status();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), ErrorCode::Mismatch);
  EXPECT_EQ(status.message(), "param 'bias': no such param, found tensor<1xf32>\n"
                              "param 'w': expected tensor<4xf32>, found tensor<4x2xf32>\n"
                              "param 'b': expected tensor<4xf32>, found tensor<4xf64>\n"
                              "param 'count': missing, expected tensor<i64>");
}

TEST_F(ParamsTest, OddTensorsAreRefused) {
  auto bind = [&](std::vector<TensorView> tensors) {
    return Params::bind(module, tensors).status();
  };
  expectError(bind({data.w, data.b, data.count, data.w}), ErrorCode::Mismatch,
              "param 'w': given twice");
  TensorView w = data.w;
  w.name = nullptr;
  expectError(bind({w, data.b, data.count}), ErrorCode::Mismatch, "tensor 0 has no name");
  w = data.w;
  w.data = nullptr;
  expectError(bind({w, data.b, data.count}), ErrorCode::Mismatch, "param 'w': has no data");
  w.data = static_cast<char *>(data.w.data()) + 1;
  expectError(bind({w, data.b, data.count}), ErrorCode::Mismatch,
              "param 'w': expected data aligned to 4 bytes");
  w = data.w;
  w.dims = nullptr;
  expectError(bind({w, data.b, data.count}), ErrorCode::Mismatch, "found a tensor of rank 1");
  w.rank = 0xffffffff;
  w.dtype = 99;
  expectError(bind({w, data.b, data.count}), ErrorCode::Mismatch, "param 'w': expected");
}

TEST_F(ParamsTest, ModuleFailuresAreReported) {
  data.w.values<float>()[0] = std::nanf("");
  expectError(Params::bind(module, data.params()).status(), ErrorCode::Failed,
              "w[0] is not a number");

  ToyData good(3);
  Params params = expect(Params::bind(module, good.params()));
  expectError(params.rebind(std::vector<TensorView>{data.w}), ErrorCode::Failed, "not a number");
  Session session = expect(Session::create(module, params));
  expectError(session.call(good.inputs(), good.outputs()), ErrorCode::Failed,
              "params are unusable since their last rebind failed");
  ASSERT_TRUE(params.rebind(std::vector<TensorView>{good.w}).ok());
  EXPECT_TRUE(session.call(good.inputs(), good.outputs()).ok());
}

TEST_F(ParamsTest, ARebindThatDoesNotFitChangesNothing) {
  Params params = expect(Params::bind(module, data.params()));
  Tensor wide("w", DType::F32, {5});
  expectError(params.rebind(std::vector<TensorView>{wide}), ErrorCode::Mismatch, "param 'w'");
  EXPECT_TRUE(runIsRight(params));
}

TEST_F(ParamsTest, BindFile) {
  TemporaryFolder folder;
  std::string path = folder / "p.safetensors";
  ASSERT_TRUE(writeSafetensors(path, data.params()).ok());
  EXPECT_TRUE(runIsRight(expect(Params::bindFile(module, path))));
  ASSERT_TRUE(writeSafetensors(path, std::vector<TensorView>{data.w, data.count}).ok());
  expectError(Params::bindFile(module, path).status(), ErrorCode::Mismatch,
              path + ": param 'b': missing, expected tensor<4xf32>");
}

TEST_F(ParamsTest, BelongToTheirModule) {
  Module other = linkedToy();
  Params params = expect(Params::bind(other, data.params()));
  expectError(Session::create(module, params).status(), ErrorCode::InvalidArgument,
              "the params belong to another module");
  expectError(Session::create(module).status(), ErrorCode::InvalidArgument,
              "module 'toy' has 3 params, expected them to be bound");
}
