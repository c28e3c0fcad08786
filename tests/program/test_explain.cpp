#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "program/program.hpp"

using namespace glassformer::program_test;

namespace {

/// The program, after training a model in "run" that knows two sentences by heart.
const Program& trained() {
  static const Program program;
  static const int status = program.run("train " + config("debug") + " --output run").status;
  REQUIRE(status == 0);
  return program;
}

const std::string kSleeps = "explain run --source 'she sleeps .'";

nlohmann::json trace_in(const Program& program, const std::string& file) {
  return nlohmann::json::parse(read_bytes(program / file));
}

}  // namespace

TEST_CASE("explain writes explain.html, prints one screen, and translates if there is no --target", "[program]") {
  const Program& program = trained();
  const auto shown = program.run(kSleeps + " --source 'the small dog sees a house .'");
  CAPTURE(shown.err);
  CHECK(shown.status == 0);
  CHECK(shown.err.find("wrote the page explain.html") != std::string::npos);
  CHECK(shown.out.find("translation    sie schläft .\n") != std::string::npos);
  CHECK(shown.out.find(" over 12 tokens (label smoothing 0)") != std::string::npos);
  CHECK(std::count(shown.out.begin(), shown.out.end(), '\n') < 40);
  CHECK(read_bytes(program / "explain.html").find("sie schläft .") != std::string::npos);

  const auto given = program.run(kSleeps + " --target 'sie sieht .'");  // overwrites its own page
  CHECK(given.status == 0);
  CHECK(given.out.find("target         sie sieht .\n") != std::string::npos);
  CHECK(given.out.find("translation") == std::string::npos);
  CHECK(read_bytes(program / "explain.html").find("sie sieht .") != std::string::npos);
  CHECK(program.run(kSleeps + " >/dev/full").status == 1);
}

TEST_CASE("explain does not overwrite an explain.html that it did not write", "[program]") {
  const Program& program = trained();
  fs::remove(program / "explain.html");
  for (const std::string& text : {std::string("<!doctype html>\n<p>Mine.</p>\n"), std::string()}) {
    write_bytes(program / "explain.html", text);
    check_refused(program.run(kSleeps), "explain.html: this file exists, but explain did not write it");
    CHECK(read_bytes(program / "explain.html") == text);
  }
  CHECK(program.run(kSleeps + " --html explain.html").status == 0);  // unless --html names it
  fs::remove(program / "explain.html");
  fs::create_directory(program / "explain.html");
  check_refused(program.run(kSleeps), "choose another file with --html");
  fs::remove(program / "explain.html");
}

TEST_CASE("explain writes the trace as JSON", "[program]") {
  const Program& program = trained();
  const auto both = program.run(kSleeps + " --json trace.json");
  CHECK(both.status == 0);
  CHECK(both.out.find("Mean loss ") != std::string::npos);
  CHECK(both.err.find("trace.json") != std::string::npos);
  const auto trace = trace_in(program, "trace.json");
  CHECK(trace.at("format") == "glassformer trace");
  CHECK(trace.at("checkpoint").get<std::string>().starts_with("run/"));
  CHECK(trace.at("model").at("parameters") == 1725);
  CHECK(trace.at("sentences").at(0).at("target") == "sie schläft .");
  CHECK(trace.at("sentences").at(0).at("own_translation") == true);
  CHECK(trace.at("loss").at("correct") == 4);
  CHECK(trace.at("model").at("dropout") == false);

  const std::string two = " --target 'sie schläft .' --source 'the small dog sees a house .' --target 'der hund .'";
  CHECK(program.run(kSleeps + two + " --dropout --json two.json").status == 0);
  const auto of_two = trace_in(program, "two.json");
  CHECK(of_two.at("sentences").at(1).at("target") == "der hund .");
  CHECK(of_two.at("sentences").at(1).at("own_translation") == false);
  CHECK(of_two.at("batch").at("source").at("tokens").at(0).at(4) == "<pad>");
  CHECK(of_two.at("model").at("dropout") == true);
}

TEST_CASE("explain writes a page and a trace", "[program]") {
  const Program& program = trained();
  const auto written = program.run(kSleeps + " --html page.html --json page.json --layer 0");
  CAPTURE(written.err);
  CHECK(written.status == 0);
  CHECK(written.out.empty());
  CHECK(written.err.find("page.html") != std::string::npos);
  const std::string page = read_bytes(program / "page.html");
  CHECK(page.rfind("<!doctype html>", 0) == 0);
  CHECK(page.find("sie schläft .") != std::string::npos);
  CHECK(trace_in(program, "page.json").at("tensors").at(0).at("values").contains("numbers"));
  for (const auto& entry : fs::directory_iterator(program / ".")) {
    CHECK(entry.path().string().find("page.html.") == std::string::npos);
  }
}

