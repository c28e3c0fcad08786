#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "glassformer/model/model.hpp"
#include "glassformer/numerics/arena.hpp"

namespace glassformer {

/// Fills the arena `values` from the checkpoint. Names and shapes must match `tensors` exactly, apart from padding
/// rows. Tensors that other tools add are ignored: copies of tied matrices, and tables of positions.
/// \throws UserError naming the tensors that are missing, unexpected or of another shape (`values` are then unchanged),
///         or one with NaN or infinity in it (`values` may then hold anything)
void read_parameters(const std::filesystem::path& directory, const std::vector<TensorPlace>& tensors, float* values);

/// Checks that a checkpoint has the parameters of this model, without allocating any: a config can claim any size.
/// \throws UserError like read_parameters
void check_parameters(const std::filesystem::path& directory, const TransformerSettings& settings,
                      const VocabularyShape& vocabulary);
/// Checks what check_parameters does, then makes the model with the checkpoint's parameters.
Model<float> load_model(const std::filesystem::path& directory, const TransformerSettings& settings,
                        const VocabularyShape& vocabulary);

/// Fills the arena `values` with the mean of the parameters of several checkpoints, summed in double precision.
/// \pre there is at least one directory   \throws UserError like read_parameters
void average_parameters(const std::vector<std::filesystem::path>& directories, const std::vector<TensorPlace>& tensors,
                        float* values);

/// Copies the weights from the checkpoint `from` or, if that is empty, draws random ones from `seed`.
/// \throws UserError: the checkpoint is damaged or belongs to another model
void set_starting_weights(Model<float>& model, const std::filesystem::path& from, std::uint64_t seed);

}  // namespace glassformer
