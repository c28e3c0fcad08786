#include "run/training_run.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "checkpoint/run_names.hpp"
#include "files/user_error.hpp"
#include "machine/machine.hpp"
#include "numerics/functions.hpp"
#include "numerics/gemm.hpp"
#include "numerics/parallel.hpp"
#include "run/diagnostics.hpp"
#include "run/digests.hpp"
#include "run/rank_setup.hpp"
#include "training/schedule.hpp"

namespace glassformer {

TrainingRun::TrainingRun(const TrainingPlan& plan, TrainingText training_text, const std::filesystem::path& directory,
                         const std::optional<RunDirectory>& begun, DisplayTarget display, const Ranks& ranks)
    : plan_(plan),
      ranks_(ranks),
      text_(std::move(training_text)),
      memory_(forecast_memory(plan, vocabulary_shape(text_.tokenizers()), text_.corpus(), text_.valid().corpus, ranks)),
      model_(plan.model, vocabulary_shape(text_.tokenizers())),
      trainer_(model_, plan.training, text_.corpus(), ranks_),
      directory_(open(directory, begun)),
      log_(directory_.path(), {plan.training.max_updates, plan.run.max_epochs}, std::move(display)) {
  require_same(
      ranks_, "the tokens of the training text", [&] { return fingerprint(text_.corpus()); },
      "Give all ranks the same text, the same tokenizers (tokenizer.source_model) and the same program.");
  const auto checkpoint = begun ? directory_.last() : std::nullopt;
  if (checkpoint) {
    load(*checkpoint);
  }
  progress_.text = text_.fingerprint();
  progress_.valid_text = text_.valid().fingerprint;
  ranks_.broadcast(progress_);  // only the first rank has read the run's directory
  ranks_.broadcast(model_.weights.values());
  ranks_.broadcast(trainer_.optimizer().m());
  ranks_.broadcast(trainer_.optimizer().v());
  minutes_before_ = progress_.minutes;
  if (!trainer_.continue_from(progress_)) {
    ranks_.once([&] {
      throw UserError(fmt::format(
          "{}: expected a training state that fits this text, found batch {} of an epoch with fewer batches. Resume "
          "with the text that the run started with.",
          checkpoint.value_or(directory).string(), progress_.batch));
    });
  }
  metrics().truncate_after(checkpoint ? progress_.update : -1);
  drop_digests_after(directory_, checkpoint ? progress_.update : -1);
  directory_.store_config(plan_.write_config);
  record_start(directory_, progress_.update, model_.weights, text_.data());
  text_.require_unchanged();  // these digests are those of the text that was read
  log_start(checkpoint.has_value());
}

RunDirectory TrainingRun::open(const std::filesystem::path& directory, const std::optional<RunDirectory>& begun) {
  // Other ranks get the weights of the first one.
  if (ranks_.is_first() && (!begun || !begun->last())) {
    set_starting_weights(model_, plan_.model_from, plan_.training.seed);
  }
  return begun ? *begun : RunDirectory::create(directory, plan_.write_config);
}

void TrainingRun::load(const std::filesystem::path& checkpoint) {
  progress_ = read_training_state(checkpoint, trainer_.optimizer().m(), trainer_.optimizer().v());
  if (const auto named = update_of(checkpoint.filename().string()); named && *named != progress_.update) {
    throw UserError(
        fmt::format("{}: expected the training state of update {}, found that of update {}. The checkpoint is "
                    "damaged: use another one, or copy it again.",
                    (checkpoint / kStateFile).string(), *named, progress_.update));
  }
  if (progress_.text != 0 && progress_.text != text_.fingerprint()) {
    throw UserError(checkpoint.string() +
                    ": the training text has changed since this run started. Resume it with the same text. To train "
                    "this model further on another text, start another run (--output) with model.from set to this "
                    "checkpoint.");
  }
  read_parameters(checkpoint, model_.weights.tensors(), model_.weights.values().data());
  if (progress_.valid_text != 0 && progress_.valid_text != text_.valid().fingerprint) {
    spdlog::warn("the validation text has changed since this run started: the search for the best checkpoint restarts");
    progress_.best_update = progress_.without_best = 0;
  }
  restore_best();
  saved_update_ = progress_.update;
  if (progress_.validated != progress_.update) {
    interim_ = checkpoint.filename();
  }
  spdlog::info("resuming from {}", checkpoint.string());
}

/// If the link `best` is missing or broken, restores it or, if that checkpoint is gone, says so and starts the search
/// for the best over. Otherwise, the best checkpoint would be removed as an old one.
void TrainingRun::restore_best() {
  if (progress_.best_update == 0 || target_of(directory_.file("best"))) {
    return;
  }
  const bool was_mean = mean_was_best(directory_, progress_.best_update);
  const std::filesystem::path best =
      was_mean ? directory_.average(progress_.best_update) : directory_.checkpoint(progress_.best_update);
  if (is_checkpoint(best)) {
    directory_.point("best", best);
    spdlog::warn("the link best was missing or broken; it now points to {}", best.filename().string());
    return;
  }
  spdlog::warn("the best checkpoint, {}, is missing, so the search for the best starts over", best.string());
  progress_.best_update = 0;
  progress_.without_best = 0;
}

void TrainingRun::log_start(bool resumed) const {
  const Corpus& corpus = text_.corpus();
  if (!text_.has_valid()) {
    spdlog::info("there is no validation text (data.valid is \"\"), so no checkpoint will be the best");
  }
  spdlog::info(
      "{} training pairs, {} validation pairs; left out of training: {} with an empty side, {} with more than {} "
      "tokens on one side",
      corpus.size(), text_.valid().sources.size(), corpus.line_counts().empty, corpus.line_counts().too_long,
      text_.data().max_length);
  spdlog::info("{} parameters; vocabularies: {} source, {} target; threads: {}; shards: {}; instructions: {}",
               model_.weights.size(), model_.vocabulary.source_size, model_.vocabulary.target_size, thread_count(),
               plan_.training.shards, instructions());
  spdlog::info("{}", memory_.text_for_log());
  if (const std::string warning = memory_.warning(); !warning.empty()) {
    spdlog::warn("{}", warning);
  }
  log_ranks(ranks_, plan_.training.shards);
  warn_about(plan_.model, plan_.training);
  if (!plan_.model_from.empty() && !resumed) {
    spdlog::info("starting from {}", plan_.model_from.string());
  }
  if (plan_.training.label_smoothing > 0) {
    spdlog::info("the training loss includes label smoothing {:g}; training perplexity and validation figures do not",
                 plan_.training.label_smoothing);
  }
  if (!resumed) {
    report_on(text_, plan_);
  }
}

void TrainingRun::check_clock_and_signals(const std::atomic<int>& signal) {
  std::array<double, 2> seen = {minutes(), static_cast<double>(signal)};
  ranks_.largest(seen);
  minutes_seen_ = seen[0];
  signal_seen_ = static_cast<int>(seen[1]);
}

int TrainingRun::train(const std::atomic<int>& signal) {
  const auto end = [&] { return end_reached(plan_, progress_, minutes_seen_); };
  for (check_clock_and_signals(signal); !end() && signal_seen_ == 0; check_clock_and_signals(signal)) {
    update();
    check_clock_and_signals(signal);
    if (end() && window_.updates > 0) {
      report(true);  // the updates since the last log line
    }
    if (validation_is_due()) {
      validate_and_save();
    }
  }
  if (signal_seen_ != 0) {
    ranks_.once([&] {
      if (saved_update_ == progress_.update) {
        return directory_.require_in_place();
      }
      spdlog::info("interrupted: saving a checkpoint; Ctrl-C again quits at once");
      write_checkpoint(false);
      directory_.require_in_place();
    });
    return signal_seen_;
  }
  const std::string why = *end();  // read before the last validation, which may reset patience
  if (progress_.validated != progress_.update) {
    validate_and_save();
  }
  spdlog::info("finished at update {}: {}", progress_.update, why);
  if (cut_off_ > 0) {
    spdlog::warn("last validation: {}", cut_off_text(cut_off_, std::ssize(text_.valid().sources), plan_.decoding,
                                                     needed_length_ratio(text_.valid().corpus)));
  }
  if (plan_.run.checkpoints.average > 1) {
    ranks_.once([&] { average_checkpoints(); });
  }
  if (const ResidentMemory memory = resident_memory(); memory.peak > 0) {
    spdlog::info("peak memory: {:.0f} MB", static_cast<double>(memory.peak) / 1e6);
  }
  ranks_.once([&] { directory_.require_in_place(); });
  return 0;
}

void TrainingRun::update() {
  const auto start = std::chrono::steady_clock::now();
  const Trainer::Update update = trainer_.step();
  static_cast<Progress&>(progress_) = trainer_.progress();
  if (update.skipped) {
    ranks_.once([&] { handle_skipped(update); });
  } else {
    require_finite_weights();
    window_.loss += update.loss;
    window_.tokens += update.tokens;
    window_.gradient_norm += update.gradient_norm;
    ++window_.updates;
  }
  window_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report(progress_.update % plan_.run.log_every == 0);
}

void TrainingRun::require_finite_weights() const {
  const Arena<float>& weights = model_.weights;
  const RowView<const float> values = weights.values();
  // The sum of the squares is quick to compute. Only if it overflows do we look at each weight.
  if (std::isfinite(gradient_norm(std::span<const float>(values.data(), static_cast<std::size_t>(values.size()))))) {
    return;
  }
  const auto damaged = std::ranges::find_if(
      weights.tensors(), [&](const TensorPlace& tensor) { return !weights.values(tensor).eigen().allFinite(); });
  if (damaged == weights.tensors().end()) {
    return;
  }
  // All ranks have the same weights, so all of them get here, unless a machine is faulty; then that rank ends the
  // others.
  const auto last = directory_.last();
  throw std::runtime_error(fmt::format(
      "update {} made a weight of {} infinite or NaN, so training stops. Try a lower "
      "training.schedule.learning_rate, a larger training.optimizer.epsilon or a smaller model.initial_gain.{}",
      progress_.update, damaged->name, last ? " The last checkpoint is " + last->string() + "." : ""));
}

void TrainingRun::handle_skipped(const Trainer::Update& update) const {
  const std::string what = std::isfinite(update.loss.loss) ? "gradient" : "loss";
  const std::string where = first_non_finite(model_, plan_.training, text_.corpus(), update.batches, update.step);
  spdlog::warn("update {} is skipped: its {} is not finite. NaN or infinity first appeared in {}", progress_.update,
               what, where);
  if (progress_.skipped_in_row <= plan_.run.max_skipped) {
    return;
  }
  const auto last = directory_.last();
  throw std::runtime_error(fmt::format(
      "update {}: training has diverged: the {} was not finite {} times in a row. Try a lower "
      "training.schedule.learning_rate or a longer warmup.{}",
      progress_.update, what, progress_.skipped_in_row, last ? " The last checkpoint is " + last->string() + "." : ""));
}

void TrainingRun::report(bool due) {
  if (window_.updates == 0) {
    return;  // every update was skipped
  }
  const TrainingFigures figures = training_figures();
  log_.training(figures, due);
  if (!due) {
    return;
  }
  metrics().append(figures);
  window_ = {};
}

TrainingFigures TrainingRun::training_figures() const {
  const auto tokens = static_cast<double>(window_.loss.tokens);
  const double now = minutes();
  const double done = fraction_done(plan_, progress_, std::ssize(trainer_.batches()), now);
  return {.update = progress_.update,
          .epoch = epoch(),
          .loss = window_.loss.loss / tokens,
          .perplexity = exp(window_.loss.cross_entropy / tokens),
          .gradient_norm = window_.gradient_norm / static_cast<double>(window_.updates),
          .learning_rate = learning_rate(plan_.training.schedule, plan_.training.max_updates, progress_.update),
          .skipped = progress_.skipped,
          .source_tokens_per_second = static_cast<double>(window_.tokens.source) / window_.seconds,
          .target_tokens_per_second = static_cast<double>(window_.tokens.target) / window_.seconds,
          .padding_share = window_.tokens.padding_share(),
          .minutes = now,
          .minutes_left = done > 0 ? now * (1 / done - 1) : -1};
}

Index TrainingRun::epoch() const { return std::max<Index>(1, progress_.epoch + (progress_.batch > 0)); }

double TrainingRun::minutes() const {
  const std::chrono::duration<double, std::ratio<60>> now = std::chrono::steady_clock::now() - started_;
  return minutes_before_ + now.count();
}

}  // namespace glassformer
