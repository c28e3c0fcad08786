#include "catch.hpp"
#include "config/workplace.hpp"
#include "glassformer/config/config.hpp"

using namespace glassformer;

namespace {

/// Added to the smallest config, which has two lines, to make the first base, a.yaml.
constexpr const char* kModel = "model:\n  d_model: 64\n  heads: 4\n";

}  // namespace

TEST_CASE("a config takes every key from its base that it does not set itself", "[config]") {
  const Workplace place;
  Config expected = place.read(kModel);
  place.write("middle.yaml", "base: a.yaml\nmodel: {heads: 8}\n");
  const auto file = place.write("top.yaml", "base: middle.yaml\nmodel:\n  d_model: 32\ntraining: {max_epochs: 2}\n");
  expected.model.heads = 8;
  expected.model.d_model = 32;
  expected.run.max_epochs = 2;
  CHECK(read_config(file) == expected);
  expected.model.d_model = 16;
  CHECK(read_config(file, {"model.d_model=16"}) == expected);
  CHECK(read_config(place.write("same.yaml", "base: top.yaml\n"), {"model.d_model=16"}) == expected);
}

TEST_CASE("a relative path is relative to the file that contains it", "[config]") {
  const Workplace place;
  place.read("tokenizer: {kind: sentencepiece, source_model: data/both.model}\n");
  place.write("other/data/en.model", "");
  const std::string base = "base: ../a.yaml\n";
  const Config config = read_config(place.write("other/b.yaml", base + "tokenizer: {target_model: data/en.model}\n"));
  CHECK(config.data.directory == place.directory / "data");
  CHECK(config.tokenizer.source_model == place.directory / "data/both.model");
  CHECK(config.tokenizer.target_model == place.directory / "other/data/en.model");
  const auto absolute = place.write("deep/down/c.yaml", "base: " + (place.directory / "other/b.yaml").string() + "\n");
  CHECK(read_config(std::filesystem::relative(absolute)) == config);
}

TEST_CASE("a written config has no base, and explains every key", "[config]") {
  const Workplace place;
  place.read(kModel);
  const std::string text = write_config(read_config(place.write("b.yaml", "base: a.yaml\n")));
  CHECK(text.find("base:") == std::string::npos);
  CHECK(
      text.find("\n  d_model: 64                   # width of every token's vector; an even number (default 128)\n") !=
      std::string::npos);
  CHECK(text.find("  # file extension of the source language, as in train.en (required)\n") != std::string::npos);
}

TEST_CASE("a message names the file and the line where the value was given", "[config]") {
  const Workplace place;
  const auto complaint = [&](const std::string& base, const std::string& text) {
    place.write("a.yaml", place.smallest + base);
    return place.complaint_of_file(place.write("other/b.yaml", "base: ../a.yaml\n" + text));
  };
  CHECK(complaint("model:\n  d_modle: 64\n", "model: {heads: 0}\n") ==
        "a.yaml:4: model.d_modle: unknown key; did you mean model.d_model?");
  CHECK(complaint(kModel, "model:\n  heads: 0\n") ==
        "other/b.yaml:3: model.heads: expected an integer from 1 to 4096, found 0");
  CHECK(complaint("model: {heads: 3}\n", "") ==
        "a.yaml:3: model.heads: heads must divide d_model, but 3 does not divide 128; "
        "choose, for example, 2 heads");
  // Both files contribute to the mistake. The message names the nearer one.
  CHECK(complaint(kModel, "model: {d_model: 66}\n") ==
        "other/b.yaml:2: model.d_model: heads must divide d_model, but 4 does not divide 66; "
        "choose, for example, 3 heads");
  CHECK(complaint("data: {}\n", "").starts_with("a.yaml:3: data: given twice"));
  CHECK(complaint(kModel, "model: {heads: 2}\nmodel: {}\n") ==
        "other/b.yaml:3: model: given twice; first given on line 2");
}

TEST_CASE("a base must be a config file, named by the first key", "[config]") {
  const Workplace place;
  place.write("a.yaml", place.smallest);
  const auto complaint = [&](const std::string& text) { return place.complaint_of_file(place.write("b.yaml", text)); };
  CHECK(complaint("base: aa.yaml\n") == "b.yaml:1: base: no file aa.yaml; did you mean a.yaml?");
  CHECK(complaint("base: data\n") == "b.yaml:1: base: expected a file, found the directory data");
  CHECK(complaint("\nbase: [a.yaml]\n") == "b.yaml:2: base: expected the name of a config file, found a list");
  CHECK(complaint("base:\n") == "b.yaml:1: base: expected the name of a config file, found nothing");
  CHECK(complaint("model: {}\nbase: a.yaml\n") == "b.yaml:2: base: allowed only as the first key of a config file");
  CHECK(complaint("base: a.yaml\nbase: a.yaml\n") == "b.yaml:2: base: allowed only as the first key of a config file");
  CHECK(place.complaint("", {"base=a.yaml"}) == "--set base=a.yaml: allowed only as the first key of a config file");
  CHECK(complaint("base: data/train.en\n").starts_with("data/train.en:1: expected the sections "));
}

TEST_CASE("bases may be nested 10 deep, but not in a circle", "[config]") {
  const Workplace place;
  const auto name = [](int number) { return "c" + std::to_string(number) + ".yaml"; };
  place.write(name(0), place.smallest);
  for (int i = 1; i <= 11; ++i) {
    place.write(name(i), "base: " + name(i - 1) + "\n");
  }
  CHECK(place.complaint_of_file(place.directory / name(10)).empty());
  CHECK(place.complaint_of_file(place.directory / name(11)) == "c1.yaml:1: base: bases are nested more than 10 deep");

  place.write(name(0), "base: data/../c2.yaml\n");
  CHECK(place.complaint_of_file(place.directory / name(2)) ==
        "c0.yaml:1: base: a config cannot be its own base: c2.yaml -> c1.yaml -> c0.yaml -> c2.yaml");
  place.write(name(0), "base: c0.yaml\n");
  CHECK(place.complaint_of_file(place.directory / name(0)) ==
        "c0.yaml:1: base: a config cannot be its own base: c0.yaml -> c0.yaml");
}

TEST_CASE("YAML aliases share their value instead of copying it", "[config]") {
  const Workplace place;
  CHECK(place.read("model: {dropout: &low 0.05, attention_dropout: *low}\n").model.attention_dropout == 0.05);
  std::string text = "model:\n  a0: &a0 {x: 1}\n";  // without sharing, a30 would have 2^30 entries
  for (int i = 1; i <= 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    const std::string now = "a" + std::to_string(i);
    text += "  " + now + ": &" + now + " {x: " + before + ", y: " + before + "}\n";
  }
  CHECK(place.complaint(text).starts_with("a.yaml:4: model.a0: unknown key"));
}
