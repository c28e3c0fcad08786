#include <omp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "batching/batch.hpp"
#include "checkpoint/starting_point.hpp"
#include "files/durable_files.hpp"
#include "machine/machine.hpp"
#include "model/initialization.hpp"
#include "numerics/gemm.hpp"
#include "numerics/parallel.hpp"
#include "report/log.hpp"
#include "run/memory_forecast.hpp"
#include "run/rank_setup.hpp"
#include "run/training_flops.hpp"
#include "text/corpus.hpp"
#include "training/trainer.hpp"
#include "verbs/fma_peak.hpp"
#include "verbs/verbs.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct BenchmarkOptions {
  ConfigOptions config;
  double seconds = 20;
  int threads = 0;
  bool json = false;
  std::filesystem::path batches;
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Trains from random weights on the batches of the first epoch, over and over, and counts.
class Benchmark {
 public:
  Benchmark(const Config& config, const TokenizerPair& tokenizers, const Corpus& corpus, const Ranks& ranks)
      : corpus_(corpus),
        ranks_(ranks),
        model_(config.model, vocabulary_shape(tokenizers)),
        warm_up_(extreme_batches(corpus, config.training)),
        trainer_(
            model_, config.training,
            [this](Index epoch) { return epoch == kWarmUp ? SentencePairs(warm_up_) : SentencePairs(corpus_); },
            ranks) {
    initialize(model_, config.training.seed);
  }

  /// Trains for at least so many seconds.
  void run(double seconds) {
    trainer_.continue_from({.epoch = kWarmUp});
    while (trainer_.progress().epoch == kWarmUp) trainer_.step();
    trainer_.continue_from({.update = trainer_.progress().update});
    const auto start = Clock::now();
    const auto passed = [&] {  // on the slowest clock of all ranks
      std::array<double, 1> latest = {seconds_since(start)};
      ranks_.largest(latest);
      return latest[0];
    };
    double next_look = 0;
    for (double now = passed(); now < seconds; now = passed()) {
      if (now >= next_look) {  // again and again, because a processor's speed varies
        peaks_.push_back(measure_fma_peak());
        next_look = passed() + 0.25;
      }
      update();
    }
  }

  /// data, forward and backward run on all threads at once: their seconds are the sum over the threads divided by the
  /// number of threads, and `waiting` is the rest of that time. So the parts add up to the total.
  Json figures() const {
    const double total = total_, threads = thread_count() * ranks_.size();
    const double gflops = operations_ / total / 1e9;
    double peak = 0;  // of all ranks, if their processors are like this one's
    for (const double measured : peaks_) peak += ranks_.size() * measured / static_cast<double>(peaks_.size());
    return {{"source_tokens_per_second", static_cast<double>(tokens_.source) / total},
            {"target_tokens_per_second", static_cast<double>(tokens_.target) / total},
            {"gflops", gflops},
            {"fma_peak_gflops", peak},
            {"peak_share", gflops / peak},
            {"padding_share", tokens_.padding_share()},
            {"seconds",
             {{"data", busy_.data / threads},
              {"forward", busy_.forward / threads},
              {"backward", busy_.backward / threads},
              {"waiting", busy_.total - busy_.sum - (busy_.data + busy_.forward + busy_.backward) / threads},
              {"sum", busy_.sum},
              {"optimizer", total - busy_.total},
              {"total", total}}},
            {"updates", updates_},
            {"parameters", model_.weights.size()},
            {"peak_rss_bytes", resident_memory().peak},
            {"threads", thread_count()},
            {"ranks", ranks_.size()},
            {"backend", gemm_backend()}};
  }

 private:
  static constexpr Index kWarmUp = 1'000'000'000;  // an epoch of its own

  /// The batches with the longest and with the shortest sentences: they fill caches and buffers of every size.
  static Corpus extreme_batches(const Corpus& corpus, const TrainingSettings& settings) {
    const auto batches = plan_in_order(corpus, settings.max_tokens);
    Corpus extremes(SentencePairs(corpus).source_special, SentencePairs(corpus).target_special);
    for (const auto* batch : {&batches.front(), &batches.back()}) {
      for (const Index pair : *batch) extremes.append(corpus.source(pair), corpus.target(pair), 0);
    }
    return extremes;
  }

  void update() {
    const auto start = Clock::now();
    const Trainer::Update update = trainer_.step();
    total_ += seconds_since(start);
    busy_ += update.seconds;
    tokens_ += update.tokens;
    for (const std::vector<Index>& batch : update.batches) {
      for (const Index sentence : batch) {
        operations_ += training_flops(model_.settings, model_.vocabulary, std::ssize(corpus_.source(sentence)) + 1,
                                      std::ssize(corpus_.target(sentence)) + 1);
      }
    }
    ++updates_;
    const Progress& progress = trainer_.progress();
    if (progress.epoch > 0) trainer_.continue_from({.update = progress.update});
  }

  const Corpus& corpus_;
  const Ranks& ranks_;
  Model<float> model_;
  const Corpus warm_up_;
  Trainer trainer_;

  // Sums over the updates
  TokenCount tokens_;
  ShardedGradient::Seconds busy_;
  double total_ = 0;  // seconds
  double operations_ = 0;
  Index updates_ = 0;
  std::vector<double> peaks_;
};

