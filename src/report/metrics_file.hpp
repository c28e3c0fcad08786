#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "glassformer/report/metrics.hpp"

namespace glassformer {

/// Writes metrics.jsonl, or another file of one JSON object per line. In metrics.jsonl, each line is a JSON object,
/// {"kind":"train", ...} or {"kind":"validation", ...}, whose other keys are the names of the metrics. NaN, infinity
/// and an unknown time left are null. All members throw as throw_disk_error() does.
class MetricsFile {
 public:
  /// With an empty path, nothing is written.
  explicit MetricsFile(std::filesystem::path file) : file_(std::move(file)) {}

  /// Drops what a resumed run will recompute: lines of later updates, and an unterminated last line. -1 drops all.
  /// \throws UserError: a line does not hold metrics (the message names it)
  void truncate_after(Index update) const;
  void append(const TrainingMetrics& metrics) const;
  void append(const ValidationMetrics& metrics) const;
  void append(const std::string& line) const;  ///< a JSON object with "update", and a newline

 private:
  std::filesystem::path file_;
};

}  // namespace glassformer
