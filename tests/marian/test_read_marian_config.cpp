#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "captured_log.hpp"
#include "catch.hpp"
#include "glassformer/schema/model.hpp"
#include "glassformer/setup/read_config.hpp"
#include "temporary_directory.hpp"

using namespace glassformer;
using nlohmann::json;
using test::complaint;
using test::contains;

namespace {

/// What save_pretrained writes for a model like those of OPUS-MT, but smaller and without the keys that we ignore.
json marian() {
  return {{"model_type", "marian"},
          {"vocab_size", 93},
          {"d_model", 32},
          {"encoder_layers", 2},
          {"decoder_layers", 1},
          {"encoder_attention_heads", 4},
          {"decoder_attention_heads", 4},
          {"encoder_ffn_dim", 64},
          {"decoder_ffn_dim", 64},
          {"activation_function", "swish"},
          {"dropout", 0.2},
          {"attention_dropout", 0.0625},  // no two rates are equal
          {"activation_dropout", 0.125},
          {"scale_embedding", true}};
}

Config read(const json& config, const json& generation = nullptr, const json& tokenizer = nullptr) {
  const test::TemporaryDirectory directory;
  directory.write("config.json", config.dump());
  if (!generation.is_null()) {
    directory.write("generation_config.json", generation.dump());
  }
  if (!tokenizer.is_null()) {
    directory.write("tokenizer_config.json", tokenizer.dump());
  }
  return read_config_of_model(directory.path());
}

json with(const std::string& key, const json& value) {
  json changed = marian();
  changed[key] = value;
  return changed;
}

json without(const std::vector<std::string>& keys) {
  json changed = marian();
  for (const std::string& key : keys) {
    changed.erase(key);
  }
  return changed;
}

json with_all(const std::vector<std::string>& keys, const json& value) {
  json changed = marian();
  for (const std::string& key : keys) {
    changed[key] = value;
  }
  return changed;
}

std::string complaint_about(const std::string& key, const json& value) {
  return complaint([&] { read(with(key, value)); });
}

/// What is logged while a model with these settings of the search is opened.
std::string log_of(const json& config, const json& generation) {
  const test::CapturedLog log;
  read(config, generation);
  return log.text();
}

}  // namespace

TEST_CASE("a Marian model's config.json has the meaning and the defaults that transformers gives it", "[config]") {
  const Config config = read(marian());
  CHECK(config.model.d_model == 32);
  CHECK(config.model.heads == 4);
  CHECK(config.model.encoder_layers == 2);
  CHECK(config.model.decoder_layers == 1);
  CHECK(config.model.d_ff == 64);
  CHECK(config.model.norm == Norm::post);
  CHECK(config.model.activation == Activation::swish);
  CHECK(config.model.tied_embeddings == Tying::all);
  CHECK(config.model.scale_embeddings);
  CHECK(config.model.dropout == 0.2);
  CHECK(config.model.embedding_dropout == 0.2);
  CHECK(config.model.attention_dropout == 0.0625);
  CHECK(config.model.activation_dropout == 0.125);
  CHECK(config.tokenizer.kind == TokenizerKind::marian);
  CHECK(config.tokenizer.joint);
  CHECK(config.decoding == DecodingSettings{});

  json other = marian();
  other.erase("scale_embedding");
  other["share_encoder_decoder_embeddings"] = false;
  CHECK_FALSE(read(other).model.scale_embeddings);
  CHECK(read(other).model.tied_embeddings == Tying::target);
  other["tie_word_embeddings"] = false;
  CHECK(read(other).model.tied_embeddings == Tying::none);
  CHECK(read(with("activation_function", "relu")).model.activation == Activation::relu);
  CHECK(read(with("activation_function", "gelu")).model.activation == Activation::gelu);
  CHECK(read(with("activation_function", "silu")).model.activation == Activation::swish);
}

