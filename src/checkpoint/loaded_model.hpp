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

/// What a training begins with: the tokenizers of model.from, or else new ones, learned from the text.
/// \throws UserError as make_tokenizers and load_tokenizers
TokenizerPair starting_tokenizers(const Config& config);

/// Sets the weights to those of model.from, or else draws them with training.seed.
/// \throws UserError: a damaged checkpoint, or one of another model
void set_starting_weights(const Config& config, Model<float>& model);

}  // namespace glassformer
