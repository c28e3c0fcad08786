#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "numerics/matrix.hpp"
#include "training/progress.hpp"

/// What the continuation of a training needs beyond the parameters. In a checkpoint it is the file
/// training_state.safetensors: the tensors adam.m and adam.v, and the progress as metadata.
namespace glassformer {

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

/// What is to be saved of a training; owns no moments.
struct TrainingStateView {
  std::span<const float> adam_m, adam_v;  ///< [parameters] each
  RunProgress progress;
};
/// What has been read.
struct TrainingState {
  std::vector<float> adam_m, adam_v;  ///< [parameters] each
  RunProgress progress;
};

/// \throws UserError: the file cannot be written
void write_training_state(const std::filesystem::path& directory, const TrainingStateView& state);

/// \param parameters  the size of the arena
/// \throws UserError: there is no training state, or it belongs to a model of another size
TrainingState read_training_state(const std::filesystem::path& directory, Index parameters);

}  // namespace glassformer
