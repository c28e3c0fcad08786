#include "training/trainer.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "checkpoint/checkpoint.hpp"
#include "model/initialization.hpp"
#include "numerics/gemm.hpp"
#include "numerics/parallel.hpp"
#include "report/curves.hpp"
#include "training/schedule.hpp"

namespace glassformer {
namespace {

/// The figure that the config has chosen to rule "best" and patience.
double chosen_figure(Metric metric, const ValidationFigures& figures) {
  switch (metric) {
    case Metric::loss: return figures.loss;
    case Metric::perplexity: return figures.perplexity;
    case Metric::token_accuracy: return figures.token_accuracy;
    case Metric::bleu: return figures.bleu;
    case Metric::exact_match: return figures.exact_match;
  }
  return figures.loss;
}

bool lower_is_better(Metric metric) { return metric == Metric::loss || metric == Metric::perplexity; }

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

}  // namespace

TrainingText TrainingText::read(const Config& config, const TokenizerPair& tokenizers) {
  const DataSettings& data = config.data;
  return {tokenizers,
          Corpus::read(data.source_file(data.train), data.target_file(data.train), tokenizers, data.max_length),
          TestText::read(data.source_file(data.valid), data.target_file(data.valid), tokenizers)};
}

Trainer::Trainer(const Config& config, TrainingText text, RunDirectory directory, bool resume, DisplayTarget display)
    : config_(config),
      text_(std::move(text)),
      directory_(std::move(directory)),
      model_{config.model, vocabulary_shape(text_.tokenizers)},
      parameters_(model_.settings, model_.vocabulary),
      gradient_(model_, config.training.shards),
      optimizer_(config.training.optimizer, parameters_.size()),
      log_(directory_.path(), {config.training.max_updates, config.training.max_epochs}, std::move(display)),
      metrics_(directory_.path() / "metrics.jsonl") {
  initialize(model_, config_.training.seed, parameters_.parameters());
  const auto checkpoint = resume ? directory_.last() : std::nullopt;
  if (checkpoint) {
    read_parameters(*checkpoint, parameters_.tensors(), parameters_.values().data());
    const TrainingState state = read_training_state(*checkpoint, parameters_.size());
    std::ranges::copy(state.adam_m, optimizer_.m().begin());
    std::ranges::copy(state.adam_v, optimizer_.v().begin());
    progress_ = state.progress;
    minutes_before_ = progress_.minutes;
    saved_update_ = progress_.update;
    spdlog::info("resuming from {}", checkpoint->string());
  }
  metrics_.truncate_after(checkpoint ? progress_.update : -1);

  const Corpus& train = text_.train;
  spdlog::info("{} training pairs, {} validation pairs; left out of training: {} with an empty side, {} with more "
               "than {} tokens on a side",
               train.size(), text_.valid.sources.size(), train.left_out_empty(), train.left_out_long(),
               config_.data.max_length);
  spdlog::info("{} parameters; vocabulary {} source, {} target; {} threads, {} shards, matrix products by {}",
               parameters_.size(), model_.vocabulary.source_size, model_.vocabulary.target_size, thread_count(),
               config_.training.shards, gemm_backend());
}

void Trainer::run(const std::atomic<bool>& interrupted) {
  plan();
  while (!is_finished() && !interrupted) {
    update();
    if (progress_.update % config_.training.validation.every == 0) validate();
  }
  if (interrupted) {
    if (saved_update_ != progress_.update) write_checkpoint();
    return;
  }
  if (saved_update_ != progress_.update) validate();
  if (config_.training.checkpoints.average > 1) average_checkpoints();
}

bool Trainer::is_finished() const {
  const TrainingSettings& training = config_.training;
  const Index patience = training.validation.patience;
  return (training.max_updates > 0 && progress_.update >= training.max_updates) ||
         (training.max_epochs > 0 && progress_.epoch >= training.max_epochs) ||
         (training.max_minutes > 0 && minutes() >= training.max_minutes) ||
         (patience > 0 && progress_.without_best >= patience);
}

void Trainer::plan() {
  batches_ = plan_epoch(text_.train, config_.training.max_tokens, config_.training.seed, progress_.epoch);
}

void Trainer::update() {
  const auto start = std::chrono::steady_clock::now();
  const TrainingSettings& training = config_.training;
  const auto first = static_cast<std::size_t>(progress_.batch);
  const auto count = std::min(static_cast<std::size_t>(training.accumulation), batches_.size() - first);
  ++progress_.update;

  const ShardedGradient::Result result = gradient_.compute(
      parameters_.parameters(), text_.train, std::span(batches_).subspan(first, count),
      {training.label_smoothing, training.seed, static_cast<std::uint32_t>(progress_.update)});
  const double norm = gradient_norm(gradient_.gradient());
  const double rate = learning_rate(training.schedule, training.max_updates, progress_.update);
  optimizer_.update({parameters_.values().data(), gradient_.gradient().size()}, gradient_.gradient(), norm, rate,
                    progress_.update);

  progress_.batch += static_cast<Index>(count);
  if (progress_.batch == static_cast<Index>(batches_.size())) {
    ++progress_.epoch;
    progress_.batch = 0;
    plan();
  }

  window_.loss += result.loss;
  window_.tokens += result.tokens;
  window_.gradient_norm += norm;
  window_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ++window_.updates;
  const bool due = progress_.update % training.log_every == 0;
  const TrainingFigures figures = training_figures();
  log_.training(figures, due);
  if (due) {
    metrics_.append(figures);
    window_ = {};
  }
}

void Trainer::validate() {
  log_.status("validating ...");
  const Evaluation evaluation = evaluate(model_, parameters_.parameters(), text_.tokenizers, greedy(config_.decoding),
                                         config_.evaluation, text_.valid);
  ValidationFigures figures = figures_of(evaluation);
  figures.best = is_better(chosen_figure(config_.training.validation.metric, figures));
  if (figures.best) {
    progress_.best_figure = chosen_figure(config_.training.validation.metric, figures);
    progress_.best_update = progress_.update;
    progress_.without_best = 0;
  } else {
    ++progress_.without_best;
  }
  log_.validation(figures, samples_of(text_.valid, evaluation, config_.training.validation.samples));
  metrics_.append(figures);
  write_checkpoint();
  const Metrics metrics = read_metrics(directory_.path() / "metrics.jsonl");
  write_curves(directory_.path() / "curves.svg", metrics.training, metrics.validation,
               directory_.path().filename().string());
}

void Trainer::write_checkpoint() {
  progress_.minutes = minutes();
  const TrainingStateView state{optimizer_.m(), optimizer_.v(), progress_};
  const std::filesystem::path checkpoint = directory_.checkpoint(progress_.update);
  save_checkpoint(checkpoint, config_, text_.tokenizers, parameters_.tensors(), parameters_.values().data(), &state);
  directory_.point_last(checkpoint);
  if (progress_.best_update == progress_.update) directory_.point_best(checkpoint);
  directory_.prune(std::max(config_.training.checkpoints.keep, config_.training.checkpoints.average));
  saved_update_ = progress_.update;
}

void Trainer::average_checkpoints() {
  std::vector<std::filesystem::path> checkpoints = directory_.checkpoints();
  const auto count = std::min(checkpoints.size(), static_cast<std::size_t>(config_.training.checkpoints.average));
  checkpoints.erase(checkpoints.begin(), checkpoints.end() - static_cast<std::ptrdiff_t>(count));

  Arena<Transformer<float>::Parameters> mean(model_.settings, model_.vocabulary);
  average_parameters(checkpoints, mean.tensors(), mean.values().data());
  const std::filesystem::path checkpoint = directory_.path() / "average";
  save_checkpoint(checkpoint, config_, text_.tokenizers, mean.tensors(), mean.values().data());

  const ValidationFigures figures =
      figures_of(evaluate(model_, mean.parameters(), text_.tokenizers, greedy(config_.decoding), config_.evaluation,
                          text_.valid));
  const bool better = is_better(chosen_figure(config_.training.validation.metric, figures));
  if (better) directory_.point_best(checkpoint);
  spdlog::info("mean of the last {} checkpoints, in {}: loss {:.4f}, BLEU {:.2f}, exact match {:.2f}%{}", count,
               checkpoint.string(), figures.loss, figures.bleu, 100 * figures.exact_match,
               better ? "; better than any of them, so best points to it" : "");
}

ValidationFigures Trainer::figures_of(const Evaluation& evaluation) {
  return {.update = progress_.update,
          .epoch = std::max<Index>(1, progress_.epoch + (progress_.batch > 0)),
          .loss = evaluation.cross_entropy(),
          .perplexity = evaluation.perplexity(),
          .token_accuracy = evaluation.token_accuracy(),
          .bleu = evaluation.bleu.score,
          .exact_match = evaluation.exact_match,
          .minutes = minutes()};
}

bool Trainer::is_better(double figure) const {
  if (std::isnan(figure)) return false;
  if (progress_.best_update == 0) return true;
  return lower_is_better(config_.training.validation.metric) ? figure < progress_.best_figure
                                                             : figure > progress_.best_figure;
}

TrainingFigures Trainer::training_figures() const {
  const auto tokens = static_cast<double>(window_.loss.tokens);
  return {.update = progress_.update,
          .epoch = std::max<Index>(1, progress_.epoch + (progress_.batch > 0)),
          .loss = window_.loss.loss / tokens,
          .perplexity = std::exp(window_.loss.cross_entropy / tokens),
          .gradient_norm = window_.gradient_norm / static_cast<double>(window_.updates),
          .learning_rate = learning_rate(config_.training.schedule, config_.training.max_updates, progress_.update),
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
  const TrainingSettings& training = config_.training;
  double done = 0;  // the share of the way to the nearest limit
  if (training.max_updates > 0) {
    done = std::max(done, static_cast<double>(progress_.update) / static_cast<double>(training.max_updates));
  }
  if (training.max_epochs > 0) {
    const double epochs = static_cast<double>(progress_.epoch) +
                          static_cast<double>(progress_.batch) / static_cast<double>(batches_.size());
    done = std::max(done, epochs / static_cast<double>(training.max_epochs));
  }
  if (training.max_minutes > 0) done = std::max(done, minutes() / training.max_minutes);
  return done > 0 ? minutes() * std::max(0.0, 1 / done - 1) : -1;
}

}  // namespace glassformer
