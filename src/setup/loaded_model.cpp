#include "glassformer/setup/loaded_model.hpp"

#include <spdlog/spdlog.h>

#include "glassformer/checkpoint/checkpoint.hpp"
#include "glassformer/checkpoint/checksums.hpp"
#include "glassformer/checkpoint/parameters.hpp"
#include "glassformer/checkpoint/run_directory.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/setup/read_config.hpp"

namespace glassformer {

namespace fs = std::filesystem;

LoadedModel::LoadedModel(const fs::path& path) : LoadedModel(read(path)) {}

LoadedModel::LoadedModel(AllFilesOf, const fs::path& directory)
    : checkpoint(verify_checksums(directory, Verify::but_training_state)),
      config(read_config_of_model(checkpoint)),
      tokenizers(load_tokenizers(config.tokenizer, checkpoint)),
      model(load_model(checkpoint, config.model, vocabulary_shape(tokenizers))) {}

/// While a run is training, it moves its links and removes old checkpoints. If the checkpoint is removed while we read
/// it, follows the link again.
LoadedModel LoadedModel::read(const fs::path& path) {
  constexpr int kAttempts = 50;
  for (int attempt = 1;; ++attempt) {
    const std::string links = link_text(path);
    fs::path found;
    try {
      found = resolve_checkpoint(path);
      return LoadedModel(AllFilesOf{}, found);
    } catch (const std::exception&) {
      const bool is_gone = !found.empty() && !is_checkpoint(found);
      const bool has_successor = found != path && (is_gone || link_text(path) != links);
      if (has_successor && attempt < kAttempts) {
        if (is_gone) {
          spdlog::info("{} was removed while it was being read; reading its successor", found.string());
        }
      } else if (is_gone) {
        throw UserError(found.string() +
                        ": this checkpoint was removed while it was being read (a run keeps only its latest " +
                        "checkpoints, the best and the last). Use another one, or the run's directory.");
      } else {
        throw;
      }
    }
  }
}

}  // namespace glassformer
