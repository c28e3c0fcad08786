#include "glassformer/setup/training_setup.hpp"

#include <spdlog/fmt/fmt.h>

#include "glassformer/checkpoint/parameters.hpp"
#include "glassformer/config/config_file.hpp"
#include "glassformer/files/durable_files.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/marian/marian_config.hpp"

namespace glassformer {

namespace fs = std::filesystem;

TokenizerPair starting_tokenizers(const Config& config, const fs::path& file) try {
  const DataSettings& data = config.data;
  if (!config.model_from.empty()) {
    TokenizerPair tokenizers = load_tokenizers(config.tokenizer, config.model_from);
    check_parameters(config.model_from, config.model, vocabulary_shape(tokenizers));
    return tokenizers;
  }
  return make_tokenizers(config.tokenizer, data.source_file(data.train), data.target_file(data.train));
} catch (const TokenizerKeyError& error) {
  throw UserError(file.string() + ": " + error.what());
}

void describe_model(const Config& config, const TokenizerPair& tokenizers, const fs::path& directory) {
  write_file_durably(directory / kConfigFile, write_config(config));
  for (const auto& [name, text] : marian_configs(config, tokenizers)) {
    write_file_durably(directory / name, text);
  }
  save_tokenizers(config.tokenizer, tokenizers, directory);
}

TrainingPlan plan_training(const Config& config, const TokenizerPair& tokenizers) {
  const auto write = [config](const fs::path& directory) {
    write_file_durably(directory / kConfigFile, write_config(config));
  };
  const auto describe = [config, tokenizers](const fs::path& directory) {
    describe_model(config, tokenizers, directory);
  };
  return {.model = config.model,
          .training = config.training,
          .run = config.run,
          .decoding = config.decoding,
          .evaluation = config.evaluation,
          .tokenizer = config.tokenizer,
          .model_from = config.model_from,
          .write_config = write,
          .describe_model = describe};
}

std::vector<ChangedKey> accept_changes(const RunDirectory& run, const Config& config) {
  const fs::path file = run.file(kConfigFile);
  std::vector<ChangedKey> changed = changed_keys(read_config_of_run(run.path()), config);
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
