#include <string>
#include <type_traits>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/marian/length_limit.hpp"
#include "glassformer/marian/marian_config.hpp"
#include "glassformer/schema/model.hpp"
#include "model/choices.hpp"

/// What write_marian_config writes, read_marian_config reads.
using namespace glassformer;

namespace {

/// The config that a model has after it was written for the Hugging Face library and read again.
Config reread(const Config& config) {
  const test::TemporaryDirectory directory;
  for (const auto& [name, text] : marian_configs(config, stand_in::tokenizers(4, 4))) {
    directory.write(name, text);
  }
  return read_marian_config(directory.path());
}

}  // namespace

TEST_CASE("each setting of a model that Marian has too survives being written for the library and read again",
          "[checkpoint]") {
  Config config;
  config.tokenizer.joint = true;  // so that all embeddings can be tied
  const auto check = [&](const TransformerSettings& model) {
    config.model = model;
    TransformerSettings expected = model;
    expected.embedding_dropout = model.dropout;  // Marian has one rate for both
    CHECK((reread(config).model == expected));
  };
  for (const TransformerSettings& model : example::with_each_choice({})) {
    TransformerSettings other = model;
    other.activation = TransformerSettings{}.activation;
    other.tied_embeddings = TransformerSettings{}.tied_embeddings;
    if (other == TransformerSettings{}) {  // Marian has only these two choices
      check(model);
    }
  }
  TransformerSettings model;
  std::vector<std::string> changed;
  for_each_setting(model, [&](const std::string& name, const auto&, auto& field, const auto&...) {
    using Type = std::remove_reference_t<decltype(field)>;
    if constexpr (!std::is_enum_v<Type>) {
      if (name == "initial_gain" || name == "embedding_dropout" || name == "scale_scores" || name == "positions" ||
          name == "residual") {
        return;  // Marian has none of them
      }
      CAPTURE(name);
      const Type usual = field;
      if constexpr (std::is_same_v<Type, bool>) {
        field = !usual;
      } else {
        field = usual == 0 ? static_cast<Type>(0.375) : 2 * usual;  // twice the width can still be split into heads
      }
      check(model);
      field = usual;
      changed.push_back(name);
    }
  });
  CHECK(changed.size() == 9);
}

TEST_CASE("the settings of a search and the languages survive being written for the library and read again",
          "[checkpoint]") {
  Config config;
  config.data.source_language = "en";
  config.data.target_language = "de";
  for (const bool early_stopping : {false, true}) {
    for (const bool joint : {false, true}) {
      for (const Index max_length : {1, 37, 100, 600}) {
        CAPTURE(early_stopping, joint, max_length);
        config.decoding = {.beam = 5, .length_penalty = 0.6, .early_stopping = early_stopping};
        config.tokenizer.joint = joint;
        config.data.max_length = max_length;
        const Config again = reread(config);
        CHECK((again.decoding == config.decoding));
        CHECK(again.tokenizer.joint == joint);
        CHECK(again.data.source_language == "en");
        CHECK(again.data.target_language == "de");
        CHECK(again.data.max_length == max_length);
      }
    }
  }
}

TEST_CASE("the longest source is the one whose longest translation has the most tokens allowed", "[checkpoint]") {
  for (const double ratio : {1.0, 2.0, 3.0}) {
    const DecodingSettings decoding{.max_length_ratio = ratio};
    for (Index words = 1; words < 300; ++words) {
      const Index output = longest_output(decoding, words);
      CAPTURE(ratio, words);
      CHECK(output == static_cast<Index>(ratio) * words + 12);  // ten tokens more than the ratio, bos and eos
      CHECK(longest_source(decoding, output) == words);
      CHECK(longest_source(decoding, output + static_cast<Index>(ratio) - 1) == words);
    }
    for (Index output = 0; output < 13; ++output) {
      CHECK(longest_source(decoding, output) == 1);
    }
  }
}
