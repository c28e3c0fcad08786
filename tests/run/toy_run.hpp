#pragma once

#include <atomic>
#include <csignal>
#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/run/start_run.hpp"
#include "glassformer/setup/loaded_model.hpp"
#include "glassformer/setup/read_config.hpp"
#include "glassformer/setup/training_setup.hpp"

/// Short training runs of a small model on the toy's validation text.
namespace glassformer::toy_run {

namespace fs = std::filesystem;

inline const std::atomic<int> kNever = 0;

inline const DisplayTarget kNowhere{.write = [](std::string_view) {}, .width = [] { return 80; }};

inline Config toy(const std::vector<std::string>& overrides) {
  std::vector<std::string> all = {"model.d_model=16",
                                  "model.d_ff=16",
                                  "training.max_epochs=0",
                                  "training.max_tokens=400",
                                  "data.train=valid",
                                  "training.validation.every=1000",
                                  "training.checkpoints.average=0",
                                  "decoding.max_length_ratio=0.5"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return read_config(fs::path(GLASSFORMER_SOURCE_DIR) / "configs/toy.yaml", all);
}

inline TokenizerPair tokenizers_of(const Config& config) {
  const DataSettings& data = config.data;
  return make_tokenizers(config.tokenizer, data.source_file(data.train), data.target_file(data.train));
}

inline TrainingText text_of(const Config& config, const TokenizerPair& tokenizers) { return {config.data, tokenizers}; }

/// Returns whether the run reached its end.
inline bool train_toy(const Config& config, const fs::path& directory, bool resume = false,
                      const std::atomic<int>& interrupted = kNever, const DisplayTarget& display = kNowhere) {
  const std::optional<RunDirectory> begun = resume ? std::optional(RunDirectory::resume(directory)) : std::nullopt;
  const TokenizerPair tokenizers = begun ? load_tokenizers(config.tokenizer, *begun->last()) : tokenizers_of(config);
  return start_run(plan_training(config, tokenizers), text_of(config, tokenizers), directory, begun, display)
             ->train(interrupted) == 0;
}

/// Trains until the log contains a match of `pattern`, then interrupts the run.
inline bool train_until(const std::string& pattern, const Config& config, const fs::path& directory) {
  std::atomic<int> interrupted = 0;
  DisplayTarget display = kNowhere;
  display.write = [&](std::string_view text) {
    if (std::regex_search(std::string(text), std::regex(pattern))) {
      interrupted = SIGINT;
    }
  };
  return train_toy(config, directory, false, interrupted, display);
}

/// Trains and interrupts the run after this update.
inline void train_up_to(Index update, const Config& config, const fs::path& directory) {
  CHECK_FALSE(train_until("update +" + std::to_string(update) + " ", config, directory));
}

inline Index parameters_of(const fs::path& checkpoint) { return LoadedModel(checkpoint).model.weights.size(); }

inline std::vector<float> weights_of(const fs::path& checkpoint) {
  const LoadedModel loaded(checkpoint);
  return {loaded.model.weights.values().begin(), loaded.model.weights.values().end()};
}

inline std::string weights(const fs::path& run) { return stand_in::read_bytes(run / "last" / "model.safetensors"); }

}  // namespace glassformer::toy_run
