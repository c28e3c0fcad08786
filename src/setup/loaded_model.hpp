#pragma once

#include <filesystem>

#include "glassformer/config/config.hpp"
#include "glassformer/model/model.hpp"
#include "glassformer/text/tokenizer.hpp"

namespace glassformer {

/// A trained model and what belongs to it, as the commands that use a model need them.
struct LoadedModel {
  std::filesystem::path checkpoint;
  Config config;
  TokenizerPair tokenizers;
  Model<float> model;

  /// \param path  a checkpoint, or a run directory for its best checkpoint
  /// \throws UserError: no checkpoint there, or a damaged one
  explicit LoadedModel(const std::filesystem::path& path);

 private:
  struct AllFilesOf {};
  LoadedModel(AllFilesOf, const std::filesystem::path& directory);
  static LoadedModel read(const std::filesystem::path& path);
};

}  // namespace glassformer
