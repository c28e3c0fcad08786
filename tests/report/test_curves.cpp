#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/report/curves.hpp"
#include "glassformer/report/metrics.hpp"
#include "glassformer/report/metrics_file.hpp"
#include "report/screen.hpp"

using namespace glassformer;
using stand_in::read_bytes;
using stand_in::TemporaryDirectory;
using stand_in::write_bytes;

namespace {

namespace fs = std::filesystem;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<TrainingMetrics> training_of(Index count) {
  std::vector<TrainingMetrics> metrics;
  for (Index i = 1; i <= count; ++i) {
    TrainingMetrics f;
    f.update = i;
    f.perplexity = std::exp(1 + 6 * std::exp(-5.0 * static_cast<double>(i) / static_cast<double>(count)));
    f.loss = 100;  // the objective is not drawn
    f.learning_rate = 1e-3;
    metrics.push_back(f);
  }
  return metrics;
}

std::vector<ValidationMetrics> validation_of(Index count, Index every) {
  std::vector<ValidationMetrics> metrics;
  for (Index i = 1; i <= count; ++i) {
    ValidationMetrics f;
    f.update = i * every;
    f.loss = 2 - 0.01 * static_cast<double>(i);
    f.perplexity = 4;
    f.bleu = static_cast<double>(i);
    f.exact_match = 0.25;
    f.token_accuracy = 0.7;
    f.best = i <= 2;
    metrics.push_back(f);
  }
  return metrics;
}

/// A run's directory with metrics.jsonl and curves.svg.
struct Run {
  TemporaryDirectory directory;
  CurvesPicture picture;

  fs::path metrics_file() const { return directory / "metrics.jsonl"; }
  fs::path svg() const { return directory / "curves.svg"; }
  void append(const std::vector<TrainingMetrics>& training, const std::vector<ValidationMetrics>& validation) const {
    std::ofstream(metrics_file(), std::ios::app);  // creates it if both are empty
    for (const TrainingMetrics& metrics : training) {
      MetricsFile(metrics_file()).append(metrics);
    }
    for (const ValidationMetrics& metrics : validation) {
      MetricsFile(metrics_file()).append(metrics);
    }
  }
  std::string draw() {
    picture.update(metrics_file(), svg());
    return read_bytes(svg());
  }
};

std::string drawn(const std::vector<TrainingMetrics>& training, const std::vector<ValidationMetrics>& validation) {
  Run run;
  run.append(training, validation);
  return run.draw();
}

Index count(const std::string& text, const std::string& part) {
  Index found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

/// Every text between `begin` and `end`.
std::vector<std::string> all_between(const std::string& text, const std::string& begin, const std::string& end) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at += begin.size();
    found.push_back(text.substr(at, text.find(end, at) - at));
  }
  return found;
}

/// The number of points on all curves, or only of those that start a piece of a curve ("M").
Index count_points(const std::string& svg, const std::string& commands = "ML") {
  Index points = 0;
  for (const std::string& path : all_between(svg, "<g fill='", "'/>")) {
    const std::string line = all_between(path + "'", " d='", "'").at(0);
    points += std::ranges::count_if(line, [&](char c) { return commands.find(c) != std::string::npos; });
  }
  return points;
}

/// Whether a text is name="value" name='value' ..., where no value is NaN or infinite.
bool are_well_formed_attributes(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t equals = text.find('=', at);
    if (text[at] != ' ' || equals == std::string::npos) {
      return false;
    }
    const char quote = text[equals + 1];
    const std::size_t close = text.find(quote, equals + 2);
    if ((quote != '"' && quote != '\'') || close == std::string::npos) {
      return false;
    }
    const std::string value = text.substr(equals + 2, close - equals - 2);
    if (value.find("nan") != std::string::npos || value.find("inf") != std::string::npos) {
      return false;
    }
    at = close + 1;
  }
  return true;
}

