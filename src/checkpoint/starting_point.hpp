#pragma once

#include "config/config.hpp"
#include "model/transformer.hpp"
#include "numerics/arena.hpp"
#include "text/tokenizer.hpp"

/// What a training begins with: tokenizers learned from the text and weights drawn at random; or, where the config has
/// model.from, those of that model.
namespace glassformer {

/// \throws UserError: as make_tokenizers and load_tokenizers
TokenizerPair starting_tokenizers(const Config& config);

/// `parameters` [all of the model's] come out as training.seed draws them, or as they stand in model.from.
/// \throws UserError: a damaged checkpoint, or one that is not this model
void set_starting_parameters(const Config& config, const Transformer<float>& model,
                             Arena<Transformer<float>::Parameters>& parameters);

}  // namespace glassformer
