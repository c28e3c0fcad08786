#pragma once

#include "config/config.hpp"
#include "model/model.hpp"
#include "text/tokenizer.hpp"

/// What a training begins with: tokenizers learned from the text and weights drawn at random; or, where the config has
/// model.from, those of that model.
namespace glassformer {

/// \throws UserError: as make_tokenizers and load_tokenizers
TokenizerPair starting_tokenizers(const Config& config);

/// The model's weights become what training.seed draws, or those of model.from.
/// \throws UserError: a damaged checkpoint, or one that is not this model
void set_starting_weights(const Config& config, Model<float>& model);

}  // namespace glassformer
