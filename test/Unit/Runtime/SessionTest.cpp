#include "Toy.h"

#include <cmath>
#include <cstddef>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace rlx;
using namespace rlx::test;

namespace {

class SessionTest : public testing::Test {
protected:
  Module module = linkedToy();
  ToyData data{5};
  Params params = expect(Params::bind(module, data.params()));
  Session session = expect(Session::create(module, params));
};

} // namespace

TEST_F(SessionTest, RunsOnTheCallersBuffers) {
  ASSERT_TRUE(session.call(data.inputs(), data.outputs()).ok());
  EXPECT_TRUE(data.isRight());
}

TEST_F(SessionTest, TakesTensorsInAnyOrder) {
  ASSERT_TRUE(session.call({data.shift, data.x}, {data.sums, data.y}).ok());
  EXPECT_TRUE(data.isRight());
}

TEST_F(SessionTest, KeepsOutputsThatNobodyTakes) {
  ASSERT_TRUE(session.call({data.x, data.shift}, {data.y}).ok());
  TensorView sums = expect(session.output("sums"));
  EXPECT_EQ(sums.shape().size(), 1u);
  EXPECT_EQ(sums.shape()[0], 6);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(sums.data) % RLX_BUFFER_ALIGNMENT, 0u);
  EXPECT_TRUE(data.isRight(data.y.values<float>(), sums.values<float>()));
}

TEST_F(SessionTest, RunsInSteps) {
  for (const TensorView &input : data.inputs())
    ASSERT_TRUE(session.setInput(input).ok());
  ASSERT_TRUE(session.setOutput(data.y).ok());
  ASSERT_TRUE(session.run().ok());
  EXPECT_TRUE(data.isRight(data.y.values<float>(), expect(session.output("sums")).values<float>()));
  data.x.values<float>()[0] = -3;
  ASSERT_TRUE(session.run().ok());
  EXPECT_EQ(data.y.values<float>()[0], data.expectedY(0, 0));

  TensorView none = data.y;
  none.data = nullptr;
  ASSERT_TRUE(session.setOutput(none).ok());
  ASSERT_TRUE(session.run().ok());
  EXPECT_NE(expect(session.output("y")).data, data.y.data());
}

TEST_F(SessionTest, PrepareTellsShapesWithoutData) {
  expectError(session.output("y").status(), ErrorCode::InvalidArgument, "has no shape before");
  for (TensorView input : data.inputs()) {
    input.data = nullptr;
    ASSERT_TRUE(session.setInput(input).ok());
  }
  ASSERT_TRUE(session.prepare().ok());
  EXPECT_EQ(expect(session.output("y")).shape()[0], 5);
  expectError(session.run(), ErrorCode::Mismatch,
              "input 'x': has no data\ninput 'shift': has no data");
}

TEST_F(SessionTest, TakesAnyNumberOfRows) {
  for (int64_t rows : {1, 64, 0, 3, 1000, 1}) {
    ToyData other(rows);
    ASSERT_TRUE(session.call(other.inputs(), other.outputs()).ok()) << rows;
    EXPECT_TRUE(other.isRight()) << rows;
  }
}

TEST_F(SessionTest, FollowsRegions) {
  std::vector<uint32_t> seen;
  auto record = [](void *context, uint32_t region) {
    static_cast<std::vector<uint32_t> *>(context)->push_back(region);
  };
  ASSERT_TRUE(session.setTrace(record, &seen).ok());
  ASSERT_TRUE(session.call(data.inputs(), data.outputs()).ok());
  EXPECT_EQ(seen, (std::vector<uint32_t>{0, 1, RLX_NO_REGION}));
  EXPECT_TRUE(data.isRight());
  ASSERT_TRUE(session.setTrace(nullptr, nullptr).ok());
  ASSERT_TRUE(session.call(data.inputs(), data.outputs()).ok());
  EXPECT_EQ(seen.size(), 3u);
}

TEST_F(SessionTest, KnowsWhatRegionsCost) {
  expectError(session.costs(module).status(), ErrorCode::InvalidArgument,
              "regions have no costs before a prepare or a run");
  for (int64_t rows : {5, 2}) {
    ToyData other(rows);
    ASSERT_TRUE(session.call(other.inputs(), other.outputs()).ok());
    std::vector<rlx_region_cost> costs = expect(session.costs(module));
    ASSERT_EQ(costs.size(), 2u);
    EXPECT_EQ(costs[0].flops, rows * 16u);
    EXPECT_EQ(costs[1].bytes, 12u);
  }
}

