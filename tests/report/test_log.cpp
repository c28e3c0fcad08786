#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/report/log.hpp"
#include "glassformer/report/metric_lines.hpp"
#include "report/screen.hpp"

using namespace glassformer;
using stand_in::read_bytes;
using stand_in::TemporaryDirectory;

TEST_CASE("Training metrics are plain lines in a pipe and in train.log, and a live line on a terminal",
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
      log.validation({.update = 1250, .epoch = 3, .bleu = 30, .best = true}, {{"a man", "ein Mann", "eine Frau"}});
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

TEST_CASE("Control characters in a message do not reach the terminal or train.log", "[report][log]") {
  const TemporaryDirectory run;
  Screen screen;
  {
    RunLog log(run.path(), {}, screen.target(false));
    spdlog::info("a\x1b[31m\nb \u202E");
    log.validation({}, {{"a\x07", "b\u009B", "c\r"}});
  }
  const std::string file = read_bytes(run / "train.log");
  for (const std::string& text : {file, screen.written}) {
    CHECK(contains(text, "  a\\x1B[31m\\x0Ab \\u202E\n"));
    CHECK(contains(text, "a\\x07\n"));
    CHECK(contains(text, "b\\x9B\n"));
    CHECK(contains(text, "c\\x0D\n"));
  }
}

TEST_CASE("A status leaves no trace, whether or not metrics replace it", "[report][log]") {
  for (const bool trained : {false, true}) {
    const TemporaryDirectory run;
    Screen screen;
    {
      RunLog log(run.path(), {}, screen.target(true));
      if (trained) {
        log.training(some_figures(), false);
      }
      log.status("validating ...");
      CHECK(screen.lines() == std::vector<std::string>{"validating ..."});
      log.validation({.update = 1250}, {});
    }
    const auto lines = screen.lines();
    CHECK(lines.size() == (trained ? 3 : 2));
    CHECK(contains(lines[0], "validation"));
    CHECK(contains(screen.written, training_line(some_figures(), {})) == trained);
    CHECK(lines.back().empty());
  }
}

TEST_CASE("Without a run directory nothing is logged", "[report][log]") {
  Screen screen;
  RunLog log("", {}, screen.target(true));
  log.status("validating ...");
  log.training(some_figures(), true);
  spdlog::warn("no warm-up");
  CHECK(screen.written.empty());
}

TEST_CASE("A log is appended to, not replaced, and a file in place of the run directory is a user error",
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

TEST_CASE("A full disk under train.log is reported once and does not stop the run", "[report][log]") {
  if (!std::filesystem::exists("/dev/full")) {
    WARN("skipped: this system has no /dev/full");
    return;
  }
  const TemporaryDirectory run;
  std::filesystem::create_symlink("/dev/full", run / "train.log");
  Screen screen;
  {
    RunLog log(run.path(), {}, screen.target(false));
    spdlog::info("first");
    spdlog::info("second");
  }
  CHECK(contains(screen.written, "first"));
  CHECK(contains(screen.written, "second"));
  const std::size_t warning = screen.written.find("train.log is incomplete");
  CHECK(warning != std::string::npos);
  CHECK(screen.written.find("train.log is incomplete", warning + 1) == std::string::npos);
}

TEST_CASE("a line is not lost in silence if memory runs out while it is logged", "[report][log]") {
  const TemporaryDirectory run;
  bool is_exhausted = false;
  const auto write = [&](std::string_view) {
    if (is_exhausted) {
      throw std::bad_alloc();
    }
  };
  RunLog log(run.path(), {3000, 30}, {.terminal = false, .write = write, .width = [] { return 80; }});
  spdlog::info("twenty pairs");
  is_exhausted = true;
  CHECK_THROWS_AS(spdlog::info("{} is complete", "the run"), std::bad_alloc);
  is_exhausted = false;
}
