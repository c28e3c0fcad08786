#include "training/trainer.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "checkpoint/checkpoint.hpp"
#include "checkpoint/starting_point.hpp"
#include "files/durable_files.hpp"
#include "model/vocabulary.hpp"
#include "numerics/fingerprint.hpp"
#include "numerics/gemm.hpp"
#include "numerics/parallel.hpp"
#include "numerics/resident_memory.hpp"
#include "report/curves.hpp"
#include "training/limits.hpp"
#include "training/non_finite.hpp"
#include "training/rehearsal.hpp"
#include "training/schedule.hpp"
#include "training/selection.hpp"
#include "training/warnings.hpp"
#include "user_error.hpp"

namespace glassformer {
namespace {

/// Validation translates greedily, whatever the config says of the final search: it is done often.
DecodingSettings greedy(DecodingSettings settings) {
  settings.beam = 1;
  return settings;
}

std::vector<SampleTranslation> samples_of(const TestText& text, const Evaluation& evaluation, Index count) {
  std::vector<SampleTranslation> samples;
  for (std::size_t i = 0; i < std::min(static_cast<std::size_t>(count), text.sources.size()); ++i) {
    samples.push_back({text.sources[i], text.references[i], evaluation.translations[i]});
  }
  return samples;
}

std::uint64_t fingerprint(const auto& values) {
  Fingerprint fingerprint;
  fingerprint.mix({values.data(), static_cast<std::size_t>(values.size())});
  return fingerprint.value();
}

/// From 1; one that has just ended is still the current one.
Index current_epoch(const Progress& progress) {
  return std::max<Index>(1, progress.epoch + (progress.part > 0 || progress.batch > 0));
}

}  // namespace

Trainer::Trainer(const Config& config, TrainingText text, const std::filesystem::path& directory,
                 const std::optional<RunDirectory>& begun, DisplayTarget display, Communicator ranks)
    : config_(config),
      ranks_(std::move(ranks)),
      text_(std::move(text)),
      model_{config.model, vocabulary_shape(text_.tokenizers())},
      parameters_(model_.settings, model_.vocabulary),
      gradient_(model_, config.training.shards, config.training.micro_batch_tokens, ranks_, config.training.sum),
      optimizer_(config.training.optimizer, parameters_.tensors()),
      // Where memory does not suffice, that has shown by now; only then is anything written.
      directory_(open(directory, begun)),
      log_(directory_.path(), {config.training.max_updates, config.training.max_epochs}, std::move(display)),
      metrics_(directory_.file("metrics.jsonl")) {
  const auto checkpoint = begun ? directory_.last() : std::nullopt;
  if (checkpoint) load(*checkpoint);
  progress_.text = text_.all().fingerprint();
  progress_.valid_text = text_.valid_fingerprint();
  share();
  find_place(checkpoint.value_or(directory));
  directory_.store_config(config_);
  const Index goes_on_from = checkpoint ? progress_.update : -1;
  metrics_.truncate_after(goes_on_from);
  if (config_.training.tensorboard && !directory_.path().empty()) {
    events_.emplace(directory_.file("tensorboard"), goes_on_from);
  }

  const Corpus& part = text_.part();
  spdlog::info("{} training pairs, {} validation pairs; left out of training: {} with an empty side, {} with more "
               "than {} tokens on a side",
               part.size(), text_.valid().sources.size(), part.left_out_empty(), part.left_out_long(),
               config_.data.max_length);
  if (text_.all().parts() > 1) {
    spdlog::info("that is one part of the training text: {} lines are read in {} parts, of data.lines_in_memory = {} "
                 "lines; sentences are shuffled within a part",
                 text_.all().lines(), text_.all().parts(), config_.data.lines_in_memory);
  }
  spdlog::info("{} parameters; vocabulary {} source, {} target; {} threads, {} shards, matrix products by {}",
               parameters_.size(), model_.vocabulary.source_size, model_.vocabulary.target_size, thread_count(),
               config_.training.shards, gemm_backend());
  warn_about(config_);
  if (!config_.model_from.empty() && !checkpoint) spdlog::info("beginning with {}", config_.model_from.string());
  if (config_.tokenizer.sampling > 0) {
    spdlog::info("every epoch cuts the training text into other pieces, with tokenizer.sampling {:g}",
                 config_.tokenizer.sampling);
  }
  if (config_.training.label_smoothing > 0) {
    spdlog::info("the loss of training is with label smoothing {:g}; its perplexity and all of the validation without",
                 config_.training.label_smoothing);
  }
}

RunDirectory Trainer::open(const std::filesystem::path& directory, const std::optional<RunDirectory>& begun) {
  if (!begun || !begun->last()) set_starting_parameters(config_, model_, parameters_);
  return begun ? *begun : RunDirectory::create(directory, config_);
}

void Trainer::load(const std::filesystem::path& checkpoint) {
  const TrainingState state = read_training_state(checkpoint, parameters_.size());
  progress_ = state.progress;
  if (progress_.text != 0 && progress_.text != text_.all().fingerprint()) {
    throw UserError(checkpoint.string() + ": the training text has changed since this run was begun. " +
                    "Continue it with the same text, or begin another run with --output.");
  }
  read_parameters(checkpoint, parameters_.tensors(), parameters_.values().data());
  std::ranges::copy(state.adam_m, optimizer_.m().begin());
  std::ranges::copy(state.adam_v, optimizer_.v().begin());
  if (progress_.valid_text != 0 && progress_.valid_text != text_.valid_fingerprint()) {
    spdlog::warn("the validation text has changed since this run was begun: the search for the best begins anew");
    progress_.best_update = progress_.without_best = 0;
  }
  saved_update_ = progress_.update;
  if (progress_.validated != progress_.update) interim_ = checkpoint;
  spdlog::info("resuming from {}", checkpoint.string());
}

/// What the first rank has drawn or read becomes everybody's: only it needs the run's directory.
void Trainer::share() {
  ranks_.broadcast(progress_);
  ranks_.broadcast({parameters_.values().data(), static_cast<std::size_t>(parameters_.size())});
  ranks_.broadcast(optimizer_.m());
  ranks_.broadcast(optimizer_.v());
  minutes_before_ = progress_.minutes;
}

void Trainer::find_place(const std::filesystem::path& checkpoint) {
  const bool has_part = progress_.part < text_.all().parts();
  if (has_part && progress_.batch > 0) plan();
  if (has_part && (progress_.batch == 0 || progress_.batch < std::ssize(batches_))) return;
  ranks_.once([&] {
    throw UserError(checkpoint.string() + ": expected a state of training with this text, found part " +
                    std::to_string(progress_.part) + ", batch " + std::to_string(progress_.batch) +
                    ", which it does not have. Continue with the text that the run was begun with.");
  });
}

void Trainer::rehearse() {
  log_.status("rehearsing ...");
  take_batches();
  for (const std::vector<Index>& batch : rehearsed_batches(text_.part(), batches_)) {
    gradient_.compute(parameters_.parameters(), text_.part(), std::span(&batch, 1),
                      {config_.training.label_smoothing, config_.training.seed, 0});
  }
  ranks_.once([&] {
    evaluate(model_, parameters_.parameters(), text_.tokenizers(), greedy(config_.decoding), config_.evaluation,
             rehearsed_pairs(text_.valid(), text_.tokenizers(), config_.decoding.batch));
    const MemoryForecast forecast = memory_forecast(config_.training, parameters_.size(), gradient_.own_shards(),
                                                    text_.part().bytes());
    if (forecast.peak > 0) spdlog::info("memory: {}", forecast.text_for_log());
  });
}

void Trainer::look_around(const std::atomic<bool>& interrupted) {
  std::array<double, 2> seen = {minutes(), interrupted ? 1.0 : 0.0};
  ranks_.largest(seen);
  minutes_seen_ = seen[0];
  interrupt_seen_ = seen[1] > 0;
}

bool Trainer::run(const std::atomic<bool>& interrupted) {
  const auto end = [&] { return end_reached(config_.training, progress_, minutes_seen_); };
  look_around(interrupted);
  if (!end()) rehearse();
  for (look_around(interrupted); !end() && !interrupt_seen_; look_around(interrupted)) {
    update();
    look_around(interrupted);
    if (end() && window_.updates > 0) report(true);  // the last updates, however few
    if (validation_is_due()) validate();
  }
  if (interrupt_seen_) {
    ranks_.once([&] {
      if (saved_update_ != progress_.update) write_checkpoint(false);
    });
    return false;
  }
  if (progress_.validated != progress_.update) validate();
  spdlog::info("the end, at update {}: {}", progress_.update, *end());
  if (config_.training.checkpoints.average > 1) ranks_.once([&] { average_checkpoints(); });
  const ResidentMemory memory = resident_memory();
  if (memory.peak > 0) spdlog::info("memory at the peak: {:.0f} MB", static_cast<double>(memory.peak) / 1e6);
  return true;
}

void Trainer::take_batches() {
  if (batches_.empty()) plan();
  if (batches_.empty()) next_part();
  if (batches_.empty()) text_.part().refuse_empty("this epoch's training text", config_.data.max_length);
}

void Trainer::plan() {
  text_.take(progress_.epoch, progress_.part);
  ranks_.require_same("the tokens of the training text", [&] { return text_.part().fingerprint(); },
                      "Give all the same text and the same tokenizers (tokenizer.source_model), and one program.");
  batches_ = plan_epoch(text_.part(), config_.training.max_tokens, config_.training.seed,
                        text_.round(progress_.epoch, progress_.part));
}

/// Parts without a pair that can be trained on are passed over.
void Trainer::next_part() {
  progress_.batch = 0;
  while (++progress_.part < text_.all().parts()) {
    plan();
    if (!batches_.empty()) return;
  }
  progress_.part = 0;
  ++progress_.epoch;
  batches_.clear();  // planned once it is clear that there is another epoch
}

void Trainer::update() {
  const auto start = std::chrono::steady_clock::now();
  const TrainingSettings& training = config_.training;
  take_batches();
  const auto first = static_cast<std::size_t>(progress_.batch);
  const auto count = std::min(static_cast<std::size_t>(training.accumulation), batches_.size() - first);
  ++progress_.update;

  const std::span<const std::vector<Index>> batches = std::span(batches_).subspan(first, count);
  const ShardedGradient::Step step{training.label_smoothing, training.seed,
                                   static_cast<std::uint32_t>(progress_.update)};
  const ShardedGradient::Result result = gradient_.compute(parameters_.parameters(), text_.part(), batches, step);
  const double norm = gradient_norm(gradient_.gradient());
  const bool is_finite = std::isfinite(result.loss.loss) && std::isfinite(norm);
  if (is_finite) {
    const double rate = learning_rate(training.schedule, training.max_updates, progress_.update);
    optimizer_.update({parameters_.values().data(), gradient_.gradient().size()}, gradient_.gradient(), norm, rate,
                      progress_.update - progress_.skipped);
    progress_.skipped_in_row = 0;
    window_.loss += result.loss;
    window_.tokens += result.tokens;
    window_.gradient_norm += norm;
    ++window_.updates;
  } else {
    skip(batches, step, std::isfinite(result.loss.loss));
  }

  progress_.batch += static_cast<Index>(count);
  if (progress_.batch == static_cast<Index>(batches_.size())) next_part();

  window_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report(progress_.update % training.log_every == 0);
}

/// The weights stay as they are.
void Trainer::skip(std::span<const std::vector<Index>> batches, const ShardedGradient::Step& step,
                   bool loss_is_finite) {
  ++progress_.skipped;
  ++progress_.skipped_in_row;
  ranks_.once([&] { tell_of_skipped(batches, step, loss_is_finite); });
}

void Trainer::tell_of_skipped(std::span<const std::vector<Index>> batches, const ShardedGradient::Step& step,
                              bool loss_is_finite) const {
  const std::string what = loss_is_finite ? "gradient" : "loss";
  const std::string where = first_non_finite(model_, parameters_, text_.part(), batches, step);
  spdlog::warn("update {} is skipped: its {} is no finite number. The first such number came up in {}",
               progress_.update, what, where);
  if (progress_.skipped_in_row <= config_.training.max_skipped) return;
  const auto last = directory_.last();
  throw std::runtime_error("update " + std::to_string(progress_.update) + ": the training has diverged: the " + what +
                           " is no finite number, " + std::to_string(progress_.skipped_in_row) +
                           " times in a row. A lower training.schedule.learning_rate or a longer warmup may help." +
                           (last ? " The last checkpoint is " + last->string() + "." : ""));
}

void Trainer::report(bool due) {
  if (window_.updates == 0) return;  // all were skipped
  const TrainingFigures figures = training_figures();
  log_.training(figures, due);
  if (!due) return;
  metrics_.append(figures);
  if (events_) events_->append(figures);
  window_ = {};
}

bool Trainer::validation_is_due() const {
  const ValidationSettings& validation = config_.training.validation;
  if (validation.unit == ValidationSettings::Unit::updates) return progress_.update % validation.every == 0;
  const bool epoch_has_ended = progress_.part == 0 && progress_.batch == 0;
  return epoch_has_ended && progress_.epoch % validation.every == 0;
}

void Trainer::validate() {
  ranks_.require_same("the weights", [&] { return fingerprint(parameters_.values()); },
                      "Their processors round differently: build the program once, with -DGLASSFORMER_PORTABLE=ON, and "
                      "start this one everywhere. The last checkpoint is sound.");
  ranks_.once([&] { validate_and_save(); });
  ranks_.broadcast(progress_);
}

void Trainer::validate_and_save() {
  log_.status("validating ...");
  const Evaluation evaluation = evaluate(model_, parameters_.parameters(), text_.tokenizers(), greedy(config_.decoding),
                                         config_.evaluation, text_.valid());
  progress_.validated = progress_.update;
  ValidationFigures figures = figures_of(evaluation);
  const Metric metric = config_.training.validation.metric;
  figures.best = std::isfinite(figures.loss) && is_better(metric, chosen_figure(metric, figures), progress_);
  if (figures.best) {
    progress_.best_figure = chosen_figure(metric, figures);
    progress_.best_update = progress_.update;
    progress_.without_best = 0;
  } else {
    ++progress_.without_best;
  }
  const auto samples = samples_of(text_.valid(), evaluation, config_.training.validation.samples);
  log_.validation(figures, samples);
  metrics_.append(figures);
  if (events_) events_->append(figures, samples);
  write_checkpoint(figures.best);
  draw_curves();
}

void Trainer::draw_curves() const try {
  const Metrics metrics = read_metrics(directory_.path() / "metrics.jsonl");
  write_curves(directory_.path() / "curves.svg", metrics.training, metrics.validation,
               directory_.path().filename().string());
} catch (const std::runtime_error& error) {
  spdlog::warn("the training goes on without its picture: {}", error.what());
}

void Trainer::write_checkpoint(bool best) {
  if (!parameters_.values().allFinite()) {
    spdlog::warn("no checkpoint is written at update {}: a parameter is no finite number", progress_.update);
    return;
  }
  progress_.minutes = minutes();
  const TrainingStateView state{optimizer_.m(), optimizer_.v(), progress_};
  const std::filesystem::path checkpoint = directory_.checkpoint(progress_.update);
  save_checkpoint(checkpoint, config_, text_.tokenizers(), parameters_.tensors(), parameters_.values().data(), &state);
  // In this order: whoever is killed in between continues from the one before, comes by here again, and points again.
  if (best) directory_.point_best(checkpoint);
  directory_.point_last(checkpoint);
  if (!interim_.empty() && interim_ != checkpoint) remove_directory_durably(interim_);
  interim_.clear();
  directory_.prune(std::max(config_.training.checkpoints.keep, config_.training.checkpoints.average));
  saved_update_ = progress_.update;
}

void Trainer::average_checkpoints() {
  std::vector<std::filesystem::path> checkpoints = directory_.checkpoints();
  const auto count = std::min(checkpoints.size(), static_cast<std::size_t>(config_.training.checkpoints.average));
  if (count < 2) return;  // a mean of one
  checkpoints.erase(checkpoints.begin(), checkpoints.end() - static_cast<std::ptrdiff_t>(count));

  Arena<Transformer<float>::Parameters> mean(model_.settings, model_.vocabulary);
  average_parameters(checkpoints, mean.tensors(), mean.values().data());
  const std::filesystem::path checkpoint = directory_.average(progress_.update);
  save_checkpoint(checkpoint, config_, text_.tokenizers(), mean.tensors(), mean.values().data());

  const ValidationFigures figures =
      figures_of(evaluate(model_, mean.parameters(), text_.tokenizers(), greedy(config_.decoding), config_.evaluation,
                          text_.valid()));
  const Metric metric = config_.training.validation.metric;
  const bool better = is_better(metric, chosen_figure(metric, figures), progress_);
  if (better) {
    progress_.best_figure = chosen_figure(metric, figures);
    progress_.best_update = progress_.update;
    directory_.point_best(checkpoint);
    write_checkpoint(false);  // whoever continues from here must beat the mean
  }
  spdlog::info("mean of the last {} checkpoints, in {}: loss {:.4f}, BLEU {:.2f}, exact match {:.2f}%{}", count,
               checkpoint.string(), figures.loss, figures.bleu, 100 * figures.exact_match,
               better ? "; better than any of them, so best points to it" : "");
}

ValidationFigures Trainer::figures_of(const Evaluation& evaluation) {
  return {.update = progress_.update,
          .epoch = current_epoch(progress_),
          .loss = evaluation.cross_entropy(),
          .perplexity = evaluation.perplexity(),
          .token_accuracy = evaluation.token_accuracy(),
          .bleu = evaluation.bleu.score,
          .exact_match = evaluation.exact_match,
          .minutes = minutes()};
}

TrainingFigures Trainer::training_figures() const {
  const auto tokens = static_cast<double>(window_.loss.tokens);
  return {.update = progress_.update,
          .epoch = current_epoch(progress_),
          .loss = window_.loss.loss / tokens,
          .perplexity = std::exp(window_.loss.cross_entropy / tokens),
          .gradient_norm = window_.gradient_norm / static_cast<double>(window_.updates),
          .learning_rate = learning_rate(config_.training.schedule, config_.training.max_updates, progress_.update),
          .skipped = progress_.skipped,
          .source_tokens_per_second = static_cast<double>(window_.tokens.source) / window_.seconds,
          .target_tokens_per_second = static_cast<double>(window_.tokens.target) / window_.seconds,
          .padding_share = window_.tokens.padding_share(),
          .minutes = minutes(),
          .minutes_left = minutes_left()};
}

double Trainer::minutes() const {
  const std::chrono::duration<double, std::ratio<60>> now = std::chrono::steady_clock::now() - started_;
  return minutes_before_ + now.count();
}

double Trainer::minutes_left() const {
  const double done = share_done(config_.training, progress_, text_.all().parts(), std::ssize(batches_), minutes());
  return done > 0 ? minutes() * (1 / done - 1) : -1;
}

}  // namespace glassformer
