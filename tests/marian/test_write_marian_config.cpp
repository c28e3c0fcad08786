#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/config/config.hpp"
#include "glassformer/marian/marian_config.hpp"

using namespace glassformer;
using namespace glassformer::stand_in;
using nlohmann::json;

namespace {

json marian(const Config& config, const TokenizerPair& pair = tokenizers(5, 3), const char* name = "config.json") {
  return json::parse(marian_configs(config, pair).at(name));
}

json generation(const Config& config, const TokenizerPair& pair) {
  return marian(config, pair, "generation_config.json");
}

/// A tokenizer that calls its tokens source0, source1, ...
class NamedTokens : public stand_in::Tokenizer {
 public:
  NamedTokens(std::string name, SpecialIds ids) : stand_in::Tokenizer(20, ids), name_(std::move(name)) {}
  std::string piece(Id id) const override { return name_ + std::to_string(id); }

 private:
  std::string name_;
};

/// The two sides have no id in common.
TokenizerPair unequal_sides(const SpecialIds& target = {.pad = 7, .bos = 8, .eos = 9, .unk = 10}) {
  return {std::make_shared<NamedTokens>("source", SpecialIds{.pad = 3, .bos = 4, .eos = 5, .unk = 6}),
          std::make_shared<NamedTokens>("target", target)};
}

}  // namespace

TEST_CASE("config.json describes the model with Marian's keys", "[checkpoint]") {
  Config config;
  config.model.d_model = 64;
  config.model.heads = 4;
  config.model.encoder_layers = 3;
  config.model.decoder_layers = 2;
  config.model.d_ff = 256;
  config.model.dropout = 0.25;  // no two rates are equal
  config.model.embedding_dropout = 0.2;
  config.model.attention_dropout = 0.15;
  config.model.activation_dropout = 0.05;
  const json written = marian(config);
  const json expected = {{"model_type", "marian"},
                         {"architectures", {"MarianMTModel"}},
                         {"is_encoder_decoder", true},
                         {"d_model", 64},
                         {"encoder_layers", 3},
                         {"decoder_layers", 2},
                         {"encoder_attention_heads", 4},
                         {"decoder_attention_heads", 4},
                         {"encoder_ffn_dim", 256},
                         {"decoder_ffn_dim", 256},
                         {"activation_function", "relu"},
                         {"dropout", 0.25},
                         {"attention_dropout", 0.15},
                         {"activation_dropout", 0.05},
                         {"scale_embedding", true},
                         {"static_position_embeddings", true},
                         {"max_position_embeddings", 1024},
                         {"vocab_size", 5},
                         {"decoder_vocab_size", 5},  // transformers 4 needs tables of the same size
                         {"glassformer_source_vocabulary", 5},
                         {"glassformer_target_vocabulary", 3},
                         {"share_encoder_decoder_embeddings", false},
                         {"tie_word_embeddings", true},
                         {"pad_token_id", 0},
                         {"bos_token_id", 1},
                         {"eos_token_id", 2},
                         {"decoder_start_token_id", 1},
                         {"forced_eos_token_id", nullptr},
                         {"torch_dtype", "float32"}};
  for (const auto& [key, value] : expected.items()) {
    INFO(key);
    REQUIRE(written.contains(key));
    CHECK(written[key] == value);
  }
  CHECK(written.contains("glassformer_version"));
  CHECK(written.size() == expected.size() + 1);

  const json same_size = marian(config, tokenizers(4, 4));
  CHECK(same_size["vocab_size"] == 4);
  CHECK(same_size["decoder_vocab_size"] == 4);
  CHECK_FALSE(same_size.contains("glassformer_source_vocabulary"));
  CHECK_FALSE(same_size.contains("glassformer_target_vocabulary"));

  const json larger_target = marian(config, tokenizers(3, 6));
  CHECK(larger_target["vocab_size"] == 6);
  CHECK(larger_target["decoder_vocab_size"] == 6);
  CHECK(larger_target["glassformer_source_vocabulary"] == 3);
  CHECK(larger_target["glassformer_target_vocabulary"] == 6);

  const json ids = marian(config, unequal_sides());
  CHECK(ids["pad_token_id"] == 7);
  CHECK(ids["bos_token_id"] == 8);
  CHECK(ids["eos_token_id"] == 9);
  CHECK(ids["decoder_start_token_id"] == 8);
}

