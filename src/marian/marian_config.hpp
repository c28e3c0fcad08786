#pragma once

#include <filesystem>
#include <string>

#include "decoding/settings.hpp"
#include "model/settings.hpp"
#include "text/settings.hpp"
#include "text/tokenizer.hpp"

/// What the Hugging Face library must know of a checkpoint. Its Marian model is our post-norm transformer: the
/// same sums in the same order, sinusoidal positions with the sines first. And what it says of a model of its own.
namespace glassformer {

/// What the library says of a model. It says nothing of the training.
struct MarianSettings {
  DataSettings data;
  TokenizerSettings tokenizer;
  TransformerSettings model;
  DecodingSettings decoding;
};

/// config.json, as transformers.MarianConfig reads it. Marian has no pre-norm: such a model gets a model_type
/// of its own, so that the library refuses it instead of computing something else. Nor does it have keys for masks: it
/// always masks, so a model trained without a mask (MaskSettings) gives other figures there than here. Two vocabularies
/// of different sizes have tables of the same size there, see save_checkpoint.
std::string marian_config(const MarianSettings& config, const TokenizerPair& tokenizers);

/// generation_config.json, as transformers.GenerationConfig reads it: our search as far as it can be said
/// there. There is no word for a limit that grows with the source; the limit of the longest training sentence
/// stands.
std::string marian_generation_config(const MarianSettings& config, const TokenizerPair& tokenizers);

/// The longest source whose longest translation has `output` tokens, bos and eos counted: what generation_config.json's
/// max_length says of the sentences that a model was made for.
Index longest_source(Index output, const DecodingSettings& decoding);

/// tokenizer_config.json, as transformers.MarianTokenizer reads it.
std::string marian_tokenizer_config(const MarianSettings& config, const TokenizerPair& tokenizers);

/// Where a directory holds a model, but not as model.safetensors: what to do, in words; "" elsewhere.
/// (pytorch_model.bin is a program that Python runs, and not to be opened.)
std::string saved_otherwise(const std::filesystem::path& directory);

/// The settings of a model that transformers.MarianMTModel has saved (save_pretrained): config.json, and for the search
/// generation_config.json where it is there. What the library does not say has its default.
/// \throws UserError: a missing or damaged file; another type of model; what our transformer cannot be, in words
MarianSettings read_marian_config(const std::filesystem::path& directory);

}  // namespace glassformer