TEST_F(SessionTest, RunsAModuleOfVersion0) {
  static rlx_module_info old;
  old = *rlx_module_query(RLX_ABI_VERSION);
  old.abi_version = RLX_ABI_MAJOR << 16;
  old.struct_size = offsetof(rlx_module_info, num_regions);
  Module oldModule =
      expect(Module::fromQuery([](uint32_t) -> const rlx_module_info * { return &old; }));
  Params oldParams = expect(Params::bind(oldModule, data.params()));
  Session oldSession = expect(Session::create(oldModule, oldParams));
  ASSERT_TRUE(oldSession.call(data.inputs(), data.outputs()).ok());
  EXPECT_TRUE(data.isRight());
  EXPECT_TRUE(expect(oldSession.costs(oldModule)).empty());
}

TEST_F(SessionTest, ReportsAllMismatchesAtOnce) {
  Tensor narrow("x", DType::F32, {5, 3}), half("shift", DType::F16, {5}), z("z", DType::I8, {});
  Tensor flat("y", DType::F32, {20});
  Status status = session.call({narrow, half, z}, {flat});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), ErrorCode::Mismatch);
  EXPECT_EQ(status.message(), "input 'z': no such input, found tensor<i8>\n"
                              "input 'x': expected tensor<?x4xf32>, found tensor<5x3xf32>\n"
                              "input 'shift': expected tensor<?xf32>, found tensor<5xf16>\n"
                              "output 'y': expected tensor<?x4xf32>, found tensor<20xf32>");
}

TEST_F(SessionTest, ReportsMissingInputs) {
  expectError(session.call({data.x}), ErrorCode::Mismatch,
              "input 'shift': missing, expected tensor<?xf32>");
  expectError(session.run(), ErrorCode::Mismatch, "input 'x': missing");
  ASSERT_TRUE(session.setInput(data.x).ok());
  Status status = session.run();
  expectError(status, ErrorCode::Mismatch, "input 'shift': missing");
  EXPECT_EQ(status.message().find("'x'"), std::string::npos);
}

TEST_F(SessionTest, ReportsSymbolsThatDisagree) {
  Tensor shift("shift", DType::F32, {4});
  expectError(session.call({data.x, shift}), ErrorCode::Mismatch,
              "input 'shift': dim 0 gives 'N' the size 4, dim 0 of input 'x' gives it 5");
}

TEST_F(SessionTest, ReportsOutputsOfTheWrongSize) {
  Tensor y("y", DType::F32, {6, 4}), sums("sums", DType::F32, {5});
  expectError(session.call({data.x, data.shift}, {y, sums}), ErrorCode::Mismatch,
              "output 'y': expected tensor<5x4xf32>, found tensor<6x4xf32>\n"
              "output 'sums': expected tensor<6xf32>, found tensor<5xf32>");
}

TEST_F(SessionTest, RefusesImpossibleDims) {
  TensorView x = data.x;
  const int64_t negative[] = {-1, 4}, huge[] = {INT64_MAX / 4, 4};
  x.dims = negative;
  expectError(session.setInput(x), ErrorCode::Mismatch, "found tensor<?x4xf32>");
  x.dims = huge;
  expectError(session.setInput(x), ErrorCode::Mismatch, "is too large");
}

TEST_F(SessionTest, RefusesOutputsThatOverlap) {
  TensorView y = data.y;
  y.data = data.x.data();
  expectError(session.call({data.x, data.shift}, {y}), ErrorCode::InvalidArgument,
              "output 'y': overlaps input 'x'");
  TensorView sums = data.sums;
  sums.data = data.y.values<float>().data() + 19;
  expectError(session.call({data.x, data.shift}, {data.y, sums}), ErrorCode::InvalidArgument,
              "output 'sums': overlaps output 'y'");
}

TEST_F(SessionTest, ReportsFailuresOfCompiledCode) {
  data.x.values<float>()[8] = std::nanf("");
  expectError(session.call(data.inputs(), data.outputs()), ErrorCode::Failed,
              "a row of x begins with a NaN");
  data.x.values<float>()[8] = 1;
  EXPECT_TRUE(session.call(data.inputs(), data.outputs()).ok());
  ToyData bad(666);
  expectError(session.call(bad.inputs()), ErrorCode::Failed, "no workspace for 666 rows");
  EXPECT_TRUE(session.call(data.inputs(), data.outputs()).ok());
  EXPECT_TRUE(data.isRight());
}

TEST_F(SessionTest, UnknownNamesAreErrors) {
  Tensor z("z", DType::F32, {});
  expectError(session.setInput(z), ErrorCode::InvalidArgument, "input 'z': no such input");
  expectError(session.setOutput(z), ErrorCode::InvalidArgument, "output 'z': no such output");
  expectError(session.output("z").status(), ErrorCode::InvalidArgument, "output 'z'");
}

