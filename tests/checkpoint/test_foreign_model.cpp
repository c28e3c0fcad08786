#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "catch.hpp"
#include "glassformer/batching/batch.hpp"
#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/setup/loaded_model.hpp"
#include "glassformer/text/corpus.hpp"

/// Opens models that transformers saved. scripts/fixtures/make_marian_fixtures.py made them, and recorded what
/// transformers itself computes with them.
using namespace glassformer;

namespace {

namespace fs = std::filesystem;

struct ForeignModel {
  explicit ForeignModel(const std::string& name)
      : loaded(fs::path(GLASSFORMER_SOURCE_DIR) / "tests/fixtures/marian" / name),
        expected(nlohmann::json::parse(std::ifstream(loaded.checkpoint / "expected.json"))) {}

  std::vector<std::string> translations(Index beam) const {
    DecodingSettings decoding = loaded.config.decoding;
    decoding.beam = beam;
    std::vector<std::string> sources;
    for (const auto& pair : expected) {
      sources.push_back(pair.at("source").get<std::string>());
    }
    return translate_lines(loaded.model, loaded.tokenizers, decoding, sources);
  }

  LoadedModel loaded;
  nlohmann::json expected;
};

const std::vector<std::string> kModels = {"opus", "untied", "target_tied"};

}  // namespace

TEST_CASE("a model saved by transformers gives the same tokens and log-probabilities as in transformers",
          "[checkpoint]") {
  for (const std::string& name : kModels) {
    CAPTURE(name);
    const ForeignModel foreign(name);
    const auto& [source, target] = foreign.loaded.tokenizers;
    Corpus corpus(source->special(), target->special());
    for (const auto& pair : foreign.expected) {
      const std::vector<Id> source_ids = source->encode(pair.at("source").get<std::string>());
      const std::vector<Id> target_ids = target->encode(pair.at("target").get<std::string>());
      CHECK(source_ids == pair.at("source_ids").get<std::vector<Id>>());
      CHECK(target_ids == pair.at("target_ids").get<std::vector<Id>>());
      const bool is_known = std::ranges::count(target_ids, target->special().unk) == 0;
      if (is_known) {
        CHECK(target->decode(target_ids) == pair.at("target").get<std::string>());
      }
      corpus.append(source_ids, target_ids, corpus.size());
    }
    std::vector<Index> all(static_cast<std::size_t>(corpus.size()));
    std::iota(all.begin(), all.end(), 0);
    const Batch batch = make_batch(corpus, all);
    const auto transformer = make_transformer(foreign.loaded.model);
    const TransformerMasks masks = transformer->masks(batch.source, batch.target_input);
    const ModelInput input{batch.source, batch.target_input, batch.target_output, masks};
    const Buffer<float>& found = transformer->forward(Pass{}, input).cross_entropies;  // -log p
    const Index T = batch.target_output.cols();
    for (Index i = 0; i < corpus.size(); ++i) {
      const auto expected =
          foreign.expected[static_cast<std::size_t>(i)].at("log_probabilities").get<std::vector<double>>();
      REQUIRE(std::ssize(expected) == std::ssize(corpus.target(i)) + 1);
      for (std::size_t t = 0; t < expected.size(); ++t) {
        CHECK(-found(i * T + static_cast<Index>(t), 0) == Approx(expected[t]).margin(1e-4));
      }
    }
  }
}

TEST_CASE("a model saved by transformers translates as it does in transformers, greedily and with a beam",
          "[checkpoint]") {
  for (const std::string& name : kModels) {
    CAPTURE(name);
    const ForeignModel foreign(name);
    CHECK(foreign.loaded.config.decoding.beam == 4);  // generation_config.json
    const auto greedy = foreign.translations(1);
    const auto beam = foreign.translations(4);
    for (std::size_t i = 0; i < greedy.size(); ++i) {
      CHECK(greedy[i] == foreign.expected[i].at("greedy").get<std::string>());
      CHECK(beam[i] == foreign.expected[i].at("beam_4").get<std::string>());
    }
  }
}

TEST_CASE("if decoding begins with the padding id, the first token of a sentence is not masked", "[checkpoint]") {
  const ForeignModel opus("opus");
  const SpecialIds ids = opus.loaded.tokenizers.target->special();
  CHECK(ids.bos == opus.loaded.model.vocabulary.target_size - 1);
  CHECK(ids.pad < 0);
  CHECK(opus.loaded.tokenizers.target->piece(ids.pad) == "<pad>");
  CHECK(opus.loaded.tokenizers.target->piece(ids.bos) == "<pad>");
}