/// Whether all elements are closed in order, there is one root, XML defines all entities, and no value is NaN or
/// infinite.
bool is_well_formed(const std::string& svg) {
  for (const std::string& entity : all_between(svg, "&", ";")) {
    if (entity != "amp" && entity != "#160") {
      return false;
    }
  }
  if (count(svg, "<") != count(svg, ">")) {
    return false;
  }
  std::vector<std::string> open;
  Index roots = 0;
  for (std::string tag : all_between(svg, "<", ">")) {
    if (tag.find('<') != std::string::npos) {
      return false;
    }
    const bool closes = tag.starts_with('/');
    const bool is_empty = tag.ends_with('/');
    if (closes) {
      if (open.empty() || "/" + open.back() != tag) {
        return false;
      }
      open.pop_back();
      continue;
    }
    if (is_empty) {
      tag.pop_back();
    }
    const std::size_t name_end = std::min(tag.find(' '), tag.size());
    if (!are_well_formed_attributes(tag.substr(name_end))) {
      return false;
    }
    if (open.empty()) {
      ++roots;
    }
    if (!is_empty) {
      open.push_back(tag.substr(0, name_end));
    }
  }
  return open.empty() && roots == 1;
}

}  // namespace

TEST_CASE("The check for well-formed XML can fail", "[report][curves]") {
  CHECK(is_well_formed("<svg a=\"1\"><text>a &amp; b</text><path/></svg>"));
  for (const char* broken : {"<svg>", "<svg></text></svg>", "<svg>&</svg>", "<svg a=1></svg>", "<svg/><svg/>",
                             "<svg>a < b</svg>", "<svg y=\"nan\"/>"}) {
    CHECK_FALSE(is_well_formed(broken));
  }
}

TEST_CASE("The plot shows every point of a short run", "[report][curves]") {
  const std::string svg = drawn(training_of(60), validation_of(6, 10));
  CHECK(is_well_formed(svg));
  CHECK(count_points(svg) == 60 + 4 * 6);  // training; loss, accuracy, BLEU and exact match of the validation
  CHECK(count_points(svg, "M") == 5);      // each in one piece
  CHECK(count(svg, "<circle ") == 60 + 4 * 6);
  for (const char* dot : {">training 1.04, update 60<", ">validation 1.98, update 20<", ">BLEU 6, update 60<",
                          ">exact match 25, update 10<", ">token accuracy 70, update 30<"}) {
    CAPTURE(dot);
    CHECK(count(svg, dot) == 1);
  }
}

TEST_CASE("Points are where the axes put them", "[report][curves]") {
  auto validation = validation_of(3, 500);
  for (std::size_t i = 0; i < 3; ++i) {
    validation[i].loss = std::vector{1.0, 2.0, 5.0}[i];
  }
  const std::string svg = drawn({}, validation);
  const auto place = [&](const std::string& mark, const std::string& after) {
    const std::string element = svg.substr(svg.rfind('<', svg.find(mark) - 1));
    return std::stod(all_between(element, after + "='", "'").at(0));
  };
  const double x_500 = place(">500</text>", "x");
  const double x_1500 = place(">1,500</text>", "x");
  const double y_1 = place(">1</text>", "y");
  const double y_5 = place(">5</text>", "y");
  std::vector<std::string> paths = all_between(svg, "<g fill='#d55e00'><path d='M", "'");
  std::replace(paths.at(0).begin(), paths.at(0).end(), 'L', ' ');
  std::istringstream numbers(paths.at(0));
  std::vector<double> at(6);
  for (double& number : at) {
    numbers >> number;
  }
  const std::vector<double> expected = {x_500, y_1, (x_500 + x_1500) / 2, y_1 + (y_5 - y_1) / 4, x_1500, y_5};
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(at[i] == Approx(expected[i]).margin(0.11));
  }
}

