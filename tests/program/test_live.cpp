#include <openssl/evp.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "catch.hpp"
#include "glassformer/live/engine.hpp"
#include "program/program.hpp"

// How `live` hands a run to the page.

using namespace glassformer;
using namespace glassformer::program_test;
using Json = nlohmann::ordered_json;

namespace {

const std::string kTrain = "train " + config("debug") + " --set training.max_updates=6 " +
                           "--set training.validation.every=2 --set training.checkpoints.keep=20 ";

/// The program, after training "run", whose checkpoints are those of updates 2, 4 and 6.
const Program& with_run() {
  static const Program program;
  static const int status = program.run(kTrain + "--output run").status;
  REQUIRE(status == 0);
  return program;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::byte> from_base64(const std::string& text) {
  std::vector<std::byte> bytes(text.size() / 4 * 3);
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  REQUIRE(size == static_cast<int>(bytes.size()));
  bytes.resize(bytes.size() - static_cast<std::size_t>(std::ranges::count(text, '=')));
  return bytes;
}

/// The engine of the page, with a new model of the run.
std::unique_ptr<Engine> engine_of(const Json& run) {
  std::string settings;
  for (const auto& [key, value] : run.at("settings").items()) {
    settings += key + ": " + value.get<std::string>() + "\n";
  }
  auto engine = std::make_unique<Engine>();
  engine->create(settings, lines_of(run.at("source")), lines_of(run.at("target")));
  return engine;
}

}  // namespace

TEST_CASE("from a run's checkpoints, the page continues with the bits of one that trained all the way", "[program]") {
  const Program& program = with_run();
  const auto result = program.run("live run --json run.json");
  CAPTURE(result.err);
  REQUIRE(result.status == 0);
  const Json run = Json::parse(read_bytes(program / "run.json"));
  CHECK(run.at("name") == "run");
  CHECK(run.at("pairs").size() == 2);
  REQUIRE(run.at("snapshots").size() == 3);
  const auto trained = engine_of(run);
  const auto restored = engine_of(run);
  int update = 0;
  for (const Json& snapshot : run.at("snapshots")) {
    for (; update < snapshot.at("update"); ++update) {
      trained->step();
    }
    restored->restore(from_base64(snapshot.at("bytes")));
    CHECK(restored->digest() == trained->digest());
  }
  CHECK(update == 6);
  CHECK(restored->step().dump() == trained->step().dump());
  CHECK(restored->digest() == trained->digest());

  REQUIRE(program.run("live run/step-00000004 --json one.json").status == 0);
  const Json one = Json::parse(read_bytes(program / "one.json"));
  REQUIRE(one.at("snapshots").size() == 1);
  CHECK(one.at("snapshots").at(0).at("bytes") == run.at("snapshots").at(1).at("bytes"));
}

TEST_CASE("the page with a run is one file with the engine and the run in it", "[program]") {
  const Program& program = with_run();
  REQUIRE(program.run("live run --html page.html").status == 0);
  const std::string page = read_bytes(program / "page.html");
  for (const char* part : {"id=\"engine.wasm\"", "id=\"engine_emulated.wasm\"", "id=\"run.json\"", "<style>"}) {
    CHECK(contains(page, part));
  }
  for (const char* place : {"<!-- styles -->", "<!-- data -->", "<!-- scripts -->"}) {
    CHECK_FALSE(contains(page, place));
  }
  REQUIRE(program.run("live --html empty.html").status == 0);
  CHECK_FALSE(contains(read_bytes(program / "empty.html"), "id=\"run.json\""));
}

TEST_CASE("of many checkpoints, the page gets eight, the last one included", "[program]") {
  const Program program;
  const std::string keep = " --set training.checkpoints.keep=20 --set training.validation.every=1 ";
  REQUIRE(program.run("train " + config("debug") + keep + "--set training.max_updates=13 --output run").status == 0);
  const auto result = program.run("live run --json run.json");
  CHECK(contains(result.err, "8 of the run's 13 checkpoints"));
  const Json run = Json::parse(read_bytes(program / "run.json"));
  REQUIRE(run.at("snapshots").size() == 8);
  CHECK(run.at("snapshots").back().at("update") == 13);
}

TEST_CASE("live refuses what the page cannot open, with the reason", "[program]") {
  const Program& program = with_run();
  const auto refuses = [&](const std::string& arguments, const std::string& reason) {
    CAPTURE(arguments);
    check_refused(program.run("live " + arguments), reason);
    CHECK_FALSE(fs::exists(program / "x.json"));
  };
  refuses("--json x.json", "give the run's directory");
  refuses("nothing --json x.json", "nothing: there is no such directory");
  refuses("run --html run/config.yaml", "this would overwrite run/config.yaml");
  refuses("run --port 8080 --json x.json", "there is no server");
  refuses("run --html x.json --json x.json", "are the same file");
  refuses("run --port 0", "expected a number from 1 to 65535");

  REQUIRE(program.run(kTrain + "--output mean --set training.checkpoints.average=2").status == 0);
  refuses("mean/average-00000006 --json x.json", "without training_state.safetensors");
  for (const char* step : {"step-00000002", "step-00000004", "step-00000006", "best", "last"}) {
    fs::remove_all(program / "mean" / step);
  }
  fs::create_directory_symlink("average-00000006", program / "mean/best");
  refuses("mean --json x.json", "without training_state.safetensors");

  REQUIRE(program.run(kTrain + "--output own_size --set tokenizer.source_vocabulary_size=12").status == 0);
  refuses("own_size --json x.json", "a size for one language alone");

  fs::create_directory(program / "text");
  const std::string text = "--set data.directory=text --set data.tests='[]' --set data.valid='' ";
  for (const char* language : {"en", "de"}) {
    write_bytes(program / ("text/train." + std::string(language)), "a b c\nb c d\nc d e\n");
  }
  REQUIRE(program.run(kTrain + text + "--output other").status == 0);
  write_bytes(program / "text/train.en", "a b c\nb c d\nc e d\n");
  refuses("other/last --json x.json", "expected the text that other/step-00000006 was trained on, found another");
  write_bytes(program / "text/train.en", "\n\n\n");
  refuses("other/last --json x.json", "found no word");
  fs::remove(program / "text/train.en");
  refuses("other/last --json x.json", "text/train.en: ");
}

TEST_CASE("the page of a run whose test text is empty or missing shows training pairs", "[program]") {
  const Program program;
  fs::create_directory(program / "text");
  for (const char* language : {"en", "de"}) {
    write_bytes(program / ("text/train." + std::string(language)), "a b c\nb c d\n");
    write_bytes(program / ("text/test." + std::string(language)), "");
  }
  const std::string text = "--set data.directory=text --set data.tests='[test]' --set data.valid='' ";
  REQUIRE(program.run(kTrain + text + "--output run").status == 0);
  const auto shown = [&] {
    const auto result = program.run("live run --json run.json");
    CAPTURE(result.err);
    REQUIRE(result.status == 0);
    const Json run = Json::parse(read_bytes(program / "run.json"));
    CHECK(run.at("test").is_null());
    CHECK(run.at("pairs").at(0).at("source") == "a b c");
    return result.err;
  };
  shown();
  fs::remove(program / "text/test.de");
  CHECK(contains(shown(), "the page gets no test text: "));
}

TEST_CASE("live serves the page under this computer's names only, and ends by a signal", "[program]") {
  const Program program;
  std::thread server([&] {
    const auto result = program.shell("\"$glassformer\" live >address & echo $! >pid; wait $!");
    CHECK(result.status == 128 + SIGTERM);
  });
  std::string address;
  for (int i = 0; i < 1000 && !address.ends_with("/\n"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    address = fs::exists(program / "address") ? read_bytes(program / "address") : "";
  }
  REQUIRE(address.ends_with("/\n"));
  const std::string port = std::to_string(std::stoi(address.substr(address.rfind(':') + 1)));
  const auto status = [&](const std::string& path, const std::string& host) {
    const auto asked = Program().shell("python3 -c \"import http.client as h; c = h.HTTPConnection('127.0.0.1', " +
                                       port + "); c.request('GET', '" + path + "', headers={'Host': '" + host +
                                       "'}); print(c.getresponse().status)\"");
    return asked.out.empty() ? 0 : std::stoi(asked.out);
  };
  CHECK(status("/", "127.0.0.1:8017") == 200);
  CHECK(status("/", "localhost:8017") == 200);
  CHECK(status("/", "localhost") == 200);
  CHECK(status("/", "evil.example:8017") == 403);
  CHECK(status("/other", "localhost") == 404);
  check_refused(Program().run("live --port " + port), "another program uses this port");
  kill(std::stoi(read_bytes(program / "pid")), SIGTERM);
  server.join();
}
