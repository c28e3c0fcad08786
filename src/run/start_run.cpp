#include "glassformer/run/start_run.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "glassformer/checkpoint/checkpoint.hpp"
#include "glassformer/checkpoint/file_names.hpp"
#include "glassformer/checkpoint/parameters.hpp"
#include "glassformer/checkpoint/run_names.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/numerics/gemm.hpp"
#include "glassformer/numerics/parallel.hpp"
#include "glassformer/run/diagnostics.hpp"
#include "glassformer/run/digests.hpp"
#include "glassformer/run/memory_forecast.hpp"
#include "glassformer/run/rank_setup.hpp"
#include "glassformer/run/run_state.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

/// If the link `best` is missing or broken, restores it or, if that checkpoint is gone, says so and starts the search
/// for the best over. Otherwise, the best checkpoint would be removed as an old one.
void restore_best(const RunDirectory& directory, RunProgress& progress) {
  if (progress.best_update == 0 || target_of(directory.file("best"))) {
    return;
  }
  const bool was_mean = mean_was_best(directory, progress.best_update);
  const fs::path best = was_mean ? directory.average(progress.best_update) : directory.checkpoint(progress.best_update);
  if (is_checkpoint(best)) {
    directory.point("best", best);
    spdlog::warn("the link best was missing or broken; it now points to {}", best.filename().string());
    return;
  }
  spdlog::warn("the best checkpoint, {}, is missing, so the search for the best starts over", best.string());
  progress.best_update = 0;
  progress.without_best = 0;
}

/// Reads the checkpoint from which the run continues.
SavedCheckpoint resume_from(const fs::path& checkpoint, const RunDirectory& directory, RunState& run) {
  run.progress = read_training_state(checkpoint, run.trainer.optimizer().m(), run.trainer.optimizer().v());
  if (const auto named = update_of(checkpoint.filename().string()); named && *named != run.progress.update) {
    throw UserError(
        fmt::format("{}: expected the training state of update {}, found that of update {}. The checkpoint is "
                    "damaged: use another one, or copy it again.",
                    (checkpoint / kStateFile).string(), *named, run.progress.update));
  }
  if (run.progress.text != 0 && run.progress.text != run.text.fingerprint()) {
    throw UserError(checkpoint.string() +
                    ": the training text has changed since this run started. Resume it with the same text. To train "
                    "this model further on another text, start another run (--output) with model.from set to this "
                    "checkpoint.");
  }
  read_parameters(checkpoint, run.model.weights.tensors(), run.model.weights.values().data());
  if (run.progress.valid_text != 0 && run.progress.valid_text != run.text.valid().fingerprint) {
    spdlog::warn("the validation text has changed since this run started: the search for the best checkpoint restarts");
    run.progress.best_update = run.progress.without_best = 0;
  }
  restore_best(directory, run.progress);
  spdlog::info("resuming from {}", checkpoint.string());
  // One that was written before the first update was never validated, either.
  const bool is_interim = run.progress.validated != run.progress.update || run.progress.update == 0;
  return {run.progress.update, is_interim ? checkpoint.filename() : fs::path()};
}

/// Only the first rank has read the run's directory.
void share_with_ranks(RunState& run) {
  run.ranks.broadcast(run.progress);
  run.ranks.broadcast(run.model.weights.values());
  run.ranks.broadcast(run.trainer.optimizer().m());
  run.ranks.broadcast(run.trainer.optimizer().v());
}

/// \throws UserError: the progress is not one of this text. `place`: where it was read
void continue_training(RunState& run, const fs::path& place) {
  if (run.trainer.continue_from(run.progress)) {
    return;
  }
  run.ranks.once([&] {
    throw UserError(fmt::format(
        "{}: expected a training state that fits this text, found batch {} of an epoch with fewer batches. Resume "
        "with the text that the run started with.",
        place.string(), run.progress.batch));
  });
}

