#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/model.hpp"
#include "numerics/arena.hpp"
#include "text/tokenizer.hpp"
#include "training/batch_sequence.hpp"

/// A checkpoint is a directory that holds all that evaluating, translating and explaining need, and that the
/// Hugging Face library can open as a Marian model:
///
///   model.safetensors                     every parameter, under its Marian name; if the two vocabularies differ in
///                                         size, the tables of the smaller one are padded with rows of zeros
///   config.yaml                           our config, complete
///   config.json, generation_config.json   the same for the Hugging Face library
///   the tokenizers' files
///   training_state.safetensors            only to continue the training: the tensors adam.m and adam.v, and the
///                                         progress as metadata
///   SHA256SUMS                            checksums of these files; `sha256sum --check SHA256SUMS` reads it, too
namespace glassformer {

inline constexpr const char* kModelFile = "model.safetensors";           ///< a checkpoint's weights
inline constexpr const char* kStateFile = "training_state.safetensors";  ///< what resuming needs beside them

/// How far a run has come: its training, and its validations.
struct RunProgress : Progress {
  Index validated = 0;     ///< the update of the last validation; 0: none yet
  double best_figure = 0;  ///< of a validation; says nothing while best_update is 0
  Index best_update = 0;   ///< whose figure that is; 0: none yet
  Index without_best = 0;  ///< validations since
  double minutes = 0;      ///< spent in training
  Index text = 0;          ///< fingerprint of the training text; 0: unknown
  Index valid_text = 0;    ///< fingerprint of the validation text; 0: unknown

  bool operator==(const RunProgress&) const = default;
};

/// One line of JSON. Doubles come back bit for bit, infinite ones too.
std::string write_progress(const RunProgress& progress);
/// \throws UserError, which begins with `place`: no JSON, a key that is missing or of the wrong type
RunProgress read_progress(const std::string& text, const std::string& place);

/// What the continuation of a training needs beyond the parameters. Owns no moments.
struct TrainingState {
  std::span<const float> adam_m, adam_v;  ///< [parameters] each
  RunProgress progress;
};

/// \throws UserError: the file cannot be written
void write_training_state(const std::filesystem::path& directory, const TrainingState& state);
/// Fills the moments, one for each parameter of the model. After an error they may hold anything.
/// \throws UserError: there is no training state, or it belongs to a model of another size
RunProgress read_training_state(const std::filesystem::path& directory, std::span<float> adam_m,
                                std::span<float> adam_v);

/// What a checkpoint says of its model, besides the weights.
struct ModelDescription {
  std::map<std::string, std::string> configs;  ///< by name: the text of config.yaml and of the other tools' configs
  TokenizerSettings tokenizer;
  TokenizerPair tokenizers;
};

/// Writes or replaces a checkpoint in one step: whatever happens, `directory` is a whole checkpoint or none.
/// Without `state`, the training cannot be continued from it.
/// \throws UserError: something cannot be written, or `directory` is something else
void save_checkpoint(const std::filesystem::path& directory, const ModelDescription& description,
                     const Arena<float>& weights, const TrainingState* state = nullptr);

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

/// Writes SHA256SUMS for all files in the directory. \throws UserError: something cannot be read or written
void write_checksums(const std::filesystem::path& directory);

/// Which files are verified. Only continuing the training needs its state.
enum class Verify { all, but_training_state };

/// Reads the files again and compares. A directory without SHA256SUMS passes: other tools write none.
/// \return the directory   \throws UserError naming the file that has changed or is missing
std::filesystem::path verify_checksums(const std::filesystem::path& directory, Verify which);

/// Sets the weights to those of the checkpoint `from` or, if that is empty, draws them with `seed`.
/// \throws UserError: a damaged checkpoint, or one of another model
void set_starting_weights(Model<float>& model, const std::filesystem::path& from, std::uint64_t seed);

}  // namespace glassformer
