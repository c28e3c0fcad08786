#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "glassformer/config/config.hpp"
#include "glassformer/text/tokenizer.hpp"

namespace glassformer {

/// The files of a checkpoint for the Hugging Face library, by name: config.json, generation_config.json and
/// tokenizer_config.json.
std::map<std::string, std::string> marian_configs(const Config& config, const TokenizerPair& tokenizers);

/// The config of a model that transformers.MarianMTModel saved. Keys that config.json and generation_config.json do not
/// set have their defaults. \throws UserError: a damaged file; another architecture
Config read_marian_config(const std::filesystem::path& directory);

}  // namespace glassformer
