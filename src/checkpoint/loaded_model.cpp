#include "checkpoint/loaded_model.hpp"

#include "checkpoint/checkpoint.hpp"
#include "checkpoint/run_directory.hpp"
#include "model/initialization.hpp"

namespace glassformer {
namespace {

std::filesystem::path verified(const std::filesystem::path& checkpoint) {
  verify_checksums(checkpoint, Verify::but_training_state);
  return checkpoint;
}

void read_weights(const std::filesystem::path& checkpoint, Model<float>& model) {
  read_parameters(checkpoint, model.weights.tensors(), model.weights.values().data());
}

}  // namespace

LoadedModel::LoadedModel(const std::filesystem::path& path)
    : checkpoint(verified(resolve_checkpoint(path))),
      config(read_config_of_model(checkpoint)),
      tokenizers(load_tokenizers(config.tokenizer, checkpoint)),
      model(config.model, vocabulary_shape(tokenizers)) {
  read_weights(checkpoint, model);
}

TokenizerPair starting_tokenizers(const Config& config) {
  const DataSettings& data = config.data;
  if (!config.model_from.empty()) return load_tokenizers(config.tokenizer, config.model_from);
  return make_tokenizers(config.tokenizer, data.source_file(data.train), data.target_file(data.train));
}

void set_starting_weights(const Config& config, Model<float>& model) {
  if (config.model_from.empty())
    initialize(model, config.training.seed);
  else
    read_weights(verified(config.model_from), model);
}

}  // namespace glassformer
