#include <limits>

#include "catch.hpp"
#include "run/training_run.hpp"

using namespace glassformer;

TEST_CASE("the config chooses the figure that decides which checkpoint is best", "[training]") {
  const ValidationFigures figures{.loss = 1, .perplexity = 2, .token_accuracy = 3, .bleu = 4, .exact_match = 5};
  CHECK(chosen_figure(Metric::loss, figures) == 1);
  CHECK(chosen_figure(Metric::perplexity, figures) == 2);
  CHECK(chosen_figure(Metric::token_accuracy, figures) == 3);
  CHECK(chosen_figure(Metric::bleu, figures) == 4);
  CHECK(chosen_figure(Metric::exact_match, figures) == 5);
}

TEST_CASE("loss and perplexity are better if lower, other figures if higher; the first is always better, NaN never is",
          "[training]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  RunProgress begun;
  begun.best_update = 10;
  begun.best_figure = 0.5;
  for (const Metric metric : {Metric::loss, Metric::perplexity}) {
    CHECK(is_better(metric, 0.4, begun));
    CHECK_FALSE(is_better(metric, 0.5, begun));
    CHECK_FALSE(is_better(metric, 0.6, begun));
  }
  for (const Metric metric : {Metric::token_accuracy, Metric::bleu, Metric::exact_match}) {
    CHECK_FALSE(is_better(metric, 0.4, begun));
    CHECK_FALSE(is_better(metric, 0.5, begun));
    CHECK(is_better(metric, 0.6, begun));
    CHECK(is_better(metric, 0.0, RunProgress{}));
    CHECK_FALSE(is_better(metric, nan, RunProgress{}));
  }
}