TEST_CASE("each key of a Marian model's config.json sets its own settings, and a missing one has its default",
          "[config]") {
  using Change = void (*)(TransformerSettings&);
  struct Key {
    std::vector<std::string> keys;  // the library stores some settings twice
    json value;
    Change set;
    Change leave_out;  // null: the key is required
  };
  const std::vector<Key> table = {
      {{"d_model"}, 64, [](auto& model) { model.d_model = 64; }, nullptr},
      {{"encoder_attention_heads", "decoder_attention_heads"}, 8, [](auto& model) { model.heads = 8; }, nullptr},
      {{"encoder_ffn_dim", "decoder_ffn_dim"}, 48, [](auto& model) { model.d_ff = 48; }, nullptr},
      {{"encoder_layers"}, 3, [](auto& model) { model.encoder_layers = 3; }, nullptr},
      {{"decoder_layers"}, 5, [](auto& model) { model.decoder_layers = 5; }, nullptr},
      {{"activation_function"},
       "relu",
       [](auto& model) { model.activation = Activation::relu; },
       [](auto& model) { model.activation = Activation::gelu; }},
      {{"dropout"},
       0.3,
       [](auto& model) { model.dropout = model.embedding_dropout = 0.3; },
       [](auto& model) { model.dropout = model.embedding_dropout = 0.1; }},
      {{"attention_dropout"},
       0.4,
       [](auto& model) { model.attention_dropout = 0.4; },
       [](auto& model) { model.attention_dropout = 0; }},
      {{"activation_dropout"},
       0.5,
       [](auto& model) { model.activation_dropout = 0.5; },
       [](auto& model) { model.activation_dropout = 0; }},
      {{"scale_embedding"},
       false,
       [](auto& model) { model.scale_embeddings = false; },
       [](auto& model) { model.scale_embeddings = false; }},
      {{"share_encoder_decoder_embeddings"},
       false,
       [](auto& model) { model.tied_embeddings = Tying::target; },
       [](auto& model) { model.tied_embeddings = Tying::all; }},
  };
  const Config usual = read(marian());
  for (const Key& row : table) {
    CAPTURE(row.keys.front());
    TransformerSettings expected = usual.model;
    row.set(expected);
    CHECK((read(with_all(row.keys, row.value)).model == expected));
    if (row.leave_out == nullptr) {
      for (const std::string& key : row.keys) {
        CHECK(contains(complaint([&] { read(without({key})); }), ": " + key + ": expected a value, found none."));
      }
      continue;
    }
    expected = usual.model;
    row.leave_out(expected);
    CHECK((read(without(row.keys)).model == expected));
    CHECK((read(with_all(row.keys, nullptr)).model == expected));  // null is as good as missing
  }
  for (const char* ignored : {"vocab_size", "max_position_embeddings", "init_std", "use_cache"}) {
    CHECK((read(with(ignored, 7)).model == usual.model));
  }
}

TEST_CASE("each size and each rate of a Marian model has its own limits", "[config]") {
  const std::vector<std::pair<std::vector<std::string>, Index>> sizes = {
      {{"d_model"}, kMostWidth},
      {{"encoder_attention_heads", "decoder_attention_heads"}, kMostHeads},
      {{"encoder_ffn_dim", "decoder_ffn_dim"}, kMostHidden},
      {{"encoder_layers"}, kMostLayers},
      {{"decoder_layers"}, kMostLayers}};
  for (const auto& [keys, most] : sizes) {
    CAPTURE(keys.front());
    const std::string expected = ": " + keys.front() + ": expected an integer from 1 to " + std::to_string(most) + ",";
    const auto complaint_about_size = [&sizes_of = keys](Index size) {
      return complaint([&] { read(with_all(sizes_of, size)); });
    };
    CHECK(contains(complaint_about_size(0), expected));
    CHECK(contains(complaint_about_size(most + 1), expected));
    CHECK_FALSE(contains(complaint_about_size(most), " from 1 to "));
    CHECK_FALSE(contains(complaint_about_size(1), " from 1 to "));
  }
  for (const char* key : {"dropout", "attention_dropout", "activation_dropout"}) {
    CAPTURE(key);
    for (const json& impossible : {json(1), json(1.5), json(-0.1)}) {
      CHECK(contains(complaint_about(key, impossible), std::string(": ") + key + ": expected a number of at least 0"));
    }
    CHECK(complaint_about(key, 0).empty());
    CHECK(complaint_about(key, 0.999).empty());
  }
}

TEST_CASE("the languages and the kind of vocabulary are in tokenizer_config.json", "[config]") {
  const Config config = read(with("share_encoder_decoder_embeddings", false), nullptr,
                             {{"source_lang", "en"}, {"target_lang", "de"}, {"separate_vocabs", true}});
  CHECK(config.data.source_language == "en");
  CHECK(config.data.target_language == "de");
  CHECK_FALSE(config.tokenizer.joint);
  CHECK(read(marian(), nullptr, {{"separate_vocabs", false}}).tokenizer.joint);
  for (const json& tokenizer : {json(), json::object()}) {
    const Config usual = read(marian(), json(), tokenizer);
    CHECK(usual.data.source_language == "source");
    CHECK(usual.data.target_language == "target");
    CHECK(usual.tokenizer.joint);
  }
}

