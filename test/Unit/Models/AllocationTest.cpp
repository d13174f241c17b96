//===- AllocationTest.cpp - Steady runs of the models allocate nothing ----===//
//
// A program of its own, since it replaces operator new. What compiled code and the
// runtime allocate otherwise is counted by the runtime's own test.
//
//===----------------------------------------------------------------------===//

#include "GraphRunner.h"
#include "rlx/Models/PsaBlock.h"
#include "rlx/Models/TwoWayTransformer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<size_t> numAllocations{0};

void *operator new(size_t size) {
  ++numAllocations;
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  std::abort();
}
void *operator new(size_t size, std::align_val_t alignment) {
  ++numAllocations;
  size_t unit = static_cast<size_t>(alignment);
  if (void *memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit))
    return memory;
  std::abort();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void *memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace rlx::models {
namespace {

/// Calls `run` until it has warmed up, and expects the next call not to allocate.
template <typename Run> void expectSteady(Run run) {
  for (int i = 0; i < 2; ++i) {
    auto warm = run();
    ASSERT_TRUE(warm) << warm.message();
  }
  size_t before = numAllocations;
  auto result = run();
  size_t after = numAllocations;
  ASSERT_TRUE(result) << result.message();
  EXPECT_EQ(after - before, 0u);
}

TEST(Allocation, IsCounted) {
  size_t before = numAllocations;
  std::vector<int> memory(10);
  EXPECT_EQ(memory.back(), 0);
  EXPECT_GT(numAllocations, before);
}

TEST(Allocation, TwoWayTransformerWithSparseSlots) {
  constexpr int64_t keys = 9, active = 3;
  TwoWaySpec spec;
  spec.embedDim = 12;
  spec.numHeads = 3;
  spec.internalDim = 6;
  spec.mlpDim = 10;
  spec.depth = 1;
  Result<Graph> graph = buildTwoWayTransformer(spec, {active, keys});
  ASSERT_TRUE(graph) << graph.message();
  std::vector<Tensor> params = test::makeTensors(graph->params());
  std::vector<Tensor> inputs = test::makeTensors(graph->inputs());
  std::vector<TensorView> views(params.begin(), params.end());
  Result<TwoWayTransformer> model = TwoWayTransformer::compileWithSparseSlots(spec, 5, keys);
  ASSERT_TRUE(model) << model.message();
  Status bound = model->bindParams(views);
  ASSERT_TRUE(bound) << bound.message();

  std::span<const float> tokens = inputs[0].values<float>(), seq = inputs[1].values<float>(),
                         pe = inputs[2].values<float>();
  expectSteady([&] { return model->runMasked(tokens, active, seq, pe); });
  expectSteady([&] { return model->runMaskedNchw(tokens, active, seq, pe, 3); });
  // A change in the number of tokens rewrites masks in place.
  size_t before = numAllocations;
  Result<TwoWayOutputs> fewer = model->runMasked(tokens.first(spec.embedDim), 1, seq, pe);
  EXPECT_EQ(numAllocations - before, 0u);
  EXPECT_TRUE(fewer) << fewer.message();
}

TEST(Allocation, PsaBlock) {
  PsaSpec spec = {8, 1, 2, 3};
  Result<Graph> graph = buildPsaBlock(spec, 2);
  ASSERT_TRUE(graph) << graph.message();
  std::vector<Tensor> params = test::makeTensors(graph->params());
  std::vector<Tensor> inputs = test::makeTensors(graph->inputs());
  std::vector<TensorView> views(params.begin(), params.end());
  Result<PsaBlock> block = PsaBlock::compile(spec, 2);
  ASSERT_TRUE(block) << block.message();
  Status bound = block->bindParams(views);
  ASSERT_TRUE(bound) << bound.message();
  expectSteady([&] { return block->run(inputs[0].values<float>()); });
}

} // namespace
} // namespace rlx::models