TEST_CASE("Ticks are round numbers and cover all values", "[report][curves]") {
  const auto ticks = [](double low, double high) {
    auto validation = validation_of(2, 10);
    validation[0].loss = low;
    validation[1].loss = high;
    const std::string svg = drawn({}, validation);
    return all_between(svg.substr(0, svg.find("Validation, in percent")), "dy='4'>", "<");
  };
  using Labels = std::vector<std::string>;
  CHECK(ticks(1.2, 5.9) == Labels{"1", "2", "3", "4", "5", "6"});
  CHECK(ticks(1, 6) == Labels{"1", "2", "3", "4", "5", "6"});
  CHECK(ticks(2, 2) == Labels{"1", "1.5", "2", "2.5", "3"});
  CHECK(ticks(0.061, 0.0613) == Labels{"0.061", "0.06105", "0.0611", "0.06115", "0.0612", "0.06125", "0.0613"});
  CHECK(ticks(2000, 9000) == Labels{"2000", "3000", "4000", "5000", "6000", "7000", "8000", "9000"});
  CHECK(ticks(-3, 100) == Labels{"-20", "0", "20", "40", "60", "80", "100"});
  CHECK(ticks(0, 0) == Labels{"-1", "-0.5", "0", "0.5", "1"});
  CHECK(ticks(kNaN, kNaN) == Labels{"0", "0.2", "0.4", "0.6", "0.8", "1"});
}

TEST_CASE("The plot names the best validation: the last that was the best so far", "[report][curves]") {
  CHECK(count(drawn(training_of(60), validation_of(6, 1000)), "the best validation is at update 2,000<") == 1);
  CHECK(count(drawn(training_of(60), {}), "best") == 0);
}

TEST_CASE("The curves of a long run are thinned out", "[report][curves]") {
  constexpr Index kLong = 100001;
  RunCurves curves;
  curves.last_update = kLong;
  for (Index i = 1; i <= kLong; ++i) {
    const auto update = static_cast<double>(i);
    curves.training_loss.push_back({i, 1 + 6 * std::exp(-5 * update / kLong)});
    if (i % 100 == 0) {
      curves.validation_loss.push_back({i, 2 - 1e-5 * update});
      curves.bleu.push_back({i, 1e-4 * update});
      curves.exact_match.push_back({i, 25});
      curves.token_accuracy.push_back({i, 70});
    }
  }
  const std::string svg = curves_svg(curves);
  CHECK(is_well_formed(svg));
  CHECK(count_points(svg) < 5000);
  CHECK(count_points(svg) > 2500);
  CHECK(svg.size() < 200000);
  CHECK(count(svg, "<circle ") == 0);
  CHECK(count(svg, "</tspan> training 1.04 ") == 1);
}

TEST_CASE("NaN and infinity break the line and nothing else", "[report][curves]") {
  auto training = training_of(10);
  training[3].perplexity = kNaN;
  training[5].perplexity = std::numeric_limits<double>::infinity();
  const std::string svg = drawn(training, {});
  CHECK(is_well_formed(svg));
  CHECK(count_points(svg) == 8);
  CHECK(count_points(svg, "M") == 3);
  CHECK(count(svg, "<circle ") == 8);
}

TEST_CASE("Runs with next to nothing to show get a plot too", "[report][curves]") {
  auto all_nan_training = training_of(3);
  for (auto& f : all_nan_training) {
    f.perplexity = kNaN;
  }
  auto all_nan_validation = validation_of(3, 1);
  for (auto& f : all_nan_validation) {
    f.loss = f.bleu = f.exact_match = f.token_accuracy = kNaN;
  }
  auto huge = training_of(2);
  huge[0].perplexity = 1e300;
  huge[1].perplexity = 0;

  CHECK(is_well_formed(drawn({}, {})));
  CHECK(is_well_formed(drawn(training_of(1), {})));
  CHECK(is_well_formed(drawn({}, validation_of(1, 7))));
  CHECK(is_well_formed(drawn(training_of(2), validation_of(1, 2))));
  CHECK(is_well_formed(drawn(huge, {})));
  auto absurd = validation_of(2, 1);
  absurd[0].loss = 1e300;
  absurd[1].loss = -1e29;
  absurd[1].bleu = -1e300;
  CHECK(is_well_formed(drawn({}, absurd)));
  const std::string nothing = drawn(all_nan_training, all_nan_validation);
  CHECK(is_well_formed(nothing));
  CHECK(count(nothing, "nothing yet") == 2);
}

