#include <limits>

#include "catch.hpp"
#include "run/best_checkpoint.hpp"
#include "run/limits.hpp"

using namespace glassformer;

TEST_CASE("the config chooses the figure that decides which checkpoint is best", "[training]") {
  const ValidationFigures figures{.loss = 1, .perplexity = 2, .token_accuracy = 3, .bleu = 4, .exact_match = 5};
  CHECK(chosen_figure(Metric::loss, figures) == 1);
  CHECK(chosen_figure(Metric::perplexity, figures) == 2);
  CHECK(chosen_figure(Metric::token_accuracy, figures) == 3);
  CHECK(chosen_figure(Metric::bleu, figures) == 4);
  CHECK(chosen_figure(Metric::exact_match, figures) == 5);
}

namespace {

/// Figures whose chosen one is `figure`, whatever the metric; `loss` is that of the others.
ValidationFigures figures_with(Metric metric, double figure, double loss = 1) {
  ValidationFigures figures{
      .loss = loss, .perplexity = figure, .token_accuracy = figure, .bleu = figure, .exact_match = figure};
  if (metric == Metric::loss) {
    figures.loss = figure;
  }
  return figures;
}

RunProgress progress_with(double best_figure, double best_loss) {
  RunProgress progress;
  progress.best_update = 10;
  progress.best_figure = best_figure;
  progress.best_loss = best_loss;
  return progress;
}

}  // namespace

TEST_CASE("loss and perplexity are better if lower, other figures if higher; the first is always better, NaN never is",
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

TEST_CASE("of two validations with equal figures, the one with the lower loss is better", "[training]") {
  const RunProgress begun = progress_with(0, 2);  // BLEU of a text without four-word sentences stays 0
  for (const Metric metric : {Metric::token_accuracy, Metric::bleu, Metric::exact_match}) {
    CHECK(is_better(metric, figures_with(metric, 0, 1.9), begun));
    CHECK_FALSE(is_better(metric, figures_with(metric, 0, 2), begun));
    CHECK_FALSE(is_better(metric, figures_with(metric, 0, 2.1), begun));
  }
}
