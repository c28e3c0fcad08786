#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "program/program.hpp"

using namespace glassformer::program_test;

namespace {

std::vector<nlohmann::json> objects(const std::string& text) {
  std::vector<nlohmann::json> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) found.push_back(nlohmann::json::parse(line));
  return found;
}

/// One object that tells of a mistake of the user's.
void check_refused_as_json(const Program::Result& result, const std::string& expected) {
  CAPTURE(result.err);
  CHECK(result.status == 2);
  const auto said = objects(result.err);
  REQUIRE(said.size() == 1);
  CHECK(said[0].at("level") == "error");
  CHECK(said[0].at("message").get<std::string>().find(expected) != std::string::npos);
  CHECK(said[0].contains("time"));
}

bool has_escapes(const std::string& text) { return text.find('\x1b') != std::string::npos; }
bool has_colour(const std::string& text) { return std::regex_search(text, std::regex("\x1b\\[[0-9;:]*m")); }

/// The program on a pseudo terminal: what it writes there, standard output and standard error together.
class Terminal {
 public:
  bool is_there() const { return program_.shell("script -qec true /dev/null").status == 0; }
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

TEST_CASE("with --log-format json all that goes to standard error is objects, with the figures of metrics.jsonl",
          "[program]") {
  const Program program;
  const std::string train = "train " + config("debug") + " --output ";
  for (const std::string& command : {"--log-format json " + train + "before", train + "after --log-format=json"}) {
    const auto trained = program.run(command);
    CAPTURE(command, trained.err);
    REQUIRE(trained.status == 0);
    CHECK(trained.out.empty());
    std::vector<nlohmann::json> figures;
    for (nlohmann::json object : objects(trained.err)) {
      for (const char* name : {"time", "level", "message"}) CHECK(object.erase(name) == 1);
      if (!object.empty()) figures.push_back(object);
    }
    const std::string run = command.find("before") != std::string::npos ? "before" : "after";
    CHECK(figures.size() == 12);
    CHECK(figures == objects(read_bytes(program / run / "metrics.jsonl")));
    CHECK(read_bytes(program / run / "train.log").find('{') == std::string::npos);
  }

  check_refused_as_json(program.run("translate nowhere --log-format json"), "nowhere");
  check_refused_as_json(program.run("--log-format json trian x"), "did you mean train?");
  check_refused_as_json(program.run("--log-format=json train x --ouput y"), "did you mean --output?");
  check_refused_as_json(program.run(train + "'\xE9' --log-format json --set 'modle=\xE9'"), "modle");
  check_refused_as_json(program.run("--log-format json"), "--help");
  check_refused(program.run("--log-format xml translate before"), "expected text or json, found xml");
  check_refused(program.run("translate before --log-fromat json"), "did you mean --log-format?");
  CHECK(program.run("--log-format text translate before", "she sleeps .\n").out == "sie schläft .\n");
  CHECK(program.run("--help").out.find("--log-format") != std::string::npos);
}

TEST_CASE("what Ctrl-C makes the program say is JSON where the rest is", "[program]") {
  const Program program;
  const auto interrupted = program.shell(
      "\"$glassformer\" --log-format json train " + config("debug") + " --output run --set training.max_updates=0 " +
      "--set training.max_minutes=1 --set training.validation.every=100000000 & "
      "until grep -q '\"update\":10,' .err; do sleep 0.05; done; kill -INT $!; wait $!");
  CAPTURE(interrupted.err);
  CHECK(interrupted.status == 130);
  objects(interrupted.err);
  CHECK(interrupted.err.find("once more ends at once\"}\n") != std::string::npos);
}

TEST_CASE("there is no colour, with NO_COLOR or without; where nothing can be rewritten, there are no escapes",
          "[program]") {
  const Terminal terminal;
  if (!terminal.is_there()) {
    WARN("skipped: no script(1) here that makes a pseudo terminal");
    return;
  }
  const std::string train = "train " + config("debug") + " --output ";
  const std::string line = terminal.show("TERM=xterm", train + "a");
  CHECK(line.find("\x1b[K") != std::string::npos);  // the line that rewrites itself
  CHECK_FALSE(has_colour(line));
  CHECK_FALSE(has_colour(terminal.show("TERM=xterm NO_COLOR=1", train + "b")));
  CHECK_FALSE(has_escapes(terminal.show("TERM=dumb", train + "c")));
  CHECK_FALSE(has_escapes(terminal.show("TERM=xterm", train + "d --log-format json")));
  const std::string explain = "explain a --source 'she sleeps .'", gradcheck = "gradcheck " + config("debug");
  for (const std::string& verb : {explain, gradcheck, explain + " --help"}) {
    CAPTURE(verb);
    CHECK_FALSE(has_escapes(terminal.show("TERM=xterm-256color", verb)));
  }
}

TEST_CASE("in a pipe there are no escapes", "[program]") {
  const Program program;
  const std::string train = "train " + config("debug") + " --output run";
  for (const std::string& verb : {train, std::string("explain run --source 'she sleeps .'")}) {
    const auto said = program.shell("TERM=xterm CLICOLOR_FORCE=1 \"$glassformer\" " + verb);
    CHECK(said.status == 0);
    CHECK_FALSE(has_escapes(said.out + said.err));
  }
}
