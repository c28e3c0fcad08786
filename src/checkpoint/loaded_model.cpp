#include "checkpoint/loaded_model.hpp"

#include "checkpoint/checkpoint.hpp"
#include "checkpoint/run_directory.hpp"
#include "model/vocabulary.hpp"

namespace glassformer {

LoadedModel::LoadedModel(const std::filesystem::path& path)
    : checkpoint(resolve_checkpoint(path)),
      config(read_config_of_checkpoint(checkpoint / "config.yaml")),
      tokenizers(load_tokenizers(config.tokenizer, checkpoint)),
      model{config.model, vocabulary_shape(tokenizers)},
      parameters(model.settings, model.vocabulary) {
  read_parameters(checkpoint, parameters.tensors(), parameters.values().data());
}

}  // namespace glassformer
