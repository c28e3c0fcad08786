// What a config describes: a model on disk, the start of a training run, a run to continue.
#include <spdlog/spdlog.h>

#include "config/config.hpp"
#include "files/user_error.hpp"

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
      const bool has_moved = link_text(path) != links;
      if ((is_gone || has_moved) && attempt < kAttempts && found != path) {
        if (is_gone) {
          spdlog::info("{} was removed while it was being read; reading its successor", found.string());
        }
        continue;
      }
      if (!is_gone) {
        throw;
      }
    }
    throw UserError(found.string() +
                    ": this checkpoint was removed while it was being read (a run keeps only its latest " +
                    "checkpoints, the best and the last). Use another one, or the run's directory.");
  }
}

TokenizerPair starting_tokenizers(const Config& config) {
  const DataSettings& data = config.data;
  if (!config.model_from.empty()) {
    TokenizerPair tokenizers = load_tokenizers(config.tokenizer, config.model_from);
    check_parameters(config.model_from, config.model, vocabulary_shape(tokenizers));
    return tokenizers;
  }
  return make_tokenizers(config.tokenizer, data.source_file(data.train), data.target_file(data.train));
}

TrainingPlan plan_training(const Config& config, const TokenizerPair& tokenizers) {
  const auto& [data, tokenizer, model, training, run, decoding, evaluation, from] = config;
  return {model, training, run, decoding, evaluation, from, describe_model(config, tokenizers)};
}

std::vector<ChangedKey> accept_changes(const RunDirectory& run, const Config& config) {
  const fs::path file = run.file("config.yaml");
  std::vector<ChangedKey> changed;
  try {
    changed = changed_keys(read_config_of_checkpoint(file, false), config);  // train has already warned about `config`
  } catch (const UserError& error) {
    throw UserError(
        fmt::format("{} (This is the config that the run was started with. Every checkpoint in {} has a copy of it.)",
                    error.what(), run.path().string()));
  }
  std::string names;
  std::string hint;
  bool is_other_model = false;
  for (const ChangedKey& key : changed) {
    if (!key.changes_training) {
      continue;
    }
    is_other_model = is_other_model || key.name.starts_with("tokenizer.") || is_of_shape(key.name);
    names += (names.empty() ? "" : ", ") + key.name + " (" + key.before + ")";
    if (key.name == "training.max_updates") {
      hint = " The cosine schedule depends on max_updates, so its end cannot be moved.";
    }
  }
  if (names.empty()) {
    return changed;
  }
  const bool has_weights = run.last().has_value();
  const std::string other =
      is_other_model || !has_weights
          ? "another run with --output"
          : "another run from its weights, with --output and with model.from set to " + (run.path() / "last").string();
  throw UserError(
      fmt::format("{}: the run was started, or last continued, with other values: {}. Continue it with these "
                  "values, or start {}.{}",
                  file.string(), names, other, hint));
}

}  // namespace glassformer
