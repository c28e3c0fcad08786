#pragma once

#include <filesystem>

#include "config/config.hpp"
#include "model/model.hpp"
#include "text/tokenizer.hpp"

namespace glassformer {

/// A trained model, as evaluate and translate use it.
struct LoadedModel {
  std::filesystem::path checkpoint;
  Config config;
  TokenizerPair tokenizers;
  Model<float> model;

  /// \param path  a checkpoint, or a run directory: then its best checkpoint
  /// \throws UserError: no checkpoint there, or a damaged one
  explicit LoadedModel(const std::filesystem::path& path);
};

/// What a training begins with: tokenizers learned from the text; or those of model.from, where the config has one.
/// \throws UserError: as make_tokenizers and load_tokenizers
TokenizerPair starting_tokenizers(const Config& config);

/// The model's weights become what training.seed draws, or those of model.from.
/// \throws UserError: a damaged checkpoint, or one that is not this model
void set_starting_weights(const Config& config, Model<float>& model);

}  // namespace glassformer
