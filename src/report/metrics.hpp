#pragma once

#include <filesystem>
#include <fstream>
#include <vector>

#include "report/figures.hpp"

/// metrics.jsonl: the figures of a run for other programs, in the order in which they arose. Each line is a JSON
/// object,
/// {"kind":"train", ...} or {"kind":"validation", ...}, with the names of figures.hpp as further keys. NaN, infinity
/// and an unknown time left are null.
namespace glassformer {

/// What a metrics.jsonl holds, each kind in the order of the lines.
struct Metrics {
  std::vector<TrainingFigures> training;
  std::vector<ValidationFigures> validation;
};

/// Skips a last line without an end, which a killed run may leave.
/// \throws UserError: the file cannot be read; a line (the message says which) does not hold figures
Metrics read_metrics(const std::filesystem::path& file);

/// Writes the file line by line.
class MetricsFile {
 public:
  /// Opens for appending. A run that begins or resumes calls truncate_after next. Without a path, nothing is written.
  /// \throws UserError: the file cannot be opened
  explicit MetricsFile(std::filesystem::path file);

  /// Drops what a resumed run will compute again: lines of later updates, and a torn last line. -1 drops all.
  /// \throws UserError as read_metrics does
  void truncate_after(Index update);

  /// Hands the line to the operating system at once. \throws UserError: it cannot be written
  void append(const TrainingFigures& figures);
  void append(const ValidationFigures& figures);  ///< the same for a validation

 private:
  void open();
  void append_line(const std::string& line);

  std::filesystem::path file_;
  std::ofstream out_;
};

}  // namespace glassformer
