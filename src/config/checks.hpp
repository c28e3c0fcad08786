#pragma once

#include "config/config.hpp"
#include "config/key.hpp"

namespace glassformer {

/// What must hold between several keys. (What one key takes is in the table of keys.cpp.)
/// \throws UserError naming the key that was given nearest: by --set, or else in the file, or else in its base
void check_rules(const Config& config, const Places& places, const std::filesystem::path& file);

/// \throws UserError: model.from is no directory with a model
void check_model_from(const std::filesystem::path& model, const Places& places, const std::filesystem::path& file);

/// `changed`: the keys in which the config differs from that of its model.from.
/// \throws UserError: one of them gives the model another shape, or other tokenizers
void check_same_model(const std::vector<ChangedKey>& changed, const Places& places, const std::filesystem::path& file);

/// \throws UserError, beginning with `place`: no such file, a directory, a pipe, no permission
void check_file(const std::string& place, const std::filesystem::path& file);

/// \throws UserError: a file which the config names does not exist or cannot be opened
void check_files(const Config& config, const Places& places, const std::filesystem::path& file);

}  // namespace glassformer
