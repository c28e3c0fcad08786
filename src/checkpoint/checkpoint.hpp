#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "model/model.hpp"
#include "numerics/arena.hpp"
#include "training/trainer.hpp"

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

inline constexpr const char* kModelFile = "model.safetensors";           ///< a checkpoint's weights
inline constexpr const char* kStateFile = "training_state.safetensors";  ///< what resuming also needs
inline constexpr const char* kChecksumFile = "SHA256SUMS";               ///< checksums of a checkpoint's other files

/// The progress of a run: its training and its validations.
struct RunProgress : Progress {
  Index validated = 0;     ///< the update of the last validation; 0: none yet
  double best_figure = 0;  ///< of the best validation; meaningless while best_update is 0
  double best_loss = std::numeric_limits<double>::infinity();  ///< its loss, which decides between equal figures
  Index best_update = 0;                                       ///< the update of that validation; 0: none yet
  Index without_best = 0;                                      ///< validations since then
  double minutes = 0;                                          ///< since the run started, without interruptions
  Index text = 0;                                              ///< fingerprint of the training text; 0: unknown
  Index valid_text = 0;                                        ///< fingerprint of the validation text; 0: unknown

  bool operator==(const RunProgress&) const = default;
};

/// One line of JSON. Doubles are read back bit for bit, even infinite ones.
std::string write_progress(const RunProgress& progress);
/// \throws UserError, which begins with `place`: not JSON, a key is missing or has the wrong type, or the numbers
///         contradict each other
RunProgress read_progress(const std::string& text, const std::string& place);

/// What resuming a run needs in addition to the parameters. Does not own the moments.
struct TrainingState {
  std::span<const float> adam_m, adam_v;  ///< [parameters] each
  RunProgress progress;
};

/// \throws as throw_disk_error() does
void write_training_state(const std::filesystem::path& directory, const TrainingState& state);
/// Fills the moments, one for each parameter of the model. After an error they may hold anything.
/// \throws UserError: there is no training state, it is damaged, or it belongs to a model of another size
RunProgress read_training_state(const std::filesystem::path& directory, std::span<float> adam_m,
                                std::span<float> adam_v);

/// Writes into a directory what a checkpoint holds about its model, apart from the weights: config.yaml, configs for
/// other tools, and the tokenizers.
using DescribeModel = std::function<void(const std::filesystem::path& directory)>;

/// Writes or replaces a checkpoint in one step: whatever happens, `directory` never holds an incomplete checkpoint.
/// Without `state`, a run cannot be resumed from it. A checkpoint that replaces another keeps the files that are not
/// those of a checkpoint, with a warning.
/// \throws UserError: `directory` exists and is not a checkpoint. If writing fails: as throw_disk_error() does
void save_checkpoint(const std::filesystem::path& directory, const DescribeModel& describe, const Arena<float>& weights,
                     const TrainingState* state = nullptr);

/// Whether this directory is a complete checkpoint.
bool is_checkpoint(const std::filesystem::path& directory);
/// The names in a checkpoint that are neither those of a checkpoint's files nor listed in its SHA256SUMS. Hidden names,
/// such as .DS_Store, do not count.
std::vector<std::string> other_files_in(const std::filesystem::path& checkpoint);

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

/// The SHA-256 (FIPS 180-4) of a file or of bytes, in hexadecimal digits.
std::string sha256_of(const std::filesystem::path& file);
std::string sha256_of(std::span<const std::byte> bytes);

/// Writes SHA256SUMS for all files in the directory. \throws as throw_disk_error() does
void write_checksums(const std::filesystem::path& directory);

/// Which files to verify. The training state is only needed for resuming a run.
enum class Verify { all, but_training_state };

/// Recomputes the checksums and compares them. A directory without SHA256SUMS passes, because other tools write none.
/// Each of the checkpoint's files must be listed.
/// \return the directory   \throws UserError naming the file that has changed, is missing or is not listed
std::filesystem::path verify_checksums(const std::filesystem::path& directory, Verify which);

/// Copies the weights from the checkpoint `from` or, if that is empty, draws random ones from `seed`.
/// \throws UserError: the checkpoint is damaged or belongs to another model
void set_starting_weights(Model<float>& model, const std::filesystem::path& from, std::uint64_t seed);

}  // namespace glassformer
