#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "glassformer/config/key.hpp"
#include "glassformer/files/json_file.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/marian/length_limit.hpp"
#include "glassformer/marian/marian_config.hpp"
#include "glassformer/schema/model.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

/// Also true of a broken link: reading it then gives an error.
bool is_there(const fs::path& file) { return fs::exists(fs::symlink_status(file)); }

/// A size of the model. Our own configs have the same limits; within them, no product of sizes can overflow.
Index size_of(const JsonFile& config, const std::string& key, Index most) {
  const Index size = config.integer(key);
  if (size < 1 || size > most) {
    throw config.mistake(key, "an integer from 1 to " + std::to_string(most));
  }
  return size;
}

/// A number that the library stores for the encoder and for the decoder, and we store once for both.
Index same_in_both(const JsonFile& config, const std::string& name, Index most) {
  const Index encoder = size_of(config, "encoder_" + name, most);
  if (config.integer("decoder_" + name) == encoder) {
    return encoder;
  }
  throw config.mistake("decoder_" + name, std::to_string(encoder) + " as in the encoder (both must be the same)");
}

Activation activation_of(const JsonFile& config) {
  const std::string name = config.text("activation_function", "gelu");
  if (name == "silu") {  // all others have the same name in both
    return Activation::swish;
  }
  for (std::size_t i = 0; i < kActivationNames.size(); ++i) {
    if (name == kActivationNames[i]) {
      return static_cast<Activation>(i);
    }
  }
  std::string known;
  for (const char* ours : kActivationNames) {
    known += (known.empty() ? "" : ", ") + std::string(ours);
  }
  throw config.mistake("activation_function", known + " or silu");
}

Tying tying_of(const JsonFile& config) {
  const bool shared = config.flag("share_encoder_decoder_embeddings", true);
  const bool output = config.flag("tie_word_embeddings", true);
  if (shared && !output) {
    throw config.mistake(
        "tie_word_embeddings",
        "true, because share_encoder_decoder_embeddings is true: the output must share that matrix too");
  }
  return shared ? Tying::all : output ? Tying::target : Tying::none;
}

double dropout_rate(const JsonFile& config, const std::string& key, double default_rate) {
  const double rate = config.number(key, default_rate);
  if (!(rate >= 0 && rate < 1)) {
    throw config.mistake(key, "a number of at least 0 and below 1");
  }
  return rate;
}

TransformerSettings read_model(const JsonFile& config) {
  if (config.text("model_type", "") != "marian") {
    throw config.mistake("model_type", "\"marian\", the only model type from other tools that Glassformer can open");
  }
  for (const char* key : {"normalize_before", "normalize_embedding", "add_final_layer_norm"}) {
    if (config.flag(key, false)) {
      throw config.mistake(key, "false (a post-norm transformer as in Vaswani et al. 2017)");
    }
  }
  if (!config.flag("static_position_embeddings", true)) {
    throw config.mistake("static_position_embeddings", "true (positions that are computed, not learned)");
  }
  TransformerSettings model;
  model.d_model = size_of(config, "d_model", kMostWidth);
  model.heads = same_in_both(config, "attention_heads", kMostHeads);
  model.d_ff = same_in_both(config, "ffn_dim", kMostHidden);
  model.encoder_layers = size_of(config, "encoder_layers", kMostLayers);
  model.decoder_layers = size_of(config, "decoder_layers", kMostLayers);
  model.activation = activation_of(config);
  model.tied_embeddings = tying_of(config);
  model.scale_embeddings = config.flag("scale_embedding", false);
  model.dropout = model.embedding_dropout = dropout_rate(config, "dropout", 0.1);
  model.attention_dropout = dropout_rate(config, "attention_dropout", 0);
  model.activation_dropout = dropout_rate(config, "activation_dropout", 0);
  if (model.d_model % 2 != 0) {
    throw config.mistake("d_model", "an even number");
  }
  if (model.d_model % model.heads != 0) {
    throw config.mistake("encoder_attention_heads", "a divisor of d_model, " + std::to_string(model.d_model));
  }
  return model;
}

DecodingSettings read_decoding(const JsonFile& generation) {
  DecodingSettings decoding;
  decoding.beam = generation.integer("num_beams", 1);
  if (decoding.beam < 1 || decoding.beam > 1000) {
    throw generation.mistake("num_beams", "a number from 1 to 1000");
  }
  decoding.length_penalty = generation.number("length_penalty", 1);
  if (!(decoding.length_penalty >= 0)) {
    throw generation.mistake("length_penalty", "at least 0");
  }
  const bool has_flag = generation.has("early_stopping") && generation.value("early_stopping").is_boolean();
  decoding.early_stopping = has_flag && generation.flag("early_stopping");  // false for "never" or a missing key
  return decoding;
}

