#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/report/curves.hpp"
#include "glassformer/report/log.hpp"
#include "glassformer/report/metric_lines.hpp"
#include "glassformer/report/metrics.hpp"
#include "glassformer/report/metrics_file.hpp"
#include "report/screen.hpp"

/// Each metric has its own place in metrics.jsonl, in the log and in the curves. No two values here are equal.
using namespace glassformer;
using Json = nlohmann::ordered_json;

namespace {

constexpr double kNotComputed = std::numeric_limits<double>::quiet_NaN();

TrainingMetrics unequal_training() {
  return {.update = 50,
          .epoch = 2,
          .loss = 1.25,
          .perplexity = 3.5,
          .gradient_norm = 0.75,
          .learning_rate = 0.0625,
          .skipped = 7,
          .source_tokens_per_second = 4000.5,
          .target_tokens_per_second = 3000.5,
          .padding_share = 0.375,
          .minutes = 1.5,
          .minutes_left = 4.5};
}

ValidationMetrics unequal_validation() {
  return {.update = 60,
          .epoch = 3,
          .loss = 2.25,
          .perplexity = 9.5,
          .token_accuracy = 0.75,
          .bleu = 33.5,
          .exact_match = 0.125,
          .minutes = 2.5,
          .best = true};
}

Json line_of(const auto& metrics) {
  const stand_in::TemporaryDirectory run;
  MetricsFile(run / "metrics.jsonl").append(metrics);
  return Json::parse(stand_in::read_bytes(run / "metrics.jsonl"));
}

/// The curve of each metric, by its name in metrics.jsonl.
std::vector<std::pair<std::string, std::vector<CurvePoint> RunCurves::*>> curves_by_metric() {
  return {{"loss", &RunCurves::validation_loss},
          {"token_accuracy", &RunCurves::token_accuracy},
          {"bleu", &RunCurves::bleu},
          {"exact_match", &RunCurves::exact_match}};
}

std::string svg_of(const std::vector<Json>& lines) {
  RunCurves curves;
  for (const Json& line : lines) {
    curves.add(line.dump());
  }
  return curves_svg(curves);
}

}  // namespace

TEST_CASE("Each metric is under its own key of metrics.jsonl, in a fixed order", "[report][metrics]") {
  CHECK(line_of(unequal_training()) == Json{{"kind", "train"},
                                            {"update", 50},
                                            {"epoch", 2},
                                            {"loss", 1.25},
                                            {"perplexity", 3.5},
                                            {"gradient_norm", 0.75},
                                            {"learning_rate", 0.0625},
                                            {"skipped", 7},
                                            {"source_tokens_per_second", 4000.5},
                                            {"target_tokens_per_second", 3000.5},
                                            {"padding_share", 0.375},
                                            {"minutes", 1.5},
                                            {"minutes_left", 4.5}});
  CHECK(line_of(unequal_validation()) == Json{{"kind", "validation"},
                                              {"update", 60},
                                              {"epoch", 3},
                                              {"loss", 2.25},
                                              {"perplexity", 9.5},
                                              {"token_accuracy", 0.75},
                                              {"bleu", 33.5},
                                              {"exact_match", 0.125},
                                              {"minutes", 2.5},
                                              {"best", true}});
  ValidationMetrics worse = unequal_validation();
  worse.best = false;
  CHECK(line_of(worse).at("best") == false);
  TrainingMetrics finished = unequal_training();
  finished.minutes_left = 0;
  CHECK(line_of(finished).at("minutes_left") == 0.0);
}

