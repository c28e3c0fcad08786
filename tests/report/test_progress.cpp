#include <spdlog/pattern_formatter.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "glassformer/report/log.hpp"
#include "glassformer/report/metric_lines.hpp"
#include "report/screen.hpp"

using namespace glassformer;

TEST_CASE("The training line names every value", "[report][progress]") {
  CHECK(training_line(some_figures(), {3000, 30}) ==
        "update 1,200  epoch  3/30  loss  2.1345  ppl    8.45  grad   0.91  rate 1.2e-03  source 12.3k/s  target "
        "11.8k/s  padding 10.0%  left 1m40s");
}

TEST_CASE("A terminal of eighty columns shows progress, loss, speed and the time left", "[report][progress]") {
  CHECK(training_line(some_figures(), {3000, 30}, 79) ==
        "update 1,200  epoch  3/30  loss  2.1345  target 11.8k/s  left 1m40s");
}

TEST_CASE("The training line is never wider than its terminal and drops the least important metrics first",
          "[report][progress]") {
  for (int width = 30; width < 150; ++width) {
    const std::string line = training_line(some_figures(), {0, 30}, width);
    CAPTURE(width, line);
    CHECK(line.size() <= static_cast<std::size_t>(width));
    CHECK(contains(line, "1,200"));
    CHECK(contains(line, "loss"));
  }
  const std::string narrow = training_line(some_figures(), {0, 30}, 40);
  CHECK(contains(narrow, "1m40s"));
  CHECK_FALSE(contains(narrow, "epoch"));
  CHECK_FALSE(contains(narrow, "grad"));
}

TEST_CASE("All lines of a run have their columns in the same places", "[report][progress]") {
  TrainingMetrics late = some_figures();
  late.update = 999999;
  late.epoch = 30;
  late.loss = 11.3;
  late.perplexity = 80821.6;
  late.gradient_norm = 1234.5;
  late.learning_rate = 0;
  late.source_tokens_per_second = 1234567;
  late.target_tokens_per_second = 12;
  late.minutes_left = 60 * 30;
  TrainingMetrics broken = some_figures();
  broken.loss = broken.perplexity = broken.gradient_norm = std::nan("");
  broken.minutes_left = -1;
  const std::string line = training_line(some_figures(), {0, 30});
  for (const TrainingMetrics& metrics : {late, broken}) {
    const std::string other = training_line(metrics, {0, 30});
    CHECK(other.size() == line.size());
    for (const char* label : {"epoch", "loss", "ppl", "grad", "rate", "source", "target", "left"}) {
      CHECK(other.find(label) == line.find(label));
    }
  }
  CHECK(contains(training_line(broken, {}), "loss     nan"));
  CHECK(contains(training_line(broken, {}), "left     -"));
}

TEST_CASE("Numbers and times are short and have a fixed width", "[report][progress]") {
  CHECK(with_commas(0) == "0");
  CHECK(with_commas(999) == "999");
  CHECK(with_commas(1000) == "1,000");
  CHECK(with_commas(-1234567) == "-1,234,567");
  CHECK(short_count(0) == "    0");
  CHECK(short_count(999.4) == "  999");
  CHECK(short_count(999.5) == " 1.0k");
  CHECK(short_count(999.6) == " 1.0k");
  CHECK(short_count(99960) == " 100k");
  CHECK(short_count(999600) == "1.00M");
  CHECK(short_count(std::nan("")) == "    -");
  CHECK(short_time(0) == "   0s");
  CHECK(short_time(59.995 / 60) == "1m00s");
  CHECK(short_time(59.995) == "1h00m");
  CHECK(short_time(60 * 24 * 3 + 60 * 4 + 59) == "3d04h");
  CHECK(short_time(-1) == "    -");
  CHECK(fit_number(1e9, 7, 4) == "  1e+09");
  CHECK(fit_number(123456.7, 7, 2) == " 123457");
}

