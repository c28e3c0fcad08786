#include "training/benchmark.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "model/initialization.hpp"
#include "model/vocabulary.hpp"
#include "model/work.hpp"
#include "numerics/fma_peak.hpp"
#include "numerics/gemm.hpp"
#include "numerics/heap_count.hpp"
#include "numerics/parallel.hpp"
#include "numerics/resident_memory.hpp"
#include "training/optimizer.hpp"
#include "training/schedule.hpp"
#include "training/sharded_gradient.hpp"

namespace glassformer {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What Trainer does in an update, and no more.
class Updates {
 public:
  Updates(const Config& config, const TokenizerPair& tokenizers, const Corpus& corpus, const Communicator& ranks)
      : config_(config),
        corpus_(corpus),
        model_{config.model, vocabulary_shape(tokenizers)},
        parameters_(model_.settings, model_.vocabulary),
        threads_(thread_count() * ranks.size()),
        gradient_(model_, config.training.shards, config.training.micro_batch_tokens, ranks, config.training.sum),
        optimizer_(config.training.optimizer, parameters_.tensors()) {
    initialize(model_, config.training.seed, parameters_.parameters());
  }

  void run(std::span<const std::vector<Index>> batches, BenchmarkFigures& figures) {
    const TrainingSettings& training = config_.training;
    ++update_;
    const auto start = Clock::now();
    const ShardedGradient::Result result =
        gradient_.compute(parameters_.parameters(), corpus_, batches,
                          {training.label_smoothing, training.seed, static_cast<std::uint32_t>(update_)});
    const double computing = seconds_since(start);

    const auto then = Clock::now();
    optimizer_.update({parameters_.values().data(), gradient_.gradient().size()}, gradient_.gradient(),
                      gradient_norm(gradient_.gradient()),
                      learning_rate(training.schedule, training.max_updates, update_), update_);
    PartSeconds& seconds = figures.seconds;
    seconds.data += result.seconds.data / threads_;
    seconds.forward += result.seconds.forward / threads_;
    seconds.backward += result.seconds.backward / threads_;
    seconds.sum += result.seconds.sum;
    seconds.waiting += computing - result.seconds.sum -
                       (result.seconds.data + result.seconds.forward + result.seconds.backward) / threads_;
    seconds.optimizer += seconds_since(then);
    ++figures.updates;
    tokens_ += result.tokens;
    flops_ += flops(batches);
  }

  void forget_counts() {
    tokens_ = {};
    flops_ = 0;
  }
  Index parameters() const { return parameters_.size(); }
  const TokenCount& tokens() const { return tokens_; }
  double flops() const { return flops_; }

 private:
  double flops(std::span<const std::vector<Index>> batches) const {
    double sum = 0;
    for (const std::vector<Index>& batch : batches) {
      for (const Index sentence : batch) {
        sum += training_flops(model_.settings, model_.vocabulary, std::ssize(corpus_.source(sentence)) + 1,
                              std::ssize(corpus_.target(sentence)) + 1);
      }
    }
    return sum;
  }

  const Config& config_;
  const Corpus& corpus_;
  const Transformer<float> model_;
  Arena<Transformer<float>::Parameters> parameters_;
  const double threads_;  // of all ranks
  ShardedGradient gradient_;
  Optimizer<float> optimizer_;
  Index update_ = 0;
  TokenCount tokens_;
  double flops_ = 0;
};

}  // namespace

BenchmarkFigures run_benchmark(const Config& config, const TokenizerPair& tokenizers, const Corpus& corpus,
                               double seconds, const Communicator& ranks) {
  const TrainingSettings& training = config.training;
  const auto batches = plan_epoch(corpus, training.max_tokens, training.seed, 0);
  const auto at_once = std::min(static_cast<std::size_t>(training.accumulation), batches.size());

  Updates updates(config, tokenizers, corpus, ranks);
  BenchmarkFigures figures;
  const auto sentence_length = [&](const std::vector<Index>& batch) {
    return count_tokens(corpus, batch).cells / std::ssize(batch);
  };
  updates.run({&*std::ranges::max_element(batches, {}, sentence_length), 1}, figures);
  updates.run({&*std::ranges::min_element(batches, {}, sentence_length), 1}, figures);
  updates.run(std::span(batches).first(at_once), figures);
  updates.forget_counts();
  figures = {};

  std::int64_t allocations = 0;
  std::size_t first = 0;
  double next_look = 0, peaks = 0, looks = 0;
  const auto start = Clock::now();
  const auto passed = [&] {  // on the slowest clock of all ranks
    std::array<double, 1> latest = {seconds_since(start)};
    ranks.largest(latest);
    return latest[0];
  };
  while (true) {
    const double now = passed();
    if (now >= seconds) break;
    if (now >= next_look) {  // time and again, for a processor is not equally fast all the time
      peaks += measure_fma_peak();
      ++looks;
      next_look = passed() + 0.25;
    }
    if (first + at_once > batches.size()) first = 0;
    const std::int64_t before = heap_allocations();
    updates.run(std::span(batches).subspan(first, at_once), figures);
    allocations += heap_allocations() - before;
    first += at_once;
  }
  const double total = figures.seconds.total();
  figures.fma_peak_gflops = ranks.size() * peaks / looks;
  figures.heap_allocations_per_update =
      heap_allocations() < 0 ? -1 : static_cast<double>(allocations) / static_cast<double>(figures.updates);
  figures.source_tokens_per_second = static_cast<double>(updates.tokens().source) / total;
  figures.target_tokens_per_second = static_cast<double>(updates.tokens().target) / total;
  figures.gflops = updates.flops() / total / 1e9;
  figures.padding_share = updates.tokens().padding_share();
  figures.peak_rss_bytes = resident_memory().peak;
  figures.parameters = updates.parameters();
  figures.threads = thread_count();
  figures.ranks = ranks.size();
  figures.backend = gemm_backend();
  return figures;
}

}  // namespace glassformer