TEST_CASE("Each metric that is not finite is null, and only that one", "[report][metrics]") {
  const std::vector<std::pair<std::string, double TrainingMetrics::*>> of_training = {
      {"loss", &TrainingMetrics::loss},
      {"perplexity", &TrainingMetrics::perplexity},
      {"gradient_norm", &TrainingMetrics::gradient_norm},
      {"learning_rate", &TrainingMetrics::learning_rate},
      {"source_tokens_per_second", &TrainingMetrics::source_tokens_per_second},
      {"target_tokens_per_second", &TrainingMetrics::target_tokens_per_second},
      {"padding_share", &TrainingMetrics::padding_share},
      {"minutes", &TrainingMetrics::minutes},
      {"minutes_left", &TrainingMetrics::minutes_left}};
  const std::vector<std::pair<std::string, double ValidationMetrics::*>> of_validation = {
      {"loss", &ValidationMetrics::loss},
      {"perplexity", &ValidationMetrics::perplexity},
      {"token_accuracy", &ValidationMetrics::token_accuracy},
      {"bleu", &ValidationMetrics::bleu},
      {"exact_match", &ValidationMetrics::exact_match},
      {"minutes", &ValidationMetrics::minutes}};
  const auto check = [](const auto& usual, const auto& table) {
    for (const auto& [key, field] : table) {
      CAPTURE(key);
      Json expected = line_of(usual);
      expected.at(key) = nullptr;
      for (const double value : {kNotComputed, std::numeric_limits<double>::infinity()}) {
        auto metrics = usual;
        metrics.*field = value;
        CHECK(line_of(metrics) == expected);
      }
    }
  };
  check(unequal_training(), of_training);
  check(unequal_validation(), of_validation);
}

TEST_CASE("Each metric is drawn on its own curve", "[report][curves]") {
  RunCurves curves;
  curves.add(line_of(unequal_training()).dump());
  REQUIRE(curves.training_loss.size() == 1);
  CHECK(curves.training_loss[0].update == 50);
  CHECK(curves.training_loss[0].value == Approx(std::log(3.5)));  // not the objective
  CHECK(curves.last_update == 50);
  CHECK(curves.best_update == 0);
  curves.add(line_of(unequal_validation()).dump());
  CHECK(curves.training_loss.size() == 1);
  const std::vector<double> expected = {2.25, 75, 33.5, 12.5};
  const auto by_metric = curves_by_metric();
  REQUIRE(by_metric.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto& [metric, curve] = by_metric[i];
    CAPTURE(metric);
    REQUIRE((curves.*curve).size() == 1);
    CHECK((curves.*curve)[0].update == 60);
    CHECK((curves.*curve)[0].value == expected[i]);
  }
  CHECK(curves.last_update == 60);
  CHECK(curves.best_update == 60);
}

TEST_CASE("A metric that is missing leaves a gap in its own curve only", "[report][curves]") {
  for (const auto& [missing, unused] : curves_by_metric()) {
    for (const bool is_null : {false, true}) {
      Json line = line_of(unequal_validation());
      line.erase(missing);
      if (is_null) {
        line[missing] = nullptr;
      }
      RunCurves curves;
      curves.add(line.dump());
      for (const auto& [metric, curve] : curves_by_metric()) {
        CAPTURE(missing, is_null, metric);
        REQUIRE((curves.*curve).size() == 1);
        CHECK(std::isnan((curves.*curve)[0].value) == (metric == missing));
      }
    }
  }
}

TEST_CASE("Each curve is in its panel, and the legend names it in its colour with its latest value",
          "[report][curves]") {
  Json later = line_of(unequal_validation());
  later["update"] = 120;
  later["loss"] = 2.125;
  later["bleu"] = 34.5;
  const std::string svg = svg_of({line_of(unequal_training()), line_of(unequal_validation()), later});
  struct Curve {
    bool is_loss;
    std::string name, colour, latest, earlier;
  };
  const std::size_t second_panel = svg.find("Validation, in percent");
  REQUIRE(second_panel != std::string::npos);
  for (const auto& [is_loss, name, colour, latest, earlier] :
       {Curve{true, "training", "#0072b2", "1.253", "1.253, update 50"},
        {true, "validation", "#d55e00", "2.125", "2.25, update 60"},
        {false, "token accuracy", "#009e73", "75", "75, update 60"},
        {false, "BLEU", "#d55e00", "34.5", "33.5, update 60"},
        {false, "exact match", "#a8578a", "12.5", "12.5, update 60"}}) {
    CAPTURE(name);
    const std::size_t in_legend = svg.find("<tspan fill='" + colour + "'>●</tspan> " + name + " " + latest);
    REQUIRE(in_legend != std::string::npos);
    CHECK((in_legend < second_panel) == is_loss);
    const std::size_t dot = svg.find("<title>" + name + " " + earlier + "</title>");
    REQUIRE(dot != std::string::npos);
    CHECK((dot < second_panel) == is_loss);
    const std::string group = svg.substr(svg.rfind("<g ", dot), dot - svg.rfind("<g ", dot));
    CHECK(contains(group, "<g fill='" + colour + "'>"));
    CHECK(contains(group, "stroke: " + colour + ";"));
  }
}

