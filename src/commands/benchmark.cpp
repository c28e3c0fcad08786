#include <array>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "glassformer/batching/batch.hpp"
#include "glassformer/batching/plan.hpp"
#include "glassformer/commands/commands.hpp"
#include "glassformer/config/key.hpp"
#include "glassformer/files/output_file.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/machine/memory.hpp"
#include "glassformer/machine/mpi.hpp"
#include "glassformer/model/model.hpp"
#include "glassformer/numerics/gemm.hpp"
#include "glassformer/numerics/parallel.hpp"
#include "glassformer/report/metrics.hpp"
#include "glassformer/run/memory_forecast.hpp"
#include "glassformer/run/rank_setup.hpp"
#include "glassformer/setup/training_setup.hpp"
#include "glassformer/text/corpus.hpp"
#include "glassformer/training/trainer.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct BenchmarkOptions {
  ConfigOptions config;
  double seconds = 20;
  std::filesystem::path batches;
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Totals over all updates.
struct Sums {
  TokenCount tokens;
  double seconds = 0;
  Index updates = 0;
};

Json metrics(const Sums& sums, Index parameters, Index ranks) {
  return {{"source_tokens_per_second", static_cast<double>(sums.tokens.source) / sums.seconds},
          {"target_tokens_per_second", static_cast<double>(sums.tokens.target) / sums.seconds},
          {"padding_share", padding_share(sums.tokens)},
          {"seconds", {{"total", sums.seconds}}},
          {"updates", sums.updates},
          {"parameters", parameters},
          {"peak_rss_bytes", resident_memory().peak},
          {"threads", thread_count()},
          {"ranks", ranks},
          {"instructions", instructions()}};
}

/// Trains from random weights for at least `seconds`, repeating the batches of the first epoch.
Json measure(double seconds, const Config& config, VocabularyShape vocabulary, const SentencePairs& pairs,
             const Processes& ranks) {
  Sums sums;
  Model<float> model(config.model, vocabulary);
  initialize(model, config.training.seed);
  Trainer trainer(model, config.training, pairs, ranks);
  const auto begin_epoch = [&] { trainer.continue_from({.update = trainer.progress().update}); };
  for (int i = 0; i < 2; ++i) {
    trainer.step();  // fills caches and buffers
  }
  begin_epoch();
  const auto start = Clock::now();
  for (std::array<double, 1> left = {seconds}; left[0] > 0;) {
    const auto before = Clock::now();
    const Trainer::Update update = trainer.step();
    sums.seconds += seconds_since(before);
    sums.tokens += update.tokens;
    ++sums.updates;
    if (trainer.progress().epoch > 0) {
      begin_epoch();
    }
    left = {seconds - seconds_since(start)};
    ranks.largest(left);  // of all ranks, so that they stop together
  }
  return metrics(sums, model.weights.size(), ranks.size());
}

/// Lets another program train the same model on the same batches: writes a line of JSON with every key of the config
/// (its value as text), the vocabulary's size and the special ids, then a line for each batch of the first epoch.
/// Batches leave out bos, eos and padding.
void export_batches(const std::filesystem::path& file, Config config, const TokenizerPair& tokenizers,
                    const SentencePairs& pairs) {
  OutputFile output(file);
  const SpecialIds special = pairs.target_special;
  Json model{{"vocabulary", vocabulary_shape(tokenizers).target_size},
             {"pad", special.pad},
             {"bos", special.bos},
             {"eos", special.eos}};
  for (const Key& key : keys_of(config)) {
    model[key.name] = key.field.write();
  }
  output.stream() << model << '\n';
  for (const auto& batch : plan_epoch(pairs, config.training.max_tokens, config.training.seed, 0)) {
    Json sources = Json::array();
    Json targets = Json::array();
    for (const Index sentence : batch) {
      sources.push_back(pairs.source(sentence));
      targets.push_back(pairs.target(sentence));
    }
    output.stream() << Json{{"source", sources}, {"target", targets}} << '\n';
  }
  output.finish();
}

/// \throws UserError: --export-batches would replace a file that this command reads, or one of a checkpoint or run
void check_batches_file(const BenchmarkOptions& options, const DataSettings& data) {
  check_output("--export-batches", options.batches);
  for (const auto& file : {options.config.config, data.source_file(data.train), data.target_file(data.train)}) {
    std::error_code ignored;
    if (std::filesystem::equivalent(file, options.batches, ignored)) {
      throw UserError("--export-batches: this would overwrite " + file.string() +
                      ", which this command reads; choose another file");
    }
  }
}

int benchmark(const BenchmarkOptions& options) {
  const auto joined = join_ranks();
  const Processes& ranks = *joined;
  const Config config = options.config.read(ranks);
  log_ranks(ranks, config.training.shards);
  const DataSettings& data = config.data;
  TokenizerPair tokenizers;
  std::optional<Corpus> corpus;
  ranks.together([&] {
    if (!options.batches.empty() && ranks.is_first()) {
      check_batches_file(options, data);
    }
    tokenizers = starting_tokenizers(config, options.config.config);
    corpus = Corpus::read(data.source_file(data.train), data.target_file(data.train), tokenizers, data.max_length);
  });
  require_same(
      ranks, "the training text", [&] { return fingerprint(*corpus); }, "Copy it from one machine to the others.");
  if (!options.batches.empty()) {
    if (ranks.is_first()) {
      export_batches(options.batches, config, tokenizers, *corpus);
    }
    return 0;
  }
  const VocabularyShape vocabulary = vocabulary_shape(tokenizers);
  forecast_memory(plan_training(config, tokenizers), vocabulary, *corpus, Corpus(), ranks);  // throws if it cannot fit
  const Json measured = measure(options.seconds, config, vocabulary, *corpus, ranks);
  if (ranks.is_first()) {
    std::cout << measured.dump(2) << '\n';
  }
  return 0;
}

}  // namespace

void add_benchmark(CLI::App& program, int& status) {
  const auto [command, options] = add_command(
      program, status, "benchmark", "Train for a short time, save nothing, and print the speed\nas JSON", benchmark);
  options.config.add_to(command, "configs/benchmark/tiny.yaml");
  check_range(command.add_option("--seconds", options.seconds, "seconds to train (default: 20)"), 0.001, 1'000'000);
  command
      .add_option("--export-batches", options.batches,
                  "do not train: write model and batches as JSON lines\nto FILE, for another program to train on")
      ->type_name("FILE");
}

}  // namespace glassformer
