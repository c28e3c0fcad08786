#include "glassformer/config/config.hpp"
#include "glassformer/config/key.hpp"
#include "glassformer/schema/decoding.hpp"
#include "glassformer/schema/model.hpp"
#include "glassformer/schema/training.hpp"

namespace glassformer {

std::vector<Key> keys_of(Config& config) {
  auto& [data, tokenizer, model, training, run, decoding, evaluation, from] = config;
  std::vector<Key> keys;
  const auto add = [&keys](const std::string& section, auto& settings) {
    const auto add_key = [&](const char* name, const std::string& meaning, auto& field, const auto&... accepted) {
      keys.push_back({section + "." + name, Field(field, accepted...), meaning});
    };
    for_each_setting(settings, add_key);
  };
  add("data", data);
  add("tokenizer", tokenizer);
  keys.push_back({"model.from",
                  {from, Empty::allowed},
                  "start from this checkpoint's weights and tokenizers; \"\": from scratch"});
  add("model", model);
  add("masks", model.masks);
  add("training", training);
  add("training", run);
  add("training.optimizer", training.optimizer);
  add("training.schedule", training.schedule);
  add("training.validation", run.validation);
  add("training.checkpoints", run.checkpoints);
  add("decoding", decoding);
  add("evaluation", evaluation);
  return keys;
}

const std::vector<RetiredKey>& retired_keys() {
  static const std::vector<RetiredKey> keys = {
      {"training.tensorboard", "false",
       "scripts/metrics_to_tensorboard.py converts a run's metrics.jsonl for TensorBoard"},
      {"training.sum", "ordered", "gradients are always summed in the same order, which is also faster"},
      {"tokenizer.sampling", "0", "each epoch has the same pieces"},
      {"data.lines_in_memory", "1000000",
       "the whole training text is held in memory: 4 bytes per token and 24 bytes per pair"},
  };
  return keys;
}

}  // namespace glassformer
