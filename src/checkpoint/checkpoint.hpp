#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "glassformer/checkpoint/training_state.hpp"
#include "glassformer/numerics/arena.hpp"

/// A checkpoint is a directory with everything that you need to evaluate, translate and explain. The Hugging Face
/// library can open it as a Marian model:
///
///   model.safetensors                     every parameter, under its Marian name; if the two vocabularies differ in
///                                         size, the tables of the smaller one are padded with rows of zeros
///   config.yaml                           our complete config
///   config.json, generation_config.json   the same for the Hugging Face library
///   the tokenizers' files
///   training_state.safetensors            only for resuming a run: tensors adam.m and adam.v, and the progress as
///                                         metadata
///   SHA256SUMS                            checksums of these files, also for `sha256sum --check SHA256SUMS`
namespace glassformer {

/// Writes into a directory what a checkpoint holds about its model, apart from the weights: config.yaml, configs for
/// other tools, and the tokenizers.
using DescribeModel = std::function<void(const std::filesystem::path& directory)>;

/// Writes or replaces a checkpoint in one step: whatever happens, `directory` never holds an incomplete checkpoint.
/// Without `state`, a run cannot be resumed from it. A checkpoint that replaces another keeps files that this program
/// did not write, with a warning.
/// \throws UserError: `directory` exists and is not a checkpoint. If writing fails: as throw_disk_error() does
void save_checkpoint(const std::filesystem::path& directory, const DescribeModel& describe, const Arena<float>& weights,
                     const TrainingState* state = nullptr);

/// Whether this directory is a complete checkpoint.
bool is_checkpoint(const std::filesystem::path& directory);
/// The names in a checkpoint that are neither those of a checkpoint's files nor listed in its SHA256SUMS. Hidden names,
/// such as .DS_Store, do not count.
std::vector<std::string> other_files_in(const std::filesystem::path& checkpoint);

}  // namespace glassformer
