#include <spdlog/spdlog.h>

#include "glassformer/checkpoint/checkpoint.hpp"
#include "glassformer/checkpoint/checksums.hpp"
#include "glassformer/checkpoint/run_checks.hpp"
#include "glassformer/checkpoint/run_names.hpp"
#include "glassformer/commands/commands.hpp"
#include "glassformer/files/interruption.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/machine/mpi.hpp"
#include "glassformer/run/rank_setup.hpp"
#include "glassformer/run/start_run.hpp"
#include "glassformer/setup/training_setup.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

struct TrainOptions {
  ConfigOptions config;
  std::optional<fs::path> output;
  bool resume = false;

  fs::path directory() const {
    if (output && output->empty()) {
      throw UserError("--output: expected a directory, found \"\"");
    }
    if (output) {
      return output->has_filename() ? *output : output->parent_path();  // without a trailing slash
    }
    const fs::path& file = config.config;
    if (is_checkpoint(parent_of(file))) {
      throw UserError(file.string() +
                      ": this is the config of a checkpoint. To continue its run, give the config of the "
                      "run with --resume; to start another run with this config, give its directory with --output.");
    }
    if (file.filename() == kConfigFile && is_run(parent_of(file))) {
      return parent_of(file);
    }
    return fs::path("runs") / file.stem();
  }

  static fs::path parent_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
  }
};

/// The run directory if it is to be resumed from a checkpoint.
std::optional<fs::path> resumed_run(const TrainOptions& options) {
  const fs::path directory = options.directory();
  return options.resume && can_continue(directory) ? std::optional(directory) : std::nullopt;
}

/// \throws UserError: a new run would replace the config from which it is started
void keep_config(const fs::path& config, const fs::path& directory) {
  std::error_code ignored;
  if (!fs::equivalent(config, directory / kConfigFile, ignored)) {
    return;
  }
  throw UserError(config.string() + ": a new run in " + directory.string() +
                  " would replace this config with its own. " + "Choose another directory with --output" +
                  (is_run(directory) ? ", or continue the run with --resume." : "."));
}

void verify_last(const fs::path& checkpoint) try {
  verify_checksums(checkpoint, Verify::all);
} catch (const UserError& error) {
  const bool is_only = checkpoints_in(checkpoint.parent_path()).size() < 2;
  throw UserError(
      fmt::format("{} ({})", error.what(),
                  is_only ? "The run has no other checkpoint to continue from."
                          : "If you remove " + checkpoint.string() + ", --resume continues from the one before it."));
}

/// Whether a change of this key changes the metric that picks the best checkpoint.
bool changes_metric(const std::string& key, Metric metric) {
  const bool is_of_bleu = metric == Metric::bleu && key.starts_with("evaluation.");
  const bool is_of_translations = metric == Metric::bleu || metric == Metric::exact_match;
  return is_of_bleu || (is_of_translations && key == "decoding.max_length_ratio");
}

std::optional<RunDirectory> open_run(const Config& config, const fs::path& directory, bool resume) {
  if (!resume) {
    require_place_for_new_run(directory);
    return std::nullopt;
  }
  RunDirectory old = RunDirectory::resume(directory);
  bool changes_use = false;
  for (const ChangedKey& key : accept_changes(old, config)) {
    spdlog::info("{} was {} and is now {}", key.name, key.before, key.after);
    changes_use = changes_use || key.name.starts_with("decoding.") || key.name.starts_with("evaluation.");
    if (changes_metric(key.name, config.run.validation.metric)) {
      spdlog::warn(
          "{} changes how {} is computed (training.validation.metric), but the search for the best checkpoint, and "
          "patience, still compare it with earlier values",
          key.name, kMetricNames[static_cast<std::size_t>(config.run.validation.metric)]);
    }
  }
  if (changes_use) {
    spdlog::info(
        "existing checkpoints keep their decoding and evaluation keys; to use other values with them, give --set to "
        "translate and evaluate");
  }
  return old;
}

/// Call it before creating the run directory, so that a mistake in the text leaves nothing behind.
TrainingText read_text(const Config& config, const fs::path& file, const std::optional<RunDirectory>& run,
                       const std::optional<fs::path>& resumed) {
  // Other ranks than the first have no RunDirectory, but they see the same files if the directory is shared.
  const auto last = resumed ? last_checkpoint(*resumed) : std::nullopt;
  if (run && last) {
    verify_last(*last);
  }
  if (run && !last) {
    spdlog::info("there is no checkpoint yet: training starts from the beginning");
  }
  if (fs::file_size(config.data.source_file(config.data.train)) > 50'000'000) {
    spdlog::info("reading the training text; this takes a while ...");
  }
  const TextWatch watch(config.data);
  const TokenizerPair tokenizers = last ? load_tokenizers(config.tokenizer, *last) : starting_tokenizers(config, file);
  return {config.data, tokenizers, watch};
}

/// Says what the run has left behind. Names only what is there.
void log_end(const fs::path& directory, bool interrupted, const Config& config) {
  const std::string run = directory.string();
  const bool has_last = target_of(directory / "last").has_value();
  const bool has_best = target_of(directory / "best").has_value();
  if (interrupted) {
    spdlog::info(
        "interrupted; {0}/last is the last checkpoint. Continue with: glassformer train \"{0}/config.yaml\" --resume",
        run);
  } else if (!has_last) {
    spdlog::warn("done, and there is no checkpoint in {}, because no update was made", run);
  } else if (has_best) {
    spdlog::info("done: {0}/best is the best checkpoint; the metrics are in {0}/metrics.jsonl", run);
  } else if (config.data.valid.empty()) {
    spdlog::info("done: {}/last is the last checkpoint; without a validation text, none is the best", run);
  } else {
    spdlog::warn("done, but no validation gave a finite loss, so there is no best checkpoint; the last one is {}/last",
                 run);
  }
}

int train(const TrainOptions& options) {
  const auto joined = join_ranks();
  const Processes& ranks = *joined;
  const fs::path directory = ranks.is_first() ? options.directory() : fs::path();  // only the first one writes
  std::optional<fs::path> resumed;
  const Config config = options.config.read(ranks, [&] { return resumed = resumed_run(options); });
  std::optional<RunDirectory> run;
  std::optional<TrainingText> text;
  ranks.together([&] {
    if (ranks.is_first() && !options.resume) {
      keep_config(options.config.config, directory);
    }
    if (ranks.is_first()) {
      run = open_run(config, directory, options.resume);
    }
  });
  ranks.together([&] {  // only now: the first rank may have repaired the links
    text = read_text(config, options.config.config, run, resumed);
  });
  require_same(
      ranks, "the training text", [&] { return static_cast<std::uint64_t>(text->fingerprint()); },
      "Copy it from one machine to the others.");

  stop_on_signals();
  const TrainingPlan plan = plan_training(config, text->tokenizers());
  const auto training = start_run(plan, std::move(*text), directory, run, standard_error(), ranks);
  const int signal = training->train(stop_signal());
  if (ranks.is_first()) {
    log_end(directory, signal != 0, config);
  }
  return signal != 0 ? 128 + signal : 0;
}

}  // namespace

void add_train(CLI::App& program, int& status) {
  const auto [command, options] = add_command(program, status, "train", "Train a model from a config file", train);
  options.config.add_to(command, "configs/toy.yaml");
  command.add_flag("--resume", options.resume, "continue the run from its last checkpoint\n(default: start a new run)");
  command.add_option("--output", options.output, "the run directory\n(default: runs/NAME for configs/NAME.yaml)")
      ->type_name("DIR");
}

}  // namespace glassformer
