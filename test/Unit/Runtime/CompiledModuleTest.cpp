// Models that the compiler has made, linked into this program and as files: the same
// code, so the same bits.

#include "Toy.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>

using namespace rlx;
using namespace rlx::test;

extern "C" const rlx_module_info *rlx_two_way_query(uint32_t max_abi_version);

namespace {

/// Tensors of the declared types with reproducible values.
std::vector<Tensor> makeTensors(std::span<const rlx_tensor_info> infos, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<Tensor> tensors;
  for (const rlx_tensor_info &info : infos) {
    std::vector<int64_t> shape(info.dims, info.dims + info.rank);
    tensors.emplace_back(info.name, static_cast<DType>(info.dtype), shape);
    for (float &value : tensors.back().values<float>())
      value = values(random);
  }
  return tensors;
}

/// The outputs of one run, all bytes together.
std::vector<char> run(const Module &module, uint32_t threads) {
  std::vector<Tensor> weights = makeTensors(module.params(), 1);
  std::vector<Tensor> inputs = makeTensors(module.inputs(), 2);
  Params params =
      expect(Params::bind(module, std::vector<TensorView>(weights.begin(), weights.end())));
  Session session = expect(Session::create(module, params));
  EXPECT_TRUE(session.setThreads(threads).ok());
  Status status = session.call(std::vector<TensorView>(inputs.begin(), inputs.end()));
  EXPECT_TRUE(status.ok()) << status.message();
  std::vector<char> bytes;
  for (const rlx_tensor_info &info : module.outputs()) {
    TensorView output = expect(session.output(info.name));
    const char *data = static_cast<const char *>(output.data);
    bytes.insert(bytes.end(), data, data + output.numBytes());
  }
  return bytes;
}

/// A model in this program, and the same as a file.
struct CompiledModel {
  const char *name;
  rlx_module_query_fn query;
  const char *file;
};

std::ostream &operator<<(std::ostream &stream, const CompiledModel &model) {
  return stream << model.name;
}

} // namespace

class CompiledModule : public testing::TestWithParam<CompiledModel> {};

TEST_P(CompiledModule, LinkedAndLoadedGiveTheSameBits) {
  std::vector<char> linked = run(expect(Module::fromQuery(GetParam().query)), 0);
  EXPECT_FALSE(linked.empty());
  EXPECT_EQ(linked, run(expect(Module::load(GetParam().file)), 0));
}

TEST_P(CompiledModule, AnyNumberOfThreadsGivesTheSameBits) {
  Module linked = expect(Module::fromQuery(GetParam().query));
  std::vector<char> one = run(linked, 1);
  for (uint32_t threads : {2u, 3u, 8u})
    EXPECT_EQ(one, run(linked, threads)) << threads << " threads";
}

INSTANTIATE_TEST_SUITE_P(Models, CompiledModule,
                         testing::Values(CompiledModel{"psa", rlx_module_query, RLX_TOY},
                                         CompiledModel{"two_way", rlx_two_way_query, RLX_TWO_WAY}),
                         [](const auto &info) { return std::string(info.param.name); });

namespace {

/// What compiled code sees of a host of version 1.0; what lies behind it is not to be
/// read.
struct HostOfVersion0 {
  static constexpr size_t size = offsetof(rlx_host, begin_region);
  alignas(rlx_host) unsigned char bytes[sizeof(rlx_host)];

  HostOfVersion0() {
    rlx_host host = {};
    host.struct_size = size;
    host.abi_version = RLX_ABI_MAJOR << 16;
    host.parallel_for = [](void *, rlx_task_fn task, void *context, size_t count) {
      for (size_t i = 0; i < count; ++i)
        task(context, i);
    };
    host.fail = [](void *, const char *message) { ADD_FAILURE() << message; };
    std::memset(&host.begin_region, 0xab, sizeof(host.begin_region));
    std::memcpy(bytes, &host, sizeof(host));
  }
  const rlx_host *get() const { return reinterpret_cast<const rlx_host *>(bytes); }
};

/// Memory as the functions of a module want it.
std::unique_ptr<void, decltype(&std::free)> allocate(uint64_t size) {
  constexpr uint64_t unit = RLX_BUFFER_ALIGNMENT;
  return {std::aligned_alloc(unit, (size / unit + 1) * unit), &std::free};
}

} // namespace

TEST(CompiledTwoWay, RunsInAHostOfVersion0) {
  const rlx_module_info &info = *rlx_two_way_query(RLX_ABI_VERSION);
  ASSERT_GT(info.num_regions, 0u);
  std::vector<Tensor> weights = makeTensors({info.params, info.num_params}, 1);
  std::vector<Tensor> inputs = makeTensors({info.inputs, info.num_inputs}, 2);
  std::vector<Tensor> outputs = makeTensors({info.outputs, info.num_outputs}, 3);
  std::vector<const void *> weightData, inputData;
  std::vector<void *> outputData;
  std::vector<int64_t> dims(64);
  for (Tensor &tensor : weights)
    weightData.push_back(tensor.data());
  for (Tensor &tensor : inputs)
    inputData.push_back(tensor.data());
  for (Tensor &tensor : outputs)
    outputData.push_back(tensor.data());

  const HostOfVersion0 host;
  uint64_t workspaceSize = 0;
  auto packed = allocate(info.packed_size);
  ASSERT_EQ(info.bind(host.get(), weightData.data(), packed.get()), RLX_OK);
  ASSERT_EQ(info.shapes(host.get(), nullptr, dims.data(), &workspaceSize), RLX_OK);
  auto workspace = allocate(workspaceSize);
  ASSERT_EQ(info.run(host.get(), nullptr, weightData.data(), packed.get(), inputData.data(),
                     outputData.data(), workspace.get()),
            RLX_OK);
  std::vector<char> bytes;
  for (const Tensor &output : outputs) {
    TensorView view = output;
    const char *data = static_cast<const char *>(view.data);
    bytes.insert(bytes.end(), data, data + view.numBytes());
  }
  EXPECT_EQ(bytes, run(expect(Module::fromQuery(rlx_two_way_query)), 1));
}

TEST(CompiledTwoWay, GoesThroughItsRegions) {
  Module module = expect(Module::fromQuery(rlx_two_way_query));
  std::vector<Tensor> weights = makeTensors(module.params(), 1);
  std::vector<Tensor> inputs = makeTensors(module.inputs(), 2);
  Params params =
      expect(Params::bind(module, std::vector<TensorView>(weights.begin(), weights.end())));
  Session session = expect(Session::create(module, params));
  std::vector<uint32_t> seen, expected;
  auto record = [](void *context, uint32_t region) {
    static_cast<std::vector<uint32_t> *>(context)->push_back(region);
  };
  ASSERT_TRUE(session.setTrace(record, &seen).ok());
  ASSERT_TRUE(session.call(std::vector<TensorView>(inputs.begin(), inputs.end())).ok());
  for (uint32_t region = 0; region < module.regions().size(); ++region)
    expected.push_back(region);
  expected.push_back(RLX_NO_REGION);
  EXPECT_EQ(seen, expected);
  uint64_t flops = 0;
  for (const rlx_region_cost &cost : expect(session.costs(module))) {
    EXPECT_GT(cost.bytes, 0u);
    flops += cost.flops;
  }
  // Two layers' MLPs of 9 tokens, which are not all that there is.
  EXPECT_GT(flops, 2u * 2 * (2 * 9 * 48 * 64));
}
