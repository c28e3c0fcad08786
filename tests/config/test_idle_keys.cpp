#include <string>
#include <vector>

#include "captured_log.hpp"
#include "catch.hpp"
#include "config/workplace.hpp"
#include "glassformer/config/config_file.hpp"

using namespace glassformer;
using test::CapturedLog;

namespace {

/// The warning about keys with no effect if these keys are set. "" if there is none.
std::string idle(const Workplace& place, const std::vector<std::string>& overrides) {
  const CapturedLog log;
  place.read("", overrides);
  return log.text();
}

}  // namespace

TEST_CASE("each key is named where it has no effect, and only there", "[config]") {
  const Workplace place;
  const std::string file = "tokenizer.source_model=" + (place.directory / "data/both.model").string();
  const std::string other_file = "tokenizer.target_model=" + (place.directory / "data/both.model").string();
  const std::string pieces = "tokenizer.kind=sentencepiece";
  const std::string is_word = "tokenizer.kind is word";
  const std::string is_greedy = "greedy search (beam 1) does not use it";
  const std::string from_file = "the tokenizer comes from a .model file";
  struct Rule {
    std::string key, why;
    std::vector<std::string> idle_with, used_with;
  };
  const std::vector<Rule> rules = {
      {"training.optimizer.momentum=0.5", "only muon uses it", {}, {"training.optimizer.kind=muon"}},
      {"training.schedule.final_rate=0.1",
       "only cosine uses it",
       {},
       {"training.schedule.kind=cosine", "training.schedule.warmup=10"}},
      {"training.schedule.initial_rate=0.1", "there is no warm-up", {"training.schedule.warmup=0"}, {}},
      {"training.validation.metric=perplexity", "there is no validation text", {"data.valid="}, {}},
      {"training.validation.samples=9", "validations do not translate", {"training.validation.translate=false"}, {}},
      {"training.validation.samples=8", "validations do not translate", {"data.valid="}, {}},
      {"decoding.length_penalty=2", is_greedy, {"decoding.beam=1"}, {"decoding.beam=2"}},
      {"decoding.early_stopping=true", is_greedy, {"decoding.beam=1"}, {"decoding.beam=2"}},
      {"tokenizer.model=unigram", is_word, {}, {pieces}},
      {"tokenizer.normalization=nfkc", is_word, {}, {pieces}},
      {"tokenizer.character_coverage=0.99", is_word, {}, {pieces}},
      {"tokenizer.min_frequency=3", "only tokenizer.kind word uses it", {pieces}, {}},
      {"tokenizer.source_vocabulary_size=50", from_file, {pieces, file}, {pieces, other_file}},
      {"tokenizer.target_vocabulary_size=50", from_file, {pieces, other_file}, {pieces, file}},
      {"tokenizer.vocabulary_size=50", from_file, {pieces, file, other_file}, {pieces, file}},
      {"tokenizer.vocabulary_size=51", from_file, {pieces, file, "tokenizer.joint=true"}, {pieces, other_file}},
      {"tokenizer.normalization=nfkc", from_file, {pieces, file, other_file}, {pieces, other_file}}};
  for (const Rule& rule : rules) {
    CAPTURE(rule.key);
    std::vector<std::string> overrides = rule.idle_with;
    overrides.push_back(rule.key);
    CHECK(idle(place, overrides) == "warning: keys with no effect: --set " + rule.key + " (" + rule.why + ")\n");
    overrides = rule.used_with;
    overrides.push_back(rule.key);
    CHECK(idle(place, overrides).empty());
  }
  CHECK(idle(place, {"training.checkpoints.average=1"}) ==
        "warning: keys with no effect: --set training.checkpoints.average=1 (the mean of one checkpoint is that "
        "checkpoint)\n");
  CHECK(idle(place, {"training.checkpoints.average=2"}).empty());
}

TEST_CASE("the tokenizers of model.from make every key of the tokenizer idle that is not checked against it",
          "[config]") {
  const Workplace place;
  const std::string from = "model.from=" + (place.directory / "data").string();
  const Models models{.find = [](const std::filesystem::path& path) { return path; },
                      .config_of = [](const std::filesystem::path&) { return Config(); }};
  const CapturedLog log;
  parse_config(place.write("a.yaml", place.smallest), {from, "tokenizer.min_frequency=3"}, models);
  CHECK(log.text() ==
        "warning: keys with no effect: --set tokenizer.min_frequency=3 (the tokenizers are those of model.from)\n");
}

TEST_CASE("a model that training starts from gives its own shape, masks, tokenizer and search, but no other section",
          "[config]") {
  const Workplace place;
  Config other = place.read("");
  other.model.d_ff = 48;
  other.model.masks.look_ahead = false;
  other.tokenizer.vocabulary_size = 77;
  other.tokenizer.source_model = other.tokenizer.target_model = place.directory / "gone.model";
  other.decoding.beam = 9;
  other.training.seed = 99;
  other.run.log_every = 99;
  other.evaluation.lowercase = true;
  const Models models{.find = [&](const std::filesystem::path&) { return place.directory / "found"; },
                      .config_of =
                          [&](const std::filesystem::path& path) {
                            CHECK(path == place.directory / "found");
                            return other;
                          }};
  const std::string from = "model.from=" + (place.directory / "data").string();
  const auto file = place.write("a.yaml", place.smallest);
  Config expected = place.read("");
  expected.model = other.model;
  expected.tokenizer = other.tokenizer;
  expected.tokenizer.source_model = expected.tokenizer.target_model = "";
  expected.decoding = other.decoding;
  expected.model_from = place.directory / "found";
  CHECK(parse_config(file, {from}, models) == expected);
}

TEST_CASE("a resumed run keeps the tokenizers and weights that it was started with, each of them", "[config]") {
  const Workplace place;
  Config begun = place.read("", {"tokenizer.kind=sentencepiece"});
  begun.model_from = place.directory / "old";
  begun.tokenizer.source_model = place.directory / "old.source.model";
  begun.tokenizer.target_model = place.directory / "old.target.model";
  place.write("run/config.yaml", write_config(begun));
  const std::string text = place.smallest + "tokenizer: {kind: sentencepiece}\n";
  const auto resumed_with = [&](const std::vector<std::string>& overrides) {
    return parse_config(place.write("a.yaml", text), overrides, {}, place.directory / "run");
  };
  const std::string here = place.directory.string() + "/";
  const std::vector<std::string> same = {"tokenizer.source_model=" + here + "old.source.model",
                                         "tokenizer.target_model=" + here + "old.target.model",
                                         "model.from=" + here + "old"};
  {
    const CapturedLog log;
    CHECK(resumed_with(same) == begun);
    CHECK(log.text().empty());
  }
  for (std::size_t i = 0; i < same.size(); ++i) {
    std::vector<std::string> changed = same;
    changed[i] += "er";
    CAPTURE(changed[i]);
    const CapturedLog log;
    CHECK(resumed_with(changed) == begun);
    CHECK(log.text() == "info: keys with no effect: " + changed[i].substr(0, changed[i].find('=')) +
                            " (a resumed run has its own tokenizers and weights)\n");
  }
}
