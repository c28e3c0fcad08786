// What a TrainingRun does between updates: validates, writes checkpoints, finds the best one, and checks the limits.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "files/durable_files.hpp"
#include "files/fingerprint.hpp"
#include "report/figures.hpp"
#include "run/digests.hpp"
#include "run/rank_setup.hpp"
#include "run/training_run.hpp"

namespace glassformer {

std::optional<std::string> end_reached(const TrainingPlan& plan, const RunProgress& progress, double minutes) {
  const RunSettings& run = plan.run;
  const Index max_updates = plan.training.max_updates;
  const Index patience = run.validation.patience;
  if (max_updates > 0 && progress.update >= max_updates) {
    return "reached training.max_updates";
  }
  if (run.max_epochs > 0 && progress.epoch >= run.max_epochs) {
    return "reached training.max_epochs";
  }
  if (run.max_minutes > 0 && minutes >= run.max_minutes) {
    return "reached training.max_minutes";
  }
  if (patience > 0 && progress.without_best >= patience) {
    return std::to_string(patience) + " validations without a new best (training.validation.patience)";
  }
  return std::nullopt;
}

double fraction_done(const TrainingPlan& plan, const RunProgress& progress, Index batches, double minutes) {
  const auto fraction = [](double done, auto limit) { return limit > 0 ? done / static_cast<double>(limit) : 0; };
  const double epochs = static_cast<double>(progress.epoch) + fraction(static_cast<double>(progress.batch), batches);
  return std::min(1.0, std::max({fraction(static_cast<double>(progress.update), plan.training.max_updates),
                                 fraction(epochs, plan.run.max_epochs), fraction(minutes, plan.run.max_minutes)}));
}

double chosen_figure(Metric metric, const ValidationFigures& figures) {
  const std::array by_metric = {figures.loss, figures.perplexity, figures.token_accuracy, figures.bleu,
                                figures.exact_match};  // in the order of Metric
  return by_metric[static_cast<std::size_t>(metric)];
}

bool is_better(Metric metric, const ValidationFigures& figures, const RunProgress& progress) {
  const double figure = chosen_figure(metric, figures);
  if (std::isnan(figure) || !std::isfinite(figures.loss)) {
    return false;
  }
  if (progress.best_update == 0) {
    return true;
  }
  if (figure == progress.best_figure) {
    return figures.loss < progress.best_loss;
  }
  const bool lower_is_better = metric == Metric::loss || metric == Metric::perplexity;
  return lower_is_better ? figure < progress.best_figure : figure > progress.best_figure;
}

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

ValidationFigures TrainingRun::figures_of(const Evaluation& evaluation) const {
  ValidationFigures figures{.update = progress_.update,
                            .epoch = epoch(),
                            .loss = evaluation.cross_entropy(),
                            .perplexity = evaluation.perplexity(),
                            .token_accuracy = evaluation.token_accuracy(),
                            .minutes = minutes()};
  if (plan_.run.validation.translate) {
    figures.bleu = evaluation.bleu.score;
    figures.exact_match = evaluation.exact_match;
  }
  return figures;
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

/// What the figures of a validation do not show. The first validation says why BLEU cannot rise; the number of
/// translations that were cut off matters only at the end, because a model without training never ends a sentence.
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

bool TrainingRun::is_new_best(const ValidationFigures& figures) {
  const Metric metric = plan_.run.validation.metric;
  if (!is_better(metric, figures, progress_)) {
    return false;
  }
  progress_.best_figure = chosen_figure(metric, figures);
  progress_.best_loss = figures.loss;
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
      log_.status("validating ...");
      const Evaluation evaluation = validate(model_);
      ValidationFigures figures = figures_of(evaluation);
      best = figures.best = is_new_best(figures);
      progress_.without_best = best ? 0 : progress_.without_best + 1;
      log_.validation(figures, samples_of(evaluation));
      remark_on(evaluation);
      metrics().append(figures);
    }
    write_checkpoint(best);
    if (!text_.has_valid()) {
      spdlog::info("wrote a checkpoint at update {}", progress_.update);
    }
    curves_.update(directory_.file("metrics.jsonl"), directory_.file(kCurvesFile));
    directory_.require_in_place();
  });
  ranks_.broadcast(progress_);
}

