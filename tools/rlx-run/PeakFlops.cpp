//===- PeakFlops.cpp - how fast this machine can multiply and add ---------===//
//
// One loop for each vector width, of as many independent chains of multiply-adds as
// hide their latency. Compilers turn a * b + c of one expression into one instruction
// where the target has it.
//
//===----------------------------------------------------------------------===//

#include "PeakFlops.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

using namespace rlx;

namespace {

/// Two units of a latency of four, and some.
constexpr size_t chains = 12;
using Chains = std::make_index_sequence<chains>;
/// Short tries, many of them: other work on the machine spoils some.
constexpr int64_t stepsOfATry = 1 << 17;
constexpr int tries = 50;

/// Runs the chains and returns something that depends on all of them.
template <typename Vector, size_t... Chain>
[[gnu::always_inline]] inline float runChains(int64_t steps, std::index_sequence<Chain...>) {
  // Not known to the compiler, and such that values stay finite.
  volatile float given = 0.5f;
  Vector factor = Vector{} + given, term = Vector{} + given;
  Vector sums[] = {Vector{} + static_cast<float>(Chain)...};
  for (int64_t step = 0; step < steps; ++step)
    ((sums[Chain] = sums[Chain] * factor + term), ...);
  return (sums[Chain][0] + ...);
}

template <int Lanes> using VectorOf [[gnu::vector_size(Lanes * sizeof(float))]] = float;

/// One width: how to use it, and operations of a step.
struct Width {
  float (*run)(int64_t steps);
  double flopsPerStep;
};

constexpr double flopsOf(int lanes) { return 2.0 * static_cast<double>(chains) * lanes; }

float run4(int64_t steps) { return runChains<VectorOf<4>>(steps, Chains()); }
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] float run8(int64_t steps) {
  return runChains<VectorOf<8>>(steps, Chains());
}
[[gnu::target("avx512f")]] float run16(int64_t steps) {
  return runChains<VectorOf<16>>(steps, Chains());
}
#endif

/// The widths that this CPU has.
std::vector<Width> findWidths() {
  std::vector<Width> widths = {{run4, flopsOf(4)}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    widths.push_back({run8, flopsOf(8)});
  if (__builtin_cpu_supports("avx512f"))
    widths.push_back({run16, flopsOf(16)});
#endif
  return widths;
}

/// Operations a second of all threads together, in one try.
double measureOnce(const Width &width, uint32_t threads) {
  std::atomic<uint32_t> waiting = threads;
  std::atomic<bool> sink{false};
  auto work = [&] {
    waiting.fetch_sub(1);
    while (waiting.load() != 0)
      ;
    sink = width.run(stepsOfATry) > 0;
  };
  std::vector<std::thread> others;
  for (uint32_t i = 1; i < threads; ++i)
    others.emplace_back(work);
  while (waiting.load() != 1)
    ;
  auto start = std::chrono::steady_clock::now();
  work();
  for (std::thread &other : others)
    other.join();
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return width.flopsPerStep * static_cast<double>(stepsOfATry) * threads / elapsed.count();
}

} // namespace

double tools::measurePeakFlops(uint32_t threads) {
  double peak = 0;
  for (const Width &width : findWidths())
    for (int i = 0; i < tries; ++i)
      peak = std::max(peak, measureOnce(width, threads));
  return peak;
}
