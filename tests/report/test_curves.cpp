#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "report/curves.hpp"

using namespace glassformer;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<TrainingFigures> training_of(Index count) {
  std::vector<TrainingFigures> figures;
  for (Index i = 1; i <= count; ++i) {
    TrainingFigures f;
    f.update = i;
    f.perplexity = std::exp(1 + 6 * std::exp(-5.0 * static_cast<double>(i) / static_cast<double>(count)));
    f.loss = 100;  // the objective is not drawn
    f.learning_rate = 1e-3;
    figures.push_back(f);
  }
  return figures;
}

std::vector<ValidationFigures> validation_of(Index count, Index every) {
  std::vector<ValidationFigures> figures;
  for (Index i = 1; i <= count; ++i) {
    ValidationFigures f;
    f.update = i * every;
    f.loss = 2 - 0.01 * static_cast<double>(i);
    f.perplexity = 4;
    f.bleu = static_cast<double>(i);
    f.exact_match = 0.25;
    f.best = i <= 2;
    figures.push_back(f);
  }
  return figures;
}

std::string drawn(const std::vector<TrainingFigures>& training,
                  const std::vector<ValidationFigures>& validation, const std::string& title = "toy") {
  const stand_in::TemporaryDirectory directory;
  write_curves(directory / "curves.svg", training, validation, title);
  return stand_in::read_bytes(directory / "curves.svg");
}

Index count(const std::string& text, const std::string& part) {
  Index found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// What stands between `begin` and `end`, each time.
std::vector<std::string> all_between(const std::string& text, const std::string& begin,
                                     const std::string& end) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at += begin.size();
    found.push_back(text.substr(at, text.find(end, at) - at));
  }
  return found;
}

/// Points of all curves, and of them those that begin a piece of line ("M").
Index count_points(const std::string& svg, const std::string& commands = "ML") {
  Index points = 0;
  for (const std::string& curve : all_between(svg, "<path class=\"curve\"", "/>")) {
    const std::string path = all_between(curve, " d=\"", "\"").at(0);
    points +=
        std::count_if(path.begin(), path.end(), [&](char c) { return commands.find(c) != std::string::npos; });
  }
  return points;
}

/// name="value" name="value" ..., no value of which is NaN or infinite.
bool are_sound_attributes(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find("=\"", at);
    if (text[at] != ' ' || open == std::string::npos) return false;
    const std::size_t close = text.find('"', open + 2);
    if (close == std::string::npos) return false;
    const std::string value = text.substr(open + 2, close - open - 2);
    if (value.find("nan") != std::string::npos || value.find("inf") != std::string::npos) return false;
    at = close + 1;
  }
  return true;
}

/// Every element closed in order, one root, no entity that XML does not know, no number that is none.
bool is_sound(const std::string& svg) {
  for (const std::string& entity : all_between(svg, "&", ";")) {
    if (entity != "amp" && entity != "lt" && entity != "gt" && entity != "quot" && entity != "#160")
      return false;
  }
  if (count(svg, "<") != count(svg, ">")) return false;
  std::vector<std::string> open;
  Index roots = 0;
  for (std::string tag : all_between(svg, "<", ">")) {
    if (tag.find('<') != std::string::npos) return false;
    const bool closes = tag.starts_with('/'), is_empty = tag.ends_with('/');
    if (closes) {
      if (open.empty() || "/" + open.back() != tag) return false;
      open.pop_back();
      continue;
    }
    if (is_empty) tag.pop_back();
    const std::size_t name_end = std::min(tag.find(' '), tag.size());
    if (!are_sound_attributes(tag.substr(name_end))) return false;
    if (open.empty()) ++roots;
    if (!is_empty) open.push_back(tag.substr(0, name_end));
  }
  return open.empty() && roots == 1;
}

}  // namespace

TEST_CASE("The check for sound XML can fail", "[report][curves]") {
  CHECK(is_sound("<svg a=\"1\"><text>a &amp; b</text><path/></svg>"));
  for (const char* broken : {"<svg>", "<svg></text></svg>", "<svg>&</svg>", "<svg a=1></svg>", "<svg/><svg/>",
                             "<svg>a < b</svg>", "<svg y=\"nan\"/>"}) {
    CHECK_FALSE(is_sound(broken));
  }
}

TEST_CASE("The picture holds every point of a short run", "[report][curves]") {
  const std::string svg = drawn(training_of(60), validation_of(6, 10));
  CHECK(is_sound(svg));
  CHECK(count_points(svg) == 60 + 60 + 6 + 6 + 6);      // two of training, three of validation
  CHECK(count_points(svg, "M") == 5);                   // each in one piece
  CHECK(count(svg, "<circle class=\"dot\"") == 3 * 6);  // validation only
}

TEST_CASE("The last validation that was the best so far is marked in every validation curve",
          "[report][curves]") {
  const std::string svg = drawn(training_of(60), validation_of(6, 10));
  CHECK(count(svg, "<circle class=\"best\"") == 3);
  CHECK(count(svg, "best: update 20<") == 1);
  CHECK(count(svg, "best validation at update 20: loss 1.980, perplexity 4.00, BLEU 2.0, exact match 25.0 %") ==
        2);
  CHECK(count(svg, "best checkpoint: validation 1.980<") == 1);
}

