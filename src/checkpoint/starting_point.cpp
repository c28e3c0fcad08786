#include "checkpoint/starting_point.hpp"

#include "checkpoint/checkpoint.hpp"
#include "checkpoint/checksums.hpp"
#include "model/initialization.hpp"

namespace glassformer {

TokenizerPair starting_tokenizers(const Config& config) {
  const DataSettings& data = config.data;
  if (!config.model_from.empty()) return load_tokenizers(config.tokenizer, config.model_from);
  return make_tokenizers(config.tokenizer, data.source_file(data.train), data.target_file(data.train));
}

void set_starting_weights(const Config& config, Model<float>& model) {
  if (config.model_from.empty()) {
    initialize(model, config.training.seed);
  } else {
    verify_checksums(config.model_from, Verify::but_training_state);
    read_parameters(config.model_from, model.weights.tensors(), model.weights.values().data());
  }
}

}  // namespace glassformer
