#include "marian/marian_config.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "text/tokenizer.hpp"

#ifndef GLASSFORMER_VERSION  // the build says it
#define GLASSFORMER_VERSION "unknown"
#endif

namespace glassformer {

using Json = nlohmann::ordered_json;

namespace {

constexpr Index kPositions = 1024;  // rows of the position table that the library makes; ours has no end

constexpr Index kBeyondRatio = 10 + 2;  // tokens of a translation: what the search allows, and bos and eos

/// Tokens of the longest output of the longest training sentence, bos and eos counted.
Index longest_output(const MarianSettings& config) {
  const auto source = static_cast<double>(config.data.max_length);
  return static_cast<Index>(config.decoding.max_length_ratio * source) + kBeyondRatio;
}

/// A batch whose padding is no token of the vocabulary (kNoToken) is padded with bos there.
Id padding_there(const SpecialIds& ids) { return ids.pad == kNoToken ? ids.bos : ids.pad; }

/// pad and bos, which no translation contains; eos is always allowed.
Json forbidden_ids(const SpecialIds& ids) {
  Json words = Json::array();
  const Id pad = padding_there(ids);
  if (pad != ids.eos) words.push_back(Json::array({pad}));
  if (ids.bos != ids.eos && ids.bos != pad) words.push_back(Json::array({ids.bos}));
  return words;
}

}  // namespace

Index longest_source(Index output, const DecodingSettings& decoding) {
  const auto within_ratio = static_cast<double>(std::max<Index>(0, output - kBeyondRatio));
  return std::max<Index>(1, static_cast<Index>(within_ratio / decoding.max_length_ratio));
}

std::string marian_config(const MarianSettings& config, const TokenizerPair& tokenizers) {
  const TransformerSettings& model = config.model;
  const SpecialIds ids = tokenizers.target->special();
  Json json;
  if (model.norm == Norm::post)
    json = {{"architectures", Json::array({"MarianMTModel"})}, {"model_type", "marian"}};
  else
    json = {{"model_type", "glassformer"}, {"glassformer_norm", "pre"}};
  json["d_model"] = model.d_model;
  json["encoder_layers"] = model.encoder_layers;
  json["decoder_layers"] = model.decoder_layers;
  for (const char* key : {"encoder_attention_heads", "decoder_attention_heads"}) json[key] = model.heads;
  for (const char* key : {"encoder_ffn_dim", "decoder_ffn_dim"}) json[key] = model.d_ff;
  // Its gelu is the exact one, by erf, as here; the approximation is "gelu_new".
  json["activation_function"] = kActivationNames[static_cast<std::size_t>(model.activation)];
  json["dropout"] = model.dropout;  // there also of embedding + position
  json["attention_dropout"] = model.attention_dropout;
  json["activation_dropout"] = model.activation_dropout;
  json["scale_embedding"] = model.scale_embeddings;
  json["static_position_embeddings"] = true;
  json["max_position_embeddings"] = std::max(kPositions, longest_output(config));
  const Index source = tokenizers.source->vocabulary_size(), target = tokenizers.target->vocabulary_size();
  for (const char* key : {"decoder_vocab_size", "vocab_size"})
    json[key] = std::max(source, target);  // rows, with the smaller table's padding
  if (source != target) {
    json[kSourceVocabulary] = source;
    json[kTargetVocabulary] = target;
  }
  json["share_encoder_decoder_embeddings"] = model.tied_embeddings == Tying::all;
  json["tie_word_embeddings"] = model.tied_embeddings != Tying::none;
  json["pad_token_id"] = padding_there(ids);
  json["bos_token_id"] = ids.bos;
  json["eos_token_id"] = ids.eos;
  json["decoder_start_token_id"] = ids.bos;
  json["forced_eos_token_id"] = nullptr;  // left out, it would be 0
  json["is_encoder_decoder"] = true;
  json["torch_dtype"] = "float32";
  json["glassformer_version"] = GLASSFORMER_VERSION;
  return json.dump(2) + "\n";
}

std::string marian_generation_config(const MarianSettings& config, const TokenizerPair& tokenizers) {
  const SpecialIds ids = tokenizers.target->special();
  Json json;
  json["pad_token_id"] = padding_there(ids);
  json["bos_token_id"] = ids.bos;
  json["eos_token_id"] = ids.eos;
  json["decoder_start_token_id"] = ids.bos;
  json["num_beams"] = config.decoding.beam;
  json["length_penalty"] = config.decoding.length_penalty;
  // "never": a search goes on until no running hypothesis can overtake the finished ones.
  const bool goes_on = config.decoding.beam > 1 && !config.decoding.early_stopping;
  json["early_stopping"] = goes_on ? Json("never") : Json(config.decoding.beam > 1);
  json["bad_words_ids"] = forbidden_ids(ids);
  json["max_length"] = longest_output(config);
  return json.dump(2) + "\n";
}

std::string marian_tokenizer_config(const MarianSettings& config, const TokenizerPair& tokenizers) {
  const Tokenizer& target = *tokenizers.target;
  const SpecialIds ids = target.special();
  Json json;
  json["tokenizer_class"] = "MarianTokenizer";
  json["source_lang"] = config.data.source_language;
  json["target_lang"] = config.data.target_language;
  json["separate_vocabs"] = !config.tokenizer.joint;
  json["pad_token"] = target.piece(padding_there(ids));
  json["eos_token"] = target.piece(ids.eos);
  json["unk_token"] = target.piece(ids.unk);
  json["model_max_length"] = std::max(kPositions, longest_output(config));
  return json.dump(2) + "\n";
}

}  // namespace glassformer
