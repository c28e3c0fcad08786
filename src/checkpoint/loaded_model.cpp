#include "checkpoint/loaded_model.hpp"

#include "checkpoint/checkpoint.hpp"
#include "checkpoint/checksums.hpp"
#include "checkpoint/run_directory.hpp"

namespace glassformer {
namespace {

std::filesystem::path verified(const std::filesystem::path& checkpoint) {
  verify_checksums(checkpoint, Verify::but_training_state);
  return checkpoint;
}

}  // namespace

LoadedModel::LoadedModel(const std::filesystem::path& path)
    : checkpoint(verified(resolve_checkpoint(path))),
      config(read_config_of_model(checkpoint)),
      tokenizers(load_tokenizers(config.tokenizer, checkpoint)),
      model(config.model, vocabulary_shape(tokenizers)) {
  read_parameters(checkpoint, model.weights.tensors(), model.weights.values().data());
}

}  // namespace glassformer