void print(const Json& figures) {
  const auto number = [&](const char* key) { return figures.at(key).get<double>(); };
  const double total = figures.at("seconds").at("total"), updates = number("updates");
  std::printf("source tokens per second     %10.0f\n", number("source_tokens_per_second"));
  std::printf("target tokens per second     %10.0f\n", number("target_tokens_per_second"));
  std::printf("matrix products              %10.1f GFLOP/s: 6 for each weight that a token passes, and attention's\n",
              number("gflops"));
  std::printf("peak of multiply-adds        %10.1f GFLOP/s, measured\n", number("fma_peak_gflops"));
  std::printf("share of the peak            %10.1f %%\n", 100 * number("peak_share"));
  std::printf("padding                      %10.1f %% of all cells\n", 100 * number("padding_share"));
  std::printf("time of an update            %10.2f ms, mean of %.0f\n", 1000 * total / updates, updates);
  for (const auto& [part, seconds] : figures.at("seconds").items()) {
    if (part == "total") continue;
    std::printf("    %-24s %8.2f ms  %5.1f %%\n", part.c_str(), 1000 * seconds.get<double>() / updates,
                100 * seconds.get<double>() / total);
  }
  std::printf("peak resident memory         %10.1f MB\n", number("peak_rss_bytes") / 1e6);
  std::printf("threads                      %10.0f\n", number("threads"));
  if (number("ranks") > 1) std::printf("ranks, with so many each     %10.0f\n", number("ranks"));
  std::printf("matrix products by           %10s\n", figures.at("backend").get<std::string>().c_str());
}

/// Writes what another program needs to train the same model on the same batches: one line of JSON for the model, then
/// one for each batch of the first epoch, in order, with ids without bos, eos and padding.
void export_batches(const std::filesystem::path& file, const Config& config, const TokenizerPair& tokenizers,
                    const SentencePairs& pairs) {
  const TransformerSettings& m = config.model;
  const VocabularyShape vocabulary = vocabulary_shape(tokenizers);
  const SpecialIds special = pairs.target_special;
  OutputFile output(file);
  const OptimizerSettings& optimizer = config.training.optimizer;
  output.stream() << Json{{"d_model", m.d_model}, {"heads", m.heads}, {"encoder_layers", m.encoder_layers},
                          {"decoder_layers", m.decoder_layers}, {"d_ff", m.d_ff},
                          {"vocabulary", vocabulary.target_size}, {"post_norm", m.norm == Norm::post},
                          {"relu", m.activation == Activation::relu},
                          {"all_embeddings_tied", m.tied_embeddings == Tying::all},
                          {"all_masks", m.masks == MaskSettings{}}, {"dropout", m.dropout},
                          {"embedding_dropout", m.embedding_dropout}, {"attention_dropout", m.attention_dropout},
                          {"activation_dropout", m.activation_dropout},
                          {"label_smoothing", config.training.label_smoothing},
                          {"accumulation", config.training.accumulation},
                          {"adam", optimizer.kind == OptimizerSettings::Kind::adam}, {"beta1", optimizer.beta1},
                          {"beta2", optimizer.beta2}, {"epsilon", optimizer.epsilon},
                          {"weight_decay", optimizer.weight_decay}, {"clip_norm", optimizer.clip_norm},
                          {"pad", special.pad}, {"bos", special.bos}, {"eos", special.eos}}
                  << '\n';
  for (const auto& batch : plan_epoch(pairs, config.training.max_tokens, config.training.seed, 0)) {
    Json sources = Json::array(), targets = Json::array();
    for (const Index sentence : batch) {
      sources.push_back(pairs.source(sentence));
      targets.push_back(pairs.target(sentence));
    }
    output.stream() << Json{{"source", sources}, {"target", targets}} << '\n';
  }
  output.finish();
}

int benchmark(const BenchmarkOptions& options) {
  const auto joined = join_ranks();
  const Ranks& ranks = *joined;
  if (!ranks.is_first()) log_nowhere();
  Config config;
  ranks.together([&] { config = read_config(options.config.config, options.config.overrides); });
  set_up_ranks(ranks, config);
  if (options.threads > 0) omp_set_num_threads(options.threads);
  log_ranks(ranks, config.training.shards);
  const DataSettings& data = config.data;
  TokenizerPair tokenizers;
  std::optional<Corpus> corpus;
  ranks.together([&] {
    tokenizers = starting_tokenizers(config);
    corpus = Corpus::read(data.source_file(data.train), data.target_file(data.train), tokenizers, data.max_length);
  });
  require_same(
      ranks, "the training text", [&] { return fingerprint(*corpus); }, "Copy it from one machine to the others.");
  if (!options.batches.empty()) {
    if (ranks.is_first()) export_batches(options.batches, config, tokenizers, *corpus);
    return 0;
  }
  const MemoryForecast memory = forecast_memory(config, vocabulary_shape(tokenizers), *corpus, Corpus(), ranks);
  ranks.together([&] { memory.refuse_certain_excess(); });
  Benchmark training(config, tokenizers, *corpus, ranks);
  training.run(options.seconds);
  if (!ranks.is_first()) return 0;
  const Json figures = training.figures();
  if (options.json)
    std::printf("%s\n", figures.dump(2).c_str());
  else
    print(figures);
  return 0;
}

}  // namespace

void add_benchmark(CLI::App& program, int& status) {
  const auto [verb, options] = add_verb(program, status, "benchmark",
                                        "Train for some seconds, keep nothing, and say how fast it was", benchmark);
  options.config.add_to(verb, "configs/benchmark/tiny.yaml");
  verb.add_option("--seconds", options.seconds, "how long to train (default: 20)")
      ->check(number_from(0.001, 1'000'000))
      ->type_name("S");
  verb.add_option("--threads", options.threads, "threads (default: OMP_NUM_THREADS, or one for each\nprocessor)")
      ->check(number_from(1, 10'000))
      ->type_name("N");
  verb.add_flag("--json", options.json, "print the figures as JSON");
  verb.add_option("--export-batches", options.batches,
                  "do not train: write model and batches as JSON lines\nto a file, for another program to train on")
      ->type_name("FILE");
}

}  // namespace glassformer
