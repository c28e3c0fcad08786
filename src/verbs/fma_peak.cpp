#include "verbs/fma_peak.hpp"

#include <algorithm>
#include <chrono>

#include "numerics/parallel.hpp"
#include "numerics/vectors.hpp"

namespace glassformer {
namespace {

constexpr int kChains = 12;  // latency 4, two per cycle: 8 are needed; 12 and two factors fit into 16 registers
constexpr Index kRounds = 400'000;

/// x = x a + b in every chain, over and over. The result is returned so that the compiler cannot drop the loop.
float multiply_add(float start) {
  Vector<float> chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = Vector<float>{} + start + static_cast<float>(i);
  const Vector<float> a = Vector<float>{} + 0.999F, b = Vector<float>{} + 0.001F;
  for (Index round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) chain[i] = chain[i] * a + b;  // NOLINT(modernize-loop-convert): unrolled so
  }
  Vector<float> sum{};
  for (const Vector<float>& x : chain) sum += x;
  return sum[0];
}

}  // namespace

double measure_fma_peak() {
  const auto threads = static_cast<Index>(thread_count());
  double best = 0;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run_tasks(threads, [](Index thread) {
      [[maybe_unused]] const volatile float result = multiply_add(static_cast<float>(thread));  // the compiler keeps it
    });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const auto operations = static_cast<double>(2 * kLanes<float> * kChains * kRounds * threads);
    best = std::max(best, operations / seconds.count() / 1e9);
  }
  return best;
}

}  // namespace glassformer