TEST_CASE("tokenizer_config.json names the languages and the target's special tokens", "[checkpoint]") {
  Config config;
  config.data.source_language = "en";
  config.data.target_language = "de";
  config.tokenizer.joint = false;
  const auto written = [&](const TokenizerPair& pair) { return marian(config, pair, "tokenizer_config.json"); };
  CHECK(written(unequal_sides()) == json{{"tokenizer_class", "MarianTokenizer"},
                                         {"source_lang", "en"},
                                         {"target_lang", "de"},
                                         {"separate_vocabs", true},
                                         {"pad_token", "target7"},
                                         {"eos_token", "target9"},
                                         {"unk_token", "target10"},
                                         {"model_max_length", 1024}});
  config.tokenizer.joint = true;
  config.data.max_length = 600;
  CHECK(written(unequal_sides())["separate_vocabs"] == false);
  CHECK(written(unequal_sides())["model_max_length"] == 1212);  // 2 * 600 + 10, bos and eos
  const SpecialIds without_padding{.pad = kNoToken, .bos = 8, .eos = 9, .unk = 10};
  CHECK(written(unequal_sides(without_padding))["pad_token"] == "target8");  // the library pads with bos
}

TEST_CASE("config.json names the tied matrices and the activation", "[checkpoint]") {
  Config config;
  config.model.tied_embeddings = Tying::all;
  config.model.activation = Activation::gelu;
  CHECK(marian(config)["share_encoder_decoder_embeddings"] == true);
  CHECK(marian(config)["tie_word_embeddings"] == true);
  CHECK(marian(config)["activation_function"] == "gelu");
  config.model.tied_embeddings = Tying::none;
  config.model.activation = Activation::swish;
  CHECK(marian(config)["share_encoder_decoder_embeddings"] == false);
  CHECK(marian(config)["tie_word_embeddings"] == false);
  CHECK(marian(config)["activation_function"] == "swish");
}

TEST_CASE("a pre-norm model is not saved as a Marian model", "[checkpoint]") {
  Config config;
  config.model.norm = Norm::pre;
  CHECK(marian(config)["model_type"] == "glassformer");
  CHECK(marian(config)["glassformer_norm"] == "pre");
  CHECK_FALSE(marian(config).contains("architectures"));
}

TEST_CASE("a model with a part left out is not saved as a Marian model", "[checkpoint]") {
  for (const auto& [name, part] : {std::pair{"scale_scores", &TransformerSettings::scale_scores},
                                   std::pair{"positions", &TransformerSettings::positions},
                                   std::pair{"residual", &TransformerSettings::residual}}) {
    Config config;
    CHECK_FALSE(marian(config).contains(std::string("glassformer_") + name));
    config.model.*part = false;
    CHECK(marian(config)["model_type"] == "glassformer");
    CHECK(marian(config)[std::string("glassformer_") + name] == "false");
    CHECK_FALSE(marian(config).contains("architectures"));
  }
}

TEST_CASE("generation_config.json holds the search settings and the target's special ids", "[checkpoint]") {
  Config config;
  config.data.max_length = 600;
  config.decoding = {.beam = 5, .length_penalty = 0.6, .max_length_ratio = 2.5};
  const SpecialIds ids{.pad = 7, .bos = 8, .eos = 9, .unk = 10};
  const TokenizerPair pair{std::make_shared<stand_in::Tokenizer>(20), std::make_shared<stand_in::Tokenizer>(20, ids)};
  const json written = generation(config, pair);
  CHECK(written == json{{"pad_token_id", 7},
                        {"bos_token_id", 8},
                        {"eos_token_id", 9},
                        {"decoder_start_token_id", 8},
                        {"num_beams", 5},
                        {"length_penalty", 0.6},
                        {"early_stopping", "never"},
                        {"bad_words_ids", {json::array({7}), json::array({8})}},
                        {"max_length", 1512}});
  CHECK(marian(config, pair)["max_position_embeddings"] == 1512);
  config.decoding.early_stopping = true;
  CHECK(generation(config, pair)["early_stopping"] == true);
  config.decoding.beam = 1;
  CHECK(generation(config, pair)["early_stopping"] == false);
}

TEST_CASE("generation_config.json forbids padding and bos, each of them once, but never eos", "[checkpoint]") {
  struct Forbidden {
    Id pad, bos, eos;
    std::vector<Id> ids;
  };
  for (const auto& [pad, bos, eos, ids] : {Forbidden{7, 8, 9, {7, 8}},
                                           {1, 2, 2, {1}},
                                           {2, 8, 2, {8}},
                                           {kNoToken, 8, 9, {8}},  // the library pads with bos
                                           {kNoToken, 2, 2, {}}}) {
    CAPTURE(pad, bos, eos);
    const json written = generation({}, unequal_sides({.pad = pad, .bos = bos, .eos = eos, .unk = 10}));
    json expected = json::array();
    for (const Id id : ids) {
      expected.push_back(json::array({id}));
    }
    CHECK(written["bad_words_ids"] == expected);
    CHECK(written["pad_token_id"] == (pad == kNoToken ? bos : pad));
  }
}
