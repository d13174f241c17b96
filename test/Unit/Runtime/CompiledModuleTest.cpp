// Models that the compiler has made, linked into this program and as files: the same
// code, so the same bits.

#include "Toy.h"

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