/// Settings of the Hugging Face library's search that change its translations, with the value that changes nothing.
/// Our search has none of them.
std::map<std::string, nlohmann::json> unsupported_search() {
  return {{"repetition_penalty", 1.0},
          {"encoder_repetition_penalty", 1.0},
          {"no_repeat_ngram_size", 0},
          {"encoder_no_repeat_ngram_size", 0},
          {"min_length", 0},
          {"min_new_tokens", 0},
          {"max_new_tokens", nullptr},
          {"do_sample", false},
          {"num_beam_groups", 1},
          {"diversity_penalty", 0.0},
          {"penalty_alpha", 0.0},
          {"suppress_tokens", nullptr},
          {"begin_suppress_tokens", nullptr},
          {"forced_bos_token_id", nullptr},
          {"force_words_ids", nullptr},
          {"sequence_bias", nullptr},
          {"exponential_decay_length_penalty", nullptr},
          {"guidance_scale", 1.0},
          {"constraints", nullptr},
          {"assistant_model", nullptr}};
}

/// Whether the library never chooses tokens that our search may choose: ours excludes only padding and what
/// stands before the first token.
bool forbids_other_tokens(const JsonFile& generation) {
  if (!generation.has("bad_words_ids")) {
    return false;
  }
  const auto is_special = [&](const nlohmann::json& word) {
    return std::ranges::any_of(std::array{"pad_token_id", "decoder_start_token_id"}, [&](const char* key) {
      return generation.has(key) && word == nlohmann::json::array({generation.value(key)});
    });
  };
  return !std::ranges::all_of(generation.value("bad_words_ids"), is_special);
}

/// One warning for all settings of the search that are ignored here.
void warn_about_search(const JsonFile& generation, const JsonFile& model, const fs::path& file) {
  std::vector<std::string> ignored;
  for (const auto& [key, neutral] : unsupported_search()) {
    if (!generation.has(key)) {
      continue;
    }
    const nlohmann::json& value = generation.value(key);
    if (value == neutral || (value.is_structured() && value.empty())) {
      continue;
    }
    ignored.push_back(key + " " + brief(generation.value(key).dump(-1, ' ', true), 40));
  }
  if (forbids_other_tokens(generation)) {
    ignored.emplace_back("bad_words_ids");
  }
  for (const char* key : {"eos_token_id", "pad_token_id", "decoder_start_token_id"}) {
    if (generation.has(key) && model.has(key) && generation.value(key) != model.value(key)) {
      ignored.push_back(fmt::format("{} {} (config.json has {})", key, brief(generation.value(key).dump(), 40),
                                    brief(model.value(key).dump(), 40)));
    }
  }
  if (!ignored.empty()) {
    spdlog::warn("{}: ignored, because our search does not use it: {}; transformers may translate differently",
                 file.string(), listed(ignored));
  }
}

}  // namespace

Config read_marian_config(const fs::path& directory) {
  const JsonFile model(directory / "config.json");
  Config config;
  config.model = read_model(model);
  const fs::path search = directory / "generation_config.json";  // older models have these settings in config.json
  const JsonFile generation(is_there(search) ? search : directory / "config.json");
  config.decoding = read_decoding(generation);
  warn_about_search(generation, model, is_there(search) ? search : directory / "config.json");
  if (generation.has("max_length")) {
    const Index longest = longest_source(config.decoding, generation.integer("max_length"));
    config.data.max_length = std::min(longest, kMostPositions - 1);  // more than a config accepts
  }
  config.tokenizer.kind = TokenizerKind::marian;
  config.tokenizer.joint = true;
  config.data.directory = fs::absolute(directory);
  config.data.source_language = "source";
  config.data.target_language = "target";
  config.run.max_epochs = 1;  // every config must limit training
  if (const fs::path file = directory / "tokenizer_config.json"; is_there(file)) {
    const JsonFile tokenizer(file);
    config.tokenizer.joint = !tokenizer.flag("separate_vocabs", false);
    config.data.source_language = tokenizer.text("source_lang", "source");
    config.data.target_language = tokenizer.text("target_lang", "target");
  }
  if (config.model.tied_embeddings == Tying::all && !config.tokenizer.joint) {
    throw model.mistake("share_encoder_decoder_embeddings", "false, because the tokenizer has separate_vocabs");
  }
  return config;
}

}  // namespace glassformer