TEST_CASE("A curve without values is not in the legend", "[report][curves]") {
  auto validation = validation_of(4, 10);
  for (auto& f : validation) {
    f.exact_match = kNaN;
  }
  const std::string svg = drawn({}, validation);
  CHECK(count(svg, "exact match") == 0);
  CHECK(count(svg, "</tspan> BLEU 4") == 1);
  CHECK(count(svg, "</tspan> training") == 0);
}

TEST_CASE("The picture grows with metrics.jsonl, also when a run is resumed", "[report][curves]") {
  Run run;
  run.append(training_of(3), validation_of(1, 3));
  CHECK(count_points(run.draw()) == 3 + 4);
  auto more = training_of(5);
  more.erase(more.begin(), more.begin() + 3);
  run.append(more, {});
  const std::string grown = run.draw();
  CHECK(count_points(grown) == 5 + 4);
  CHECK(count_points(grown, "M") == 5);

  CurvesPicture resumed;
  resumed.update(run.metrics_file(), run.svg());
  CHECK(read_bytes(run.svg()) == grown);
}

TEST_CASE("The picture takes in each line of metrics.jsonl once", "[report][curves]") {
  Run run;
  const auto training = training_of(300);
  run.append({training.begin(), training.end() - 1}, {});
  CHECK(count_points(run.draw()) == 299);
  run.append({training.back()}, {});
  CHECK(count_points(run.draw()) == 300);
}

TEST_CASE("If metrics.jsonl was cut or replaced, the picture shows what it holds now", "[report][curves]") {
  Run run;
  run.append(training_of(6), {});
  CHECK(count_points(run.draw()) == 6);
  MetricsFile(run.metrics_file()).truncate_after(2);
  CHECK(count_points(run.draw()) == 2);
}

TEST_CASE("Lines that are not metrics and an incomplete last line are not drawn", "[report][curves]") {
  Run run;
  run.append(training_of(2), {});
  const std::string lines = read_bytes(run.metrics_file());
  write_bytes(run.metrics_file(), "[]\n{\n\n{\"kind\":\"train\"}\n{\"kind\":\"train\",\"update\":\"x\"}\n" + lines +
                                      R"({"kind":"train","update":3,"perpl)");
  CHECK(count_points(run.draw()) == 2);

  Run other;
  write_bytes(other.metrics_file(), lines + R"({"kind":"validation","update":4,"loss":2,"best":null})" + "\n");
  CHECK(count_points(other.draw()) == 2 + 1);  // metrics that are missing are gaps
}

TEST_CASE("A picture that cannot be written is one warning, and is written later", "[report][curves]") {
  Run run;
  run.append(training_of(3), {});
  fs::create_directories(run.svg() / "in the way");
  const TemporaryDirectory elsewhere;
  Screen screen;
  const RunLog log(elsewhere.path(), {}, screen.target(false));
  for (int i = 0; i < 3; ++i) {
    run.picture.update(run.metrics_file(), run.svg());
  }
  CHECK(count(screen.written, "its curves could not be drawn: ") == 1);
  CHECK(contains(screen.written, "curves.svg"));
  fs::remove_all(run.svg());
  CHECK(count_points(run.draw()) == 3);
  CHECK(stand_in::count_entries(run.directory.path()) == 2);
}

TEST_CASE("Without metrics.jsonl, or without a path, nothing is drawn", "[report][curves]") {
  Run run;
  const TemporaryDirectory elsewhere;
  Screen screen;
  const RunLog log(elsewhere.path(), {}, screen.target(false));
  run.picture.update(fs::path(), fs::path());
  CHECK(screen.written.empty());
  run.picture.update(run.metrics_file(), run.svg());  // before the first metrics
  CHECK(screen.written.empty());
  CHECK_FALSE(fs::exists(run.svg()));
}