TEST_CASE("Values of best points stand apart even where their curves meet", "[report][curves]") {
  for (const double height : {0.0, 50.0, 100.0}) {
    auto validation = validation_of(5, 10);
    for (auto& f : validation) {
      f.bleu = height;
      f.exact_match = height / 100;
    }
    validation[0].bleu = 100;
    const std::string svg = drawn(training_of(60), validation);
    std::vector<double> places;
    for (const std::string& label : all_between(svg, "<text class=\"value\"", "</text>")) {
      const double value = std::stod(label.substr(label.find('>') + 1));
      if (label.find("middle") == std::string::npos || value != height) continue;
      places.push_back(std::stod(all_between(label, " y=\"", "\"").at(0)));
    }
    REQUIRE(places.size() == 2);
    CHECK(std::abs(places[0] - places[1]) >= 15.9);
  }
}

TEST_CASE("The last value of each curve stands at its end", "[report][curves]") {
  const std::string svg = drawn(training_of(60), validation_of(6, 10));
  for (const char* value :
       {">1.940</text>", ">1.040</text>", ">0.001</text>", ">6.0</text>", ">25.0 %</text>"}) {
    CAPTURE(value);
    CHECK(count(svg, value) >= 1);
  }
}

TEST_CASE("A long run is thinned out", "[report][curves]") {
  const std::string svg = drawn(training_of(100000), validation_of(1000, 100));
  CHECK(is_sound(svg));
  CHECK(count_points(svg) < 10000);
  CHECK(count_points(svg) > 3000);
  CHECK(svg.size() < 200000);
  CHECK(count(svg, "<circle class=\"dot\"") == 0);
}

TEST_CASE("Values that are none break the line and nothing else", "[report][curves]") {
  auto training = training_of(10);
  training[3].perplexity = kNaN;
  training[5].perplexity = std::numeric_limits<double>::infinity();
  const std::string svg = drawn(training, {});
  CHECK(is_sound(svg));
  CHECK(count_points(svg) == 8 + 10);
  CHECK(count_points(svg, "M") == 3 + 1);
  CHECK(count(svg, "<circle class=\"dot\"") == 1);  // update 5 stands alone between two gaps
}

TEST_CASE("A picture comes out of runs with next to nothing to show", "[report][curves]") {
  auto all_nan_training = training_of(3);
  for (auto& f : all_nan_training) f.perplexity = f.learning_rate = f.minutes = kNaN;
  auto all_nan_validation = validation_of(3, 1);
  for (auto& f : all_nan_validation) f.loss = f.perplexity = f.bleu = f.exact_match = kNaN;
  auto huge = training_of(2);
  huge[0].perplexity = 1e300;
  huge[1].perplexity = 0;

  CHECK(is_sound(drawn({}, {})));
  CHECK(is_sound(drawn(training_of(1), {})));
  CHECK(is_sound(drawn({}, validation_of(1, 7))));
  CHECK(is_sound(drawn(training_of(2), validation_of(1, 2))));
  CHECK(is_sound(drawn(huge, {})));
  auto absurd = validation_of(2, 1);
  absurd[0].loss = 1e300;
  absurd[1].loss = absurd[1].bleu = -1e300;
  CHECK(is_sound(drawn({}, absurd)));
  const std::string nothing = drawn(all_nan_training, all_nan_validation);
  CHECK(is_sound(nothing));
  CHECK(count(nothing, "no loss yet") == 1);
  CHECK(count(nothing, "no validation with translations yet") == 1);
}

TEST_CASE("Without translations the third panel is empty; without exact match it has one curve",
          "[report][curves]") {
  auto validation = validation_of(4, 10);
  for (auto& f : validation) f.exact_match = kNaN;
  CHECK(count(drawn({}, validation), "exact match in %") == 0);
  CHECK(count_points(drawn({}, validation)) == 8);
  for (auto& f : validation) f.bleu = kNaN;
  CHECK(count(drawn({}, validation), "no validation with translations yet") == 1);
}

TEST_CASE("A loss that explodes for a moment does not flatten the rest, and the picture says so",
          "[report][curves]") {
  auto training = training_of(100);
  CHECK(count(drawn(training, {}), "cut off") == 0);
  training[50].perplexity = 1e300;
  const std::string svg = drawn(training, {});
  CHECK(count(svg, "peaks up to 691 are cut off") == 1);
  CHECK(is_sound(svg));
}

TEST_CASE("A title may hold any bytes", "[report][curves]") {
  const std::string svg = drawn({}, {}, "a<b> & \"c\" \x01 \xff ü");
  CHECK(is_sound(svg));
  CHECK(count(svg, "a&lt;b&gt; &amp; &quot;c&quot;   \xEF\xBF\xBD ü</title>") == 1);
}

TEST_CASE("A picture that cannot be written is the user's mistake", "[report][curves]") {
  const stand_in::TemporaryDirectory directory;
  CHECK_THROWS_AS(write_curves(directory / "none" / "curves.svg", {}, {}, "toy"), UserError);
}

TEST_CASE("the heading tells how far the run has come, whether training or validation says so last", "[report]") {
  CHECK(drawn(training_of(80), validation_of(1, 60)).find("80 updates, 1 epoch") != std::string::npos);
  CHECK(drawn(training_of(80), validation_of(2, 45)).find("90 updates, 1 epoch") != std::string::npos);
  CHECK(drawn({}, validation_of(2, 45)).find("90 updates, 1 epoch") != std::string::npos);
  CHECK(drawn({}, {}).find("no update yet") != std::string::npos);
}
