#include <spdlog/spdlog.h>

#include "files/interruption.hpp"
#include "files/user_error.hpp"
#include "machine/machine.hpp"
#include "run/rank_setup.hpp"
#include "run/training_run.hpp"
#include "verbs/verbs.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

struct TrainOptions {
  ConfigOptions config;
  fs::path output;
  bool resume = false;

  fs::path directory() const {
    if (output.empty()) return fs::path("runs") / config.config.stem();
    return output.has_filename() ? output : output.parent_path();  // without a trailing slash
  }
};

/// The tokenizers' messages name the config key; this adds the config file.
TokenizerPair first_tokenizers(const Config& config, const fs::path& file) try {
  return starting_tokenizers(config);
} catch (const UserError& error) {
  if (!std::string_view(error.what()).starts_with("tokenizer.")) throw;
  throw UserError(file.string() + ": " + error.what());
}

void verify_last(const fs::path& checkpoint) try {
  verify_checksums(checkpoint, Verify::all);
} catch (const UserError& error) {
  throw UserError(std::string(error.what()) + " (If you remove " + checkpoint.string() + ", --resume continues from " +
                  "the one before it, or from the beginning if there is none.)");
}

std::optional<RunDirectory> open_run(const Config& config, const fs::path& directory, bool resume) {
  if (!resume) {
    RunDirectory::refuse_existing(directory);
    return std::nullopt;
  }
  RunDirectory old = RunDirectory::resume(directory);
  for (const ChangedKey& key : accept_changes(old, config))
    spdlog::info("{} was {} and is now {}", key.name, key.before, key.after);
  return old;
}

/// Call it before creating the run directory, so that a mistake in the text leaves nothing behind.
TrainingText read_text(const Config& config, const fs::path& file, const std::optional<RunDirectory>& run) {
  const auto last = run ? run->last() : std::nullopt;
  if (last) verify_last(*last);
  if (run && !last) spdlog::info("there is no checkpoint yet: training starts from the beginning");
  if (fs::file_size(config.data.source_file(config.data.train)) > 50'000'000)
    spdlog::info("reading the training text; this takes a while ...");
  const TextWatch watch(config.data);
  const TokenizerPair tokenizers = last ? load_tokenizers(config.tokenizer, *last) : first_tokenizers(config, file);
  return {config.data, tokenizers, watch};
}

int train(const TrainOptions& options) {
  const auto joined = join_ranks();
  const Ranks& ranks = *joined;
  const fs::path directory = ranks.is_first() ? options.directory() : fs::path();  // only the first one writes
  const Config config = options.config.read(ranks);
  std::optional<RunDirectory> run;
  std::optional<TrainingText> text;
  ranks.together([&] {
    if (ranks.is_first()) run = open_run(config, directory, options.resume);
    text = read_text(config, options.config.config, run);
  });
  require_same(
      ranks, "the training text", [&] { return static_cast<std::uint64_t>(text->fingerprint()); },
      "Copy it from one machine to the others.");

  stop_on_signals();
  const TrainingPlan plan = plan_training(config, text->tokenizers());
  TrainingRun training(plan, std::move(*text), directory, run, standard_error(), ranks);
  if (const int signal = training.train(stop_signal()); signal != 0) {
    spdlog::info(
        "interrupted; wrote a checkpoint. Continue with: glassformer train \"{0}/config.yaml\" --resume "
        "--output \"{0}\"",
        directory.string());
    return 128 + signal;
  }
  if (fs::exists(directory / "best"))
    spdlog::info("done: {0}/best is the best checkpoint; the figures are in {0}/metrics.jsonl", directory.string());
  else
    spdlog::warn("done, but no validation gave a finite loss, so there is no best checkpoint; the last one is {}/last",
                 directory.string());
  return 0;
}

}  // namespace

void add_train(CLI::App& program, int& status) {
  const auto [verb, options] = add_verb(program, status, "train", "Train a model from a config file", train);
  options.config.add_to(verb, "configs/toy.yaml");
  verb.add_flag("--resume", options.resume, "continue the run from its last checkpoint\n(default: start a new run)");
  verb.add_option("--output", options.output, "the run directory\n(default: runs/NAME for configs/NAME.yaml)")
      ->type_name("DIR");
}

}  // namespace glassformer
