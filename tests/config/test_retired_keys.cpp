#include <algorithm>

#include "captured_log.hpp"
#include "catch.hpp"
#include "config/workplace.hpp"
#include "glassformer/config/key.hpp"

using namespace glassformer;
using test::CapturedLog;

namespace {

const std::string kIgnored = ": removed in version 0.2; ignored because the value is the old default\n";

std::string set(const RetiredKey& key, const std::string& value) { return std::string(key.name) + "=" + value; }

}  // namespace

TEST_CASE("a retired key with its default is ignored with one warning that names file and line", "[config]") {
  const Workplace place;
  for (const std::string value : {"false", "no", "off"}) {
    const CapturedLog log;
    const Config expected = place.read("");
    CHECK(log.text().empty());
    const std::string data = "data: {directory: data, source_language: en, target_language: de}\n";
    const auto file = place.write("a.yaml", data + "training: {max_updates: 1000,\n  tensorboard: " + value + "}\n");
    CHECK(read_config(file) == expected);
    CHECK(log.text() == "warning: " + (place.directory / "a.yaml").string() + ":3: training.tensorboard" + kIgnored);
  }
}

TEST_CASE("a retired key in the config of a run that is resumed is not mentioned again", "[config]") {
  const Workplace place;
  place.read("");
  place.write("run/config.yaml",
              "data: {directory: ../data, source_language: en, target_language: de}\n"
              "training: {max_updates: 1000, tensorboard: false}\n");
  const CapturedLog log;
  read_config(place.directory / "a.yaml", {}, place.directory / "run");
  CHECK(log.text().empty());
}

TEST_CASE("a retired key is accepted or refused with --set just as in a file", "[config]") {
  const Workplace place;
  const CapturedLog log;
  CHECK(place.read("", {"training.tensorboard=false"}) == place.read(""));
  CHECK(log.text() == "warning: --set training.tensorboard=false" + kIgnored);
  CHECK(place.complaint("", {"training.tensorboard=true"}) ==
        "--set training.tensorboard=true: this key was removed in version 0.2; expected its default false, found "
        "\"true\". Delete the key; scripts/metrics_to_tensorboard.py converts a run's metrics.jsonl for TensorBoard.");
}

TEST_CASE("a retired key in a file with any value other than its default is an error", "[config]") {
  const Workplace place;
  const std::string refusal =
      "a.yaml:4: training.tensorboard: this key was removed in version 0.2; "
      "expected its default false, found ";
  for (const auto& [value, found] : std::vector<std::pair<std::string, std::string>>{
           {"true", "\"true\""}, {"[false]", "a list"}, {"{}", "a section"}, {"~", "nothing"}, {"0", "0"}}) {
    CAPTURE(value);
    CHECK(place
              .complaint_of_text("data: {directory: data, source_language: en, target_language: de}\n"
                                 "training:\n  max_updates: 9\n  tensorboard: " +
                                 value + "\n")
              .starts_with(refusal + found + ". Delete the key; scripts/"));
  }
}

TEST_CASE("all retired keys that are given are named in one warning", "[config]") {
  const Workplace place;
  std::vector<std::string> overrides;
  for (const RetiredKey& key : retired_keys()) {
    overrides.push_back(set(key, std::string(key.default_value)));
  }
  const CapturedLog log;
  CHECK(place.read("", overrides) == place.read(""));
  const std::string text = log.text();
  CHECK(std::ranges::count(text, '\n') == 1);
  for (const std::string& given : overrides) {
    CHECK(text.find("--set " + given) != std::string::npos);
  }
  CHECK((text.find(", --set ") != std::string::npos) == (overrides.size() > 1));
}

TEST_CASE("retired keys are not in the table of keys, and their error messages tell you what to do", "[config]") {
  const Workplace place;
  const std::string keys = write_config(Config{});
  CHECK_FALSE(retired_keys().empty());
  for (const RetiredKey& key : retired_keys()) {
    CAPTURE(key.name);
    const std::string last(key.name.substr(key.name.rfind('.') + 1));
    CHECK(keys.find(" " + last + ":") == std::string::npos);
    const std::string refusal = place.complaint("", {set(key, "another")});
    CHECK(refusal.find("expected its default " + std::string(key.default_value) + ", ") != std::string::npos);
    CHECK(refusal.ends_with("Delete the key; " + std::string(key.advice) + "."));
  }
}

TEST_CASE("an old checkpoint's config is read with one warning, even when it is used as model.from", "[config]") {
  const Workplace place;
  const std::string config = write_config(place.read(""));
  std::string old = config;
  old.insert(old.find("  log_every:"), "  tensorboard: false\n");
  const auto file = place.write("old/config.yaml", old);
  place.write("old/model.safetensors", "");
  const CapturedLog log;
  CHECK(write_config(read_config_of_checkpoint(file)) == config);
  const auto line = std::ranges::count(old.substr(0, old.find("  tensorboard:")), '\n') + 1;
  const std::string warning =
      "warning: " + file.string() + ":" + std::to_string(line) + ": training.tensorboard" + kIgnored;
  CHECK(log.text() == warning);
  CHECK(write_config(read_config_of_checkpoint(file, false)) == config);
  CHECK(log.text() == warning);
  place.read("model: {from: old}\n", {"training.tensorboard=false"});
  CHECK(log.text() == warning + "warning: --set training.tensorboard=false" + kIgnored + warning);
}
