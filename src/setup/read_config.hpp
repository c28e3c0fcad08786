#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "glassformer/config/config.hpp"

namespace glassformer {

/// Reads the config of a run: parse_config, for which this finds the model that model.from names: a checkpoint, a run
/// (its best checkpoint), or a model that transformers.MarianMTModel saved.
/// \throws UserError like parse_config; `file` is a directory (with advice, if it is a run or a checkpoint)
Config read_config(const std::filesystem::path& file, const std::vector<std::string>& overrides = {},
                   const std::optional<std::filesystem::path>& resumed = {});

/// The config of the model in a directory: one of our checkpoints, or a model that transformers.MarianMTModel saved.
/// For a MarianMTModel, keys that config.json and generation_config.json do not set have their defaults.
/// \throws UserError: the directory has neither; a damaged file; another architecture
Config read_config_of_model(const std::filesystem::path& directory);

}  // namespace glassformer
