#include <limits>

#include "catch.hpp"
#include "glassformer/run/best_checkpoint.hpp"
#include "glassformer/run/limits.hpp"

using namespace glassformer;

TEST_CASE("the config chooses the value that decides which checkpoint is best", "[training]") {
  const ValidationMetrics metrics{.loss = 1, .perplexity = 2, .token_accuracy = 3, .bleu = 4, .exact_match = 5};
  CHECK(chosen_metric(Metric::loss, metrics) == 1);
  CHECK(chosen_metric(Metric::perplexity, metrics) == 2);
  CHECK(chosen_metric(Metric::token_accuracy, metrics) == 3);
  CHECK(chosen_metric(Metric::bleu, metrics) == 4);
  CHECK(chosen_metric(Metric::exact_match, metrics) == 5);
}

namespace {

/// Figures whose chosen one is `metric`, whatever the metric; `loss` is that of the others.
ValidationMetrics figures_with(Metric metric, double value, double loss = 1) {
  ValidationMetrics metrics{
      .loss = loss, .perplexity = value, .token_accuracy = value, .bleu = value, .exact_match = value};
  if (metric == Metric::loss) {
    metrics.loss = value;
  }
  return metrics;
}

RunProgress progress_with(double best_metric, double best_loss) {
  RunProgress progress;
  progress.best_update = 10;
  progress.best_metric = best_metric;
  progress.best_loss = best_loss;
  return progress;
}

}  // namespace

TEST_CASE("loss and perplexity are better if lower, other metrics if higher; the first is always better, NaN never is",
          "[training]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const RunProgress begun = progress_with(0.5, 0.5);
  for (const Metric metric : {Metric::loss, Metric::perplexity}) {
    CHECK(is_better(metric, figures_with(metric, 0.4), begun));
    CHECK_FALSE(is_better(metric, figures_with(metric, 0.5), begun));
    CHECK_FALSE(is_better(metric, figures_with(metric, 0.6), begun));
  }
  for (const Metric metric : {Metric::token_accuracy, Metric::bleu, Metric::exact_match}) {
    CHECK_FALSE(is_better(metric, figures_with(metric, 0.4), begun));
    CHECK_FALSE(is_better(metric, figures_with(metric, 0.5), begun));
    CHECK(is_better(metric, figures_with(metric, 0.6), begun));
    CHECK(is_better(metric, figures_with(metric, 0.0), RunProgress{}));
    CHECK_FALSE(is_better(metric, figures_with(metric, nan), RunProgress{}));
    CHECK_FALSE(is_better(metric, figures_with(metric, 0.6, nan), begun));
  }
}

TEST_CASE("of two validations with equal metrics, the one with the lower loss is better", "[training]") {
  const RunProgress begun = progress_with(0, 2);  // BLEU of a text without four-word sentences stays 0
  for (const Metric metric : {Metric::token_accuracy, Metric::bleu, Metric::exact_match}) {
    CHECK(is_better(metric, figures_with(metric, 0, 1.9), begun));
    CHECK_FALSE(is_better(metric, figures_with(metric, 0, 2), begun));
    CHECK_FALSE(is_better(metric, figures_with(metric, 0, 2.1), begun));
  }
}

TEST_CASE("training ends when it reaches a limit, and says which; 0 is no limit", "[training]") {
  TrainingPlan plan;
  plan.training.max_updates = 10;
  plan.run.max_epochs = 3;
  plan.run.max_minutes = 5;
  plan.run.validation.patience = 2;
  RunProgress before;  // one short of every limit
  before.update = 9;
  before.epoch = 2;
  before.without_best = 1;
  CHECK_FALSE(end_reached(plan, before, 4.9));
  CHECK(end_reached(plan, before, 5) == "reached training.max_minutes");
  RunProgress progress = before;
  progress.update = 10;
  CHECK(end_reached(plan, progress, 0) == "reached training.max_updates");
  progress = before;
  progress.epoch = 3;
  CHECK(end_reached(plan, progress, 0) == "reached training.max_epochs");
  progress = before;
  progress.without_best = 2;
  CHECK(end_reached(plan, progress, 0) == "2 validations without a new best (training.validation.patience)");

  plan.training.max_updates = plan.run.max_epochs = plan.run.validation.patience = 0;
  plan.run.max_minutes = 0;
  progress.update = progress.epoch = progress.without_best = 1'000'000;
  CHECK_FALSE(end_reached(plan, progress, 1e9));
}

TEST_CASE("the fraction done is that of the limit which comes first", "[training]") {
  TrainingPlan plan;
  plan.training.max_updates = 100;
  plan.run.max_epochs = 10;
  plan.run.max_minutes = 20;
  RunProgress progress;
  progress.update = 30;
  progress.epoch = 2;
  progress.batch = 1;
  CHECK(fraction_done(plan, progress, 4, 1) == Approx(0.3));
  CHECK(fraction_done(plan, progress, 4, 8) == Approx(0.4));
  progress.epoch = 5;
  CHECK(fraction_done(plan, progress, 4, 8) == Approx(0.525));  // 5 epochs and a batch of 4
  CHECK(fraction_done(plan, progress, 4, 30) == 1);
  plan.training.max_updates = plan.run.max_epochs = 0;
  CHECK(fraction_done(plan, progress, 4, 5) == Approx(0.25));
  plan.run.max_minutes = 0;
  CHECK(fraction_done(plan, progress, 4, 5) == 0);
}