TEST_CASE("The narrower a terminal, the fewer metrics its line has, and they go in this order", "[report][progress]") {
  std::vector<std::string> gone;
  const std::vector<std::string> labels = {"update", "epoch",  "loss",   "ppl",     "grad",
                                           "rate",   "source", "target", "padding", "left"};
  const auto width = static_cast<int>(training_line(some_figures(), {}).size());
  for (int columns = width; columns > 0; --columns) {
    const std::string line = training_line(some_figures(), {}, columns);
    for (const std::string& label : labels) {
      if (!contains(line, label + " ") && std::ranges::find(gone, label) == gone.end()) {
        gone.push_back(label);
      }
    }
  }
  CHECK(gone == std::vector<std::string>{"padding", "rate", "source", "grad", "ppl", "target", "epoch", "left"});
}

TEST_CASE("The validation line has each translation metric that was computed", "[report][progress]") {
  ValidationMetrics metrics = unequal_validation();
  const auto ends_with = [&](const std::string& end) { return validation_line(metrics, {}).ends_with(end); };
  CHECK(ends_with("  token accuracy  75.0 %  BLEU  33.50  exact match  12.5 %  best so far"));
  metrics.best = false;
  CHECK(ends_with("  token accuracy  75.0 %  BLEU  33.50  exact match  12.5 %"));
  metrics.exact_match = kNotComputed;
  CHECK(ends_with("  token accuracy  75.0 %  BLEU  33.50"));
  metrics.bleu = kNotComputed;
  CHECK(ends_with("  token accuracy  75.0 %"));
  metrics.exact_match = 1;
  CHECK(ends_with("  token accuracy  75.0 %  exact match 100.0 %"));
}

TEST_CASE("Each level of the log has its own mark, and all but errors and warnings have none", "[report][log]") {
  const stand_in::TemporaryDirectory run;
  Screen screen;
  {
    const RunLog log(run.path(), {}, screen.target(false));
    spdlog::debug("one");
    spdlog::info("two");
    spdlog::warn("three");
    spdlog::error("four");
    spdlog::critical("five");
  }
  const std::string file = stand_in::read_bytes(run / "train.log");
  for (const std::string& text : {file, screen.written}) {
    for (const char* line : {"  one\n", "  two\n", "  warning: three\n", "  error: four\n", "  error: five\n"}) {
      CAPTURE(line);
      CHECK(contains(text, line));
    }
  }
}

TEST_CASE("A validation is logged with its metrics and with every sample", "[report][log]") {
  const stand_in::TemporaryDirectory run;
  Screen screen;
  {
    RunLog log(run.path(), {3000, 30}, screen.target(false));
    log.validation(unequal_validation(), {{"a", "b", "c"}, {"d", "e", "f"}});
  }
  std::string messages;
  std::istringstream lines(stand_in::read_bytes(run / "train.log"));
  for (std::string line; std::getline(lines, line);) {
    messages += line.substr(std::string("2000-01-01 00:00:00  ").size()) + "\n";
  }
  CHECK(messages == validation_line(unequal_validation(), {3000, 30}) +
                        "\n    source       a\n    reference    b\n    translation  c\n"
                        "    source       d\n    reference    e\n    translation  f\n");
}