/// Drops what the logs say about updates that will be repeated (-1: about all), and records the start.
void begin_files(const RunState& run, const RunDirectory& directory, Index last_kept) {
  MetricsFile(directory.file("metrics.jsonl")).truncate_after(last_kept);
  drop_digests_after(directory, last_kept);
  directory.store_config(run.plan.write_config);
  record_start(directory, run.progress.update, run.model.weights, run.text.data());
  run.text.require_unchanged();  // these digests are those of the text that was read
}

/// Logs what the run trains, on what, and what the user should know about it.
void log_start(const RunState& run, const MemoryForecast& memory, bool is_resumed) {
  const Corpus& corpus = run.text.corpus();
  if (!run.text.has_valid()) {
    spdlog::info("there is no validation text (data.valid is \"\"), so no checkpoint will be the best");
  }
  spdlog::info(
      "{} training pairs, {} validation pairs; left out of training: {} with an empty side, {} with more than {} "
      "tokens on one side",
      corpus.size(), run.text.valid().sources.size(), corpus.line_counts().empty, corpus.line_counts().too_long,
      run.text.data().max_length);
  spdlog::info("{} parameters; vocabularies: {} source, {} target; threads: {}; shards: {}; instructions: {}",
               run.model.weights.size(), run.model.vocabulary.source_size, run.model.vocabulary.target_size,
               thread_count(), run.plan.training.shards, instructions());
  spdlog::info("{}", memory.text_for_log());
  if (const std::string warning = memory.warning(); !warning.empty()) {
    spdlog::warn("{}", warning);
  }
  log_ranks(run.ranks, run.plan.training.shards);
  warn_about(run.plan.model, run.plan.training);
  if (!run.plan.model_from.empty() && !is_resumed) {
    spdlog::info("starting from {}", run.plan.model_from.string());
  }
  if (run.plan.training.label_smoothing > 0) {
    spdlog::info("the training loss includes label smoothing {:g}; training perplexity and validation metrics do not",
                 run.plan.training.label_smoothing);
  }
  if (!is_resumed) {
    report_on(run.text, run.plan);
  }
}

}  // namespace

std::unique_ptr<TrainingRun> start_run(const TrainingPlan& plan, TrainingText text, const fs::path& directory,
                                       const std::optional<RunDirectory>& begun, DisplayTarget display,
                                       const Processes& ranks) {
  // What can fail comes first: before the model is allocated, and before the directory is created.
  const MemoryForecast memory =
      forecast_memory(plan, vocabulary_shape(text.tokenizers()), text.corpus(), text.valid().corpus, ranks);
  require_same(
      ranks, "the tokens of the training text", [&] { return fingerprint(text.corpus()); },
      "Give all ranks the same text, the same tokenizers (tokenizer.source_model) and the same program.");
  auto run = std::make_unique<RunState>(plan, std::move(text), ranks);
  const auto checkpoint = begun ? begun->last() : std::nullopt;
  if (ranks.is_first() && !checkpoint) {  // the other ranks get the weights of the first one
    set_starting_weights(run->model, plan.model_from, plan.training.seed);
  }

  const RunDirectory opened = begun ? *begun : RunDirectory::create(directory, plan.write_config);
  auto log = std::make_unique<RunLog>(opened.path(), RunLength{plan.training.max_updates, plan.run.max_epochs},
                                      std::move(display));
  const SavedCheckpoint saved = checkpoint ? resume_from(*checkpoint, opened, *run) : SavedCheckpoint();
  run->progress.text = run->text.fingerprint();
  run->progress.valid_text = run->text.valid().fingerprint;
  share_with_ranks(*run);
  run->clock.add(run->progress.minutes);
  continue_training(*run, checkpoint.value_or(directory));

  begin_files(*run, opened, checkpoint ? run->progress.update : -1);
  log_start(*run, memory, checkpoint.has_value());
  return std::make_unique<TrainingRun>(std::move(run), opened, std::move(log), saved);
}

}  // namespace glassformer
