#include "verbs/speed.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "model/initialization.hpp"
#include "model/vocabulary.hpp"
#include "model/work.hpp"
#include "numerics/gemm.hpp"
#include "numerics/parallel.hpp"
#include "numerics/resident_memory.hpp"
#include "training/optimizer.hpp"
#include "training/schedule.hpp"
#include "training/sharded_gradient.hpp"
#include "verbs/fma_peak.hpp"

namespace glassformer {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Sums over updates.
struct Sums {
  TokenCount tokens;
  ShardedGradient::Seconds seconds;
  double computing = 0, optimizer = 0;  // seconds; computing is all of ShardedGradient's
  double operations = 0;
  Index updates = 0;
};

/// Does what Trainer does in an update, and nothing else.
class Training {
 public:
  Training(const Config& config, const TokenizerPair& tokenizers, const Corpus& corpus, const Communicator& ranks)
      : settings_(config.training),
        corpus_(corpus),
        model_{config.model, vocabulary_shape(tokenizers)},
        parameters_(model_.settings, model_.vocabulary),
        gradient_(model_, settings_.shards, settings_.micro_batch_tokens, ranks, settings_.sum),
        optimizer_(settings_.optimizer, parameters_.tensors()) {
    initialize(model_, settings_.seed, parameters_.parameters());
  }

  void update(std::span<const std::vector<Index>> batches) {
    ++update_;
    const auto start = Clock::now();
    const ShardedGradient::Result result =
        gradient_.compute(parameters_.parameters(), corpus_, batches,
                          {settings_.label_smoothing, settings_.seed, static_cast<std::uint32_t>(update_)});
    const auto computed = Clock::now();
    optimizer_.update({parameters_.values().data(), gradient_.gradient().size()}, gradient_.gradient(),
                      gradient_norm(gradient_.gradient()),
                      learning_rate(settings_.schedule, settings_.max_updates, update_), update_);
    sums.computing += std::chrono::duration<double>(computed - start).count();
    sums.optimizer += seconds_since(computed);
    sums.seconds += result.seconds;
    sums.tokens += result.tokens;
    for (const std::vector<Index>& batch : batches) sums.operations += operations(batch);
    ++sums.updates;
  }

  Index parameters() const { return parameters_.size(); }

  Sums sums;

 private:
  double operations(const std::vector<Index>& batch) const {
    double sum = 0;
    for (const Index sentence : batch) {
      sum += training_flops(model_.settings, model_.vocabulary, std::ssize(corpus_.source(sentence)) + 1,
                            std::ssize(corpus_.target(sentence)) + 1);
    }
    return sum;
  }

  const TrainingSettings& settings_;
  const Corpus& corpus_;
  const Transformer<float> model_;
  Arena<Transformer<float>::Parameters> parameters_;
  ShardedGradient gradient_;
  Optimizer<float> optimizer_;
  Index update_ = 0;
};

/// Updates for at least so many seconds; returns the mean of the peaks measured meanwhile.
double run(Training& training, const Corpus& corpus, const TrainingSettings& settings, double seconds,
           const Communicator& ranks) {
  const auto batches = plan_epoch(corpus, settings.max_tokens, settings.seed, 0);
  const auto at_once = std::min(static_cast<std::size_t>(settings.accumulation), batches.size());
  const auto sentence_length = [&](const std::vector<Index>& batch) {
    return count_tokens(corpus, batch).cells / std::ssize(batch);
  };
  training.update({&*std::ranges::max_element(batches, {}, sentence_length), 1});
  training.update({&*std::ranges::min_element(batches, {}, sentence_length), 1});
  training.update(std::span(batches).first(at_once));
  training.sums = {};

  const auto start = Clock::now();
  const auto passed = [&] {  // on the slowest clock of all ranks
    std::array<double, 1> latest = {seconds_since(start)};
    ranks.largest(latest);
    return latest[0];
  };
  double next_look = 0, peaks = 0, looks = 0;
  std::size_t first = 0;
  for (double now = passed(); now < seconds; now = passed()) {
    if (now >= next_look) {  // again and again, because a processor's speed varies
      peaks += measure_fma_peak();
      ++looks;
      next_look = passed() + 0.25;
    }
    if (first + at_once > batches.size()) first = 0;
    training.update(std::span(batches).subspan(first, at_once));
    first += at_once;
  }
  return peaks / looks;
}

}  // namespace

nlohmann::ordered_json measure_speed(const Config& config, const TokenizerPair& tokenizers, const Corpus& corpus,
                                     double seconds, const Communicator& ranks) {
  Training training(config, tokenizers, corpus, ranks);
  const double peak = ranks.size() * run(training, corpus, config.training, seconds, ranks);
  const Sums& sums = training.sums;
  const double total = sums.computing + sums.optimizer, threads = thread_count() * ranks.size();
  const ShardedGradient::Seconds& busy = sums.seconds;
  const double gflops = sums.operations / total / 1e9;
  return {{"source_tokens_per_second", static_cast<double>(sums.tokens.source) / total},
          {"target_tokens_per_second", static_cast<double>(sums.tokens.target) / total},
          {"gflops", gflops},
          {"fma_peak_gflops", peak},
          {"peak_share", gflops / peak},
          {"padding_share", sums.tokens.padding_share()},
          {"seconds",
           {{"data", busy.data / threads},
            {"forward", busy.forward / threads},
            {"backward", busy.backward / threads},
            {"waiting", sums.computing - busy.sum - (busy.data + busy.forward + busy.backward) / threads},
            {"sum", busy.sum},
            {"optimizer", sums.optimizer},
            {"total", total}}},
          {"updates", sums.updates},
          {"parameters", training.parameters()},
          {"peak_rss_bytes", resident_memory().peak},
          {"threads", thread_count()},
          {"ranks", ranks.size()},
          {"backend", gemm_backend()}};
}

}  // namespace glassformer
