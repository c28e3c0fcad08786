#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
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
          {"attention_dropout", 0.0},
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

std::string complaint_about(const std::string& key, const json& value) {
  return complaint([&] { read(with(key, value)); });
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
}

TEST_CASE("the sentence limit of a Marian model comes from max_length in generation_config.json", "[config]") {
  CHECK(read(marian()).data.max_length == Config{}.data.max_length);
  CHECK(read(marian(), {{"max_length", 512}}).data.max_length == 250);  // 2 * 250 + 10, bos and eos
  CHECK(read(marian(), {{"max_length", 5}}).data.max_length == 1);
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