TEST_CASE("explain shows the loss of training's first update, with its label smoothing and dropout", "[program]") {
  const Program program;
  for (const bool dropout : {false, true}) {
    CAPTURE(dropout);
    std::string train = "train " + config("debug") + " --output run --set training.seed=7 --set training.max_updates=1";
    for (const char* setting : {"log_every=1", "label_smoothing=0.2", "schedule.initial_rate=0",
                                "schedule.learning_rate=1e-30"}) {  // the weights stay as they are
      train += std::string(" --set training.") + setting;
    }
    for (const char* name : {"dropout", "embedding_dropout", "attention_dropout", "activation_dropout"}) {
      train += std::string(" --set model.") + name + (dropout ? "=0.3" : "=0");
    }
    REQUIRE(program.run(train).status == 0);
    const std::string metrics = read_bytes(program / "run/metrics.jsonl");
    const auto update = nlohmann::json::parse(metrics.substr(0, metrics.find('\n')));
    const std::string pairs =  // as in the text, because their numbers determine the dropout
        "--source 'the small dog sees a house .' --target 'der kleine hund sieht ein haus .' "
        "--source 'she sleeps .' --target 'sie schläft .' ";
    REQUIRE(program.run("explain run " + pairs + (dropout ? "--dropout " : "") + "--json trace.json").status == 0);
    const auto loss = trace_in(program, "trace.json").at("loss");
    CHECK(loss.at("mean").get<double>() == Approx(update.at("loss").get<double>()).epsilon(1e-6));
    CHECK(loss.at("perplexity").get<double>() == Approx(update.at("perplexity").get<double>()).epsilon(1e-6));
    fs::remove_all(program / "run");
  }
}

TEST_CASE("explain shows a layer that only the encoder or only the decoder has", "[program]") {
  const Program program;
  for (const std::string side : {"encoder", "decoder"}) {
    CAPTURE(side);
    REQUIRE(program
                .run("train " + config("debug") + " --output " + side + " --set model." + side +
                     "_layers=2 --set training.max_updates=1")
                .status == 0);
    const std::string explain = "explain " + side + " --source 'she sleeps .' --target 'sie .' --json trace.json ";
    CHECK(program.run(explain + "--layer 1").status == 0);
    CHECK(read_bytes(program / "trace.json").find("\"" + side + ".layers.1.self_attn\"") != std::string::npos);
    check_refused(program.run(explain + "--layer 2"), "from 0 to 1, found 2");
  }
}

TEST_CASE("explain says what to do if the model's own translation does not end", "[program]") {
  const Program program;
  const std::string untrained = " --set training.max_updates=1 --set training.max_epochs=0 --output run";
  REQUIRE(program.run("train " + config("debug") + untrained).status == 0);
  std::string words;
  for (int i = 0; i < 50; ++i) {
    words += "dog ";
  }
  const auto result = program.run("explain run --source '" + words + "'");
  check_refused(result, "give a --target");
  CHECK(program.run("explain run --source '" + words + "' --target 'sie schläft .'").status == 0);
}

TEST_CASE("explain refuses what it cannot show, and leaves nothing behind", "[program]") {
  const Program& program = trained();
  check_refused(program.run("explain run"), "--source");
  check_refused(program.run("explain nowhere --source a"), "nowhere");
  check_refused(program.run(kSleeps + " --target a --target b"), "found 2");
  check_refused(program.run(kSleeps + " --target"), "--target");
  std::string nine = "explain run";
  for (int i = 0; i < 9; ++i) {
    nine += " --source a";
  }
  check_refused(program.run(nine), "at most 8 sentences, found 9");

  check_refused(program.run("explain run --source 'a \xFF'"), "the byte 0xFF at byte 3");
  check_refused(program.run(kSleeps + " --target '\xC3'"), "--target: expected UTF-8");
  std::string many;
  for (int i = 0; i < 61; ++i) {
    many += "ä ";
  }
  const auto long_one = program.run("explain run --source '" + many + "'");
  check_refused(long_one, "at most 60 tokens, found 61");
  CHECK(long_one.err.find(" ä…\"") != std::string::npos);  // not cut in the middle of a character
  check_refused(program.run(kSleeps + " --target '" + many + "'"), "found 61");

  check_refused(program.run(kSleeps + " --html one --json ./one"), "are the same file, one");
  check_refused(program.run(kSleeps + " --json explain.html"), "are the same file");
  CHECK(program.run(kSleeps + " --html /dev/null --json /dev/null").status == 0);
  for (const char* file : {"--html", "--json"}) {
    check_refused(program.run(kSleeps + " " + file + " ''"), file);
  }

  check_refused(program.run(kSleeps + " --layer 1"), "from 0 to 0, found 1");
  check_refused(program.run(kSleeps + " --layer -1"), "-1");
  check_refused(program.run(kSleeps + " --html nowhere/page.html"), "nowhere/page.html");
  check_refused(program.run(kSleeps + " --html first.html --json nowhere/trace.json"), "nowhere/trace.json");
  check_refused(program.run(kSleeps + " --html first.html --target a --target b"), "found 2");
  CHECK_FALSE(fs::exists(program / "nowhere"));
  for (const auto& entry : fs::directory_iterator(program / ".")) {
    CHECK(entry.path().string().find("first.html") == std::string::npos);
  }
}