TEST_CASE("search settings are in generation_config.json or, for older Marian models, in config.json", "[config]") {
  const json search = {{"num_beams", 6}, {"length_penalty", 0.5}, {"early_stopping", true}};
  for (const bool old : {false, true}) {
    json config = marian();
    if (old) {
      config.update(search);
    }
    const DecodingSettings decoding = read(config, old ? json() : search).decoding;
    CHECK(decoding.beam == 6);
    CHECK(decoding.length_penalty == 0.5);
    CHECK(decoding.early_stopping);
  }
  CHECK_FALSE(read(marian(), {{"early_stopping", "never"}}).decoding.early_stopping);
  json both = marian();
  both.update(search);
  CHECK(read(both, json::object()).decoding == DecodingSettings{});  // generation_config.json alone counts
}

TEST_CASE("each search setting of a Marian model sets its own setting", "[config]") {
  DecodingSettings expected;
  expected.beam = 1000;
  CHECK(read(marian(), {{"num_beams", 1000}}).decoding == expected);
  expected = {};
  expected.length_penalty = 0;
  CHECK(read(marian(), {{"length_penalty", 0}}).decoding == expected);
  for (const json& stop : {json(true), json(false), json("never"), json()}) {
    expected = {};
    expected.early_stopping = stop == true;
    CHECK(read(marian(), {{"early_stopping", stop}}).decoding == expected);
  }
}

TEST_CASE("each setting of the library's search that ours lacks is named if it changes translations", "[config]") {
  struct Ignored {
    const char* key;
    std::vector<json> neutral;  // besides a missing key
    json effective;
  };
  const std::vector<json> none = {json(), json::array(), json::object()};
  const std::vector<Ignored> table = {{"repetition_penalty", {1, 1.0}, 1.5},
                                      {"encoder_repetition_penalty", {1, 1.0}, 1.5},
                                      {"no_repeat_ngram_size", {0}, 3},
                                      {"encoder_no_repeat_ngram_size", {0}, 3},
                                      {"min_length", {0}, 2},
                                      {"min_new_tokens", {0, nullptr}, 2},
                                      {"max_new_tokens", none, 20},
                                      {"do_sample", {false}, true},
                                      {"num_beam_groups", {1}, 2},
                                      {"diversity_penalty", {0, 0.0}, 0.5},
                                      {"penalty_alpha", {0, nullptr}, 0.5},
                                      {"suppress_tokens", none, json::array({5})},
                                      {"begin_suppress_tokens", none, json::array({5})},
                                      {"forced_bos_token_id", none, 4},
                                      {"force_words_ids", none, json::array({json::array({4})})},
                                      {"sequence_bias", none, json::array({json::array({json::array({4}), -1.5})})},
                                      {"exponential_decay_length_penalty", none, json::array({5, 1.5})},
                                      {"guidance_scale", {1, nullptr}, 1.5},
                                      {"constraints", none, json::array({4})},
                                      {"assistant_model", none, "small"}};
  for (const Ignored& row : table) {
    CAPTURE(row.key);
    for (const json& neutral : row.neutral) {
      CHECK(log_of(marian(), {{row.key, neutral}}).empty());
    }
    const std::string words = ": ignored, because our search does not use it: " + std::string(row.key) + " " +
                              row.effective.dump() + "; transformers may translate differently";
    const std::string log = log_of(marian(), {{row.key, row.effective}});
    CHECK(contains(log, "warning: "));
    CHECK(contains(log, "generation_config.json" + words));
    CHECK(contains(log_of(with(row.key, row.effective), nullptr), "/config.json" + words));  // an older model
  }
  const std::string two = log_of(marian(), {{"min_length", 2}, {"do_sample", true}});
  CHECK(contains(two, ": do_sample true, min_length 2;"));
}

TEST_CASE("forbidden words are ignored, but are named only if our search may choose them", "[config]") {
  const json ids = {{"pad_token_id", 7}, {"decoder_start_token_id", 8}, {"bos_token_id", 9}};
  const auto log_with = [&](const json& words) {
    json generation = ids;
    generation["bad_words_ids"] = words;
    return log_of(marian(), generation);
  };
  for (const char* allowed : {"null", "[]", "[[7]]", "[[8]]", "[[8], [7]]"}) {
    CAPTURE(allowed);
    CHECK(log_with(json::parse(allowed)).empty());
  }
  for (const char* forbidden : {"[[5]]", "[[7], [5]]", "[[5], [8]]", "[[7, 8]]", "[[9]]"}) {
    CAPTURE(forbidden);
    CHECK(contains(log_with(json::parse(forbidden)), "does not use it: bad_words_ids;"));
  }
}

TEST_CASE("special ids that differ between the two files of a Marian model are named", "[config]") {
  for (const char* key : {"eos_token_id", "pad_token_id", "decoder_start_token_id"}) {
    CAPTURE(key);
    const json config = with(key, 2);
    CHECK(log_of(config, {{key, 2}}).empty());
    CHECK(log_of(config, json::object()).empty());
    CHECK(log_of(marian(), {{key, 2}}).empty());
    CHECK(contains(log_of(config, {{key, 3}}), "does not use it: " + std::string(key) + " 3 (config.json has 2);"));
  }
  CHECK(
      contains(log_of(with("eos_token_id", 2), {{"eos_token_id", {0, 2}}}), "eos_token_id [0,2] (config.json has 2)"));
}

