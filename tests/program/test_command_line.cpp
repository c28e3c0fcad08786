#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "catch.hpp"
#include "program/program.hpp"

using namespace glassformer::program_test;

namespace {

const char* const kVerbs[] = {"train",   "evaluate",  "translate", "score",  "explain",
                              "average", "gradcheck", "benchmark", "manual", "completion"};

/// The options that --help of a verb shows.
std::set<std::string> options_in(const std::string& help) {
  const std::regex option("\n  (--[a-z-]+)");
  std::set<std::string> names;
  for (auto found = std::sregex_iterator(help.begin(), help.end(), option); found != std::sregex_iterator(); ++found) {
    names.insert((*found)[1]);
  }
  return names;
}

/// The part of a text from a line to the next that begins alike.
std::string section(const std::string& text, const std::string& line, const std::string& begin) {
  const std::size_t at = text.find("\n" + line + "\n");
  return at == std::string::npos ? "" : text.substr(at, text.find("\n" + begin, at + 1) - at);
}

}  // namespace

TEST_CASE("the manual page has every verb with every option of its --help", "[program]") {
  const Program program;
  const std::string page = program.run("manual").out;
  CHECK(page.find("\n.TH GLASSFORMER 1 ") != std::string::npos);
  std::size_t options = 0;
  for (const std::string verb : kVerbs) {
    const std::string entries = section(page, ".SS " + verb, ".S");
    CAPTURE(verb, entries);
    for (const std::string& option : options_in(program.run(verb + " --help").out)) {
      CAPTURE(option);
      CHECK(entries.find(".TP\n\\fB" + std::regex_replace(option, std::regex("-"), "\\-") + "\\fR") != std::string::npos);
      ++options;
    }
    CHECK(section(page, ".B glassformer " + verb, ".TP").empty() == false);
  }
  CHECK(options > 30);
  // A file of roff breaks if a text begins a line with a dot or holds a bare backslash.
  std::istringstream lines(page);
  const std::regex request(R"(\.(SH|SS|TH|TP|PP|RS|RE|EX|EE|B|I|BR|IR|br|nh|ad|\\").*)");
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK((line.front() != '.' || std::regex_match(line, request)));
  }
}

TEST_CASE("completion offers every verb, every option and every key to each shell", "[program]") {
  const Program program;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::string script = program.run("completion " + shell).out;
    for (const std::string verb : kVerbs) {
      for (const std::string& option : options_in(program.run(verb + " --help").out)) {
        CAPTURE(shell, verb, option);
        CHECK(script.find(shell == "fish" ? "-l " + option.substr(2) : option) != std::string::npos);
      }
    }
    CHECK(script.find("training.optimizer.beta1") != std::string::npos);
    CHECK(script.find(shell == "fish" ? "model.norm=pre" : "post pre") != std::string::npos);
  }
  check_refused(program.run("completion csh"), "csh");
}

TEST_CASE("training says that it runs on OMP_NUM_THREADS threads", "[program]") {
  const Program program;
  CHECK(program.shell("OMP_NUM_THREADS=3 \"$glassformer\" train " + config("debug") + " --output run").err.find(
            " 3 threads, ") != std::string::npos);
}

#ifndef __clang__  // whose OpenMP does not tell here what the test wants to hear
TEST_CASE("train, evaluate, translate and score run on OMP_NUM_THREADS threads", "[program]") {
  const Program program;
  write_bytes(program / "a.en", "she sleeps .\n");
  write_bytes(program / "a.de", "sie schläft .\n");
  // At the first piece of work for several threads, OpenMP lets each of them say who it is.
  const std::string threads = "OMP_NUM_THREADS=3 OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT='thread %n of %N' ";
  const std::vector<std::string> verbs = {"train " + config("debug") + " --output run", "translate run --input a.en",
                                          "evaluate run --source a.en --reference a.de",
                                          "score run --source a.en --target a.de"};
  for (const std::string& verb : verbs) {
    const auto result = program.shell(threads + "\"$glassformer\" " + verb);
    CAPTURE(verb, result.err);
    CHECK(result.status == 0);
    for (const char* thread : {"thread 0 of 3", "thread 1 of 3", "thread 2 of 3"}) {
      CHECK(result.err.find(thread) != std::string::npos);
    }
    CHECK_FALSE(std::regex_search(result.err, std::regex("of [0124-9]\n")));
  }
}
#endif
