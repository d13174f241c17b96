// Descriptors that a module may not have. They come through Module::fromQuery, as
// those of statically linked modules do.

#include "Toy.h"

#include <cstddef>

using namespace rlx;
using namespace rlx::test;

namespace {

/// The descriptor that the next query returns.
const rlx_module_info *nextDescriptor;
const rlx_module_info *query(uint32_t) { return nextDescriptor; }

class Descriptor : public testing::Test {
protected:
  rlx_module_info info = *rlx_module_query(RLX_ABI_VERSION);
  std::vector<rlx_tensor_info> inputs{info.inputs, info.inputs + info.num_inputs};
  std::vector<rlx_tensor_info> params{info.params, info.params + info.num_params};
  std::vector<rlx_tensor_info> outputs{info.outputs, info.outputs + info.num_outputs};

  Status check() {
    info.inputs = inputs.data();
    info.params = params.data();
    info.outputs = outputs.data();
    nextDescriptor = &info;
    return Module::fromQuery(query).status();
  }
  void expectRefused(std::string_view text, ErrorCode code = ErrorCode::Format) {
    expectError(check(), code, text);
  }
};

} // namespace

TEST_F(Descriptor, IsAccepted) { EXPECT_TRUE(check().ok()); }

TEST_F(Descriptor, KeepsWhatItNeedsAlive) {
  auto owner = std::make_shared<int>(1);
  {
    Module module = expect(Module::fromQuery(rlx_module_query, owner));
    Module copy = module;
    EXPECT_EQ(owner.use_count(), 2);
  }
  EXPECT_EQ(owner.use_count(), 1);
  nextDescriptor = nullptr;
  expectError(Module::fromQuery(query, owner).status(), ErrorCode::Incompatible,
              "module does not speak ABI version 1.1");
  EXPECT_EQ(owner.use_count(), 1);
}

TEST_F(Descriptor, NeedsThisAbi) {
  info.abi_version = 3u << 16;
  expectRefused("module of ABI version 3.0, expected major version 1", ErrorCode::Incompatible);
  info.abi_version = RLX_ABI_VERSION;
  info.struct_size = 16;
  expectRefused("module descriptor: 16 bytes");
  info.struct_size = offsetof(rlx_module_info, num_regions);
  expectRefused("bytes, expected"); // it says it is of version 1.1
}

TEST_F(Descriptor, MayBeOfVersion0) {
  info.abi_version = RLX_ABI_MAJOR << 16;
  info.struct_size = offsetof(rlx_module_info, num_regions);
  info.costs = nullptr; // not to be looked at
  ASSERT_TRUE(check().ok());
  Module module = expect(Module::fromQuery(query));
  EXPECT_EQ(module.info().abi_version, RLX_ABI_MAJOR << 16);
  EXPECT_TRUE(module.regions().empty());
}

TEST_F(Descriptor, NeedsSoundRegions) {
  info.num_regions = 0xffffffff;
  expectRefused("4294967295 regions, expected at most");
  info.num_regions = 2;
  info.costs = nullptr;
  expectRefused("2 regions, expected at most");
  info.costs = rlx_module_query(RLX_ABI_VERSION)->costs;
  rlx_region_info regions[] = {{"a", RLX_REGION_SERIAL}, {nullptr, RLX_REGION_SERIAL}};
  info.regions = regions;
  expectRefused("region 1 without a name");
  regions[1] = {"b", 2};
  expectRefused("region 1 without a name or of an unknown kind");
}

TEST_F(Descriptor, NeedsStringsAndFunctions) {
  auto saved = info;
  for (const char *rlx_module_info::*field :
       {&rlx_module_info::name, &rlx_module_info::triple, &rlx_module_info::features,
        &rlx_module_info::options}) {
    info = saved;
    info.*field = nullptr;
    expectRefused("name, triple, features or options missing");
  }
  info = saved;
  info.run = nullptr;
  expectRefused("shapes, bind or run missing");
}

TEST_F(Descriptor, NeedsThisMachine) {
  info.triple = "sparc64-unknown-linux-gnu";
  expectRefused("module for sparc64-unknown-linux-gnu, expected ", ErrorCode::Incompatible);
  info = *rlx_module_query(RLX_ABI_VERSION);
  info.features = "+sse2,warp-drive";
  expectRefused("warp-drive", ErrorCode::Incompatible);
  info = *rlx_module_query(RLX_ABI_VERSION);
  info.device = 77;
  expectRefused("module for unknown device 77", ErrorCode::Incompatible);
  info.device = RLX_DEVICE_CUDA;
  expectRefused("device code missing");
}

TEST_F(Descriptor, NeedsBoundedCounts) {
  info.num_inputs = 0xffffffff;
  expectRefused("4294967295 inputs, expected at most");
  info.num_inputs = 2;
  info.num_symbols = 0xffffffff;
  expectRefused("4294967295 symbols");
  info.num_symbols = 1;
  info.packed_size = ~0ull;
  expectRefused("bytes of packed params");
}

TEST_F(Descriptor, NeedsNames) {
  inputs[1].name = nullptr;
  expectRefused("input without a name");
  inputs[1].name = "x";
  expectRefused("two inputs are called 'x'");
  inputs[1].name = "shift";
  const char *empty = "";
  info.symbols = &empty;
  expectRefused("symbol 0 without a name");
}

TEST_F(Descriptor, NeedsSoundTypes) {
  params[0].dtype = 8;
  expectRefused("param 'w': unknown element type 8");
  params[0].dtype = RLX_DTYPE_F32;
  params[0].rank = 1000;
  expectRefused("param 'w': rank 1000");
  params[0].rank = 1;
  const int64_t dynamic = -1, symbol = -2, computed = RLX_DIM_COMPUTED, huge = INT64_MAX;
  params[0].dims = &dynamic;
  expectRefused("param 'w': dim 0 is dynamic");
  params[0].dims = &huge;
  expectRefused("param 'w': too large");
  params[0].dims = info.params[1].dims;
  inputs[1].dims = &symbol;
  expectRefused("input 'shift': dim 0 is symbol 1, of 1 symbols");
  inputs[1].dims = &computed;
  expectRefused("input 'shift': dim 0 is computed");
}

TEST_F(Descriptor, NeedsAUseOfEachSymbol) {
  const char *names[] = {"N", "M"};
  info.symbols = names;
  info.num_symbols = 2;
  expectRefused("no input's shape has symbol 'M'");
}
