#include "training/rehearsal.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "numerics/parallel.hpp"
#include "numerics/resident_memory.hpp"
#include "text/batch.hpp"

namespace glassformer {
namespace {

Index longest(const Corpus& corpus, const std::vector<Index>& sentences, bool source) {
  Index longest = 0;
  for (const Index i : sentences) longest = std::max(longest, std::ssize(source ? corpus.source(i) : corpus.target(i)));
  return longest;
}

std::string megabytes(std::int64_t bytes) {
  const double number = static_cast<double>(bytes) / 1e6;
  return fmt::format("{:.{}f}", number, number < 10 ? 1 : 0);
}

}  // namespace

std::vector<std::vector<Index>> rehearsed_batches(const Corpus& corpus,
                                                  std::span<const std::vector<Index>> batches) {
  constexpr std::size_t kOthers = 6;
  const auto largest = [&](const auto& size) { return *std::ranges::max_element(batches, {}, size); };
  std::vector<std::vector<Index>> some = {
      largest([&](const auto& batch) { return count_tokens(corpus, batch).cells; }),
      largest([&](const auto& batch) { return longest(corpus, batch, true); }),
      largest([&](const auto& batch) { return longest(corpus, batch, false); })};
  some.insert(some.end(), batches.begin(),
              batches.begin() + static_cast<std::ptrdiff_t>(std::min(kOthers, batches.size())));
  return some;
}

TestText rehearsed_pairs(const TestText& text, const TokenizerPair& tokenizers, Index batch) {
  constexpr Index kBatches = 4;  // for each thread
  const Index count = kBatches * batch * thread_count();
  std::vector<std::size_t> order(text.sources.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return text.sources[i].size(); });
  TestText longest{{}, {}, Corpus(text.corpus.source_special(), text.corpus.target_special())};
  for (const std::size_t i : order) {
    if (std::ssize(longest.sources) == count) break;
    longest.sources.push_back(text.sources[i]);
    longest.references.push_back(text.references[i]);
    longest.corpus.add(tokenizers, text.sources[i], text.references[i], 0);
  }
  return longest;
}

MemoryForecast memory_forecast(const TrainingSettings& training, Index parameters, Index shards, std::int64_t text) {
  constexpr std::int64_t kFloat = sizeof(float), kDouble = sizeof(double);
  // To average checkpoints takes for each parameter its mean, the sum, one checkpoint's value, and that once more as
  // the file has it.
  const std::int64_t average = training.checkpoints.average > 1 ? parameters * (3 * kFloat + kDouble) : 0;
  // What no rehearsal shows, as measured: blocks of many sizes, which the heap cannot put side by side without gaps;
  // and what it takes to write checkpoint and curves.
  constexpr double kGaps = 1.05;
  constexpr double kWriting = 2e6;

  const ResidentMemory memory = resident_memory();
  if (memory.peak == 0) return {};
  const auto peak = static_cast<double>(std::max(memory.peak, memory.now + average));
  return {.peak = static_cast<std::int64_t>(kGaps * peak + kWriting),
          .weights = kFloat * parameters,
          .gradients = kFloat * parameters * shards,
          .moments = 2 * kFloat * parameters,
          .text = text};
}

std::string MemoryForecast::text_for_log() const {
  const std::int64_t rest = std::max<std::int64_t>(0, peak - weights - gradients - moments - text);
  return fmt::format(
      "about {} MB at the peak: weights {}, gradients {}, the optimizer's moments {}, training text {}; activations, "
      "translations and the program {}",
      megabytes(peak), megabytes(weights), megabytes(gradients), megabytes(moments), megabytes(text), megabytes(rest));
}

}  // namespace glassformer