void TrainingRun::write_checkpoint(bool best) {
  const std::filesystem::path before = directory_.path();
  try {
    write_checkpoint_here(best);
    if (directory_.path() == before) {
      return;
    }
  } catch (const std::exception&) {  // a lasting error will occur again
  }
  directory_.clear_unfinished();
  write_checkpoint_here(best);
}

void TrainingRun::write_checkpoint_here(bool best) {
  if (!model_.weights.values().eigen().allFinite()) {
    spdlog::warn("not writing a checkpoint at update {}: a parameter is not finite", progress_.update);
    return;
  }
  progress_.minutes = minutes();
  const TrainingState state{trainer_.optimizer().m(), trainer_.optimizer().v(), progress_};
  const std::filesystem::path checkpoint = directory_.checkpoint(progress_.update);
  save_checkpoint(checkpoint, plan_.describe_model, model_.weights, &state);
  record_weights(directory_, progress_.update, model_.weights);
  // In this order, so that a run killed in between resumes from the previous checkpoint and repeats these steps.
  if (best) {
    directory_.point("best", checkpoint);
  }
  directory_.point("last", checkpoint);
  if (!interim_.empty() && interim_ != checkpoint.filename()) {
    directory_.remove(directory_.path() / interim_);
  }
  interim_.clear();
  directory_.prune(std::max(plan_.run.checkpoints.keep, plan_.run.checkpoints.average));
  saved_update_ = progress_.update;
}

void TrainingRun::average_checkpoints() {
  std::vector<std::filesystem::path> checkpoints = directory_.checkpoints();
  const auto count = std::min(checkpoints.size(), static_cast<std::size_t>(plan_.run.checkpoints.average));
  if (std::ssize(checkpoints) < plan_.run.checkpoints.average) {
    spdlog::info("training.checkpoints.average is {}, but this run has only {} checkpoint{}{}",
                 plan_.run.checkpoints.average, count, count == 1 ? "" : "s",
                 count < 2 ? ", so there is no mean" : "; their mean is computed");
  }
  if (count < 2) {
    return;  // the mean of one checkpoint is that checkpoint
  }
  checkpoints.erase(checkpoints.begin(), checkpoints.end() - static_cast<std::ptrdiff_t>(count));

  Model<float> mean(model_.settings, model_.vocabulary);
  average_parameters(checkpoints, mean.weights.tensors(), mean.weights.values().data());
  const std::filesystem::path checkpoint = directory_.average(progress_.update);
  save_checkpoint(checkpoint, plan_.describe_model, mean.weights);

  if (!text_.has_valid()) {
    record_average(directory_, progress_.update, checkpoints, false, mean.weights);
    spdlog::info("mean of the last {} checkpoints: {}", count, checkpoint.string());
    return;
  }
  const ValidationFigures figures = figures_of(validate(mean));
  const bool better = is_new_best(figures);
  record_average(directory_, progress_.update, checkpoints, better, mean.weights);
  if (better) {
    directory_.point("best", checkpoint);
    write_checkpoint(false);  // a resumed run then has to beat the mean
  }
  const std::string translated = plan_.run.validation.translate ? fmt::format(", BLEU {:.2f}, exact match {:.2f}%",
                                                                              figures.bleu, 100 * figures.exact_match)
                                                                : "";
  spdlog::info("mean of the last {} checkpoints, in {}: loss {:.4f}{}{}", count, checkpoint.string(), figures.loss,
               translated, better ? "; the best so far, so the link best points to it" : "");
}

}  // namespace glassformer
