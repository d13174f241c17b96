// A model that the compiler has made, linked into this program and as a file: the
// same code, so the same bits.

#include "Toy.h"

#include <random>

using namespace rlx;
using namespace rlx::test;

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

} // namespace

TEST(CompiledModule, LinkedAndLoadedGiveTheSameBits) {
  std::vector<char> linked = run(linkedToy(), 0);
  EXPECT_FALSE(linked.empty());
  EXPECT_EQ(linked, run(expect(Module::load(RLX_TOY)), 0));
}

TEST(CompiledModule, AnyNumberOfThreadsGivesTheSameBits) {
  std::vector<char> one = run(linkedToy(), 1);
  for (uint32_t threads : {2u, 3u, 8u})
    EXPECT_EQ(one, run(linkedToy(), threads)) << threads << " threads";
}
