#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/event_record.hpp"
#include "report/figures.hpp"

namespace glassformer {

/// The figures of metrics.jsonl for TensorBoard, with the same names: train/loss, validation/bleu, ... over updates. A
/// figure that is not finite is left out. The sample translations of a validation are a table of text.
///
/// Every start of a run begins a file of its own. What earlier files say of updates that a resumed run makes again,
/// TensorBoard forgets. A failure is a warning: the training goes on, and nothing more is written.
class EventFile {
 public:
  /// Makes the directory if need be. `update`: the one that the run goes on from, -1 if it begins.
  /// \pre can_make_event_records()
  EventFile(const std::filesystem::path& directory, Index update);

  /// Each is handed to the operating system at once.
  void append(const TrainingFigures& figures);
  void append(const ValidationFigures& figures, const std::vector<SampleTranslation>& samples);

 private:
  void open(const std::filesystem::path& directory);
  void append_figures(const nlohmann::ordered_json& figures, Event event);
  void write(Event event);
  void give_up(const std::string& reason);

  std::filesystem::path file_;
  std::ofstream out_;
};

}  // namespace glassformer