TEST_CASE("The validation line shows all its metrics, and metrics of translations only if there are any",
          "[report][progress]") {
  ValidationMetrics metrics{.update = 1250,
                            .epoch = 3,
                            .loss = 1.8812,
                            .perplexity = 5.21,
                            .token_accuracy = 0.712,
                            .bleu = 34.51,
                            .exact_match = 0.12,
                            .best = true};
  CHECK(validation_line(metrics, {3000, 30}) ==
        "update 1,250  validation   loss  1.8812  ppl    5.21  token accuracy  71.2 %  BLEU  34.51  exact "
        "match  12.0 "
        "%  best so far");
  const std::string training = training_line(some_figures(), {3000, 30});
  CHECK(validation_line(metrics, {3000, 30}).find("loss") == training.find("loss"));
  metrics.bleu = metrics.exact_match = std::nan("");
  metrics.best = false;
  CHECK_FALSE(contains(validation_line(metrics, {}), "BLEU"));
  CHECK_FALSE(contains(validation_line(metrics, {}), "exact"));
  CHECK_FALSE(contains(validation_line(metrics, {}), "best"));
}

namespace {

void say(ProgressDisplay& display, const std::string& text) { display.log({"", spdlog::level::info, text}); }

/// A display that does not prefix its lines with the time.
std::unique_ptr<ProgressDisplay> plain_display(DisplayTarget target) {
  auto display = std::make_unique<ProgressDisplay>(std::move(target));
  const auto local = spdlog::pattern_time_type::local;
  display->set_formatter(std::make_unique<spdlog::pattern_formatter>("%v", local, ""));
  return display;
}

}  // namespace

TEST_CASE("On a terminal the live line is redrawn and log lines above it stay intact", "[report][progress]") {
  Screen screen;
  const auto display = plain_display(screen.target(true));
  say(*display, "begin");
  display->draw("a long live line");
  display->draw("short");
  CHECK(screen.lines() == std::vector<std::string>{"begin", "short"});
  say(*display, "in between");
  CHECK(screen.lines() == std::vector<std::string>{"begin", "in between", "short"});
  display->draw("");
  CHECK(screen.lines() == std::vector<std::string>{"begin", "in between", ""});
  say(*display, "more");
  CHECK(screen.lines() == std::vector<std::string>{"begin", "in between", "more", ""});
  display->draw("last");
  display->finish();
  display->finish();
  CHECK(screen.lines() == std::vector<std::string>{"begin", "in between", "more", "last", ""});
}

TEST_CASE("The live line leaves the last column free in a window of any width, and never splits a character",
          "[report][progress]") {
  Screen screen;
  const auto display = plain_display(screen.target(true));
  CHECK(display->width() == 199);
  display->draw("äöü and more");
  CHECK(screen.lines().back() == "äöü and more");
  screen.width = 4;
  say(*display, "");
  CHECK(screen.lines().back() == "äöü");
  screen.width = 0;
  say(*display, "");
  CHECK(screen.lines().back() == "ä");
}

TEST_CASE("The live line is redrawn at most once per interval, but at once after a log line or on request",
          "[report][progress]") {
  Screen screen;
  const auto display = plain_display(screen.target(true, std::chrono::hours(1)));
  display->draw("first");
  display->draw("second");
  CHECK(screen.lines().back() == "first");
  say(*display, "text");
  CHECK(screen.lines() == std::vector<std::string>{"text", "second"});
  display->draw("third", true);
  CHECK(screen.lines().back() == "third");
}

TEST_CASE("A pipe gets log lines and nothing else", "[report][progress]") {
  Screen screen;
  const auto display = plain_display(screen.target(false));
  display->draw("live");
  display->draw("validating ...", true);
  say(*display, "text");
  display->finish();
  CHECK(screen.written == "text\n");
}

TEST_CASE("Lines of several threads do not mix", "[report][progress]") {
  Screen screen;
  const auto display = plain_display(screen.target(true));
  const auto work = [&display] {
    for (int i = 0; i < 3000; ++i) {
      display->draw("live");
      say(*display, "whole line");
    }
  };
  std::thread other(work);
  work();
  other.join();
  display->finish();
  const auto lines = screen.lines();
  CHECK(lines.size() == 6002);
  CHECK(std::count(lines.begin(), lines.end(), "whole line") == 6000);
}
