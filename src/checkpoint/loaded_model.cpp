#include "checkpoint/loaded_model.hpp"

#include "checkpoint/checkpoint.hpp"
#include "checkpoint/run_directory.hpp"
#include "decoding/translator.hpp"

namespace glassformer {

LoadedModel::LoadedModel(const std::filesystem::path& path)
    : config(read_config_of_checkpoint(resolve_checkpoint(path) / "config.yaml")),
      tokenizers(load_tokenizers(config.tokenizer, resolve_checkpoint(path))),
      model{config.model, vocabulary_shape(tokenizers)},
      parameters(model.settings, model.vocabulary) {
  read_parameters(resolve_checkpoint(path), parameters.tensors(), parameters.values().data());
}

}  // namespace glassformer
