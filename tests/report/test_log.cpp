#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "report/figure_text.hpp"
#include "report/log.hpp"
#include "report/metrics.hpp"
#include "report/screen.hpp"

using namespace glassformer;
using stand_in::read_bytes;
using stand_in::TemporaryDirectory;

TEST_CASE("Training figures are plain lines in a pipe and in train.log, and a live line on a terminal",
          "[report][log]") {
  for (const bool terminal : {false, true}) {
    CAPTURE(terminal);
    const TemporaryDirectory run;
    Screen screen;
    const auto before = spdlog::default_logger();
    {
      RunLog log(run.path(), {3000, 30}, screen.target(terminal));
      spdlog::info("twenty pairs");
      spdlog::warn("no warm-up");
      log.training(some_figures(), false);
      log.training(some_figures(), true);
      log.status("validating ...");
      log.validation({.update = 1250, .epoch = 3, .bleu = 30, .best = true},
                     {{"a man", "ein Mann", "eine Frau"}});
    }
    CHECK(spdlog::default_logger() == before);

    const std::string file = read_bytes(run / "train.log");
    CHECK(contains(file, "  warning: no warm-up\n"));
    CHECK(contains(file, "  twenty pairs\n"));
    CHECK(contains(file, training_line(some_figures(), {3000, 30}) + "\n"));
    CHECK(contains(file, "source       a man\n"));
    CHECK(contains(file, "reference    ein Mann\n"));
    CHECK(contains(file, "translation  eine Frau\n"));
    CHECK_FALSE(contains(file, "\x1b"));
    CHECK(std::count(file.begin(), file.end(), '\n') == 7);

    const auto lines = screen.lines();
    CHECK(lines.size() == 8);  // the last is empty
    CHECK(contains(lines[0], "twenty pairs"));
    CHECK(contains(lines[terminal ? 6 : 2], training_line(some_figures(), {3000, 30})));
    CHECK(contains(screen.written, "\x1b") == terminal);
  }
}

TEST_CASE("As JSON, each line is an object, and figures are its fields; train.log stays text", "[report][log]") {
  const TemporaryDirectory run;
  const ValidationFigures validated{.update = 1250, .epoch = 3, .bleu = 30, .best = true};
  Screen screen;
  {
    RunLog log(run.path(), {3000, 30}, screen.target(LogFormat::json));
    spdlog::warn("{}", "no \"UTF-8\":\n\xE9\x01\xF0\x9F");
    log.training(some_figures(), false);
    log.training(some_figures(), true);
    log.status("validating ...");
    log.validation(validated, {{"a man", "ein Mann", "übt"}});
  }
  std::vector<nlohmann::json> lines;
  std::istringstream written(screen.written);
  for (std::string line; std::getline(written, line);) lines.push_back(nlohmann::json::parse(line));
  REQUIRE(lines.size() == 6);
  const std::regex time(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d)");
  for (const auto& line : lines) CHECK(std::regex_match(line.at("time").get<std::string>(), time));
  CHECK(lines[0].at("level") == "warning");
  CHECK(lines[0].at("message") == "no \"UTF-8\":\n\uFFFD\x01\uFFFD");
  CHECK(lines[0].size() == 3);
  CHECK(lines[1].at("level") == "info");
  CHECK(lines[1].at("message") == training_line(some_figures(), {3000, 30}));
  for (const auto& [line, figures] : {std::pair(lines[1], figures_json(some_figures())),
                                      std::pair(lines[2], figures_json(validated))}) {
    CHECK(line.size() == 3 + figures.size());
    for (const auto& [name, value] : figures.items()) {
      CAPTURE(name);
      CHECK(line.at(name).dump() == value.dump());  // NaN becomes null
    }
  }
  CHECK(lines[5].at("message") == "    translation  übt");
  CHECK(lines[5].size() == 3);
  CHECK(contains(read_bytes(run / "train.log"), training_line(some_figures(), {3000, 30}) + "\n"));
  CHECK_FALSE(contains(read_bytes(run / "train.log"), "{"));
}

TEST_CASE("A log is continued, not replaced, and a directory that is none is the user's mistake",
          "[report][log]") {
  const TemporaryDirectory run;
  Screen screen;
  for (const char* text : {"first", "second"}) {
    RunLog log(run.path(), {}, screen.target(false));
    spdlog::info(text);
  }
  CHECK(contains(read_bytes(run / "train.log"), "first\n"));
  CHECK(contains(read_bytes(run / "train.log"), "second\n"));
  CHECK_THROWS_AS(RunLog(run / "train.log", {}, screen.target(false)), UserError);
}

TEST_CASE("A full disk under train.log is told once and ends nothing", "[report][log]") {
  if (!std::filesystem::exists("/dev/full")) {
    WARN("skipped: this system has no /dev/full");
    return;
  }
  const TemporaryDirectory run;
  std::filesystem::create_symlink("/dev/full", run / "train.log");
  for (const LogFormat format : {LogFormat::text, LogFormat::json}) {
    Screen screen;
    {
      RunLog log(run.path(), {}, screen.target(format));
      spdlog::info("first");
      spdlog::info("second");
    }
    CHECK(contains(screen.written, "first"));
    CHECK(contains(screen.written, "second"));
    const std::size_t told = screen.written.find("train.log is incomplete");
    CHECK(told != std::string::npos);
    CHECK(screen.written.find("train.log is incomplete", told + 1) == std::string::npos);
    const auto lines = screen.lines();
    CHECK(std::ranges::all_of(lines, [](const std::string& line) { return line.empty() || line[0] == '{'; }) ==
          (format == LogFormat::json));
  }
}
