#pragma once

#include "glassformer/config/blame.hpp"
#include "glassformer/config/config.hpp"

namespace glassformer {

/// \throws UserError: a text that the config names does not exist or cannot be opened
void check_data_files(const Config& config, const Blame& blame);

/// \throws UserError: a .model file that the config names does not exist or cannot be opened
void check_tokenizer_files(const TokenizerSettings& tokenizer, const Blame& blame);

}  // namespace glassformer