TEST_F(SessionTest, GivesTheSameForAnyNumberOfThreads) {
  ToyData one(4096), many(4096);
  ASSERT_TRUE(session.setThreads(1).ok());
  ASSERT_TRUE(session.call(one.inputs(), one.outputs()).ok());
  for (uint32_t threads : {0u, 2u, 3u, 100u}) {
    ASSERT_TRUE(session.setThreads(threads).ok());
    ASSERT_TRUE(session.call(many.inputs(), many.outputs()).ok());
    EXPECT_TRUE(many.isRight());
    EXPECT_EQ(std::memcmp(one.y.data(), many.y.data(), one.y.numBytes()), 0);
  }
}

TEST_F(SessionTest, UsesTheCallersParallelFor) {
  size_t calls = 0;
  auto backwards = [](void *context, rlx_task_fn task, void *taskContext, size_t count) {
    ++*static_cast<size_t *>(context);
    while (count > 0)
      task(taskContext, --count);
  };
  ASSERT_TRUE(session.setParallelFor(backwards, &calls).ok());
  ASSERT_TRUE(session.call(data.inputs(), data.outputs()).ok());
  EXPECT_EQ(calls, 1u);
  EXPECT_TRUE(data.isRight());
  ASSERT_TRUE(session.setParallelFor(nullptr, nullptr).ok());
  ASSERT_TRUE(session.call(data.inputs(), data.outputs()).ok());
  EXPECT_EQ(calls, 1u);
}

TEST_F(SessionTest, RefusesASecondRunAndARebindDuringARun) {
  struct Context {
    Session *session;
    Params *params;
    const ToyData *data;
    Status run, set, rebind;
  } context{&session, &params, &data, {}, {}, {}};
  auto reenter = [](void *pointer, rlx_task_fn task, void *taskContext, size_t count) {
    auto *context = static_cast<Context *>(pointer);
    context->run = context->session->run();
    context->set = context->session->setThreads(1);
    context->rebind = context->params->rebind();
    for (size_t i = 0; i < count; ++i)
      task(taskContext, i);
  };
  ASSERT_TRUE(session.setParallelFor(reenter, &context).ok());
  ASSERT_TRUE(session.call(data.inputs(), data.outputs()).ok());
  EXPECT_TRUE(data.isRight());
  expectError(context.run, ErrorCode::Busy, "the session is in use on another thread");
  expectError(context.set, ErrorCode::Busy, "the session is in use");
  expectError(context.rebind, ErrorCode::Busy, "params are in use by a run");
  EXPECT_TRUE(params.rebind().ok());
}

TEST_F(SessionTest, OutlivesItsModuleAndParams) {
  module = linkedToy();
  params = Params();
  ASSERT_TRUE(session.call(data.inputs(), data.outputs()).ok());
  EXPECT_TRUE(data.isRight());
}

#if defined(__x86_64__)
TEST_F(SessionTest, DoesNotDependOnTheCallersFloatEnvironment) {
  // 1e-39 is a denormal; a caller that flushes them to zero gets them all the same.
  for (float &value : data.x.values<float>())
    value = 1e-39f;
  for (float &value : data.shift.values<float>())
    value = 0;
  Tensor zero("b", DType::F32, {4});
  ASSERT_TRUE(params.rebind(std::vector<TensorView>{zero}).ok());
  unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040); // flush to zero, denormals are zero
  Status status = session.call(data.inputs(), data.outputs());
  EXPECT_EQ(_mm_getcsr() & 0x8040, 0x8040u);
  _mm_setcsr(saved);
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(data.y.values<float>()[0], 2e-39f);
}
#endif

TEST(CInterface, ChecksItsArguments) {
  rlx_module *module;
  rlx_error *error = rlx_module_load(nullptr, &module);
  EXPECT_EQ(rlx_error_get_code(error), RLX_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(rlx_error_message(error), "argument 'path' is null");
  rlx_error_free(error);
  error = rlx_session_run(nullptr);
  EXPECT_STREQ(rlx_error_message(error), "argument 'session' is null");
  rlx_error_free(error);
  rlx_error_free(nullptr);
  EXPECT_STREQ(rlx_error_message(nullptr), "");
  EXPECT_EQ(rlx_error_get_code(nullptr), 0);
  rlx_module_release(nullptr);
  rlx_params_release(nullptr);
  rlx_session_destroy(nullptr);
  EXPECT_STRNE(rlx_version(), "");
}
