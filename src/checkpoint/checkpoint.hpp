#pragma once

#include <filesystem>
#include <vector>

#include "checkpoint/training_state.hpp"
#include "config/config.hpp"
#include "numerics/arena.hpp"
#include "text/tokenizer.hpp"

/// A checkpoint is a directory that holds all that evaluating, translating and explaining need, and that the
/// Hugging Face library can open as a Marian model:
///
///   model.safetensors                     every parameter, under its Marian name; if the two vocabularies differ in
///                                         size, the tables of the smaller one are padded with rows of zeros
///   config.yaml                           our config, complete
///   config.json, generation_config.json   the same for the Hugging Face library
///   the tokenizers' files
///   training_state.safetensors            what only the continuation of the training needs
///   SHA256SUMS                            checksums of these files
namespace glassformer {

/// Writes a checkpoint, or replaces the one of that name, in one step: whatever happens meanwhile, `directory`
/// is a whole checkpoint or none. Without `state` it can be used, but its training cannot be continued.
/// \param tensors, values  the arena of the parameters
/// \throws UserError: something cannot be written, or what stands in `directory` is no checkpoint
void save_checkpoint(const std::filesystem::path& directory, const Config& config, const TokenizerPair& tokenizers,
                     const std::vector<TensorPlace>& tensors, const float* values,
                     const TrainingStateView* state = nullptr);

/// Whether this is a directory that save_checkpoint has finished.
bool is_checkpoint(const std::filesystem::path& directory);

/// Fills the arena `values` from the checkpoint. Names and shapes must be exactly those of `tensors`, apart from
/// padding rows. What other tools add is ignored: copies of tied matrices and tables of positions. After an error,
/// `values` are as before. \throws UserError naming the tensors that are missing, superfluous or of another shape
void read_parameters(const std::filesystem::path& directory, const std::vector<TensorPlace>& tensors, float* values);

/// Fills the arena `values` with the mean of the parameters of several checkpoints, summed in double precision.
/// \pre there is at least one directory   \throws UserError as read_parameters
void average_parameters(const std::vector<std::filesystem::path>& directories, const std::vector<TensorPlace>& tensors,
                        float* values);

}  // namespace glassformer
