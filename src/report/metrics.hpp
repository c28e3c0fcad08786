#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "report/figures.hpp"

/// metrics.jsonl: the figures of a run for other programs, one JSON object on each line, in the order in which
/// they arose. {"kind":"train", ...} and {"kind":"validation", ...}; the other keys are the names in
/// figures.hpp. A number that is not finite, and an unknown time left, is null.
namespace glassformer {

/// What a metrics.jsonl holds, each kind in the order of the lines.
struct Metrics {
  std::vector<TrainingFigures> training;
  std::vector<ValidationFigures> validation;
};

/// The object of such a line.
nlohmann::ordered_json figures_json(const TrainingFigures& figures);
/// The same of a validation.
nlohmann::ordered_json figures_json(const ValidationFigures& figures);

/// A run that was killed may leave a last line without an end; that line is skipped.
/// \throws UserError when the file cannot be read, or names a line that is no such object
Metrics read_metrics(const std::filesystem::path& file);

/// Writes it, line by line.
class MetricsFile {
 public:
  /// Opens for appending. A run that begins or resumes calls truncate_after next. Without a path, nothing is written.
  /// \throws UserError when the file cannot be opened
  explicit MetricsFile(std::filesystem::path file);

  /// Drops what a resumed run will compute again: lines of later updates, and a torn last line. -1 drops all.
  /// \throws UserError as read_metrics does
  void truncate_after(Index update);

  /// Each line is handed to the operating system at once.
  /// \throws UserError when the disk is full
  void append(const TrainingFigures& figures);
  /// The same for a validation.
  void append(const ValidationFigures& figures);

 private:
  void open();
  void append_line(const std::string& line);

  std::filesystem::path file_;
  std::ofstream out_;
};

}  // namespace glassformer
