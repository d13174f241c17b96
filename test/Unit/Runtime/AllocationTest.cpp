// A steady run allocates nothing on the heap. This program counts every call of
// malloc and its kin, on which operator new is built.

#include "Sanitizers.h"
#include "Toy.h"

#include <atomic>
#include <cstdlib>

static std::atomic<bool> isCounting{false};
static std::atomic<size_t> allocations{0};

static void note() {
  if (isCounting.load(std::memory_order_relaxed))
    allocations.fetch_add(1, std::memory_order_relaxed);
}

#if RLX_HAS_OWN_MALLOC
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*onMalloc)(const volatile void *,
                                                                          size_t),
                                                         void (*onFree)(const volatile void *));
static const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void *, size_t) { note(); }, [](const volatile void *) {});
#else
extern "C" {
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  note();
  return __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
  note();
  return __libc_realloc(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}
}
#endif

using namespace rlx;
using namespace rlx::test;

/// The allocations of `function`.
template <typename Function> static size_t countAllocations(Function function) {
  allocations = 0;
  isCounting = true;
  function();
  isCounting = false;
  return allocations;
}

TEST(Allocation, IsCounted) {
  EXPECT_GT(countAllocations([] { ::operator delete(::operator new(10)); }), 0u);
  EXPECT_GT(countAllocations([] {
              void *volatile memory = std::malloc(10);
              std::free(memory);
            }),
            0u);
#if !RLX_HAS_TSAN // whose hooks leave out aligned allocations
  EXPECT_GT(countAllocations([] {
              void *volatile memory = std::aligned_alloc(64, 128);
              std::free(memory);
            }),
            0u);
#endif
}

TEST(Allocation, SteadyRunsNeedNone) {
  Module module = linkedToy();
  ToyData small(7), large(300);
  Params params = expect(Params::bind(module, small.params()));
  Session session = expect(Session::create(module, params));
  std::vector<TensorView> smallInputs = small.inputs(), smallOutputs = small.outputs();
  std::vector<TensorView> largeInputs = large.inputs();
  std::vector<TensorView> weights = small.params();

  ASSERT_TRUE(session.call(smallInputs, smallOutputs).ok());
  ASSERT_TRUE(session.call(largeInputs).ok()); // outputs stay with the session
  bool ok = true;
  EXPECT_EQ(countAllocations([&] {
              for (int round = 0; round < 10; ++round) {
                ok &= session.call(smallInputs, smallOutputs).ok();
                ok &= session.call(largeInputs).ok();
              }
            }),
            0u);
  EXPECT_TRUE(ok);
  EXPECT_TRUE(small.isRight());

  for (const TensorView &input : smallInputs)
    ok &= session.setInput(input).ok();
  ok &= session.run().ok();
  EXPECT_EQ(countAllocations([&] {
              ok &= session.run().ok();
              ok &= params.rebind(weights).ok();
              ok &= session.setInput(smallInputs[0]).ok();
              ok &= session.run().ok();
              ok &= session.output("y").ok();
            }),
            0u);
  EXPECT_TRUE(ok);
}
