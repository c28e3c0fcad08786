// What a config describes: a model on disk, the start of a training run, a run to continue.
#include <spdlog/fmt/fmt.h>

#include "config/config.hpp"
#include "files/user_error.hpp"

namespace glassformer {

namespace fs = std::filesystem;

LoadedModel::LoadedModel(const fs::path& path)
    : checkpoint(verify_checksums(resolve_checkpoint(path), Verify::but_training_state)),
      config(read_config_of_model(checkpoint)),
      tokenizers(load_tokenizers(config.tokenizer, checkpoint)),
      model(load_model(checkpoint, config.model, vocabulary_shape(tokenizers))) {}

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
  for (const ChangedKey& key : changed)
    if (key.changes_training) names += (names.empty() ? "" : ", ") + key.name + " (" + key.before + ")";
  if (names.empty()) return changed;
  throw UserError(
      fmt::format("{}: the run was started with other values: {}. Continue it with these values, or start another run "
                  "with --output.",
                  file.string(), names));
}

}  // namespace glassformer
