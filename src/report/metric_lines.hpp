#pragma once

#include <limits>
#include <string>

#include "glassformer/report/metrics.hpp"

/// The lines of the log that show metrics. Numbers have a constant width, so that lines form columns.
namespace glassformer {

/// When a run ends. 0: no limit.
struct RunLength {
  Index updates = 0, epochs = 0;
};

/// 1234567 as "1,234,567".
std::string with_commas(Index number);
/// Right-aligned in `width` columns, with `decimals` decimal places, or as many as fit.
std::string fit_number(double value, int width, int decimals);
/// Tokens per second in five columns: "  987", "12.3k", " 123k", "1.23M".
std::string short_count(double value);
/// A span of time in five columns: "  45s", "1m40s", "2h03m", "3d04h"; "    -" if negative (unknown).
std::string short_time(double minutes);
/// The log line for training. If it is wider than `width`, the less important columns are dropped; update and loss
/// always stay.
std::string training_line(const TrainingMetrics& metrics, const RunLength& length,
                          int width = std::numeric_limits<int>::max());
/// The log line for validation. Metrics that the training line also has are in the same columns.
std::string validation_line(const ValidationMetrics& metrics, const RunLength& length);

}  // namespace glassformer
