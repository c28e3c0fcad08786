#include "glassformer/run/training_run.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/machine/memory.hpp"
#include "glassformer/numerics/functions.hpp"
#include "glassformer/run/diagnostics.hpp"
#include "glassformer/run/limits.hpp"
#include "glassformer/training/schedule.hpp"

namespace glassformer {

TrainingRun::TrainingRun(std::unique_ptr<RunState> state, RunDirectory directory, std::unique_ptr<RunLog> log,
                         SavedCheckpoint saved)
    : state_(std::move(state)),
      plan_(state_->plan),
      ranks_(state_->ranks),
      text_(state_->text),
      model_(state_->model),
      trainer_(state_->trainer),
      progress_(state_->progress),
      directory_(std::move(directory)),
      log_(std::move(log)),
      saved_(std::move(saved)) {}

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
  if (signal_seen_ == 0) {
    finish(*end());
    return 0;
  }
  ranks_.once([&] {
    if (saved_.update != progress_.update) {
      spdlog::info("interrupted: saving a checkpoint; press Ctrl-C again to quit at once");
      write_checkpoint(false);
    }
  });
  return signal_seen_;
}

/// `why`: read before the last validation, which may reset patience
void TrainingRun::finish(const std::string& why) {
  if (progress_.validated != progress_.update) {
    validate_and_save();
  }
  spdlog::info("finished at update {}: {}", progress_.update, why);
  if (cut_off_ > 0) {
    spdlog::warn("last validation: {}", cut_off_text(cut_off_, std::ssize(text_.valid().sources), plan_.decoding,
                                                     needed_length_ratio(text_.valid().corpus)));
  }
  if (plan_.run.checkpoints.average > 1) {
    ranks_.once([&] {
      average_checkpoints();
      prune_checkpoints();  // an earlier mean
    });
  }
  if (const ResidentMemory memory = resident_memory(); memory.peak > 0) {
    spdlog::info("peak memory: {:.0f} MB", static_cast<double>(memory.peak) / 1e6);
  }
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
  // Quick to compute, and finite exactly if all weights are: in double precision, squares of floats cannot overflow.
  if (std::isfinite(euclidean_norm(std::span<const float>(values.data(), static_cast<std::size_t>(values.size()))))) {
    return;
  }
  const auto damaged = std::ranges::find_if(
      weights.tensors(), [&](const TensorPlace& tensor) { return !weights.values(tensor).eigen().allFinite(); });
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
  const TrainingMetrics metrics = training_metrics();
  log_->training(metrics, due);
  if (!due) {
    return;
  }
  metrics_file().append(metrics);
  window_ = {};
}

TrainingMetrics TrainingRun::training_metrics() const {
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
          .padding_share = padding_share(window_.tokens),
          .minutes = now,
          .minutes_left = done > 0 ? now * (1 / done - 1) : -1};
}

Index TrainingRun::epoch() const { return std::max<Index>(1, progress_.epoch + (progress_.batch > 0)); }

}  // namespace glassformer
