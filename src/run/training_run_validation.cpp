// How a TrainingRun validates, and finds the best checkpoint.
#include <spdlog/spdlog.h>

#include <algorithm>

#include "glassformer/evaluation/bleu_hints.hpp"
#include "glassformer/files/fingerprint.hpp"
#include "glassformer/run/best_checkpoint.hpp"
#include "glassformer/run/rank_setup.hpp"
#include "glassformer/run/training_run.hpp"

namespace glassformer {

bool TrainingRun::validation_is_due() const {
  const ValidationSettings& validation = plan_.run.validation;
  if (validation.unit == ValidationSettings::Unit::updates) {
    return progress_.update % validation.every == 0;
  }
  const bool epoch_has_ended = progress_.batch == 0;
  return epoch_has_ended && progress_.epoch % validation.every == 0;
}

/// Translates greedily, whatever search the config sets.
Evaluation TrainingRun::validate(const Model<float>& model) const {
  const TestText& text = text_.valid();
  if (plan_.run.validation.translate) {
    DecodingSettings greedy = plan_.decoding;
    greedy.beam = 1;
    return evaluate(model, text_.tokenizers(), greedy, plan_.evaluation, text);
  }
  Evaluation evaluation;
  evaluation.loss = teacher_forced_loss(model, text.corpus);
  return evaluation;
}

ValidationMetrics TrainingRun::metrics_of(const Evaluation& evaluation) const {
  ValidationMetrics metrics{.update = progress_.update,
                            .epoch = epoch(),
                            .loss = evaluation.cross_entropy(),
                            .perplexity = evaluation.perplexity(),
                            .token_accuracy = evaluation.token_accuracy(),
                            .minutes = minutes()};
  if (plan_.run.validation.translate) {
    metrics.bleu = evaluation.bleu.score;
    metrics.exact_match = evaluation.exact_match;
  }
  return metrics;
}

std::vector<SampleTranslation> TrainingRun::samples_of(const Evaluation& evaluation) const {
  const TestText& text = text_.valid();
  const auto shown = std::min(static_cast<std::size_t>(plan_.run.validation.samples), evaluation.translations.size());
  std::vector<SampleTranslation> samples;
  for (std::size_t i = 0; i < shown; ++i) {
    samples.push_back({text.sources[i], text.references[i], evaluation.translations[i]});
  }
  return samples;
}

/// What the metrics of a validation do not show. The first validation says why BLEU cannot rise; the number of
/// translations that were cut off matters only at the end, because an untrained model never ends a sentence.
void TrainingRun::remark_on(const Evaluation& evaluation) {
  constexpr Index kWordsOfBleu = Bleu::kOrders;
  if (evaluation.overflowed > 0) {
    spdlog::warn("the logits of {} validation sentences are infinite or NaN, so they have no translation",
                 evaluation.overflowed);
  }
  const bool can_rise = evaluation.bleu.longest_reference >= kWordsOfBleu;
  if (plan_.run.validation.translate && !can_rise && !has_explained_bleu_) {
    has_explained_bleu_ = true;
    if (const std::string why = why_bleu_is_low(evaluation.bleu); !why.empty()) {
      spdlog::warn("{}", why);
    }
  }
  cut_off_ = evaluation.cut_off;
}

bool TrainingRun::is_new_best(const ValidationMetrics& metrics) {
  const Metric metric = plan_.run.validation.metric;
  if (!is_better(metric, metrics, progress_)) {
    return false;
  }
  progress_.best_metric = chosen_metric(metric, metrics);
  progress_.best_loss = metrics.loss;
  progress_.best_update = progress_.update;
  return true;
}

void TrainingRun::validate_and_save() {
  const auto fingerprint = [weights = model_.weights.values()] {
    return Fingerprint().mix({weights.data(), static_cast<std::size_t>(weights.size())}).value();
  };
  require_same(
      ranks_, "the weights", fingerprint,
      "A processor or its memory is faulty, or the ranks run different programs. Compare glassformer --version on "
      "every machine. The last checkpoint is still good.");
  ranks_.once([&] {
    progress_.validated = progress_.update;
    bool best = false;
    if (text_.has_valid()) {
      log_->status("validating ...");
      const Evaluation evaluation = validate(model_);
      ValidationMetrics metrics = metrics_of(evaluation);
      best = metrics.best = is_new_best(metrics);
      progress_.without_best = best ? 0 : progress_.without_best + 1;
      log_->validation(metrics, samples_of(evaluation));
      remark_on(evaluation);
      metrics_file().append(metrics);
    }
    write_checkpoint(best);
    if (!text_.has_valid()) {
      spdlog::info("wrote a checkpoint at update {}", progress_.update);
    }
    curves_.update(directory_.file("metrics.jsonl"), directory_.file(kCurvesFile));
  });
  ranks_.broadcast(progress_);
}

}  // namespace glassformer
