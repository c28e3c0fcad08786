#include <omp.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "checkpoint/starting_point.hpp"
#include "files/output_file.hpp"
#include "model/vocabulary.hpp"
#include "report/log.hpp"
#include "text/batch.hpp"
#include "training/ranks.hpp"
#include "verbs/speed.hpp"
#include "verbs/verbs.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;

struct BenchmarkOptions {
  ConfigOptions config;
  double seconds = 20;
  int threads = 0;
  bool json = false;
  std::filesystem::path batches;
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
                    const Corpus& corpus) {
  const TransformerSettings& m = config.model;
  const VocabularyShape vocabulary = vocabulary_shape(tokenizers);
  const SpecialIds special = corpus.target_special();
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
  for (const auto& batch : plan_epoch(corpus, config.training.max_tokens, config.training.seed, 0)) {
    Json sources = Json::array(), targets = Json::array();
    for (const Index sentence : batch) {
      sources.push_back(corpus.source(sentence));
      targets.push_back(corpus.target(sentence));
    }
    output.stream() << Json{{"source", sources}, {"target", targets}} << '\n';
  }
  output.finish();
}

int benchmark(const BenchmarkOptions& options) {
  const Communicator ranks = Communicator::join();
  if (!ranks.is_first()) log_nowhere();
  Config config;
  ranks.together([&] {
    config = read_config(options.config.config, options.config.overrides);
    prepare_ranks(ranks, config);
  });
  require_same_config(ranks, config);
  if (options.threads > 0) omp_set_num_threads(options.threads);
  log_ranks(ranks, config.training.shards);
  const DataSettings& data = config.data;
  TokenizerPair tokenizers;
  std::optional<Corpus> corpus;
  ranks.together([&] {
    tokenizers = starting_tokenizers(config);
    corpus = Corpus::read(data.source_file(data.train), data.target_file(data.train), tokenizers, data.max_length);
  });
  ranks.require_same("the training text", [&] { return corpus->fingerprint(); },
                     "Copy it from one machine to the others.");
  if (!options.batches.empty()) {
    if (ranks.is_first()) export_batches(options.batches, config, tokenizers, *corpus);
    return 0;
  }
  const Json figures = measure_speed(config, tokenizers, *corpus, options.seconds, ranks);
  if (!ranks.is_first()) return 0;
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
