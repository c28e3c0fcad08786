#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/report/metrics_file.hpp"
#include "report/read_metrics.hpp"

using namespace glassformer;
using stand_in::complaint;
using stand_in::read_bytes;
using stand_in::TemporaryDirectory;

namespace {

TrainingMetrics training_at(Index update) {
  return {.update = update,
          .epoch = 2,
          .loss = 1.0 / 3,
          .perplexity = 1e300,
          .gradient_norm = 0.1,
          .learning_rate = 7e-9,
          .source_tokens_per_second = 12345.6,
          .target_tokens_per_second = 1,
          .padding_share = 0.25,
          .minutes = 1.5,
          .minutes_left = 3};
}

ValidationMetrics validation_at(Index update) {
  return {.update = update,
          .epoch = 2,
          .loss = 0.1 + 0.2,
          .perplexity = 4,
          .token_accuracy = 0.7,
          .bleu = 33.3,
          .exact_match = 0.5,
          .minutes = 2,
          .best = true};
}

}  // namespace

TEST_CASE("The share of padding is the share of cells without a token", "[report][metrics]") {
  CHECK(padding_share({.source = 6, .target = 6, .cells = 16}) == 4.0 / 16.0);
  CHECK(padding_share({}) == 0);
}

TEST_CASE("metrics.jsonl holds exactly the metrics that were written to it", "[report][metrics]") {
  const TemporaryDirectory run;
  const auto path = run / "metrics.jsonl";
  MetricsFile file(path);
  file.append(training_at(50));
  file.append(validation_at(50));
  file.append(training_at(100));
  const Metrics metrics = read_metrics(path);  // while the file is still open: every line is written at once
  CHECK(metrics.training == std::vector{training_at(50), training_at(100)});
  CHECK(metrics.validation == std::vector{validation_at(50)});
}

TEST_CASE("Each line of metrics.jsonl is one JSON object that states its kind", "[report][metrics]") {
  const TemporaryDirectory run;
  MetricsFile file(run / "metrics.jsonl");
  file.append(training_at(50));
  file.append(validation_at(60));
  std::istringstream lines(read_bytes(run / "metrics.jsonl"));
  std::string first;
  std::string second;
  std::string rest;
  REQUIRE(std::getline(lines, first));
  REQUIRE(std::getline(lines, second));
  CHECK_FALSE(std::getline(lines, rest));
  CHECK(nlohmann::json::parse(first).at("kind") == "train");
  CHECK(nlohmann::json::parse(first).size() == 13);
  CHECK(nlohmann::json::parse(second).at("kind") == "validation");
  CHECK(nlohmann::json::parse(second).size() == 10);
  CHECK(first.rfind(R"({"kind":"train","update":50,"epoch":2,"loss":)", 0) == 0);
}

TEST_CASE("A value that is not finite or not known is written as null", "[report][metrics]") {
  const TemporaryDirectory run;
  const auto path = run / "metrics.jsonl";
  MetricsFile file(path);
  TrainingMetrics metrics = training_at(50);
  metrics.loss = std::numeric_limits<double>::quiet_NaN();
  metrics.perplexity = std::numeric_limits<double>::infinity();
  metrics.minutes_left = -1;
  file.append(metrics);
  const auto json = nlohmann::json::parse(read_bytes(path));
  CHECK(json.at("loss").is_null());
  CHECK(json.at("perplexity").is_null());
  CHECK(json.at("minutes_left").is_null());
}

TEST_CASE("A resumed run drops the lines of later updates and continues after the others", "[report][metrics]") {
  const TemporaryDirectory run;
  const auto path = run / "metrics.jsonl";
  MetricsFile file(path);
  for (const Index update : {50, 100, 150}) {
    file.append(training_at(update));
    file.append(validation_at(update));
  }
  file.truncate_after(100);
  file.append(training_at(125));
  Metrics metrics = read_metrics(path);
  CHECK(metrics.training == std::vector{training_at(50), training_at(100), training_at(125)});
  CHECK(metrics.validation == std::vector{validation_at(50), validation_at(100)});
  file.truncate_after(-1);
  CHECK(read_bytes(path).empty());
}

TEST_CASE("A last line cut off by a crash is dropped when resuming", "[report][metrics]") {
  const TemporaryDirectory run;
  const auto path = run / "metrics.jsonl";
  MetricsFile(path).append(training_at(50));
  const std::string whole = read_bytes(path);
  for (const std::string& torn : {whole.substr(0, 20), whole.substr(0, whole.size() - 1)}) {
    stand_in::write_bytes(path, whole + torn);
    MetricsFile(path).truncate_after(50);
    CHECK(read_bytes(path) == whole);
  }
}

TEST_CASE("The error for a damaged line gives the file and the line number", "[report][metrics]") {
  const TemporaryDirectory run;
  const auto path = run / "metrics.jsonl";
  MetricsFile(path).append(training_at(50));
  const std::string whole = read_bytes(path);
  for (const char* damage :
       {"{\n", "\n", "[]\n", "{\"kind\":\"train\"}\n", "{\"kind\":\"train\",\"update\":\"x\"}\n"}) {
    CAPTURE(damage);
    stand_in::write_bytes(path, whole + damage + whole);
    CHECK_THAT(complaint([&] { MetricsFile(path).truncate_after(50); }), stand_in::Says(path.string() + ":2: "));
  }
}

TEST_CASE("An error in writing metrics.jsonl is reported", "[report][metrics]") {
  const TemporaryDirectory run;
  CHECK_THROWS_AS(MetricsFile(run / "none" / "metrics.jsonl").append(training_at(50)), UserError);
  if (std::filesystem::exists("/dev/full")) {
    MetricsFile full("/dev/full");
    CHECK_THROWS_WITH(full.append(training_at(1)), stand_in::Says("Free some space"));
  }
}