TEST_CASE("the sentence limit of a Marian model comes from max_length in generation_config.json", "[config]") {
  CHECK(read(marian()).data.max_length == Config{}.data.max_length);
  CHECK(read(marian(), {{"max_length", 512}}).data.max_length == 250);  // 2 * 250 + 10, bos and eos
  CHECK(read(marian(), {{"max_length", 5}}).data.max_length == 1);
  CHECK(read(marian(), {{"max_length", 2147483647}}).data.max_length == 1048575);  // the most that a config accepts
}

TEST_CASE("impossible sizes are refused, before their products can overflow", "[config]") {
  for (const char* key : {"d_model", "encoder_layers", "decoder_layers"}) {
    CHECK(contains(complaint_about(key, 2147483646), std::string(key) + ": expected an integer from 1 to 100"));
    CHECK(contains(complaint_about(key, 0), std::string(key) + ": expected an integer from 1 to 100"));
  }
  json both = with("encoder_ffn_dim", 2147483646);
  both["decoder_ffn_dim"] = 2147483646;
  CHECK(contains(complaint([&] { read(both); }), "encoder_ffn_dim: expected an integer from 1 to 1000000"));
}

TEST_CASE("impossible search settings are refused", "[config]") {
  const auto about = [](const json& generation) { return complaint([&] { read(marian(), generation); }); };
  CHECK(contains(about({{"num_beams", 0}}), "generation_config.json: num_beams: expected a number from 1 to 1000"));
  CHECK(contains(about({{"num_beams", 2000}}), "num_beams: expected a number from 1 to 1000"));
  CHECK(contains(about({{"length_penalty", -0.5}}), "length_penalty: expected at least 0, found -0.5"));
}

TEST_CASE("architectures that our transformer lacks are refused with the reason", "[config]") {
  CHECK(contains(complaint_about("model_type", "bart"), "model_type: expected \"marian\""));
  CHECK(contains(complaint_about("decoder_attention_heads", 8), "expected 4 as in the encoder"));
  CHECK(contains(complaint_about("decoder_ffn_dim", 128), "expected 64 as in the encoder"));
  CHECK(contains(complaint_about("activation_function", "gelu_new"), "expected relu, gelu, swish"));
  CHECK(contains(complaint_about("activation_function", "gelu_new"), " or silu"));
  CHECK(contains(complaint_about("tie_word_embeddings", false), "expected true, because share_encoder"));
  CHECK(contains(complaint_about("static_position_embeddings", false), "computed, not learned"));
  for (const char* key : {"normalize_before", "normalize_embedding", "add_final_layer_norm"}) {
    CHECK(contains(complaint_about(key, true), std::string(key) + ": expected false (a post-norm transformer"));
  }
  CHECK(contains(complaint([] { read(marian(), nullptr, {{"separate_vocabs", true}}); }), "separate_vocabs"));
}

TEST_CASE("an error in config.json names the file, the key and what was found", "[config]") {
  CHECK(contains(complaint_about("d_model", 33), "config.json: d_model: expected an even number, found 33."));
  CHECK(contains(complaint_about("d_model", nullptr), "d_model: expected a value, found none."));
  CHECK(contains(complaint_about("d_model", -4), "expected an integer, found -4."));
  CHECK(contains(complaint_about("d_model", 1e12), "expected an integer"));
  CHECK(contains(complaint_about("d_model", "32"), "expected an integer, found \"32\"."));
  CHECK(contains(complaint_about("encoder_attention_heads", 0), "an integer from 1 to 4096"));
  CHECK(contains(complaint_about("encoder_attention_heads", 8), "as in the encoder"));
  CHECK(contains(complaint_about("encoder_layers", 0), "an integer from 1 to 1000"));
  CHECK(contains(complaint_about("dropout", 1), "of at least 0 and below 1"));
  CHECK(contains(complaint_about("scale_embedding", 1), "true or false"));
  CHECK(contains(complaint_about("activation_function", 1), "a string"));
  const test::TemporaryDirectory directory;
  CHECK(contains(complaint([&] { read_config_of_model(directory.path()); }), "config.json"));
  directory.write("config.json", "{");
  CHECK(contains(complaint([&] { read_config_of_model(directory.path()); }), "expected JSON"));
  directory.write("config.json", "[]");
  CHECK(contains(complaint([&] { read_config_of_model(directory.path()); }), "expected a JSON object"));
}
