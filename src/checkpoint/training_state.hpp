#pragma once

#include <filesystem>
#include <limits>
#include <span>
#include <string>

#include "glassformer/training/trainer.hpp"

namespace glassformer {

/// The progress of a run: its training and its validations.
struct RunProgress : Progress {
  Index validated = 0;     ///< the update of the last validation; 0: none yet
  double best_metric = 0;  ///< of the best validation; meaningless while best_update is 0
  double best_loss = std::numeric_limits<double>::infinity();  ///< its loss, which decides between equal metrics
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

}  // namespace glassformer
