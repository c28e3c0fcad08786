#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "glassformer/marian/length_limit.hpp"
#include "glassformer/marian/marian_config.hpp"
#include "glassformer/schema/model.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;
constexpr Index kPositions = 1024;  // rows of the library's position table; ours has no limit

Index longest_output_of(const Config& config) { return longest_output(config.decoding, config.data.max_length); }

/// The library's padding id. If our vocabulary has none (kNoToken), the library pads with bos.
Id library_pad(const SpecialIds& ids) { return ids.pad == kNoToken ? ids.bos : ids.pad; }

/// Collects the settings with a fixed set of values, true and false among them.
struct Choices {
  std::map<std::string, std::string>& values;

  template <class Enum, std::size_t size>
  void operator()(const char* name, const std::string&, Enum value, const std::array<const char*, size>& names) const {
    values[name] = names[static_cast<std::size_t>(value)];
  }
  void operator()(const char* name, const std::string&, bool value) const { values[name] = value ? "true" : "false"; }
  void operator()(const char*, const std::string&, const auto&...) const {}  // numbers
};

/// The values of those settings, except of those that Marian has, too.
std::map<std::string, std::string> our_choices(TransformerSettings model) {
  std::map<std::string, std::string> values;
  for_each_setting(model, Choices{values});
  values.erase("activation");
  values.erase("tied_embeddings");
  values.erase("scale_embeddings");
  return values;
}

/// The layers, under MarianConfig's names. Marian's other choices are our defaults. A model with another one, such as
/// pre-norm, gets its own model_type, which the library refuses.
void write_layers(Json& json, const TransformerSettings& model) {
  const auto defaults = our_choices({});
  const auto choices = our_choices(model);
  if (choices == defaults) {
    json["architectures"] = Json::array({"MarianMTModel"});
    json["model_type"] = "marian";
  } else {
    json["model_type"] = "glassformer";
  }
  for (const auto& [name, value] : choices) {
    if (value != defaults.at(name)) {
      json["glassformer_" + name] = value;
    }
  }
  json["d_model"] = model.d_model;
  json["encoder_layers"] = model.encoder_layers;
  json["decoder_layers"] = model.decoder_layers;
  for (const char* key : {"encoder_attention_heads", "decoder_attention_heads"}) {
    json[key] = model.heads;
  }
  for (const char* key : {"encoder_ffn_dim", "decoder_ffn_dim"}) {
    json[key] = model.d_ff;
  }
  // Marian's gelu is exact (erf), as is ours; the approximation is "gelu_new".
  json["activation_function"] = kActivationNames[static_cast<std::size_t>(model.activation)];
  json["dropout"] = model.dropout;  // in Marian, also the rate on embedding + position
  json["attention_dropout"] = model.attention_dropout;
  json["activation_dropout"] = model.activation_dropout;
  json["scale_embedding"] = model.scale_embeddings;
}

/// Sizes and sharing of the embeddings. Marian's two vocabularies have tables of the same size; see save_checkpoint.
void write_vocabularies(Json& json, const TransformerSettings& model, const TokenizerPair& tokenizers) {
  const Index source = tokenizers.source->vocabulary_size();
  const Index target = tokenizers.target->vocabulary_size();
  for (const char* key : {"decoder_vocab_size", "vocab_size"}) {
    json[key] = std::max(source, target);  // rows, including the padding of the smaller table
  }
  if (source != target) {
    json[kSourceVocabulary] = source;
    json[kTargetVocabulary] = target;
  }
  json["share_encoder_decoder_embeddings"] = model.tied_embeddings == Tying::all;
  json["tie_word_embeddings"] = model.tied_embeddings != Tying::none;
}

/// config.json, as transformers.MarianConfig reads it. Marian always masks, so a model trained without a mask gives
/// different results there.
std::string marian_config(const Config& config, const TokenizerPair& tokenizers) {
  const SpecialIds ids = tokenizers.target->special();
  Json json = Json::object();  // if memory runs out, [] crashes on a json that is still null
  write_layers(json, config.model);
  json["static_position_embeddings"] = true;
  json["max_position_embeddings"] = std::max(kPositions, longest_output_of(config));
  write_vocabularies(json, config.model, tokenizers);
  json["pad_token_id"] = library_pad(ids);
  json["bos_token_id"] = ids.bos;
  json["eos_token_id"] = ids.eos;
  json["decoder_start_token_id"] = ids.bos;
  json["forced_eos_token_id"] = nullptr;  // the library's default is 0
  json["is_encoder_decoder"] = true;
  json["torch_dtype"] = "float32";
  json["glassformer_version"] = GLASSFORMER_VERSION;
  return json.dump(2) + "\n";
}

/// generation_config.json, as transformers.GenerationConfig reads it. It cannot express a length limit that grows with
/// the source, so it gets the limit of the longest training sentence.
std::string marian_generation_config(const Config& config, const TokenizerPair& tokenizers) {
  const SpecialIds ids = tokenizers.target->special();
  const Id pad = library_pad(ids);
  Json json = Json::object();  // if memory runs out, [] crashes on a json that is still null
  json["pad_token_id"] = pad;
  json["bos_token_id"] = ids.bos;
  json["eos_token_id"] = ids.eos;
  json["decoder_start_token_id"] = ids.bos;
  json["num_beams"] = config.decoding.beam;
  json["length_penalty"] = config.decoding.length_penalty;
  // "never": the search continues until no running hypothesis can beat the finished ones.
  const bool never_early = config.decoding.beam > 1 && !config.decoding.early_stopping;
  json["early_stopping"] = never_early ? Json("never") : Json(config.decoding.beam > 1);
  Json& forbidden = json["bad_words_ids"] = Json::array();  // pad and bos, but never eos
  if (pad != ids.eos) {
    forbidden.push_back(Json::array({pad}));
  }
  if (ids.bos != ids.eos && ids.bos != pad) {
    forbidden.push_back(Json::array({ids.bos}));
  }
  json["max_length"] = longest_output_of(config);
  return json.dump(2) + "\n";
}

/// tokenizer_config.json, as transformers.MarianTokenizer reads it.
std::string marian_tokenizer_config(const Config& config, const TokenizerPair& tokenizers) {
  const Tokenizer& target = *tokenizers.target;
  const SpecialIds ids = target.special();
  const Json json = {{"tokenizer_class", "MarianTokenizer"},
                     {"source_lang", config.data.source_language},
                     {"target_lang", config.data.target_language},
                     {"separate_vocabs", !config.tokenizer.joint},
                     {"pad_token", target.piece(library_pad(ids))},
                     {"eos_token", target.piece(ids.eos)},
                     {"unk_token", target.piece(ids.unk)},
                     {"model_max_length", std::max(kPositions, longest_output_of(config))}};
  return json.dump(2) + "\n";
}

}  // namespace

std::map<std::string, std::string> marian_configs(const Config& config, const TokenizerPair& tokenizers) {
  return {{"config.json", marian_config(config, tokenizers)},
          {"generation_config.json", marian_generation_config(config, tokenizers)},
          {"tokenizer_config.json", marian_tokenizer_config(config, tokenizers)}};
}

}  // namespace glassformer
