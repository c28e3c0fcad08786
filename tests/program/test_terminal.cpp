#include <regex>
#include <string>

#include "catch.hpp"
#include "program/program.hpp"

using namespace glassformer::program_test;

namespace {

bool has_escapes(const std::string& text) { return text.find('\x1b') != std::string::npos; }
bool has_colour(const std::string& text) { return std::regex_search(text, std::regex("\x1b\\[[0-9;:]*m")); }

/// Runs the program on a pseudo-terminal, which shows standard output and standard error together.
class Terminal {
 public:
  bool is_available() const { return program_.shell("script -qec true /dev/null").status == 0; }
  std::string show(const std::string& environment, const std::string& arguments) const {
    const auto shown = program_.shell("unset NO_COLOR; export " + environment + "; script -qec \"'$glassformer' " +
                                      arguments + "\" /dev/null");
    CAPTURE(shown.out, shown.err);
    CHECK(shown.status == 0);
    return shown.out;
  }

 private:
  Program program_;
};

}  // namespace

TEST_CASE("output has no colour, with or without NO_COLOR, and no escapes where lines cannot be rewritten",
          "[program]") {
  const Terminal terminal;
  if (!terminal.is_available()) {
    WARN("SKIPPED: there is no script(1) to make a pseudo-terminal");
    return;
  }
  const std::string train = "train " + config("debug") + " --output ";
  const std::string line = terminal.show("TERM=xterm", train + "a");
  CHECK(line.find("\x1b[K") != std::string::npos);  // the line that rewrites itself
  CHECK_FALSE(has_colour(line));
  CHECK_FALSE(has_colour(terminal.show("TERM=xterm NO_COLOR=1", train + "b")));
  CHECK_FALSE(has_escapes(terminal.show("TERM=dumb", train + "c")));
  const std::string explain = "explain a --source 'she sleeps .'";
  const std::string gradcheck = "gradcheck " + config("debug");
  for (const std::string& command : {explain, gradcheck, explain + " --help"}) {
    CAPTURE(command);
    CHECK_FALSE(has_escapes(terminal.show("TERM=xterm-256color", command)));
  }
}

TEST_CASE("output to a pipe has no escapes", "[program]") {
  const Program program;
  const std::string train = "train " + config("debug") + " --output run";
  for (const std::string& command : {train, std::string("explain run --source 'she sleeps .'")}) {
    const auto result = program.shell("TERM=xterm CLICOLOR_FORCE=1 \"$glassformer\" " + command);
    CHECK(result.status == 0);
    CHECK_FALSE(has_escapes(result.out + result.err));
  }
}
