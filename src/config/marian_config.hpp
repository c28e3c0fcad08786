#pragma once

#include <filesystem>
#include <string>

#include "config/config.hpp"
#include "text/tokenizer.hpp"

/// The config files of the Hugging Face library. Its Marian model is our post-norm transformer: the same sums in the
/// same order, sinusoidal positions with the sines first.
namespace glassformer {

/// config.json, as transformers.MarianConfig reads it. Marian has no pre-norm: such a model gets a model_type of its
/// own, so that the library refuses it. Marian always masks, so a model trained without a mask gives other figures
/// there. Its two vocabularies have tables of the same size, see save_checkpoint.
std::string marian_config(const Config& config, const TokenizerPair& tokenizers);

/// generation_config.json, as transformers.GenerationConfig reads it. It cannot express a limit that grows with the
/// source, so it has that of the longest training sentence.
std::string marian_generation_config(const Config& config, const TokenizerPair& tokenizers);

/// The longest source whose longest translation has `output` tokens, bos and eos counted: the inverse of that limit.
Index longest_source(Index output, const DecodingSettings& decoding);

/// tokenizer_config.json, as transformers.MarianTokenizer reads it.
std::string marian_tokenizer_config(const Config& config, const TokenizerPair& tokenizers);

/// What to do with a directory that holds a model, but not as model.safetensors; "" for any other directory.
/// (pytorch_model.bin is a program that Python runs, so it is never opened.)
std::string saved_otherwise(const std::filesystem::path& directory);

/// The config of a model that transformers.MarianMTModel has saved: config.json, and for the search
/// generation_config.json if there is one. Other keys have their defaults.
/// \throws UserError: a missing or damaged file; another type of model, or an architecture that we do not have
Config read_marian_config(const std::filesystem::path& directory);

}  // namespace glassformer
