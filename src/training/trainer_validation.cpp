// What a Trainer does between updates: it validates, writes checkpoints, and finds the best one.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>

#include "checkpoint/checkpoint.hpp"
#include "files/durable_files.hpp"
#include "files/fingerprint.hpp"
#include "report/curves.hpp"
#include "training/rank_setup.hpp"
#include "training/selection.hpp"
#include "training/trainer.hpp"

namespace glassformer {
namespace {

std::vector<SampleTranslation> samples_of(const TestText& text, const Evaluation& evaluation, Index count) {
  std::vector<SampleTranslation> samples;
  for (std::size_t i = 0; i < std::min(static_cast<std::size_t>(count), text.sources.size()); ++i) {
    samples.push_back({text.sources[i], text.references[i], evaluation.translations[i]});
  }
  return samples;
}

std::uint64_t fingerprint_of(const auto& values) {
  Fingerprint fingerprint;
  fingerprint.mix({values.data(), static_cast<std::size_t>(values.size())});
  return fingerprint.value();
}

}  // namespace

bool Trainer::validation_is_due() const {
  const ValidationSettings& validation = config_.training.validation;
  if (validation.unit == ValidationSettings::Unit::updates) return progress_.update % validation.every == 0;
  const bool epoch_has_ended = progress_.batch == 0;
  return epoch_has_ended && progress_.epoch % validation.every == 0;
}

DecodingSettings Trainer::greedy() const {
  DecodingSettings settings = config_.decoding;
  settings.beam = 1;
  return settings;
}

void Trainer::validate() {
  require_same(
      ranks_, "the weights", [&] { return fingerprint_of(model_.weights.values()); },
      "Their processors round differently: build the program once, with -DGLASSFORMER_PORTABLE=ON, and start "
      "this one everywhere. The last checkpoint is sound.");
  ranks_.once([&] { validate_and_save(); });
  ranks_.broadcast(progress_);
}

void Trainer::validate_and_save() {
  log_.status("validating ...");
  const Evaluation evaluation = evaluate(model_, text_.tokenizers(), greedy(), config_.evaluation, text_.valid());
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
  write_checkpoint(figures.best);
  draw_curves();
}

void Trainer::draw_curves() const try {
  write_curves(directory_.file("curves.svg"), read_metrics(directory_.file("metrics.jsonl")));
} catch (const std::runtime_error& error) {
  spdlog::warn("the training goes on without its picture: {}", error.what());
}

void Trainer::write_checkpoint(bool best) {
  if (!model_.weights.values().eigen().allFinite()) {
    spdlog::warn("no checkpoint is written at update {}: a parameter is no finite number", progress_.update);
    return;
  }
  progress_.minutes = minutes();
  const TrainingStateView state{optimizer_.m(), optimizer_.v(), progress_};
  const std::filesystem::path checkpoint = directory_.checkpoint(progress_.update);
  save_checkpoint(checkpoint, config_, text_.tokenizers(), model_.weights.tensors(), model_.weights.values().data(),
                  &state);
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

  Model<float> mean(model_.settings, model_.vocabulary);
  average_parameters(checkpoints, mean.weights.tensors(), mean.weights.values().data());
  const std::filesystem::path checkpoint = directory_.average(progress_.update);
  save_checkpoint(checkpoint, config_, text_.tokenizers(), mean.weights.tensors(), mean.weights.values().data());

  const ValidationFigures figures =
      figures_of(evaluate(mean, text_.tokenizers(), greedy(), config_.evaluation, text_.valid()));
  const Metric metric = config_.training.validation.metric;
  const bool better = std::isfinite(figures.loss) && is_better(metric, chosen_figure(metric, figures), progress_);
  if (better) {
    progress_.best_figure = chosen_figure(metric, figures);
    progress_.best_update = progress_.update;
    directory_.point_best(checkpoint);
    write_checkpoint(false);  // a resumed training must beat the mean
  }
  spdlog::info("mean of the last {} checkpoints, in {}: loss {:.4f}, BLEU {:.2f}, exact match {:.2f}%{}", count,
               checkpoint.string(), figures.loss, figures.bleu, 100 * figures.exact_match,
               better ? "; better than any of them, so best points to it" : "");
}

ValidationFigures Trainer::figures_of(const Evaluation& evaluation) const {
  return {.update = progress_.update,
          .epoch = epoch(),
          .loss = evaluation.cross_entropy(),
          .perplexity = evaluation.perplexity(),
          .token_accuracy = evaluation.token_accuracy(),
          .bleu = evaluation.bleu.score,
          .exact_match = evaluation.exact_match,
          .minutes = minutes()};
}

}  // namespace glassformer
